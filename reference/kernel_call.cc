// An ordinary op: references read, the kernel called, its outputs checked. See interpreter.h.
// Spec: [op.1], [op.2]

#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

Status CheckOutputs(const ProgramNode& node, const KernelContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const Tensor& output = context.outputs[i];
    const bool is_ref = context.output_variables[i] != nullptr;
    if (!is_ref && !output.has_value()) {
      return Internal("Missing " + std::to_string(i) + "-th output from op " + node.node->op);
    }
    const DType dtype = is_ref ? context.output_variables[i]->dtype : output.dtype();
    if (dtype != node.signature.outputs[i].dtype) {
      return Internal("output " + std::to_string(i) + " of op " + node.node->op + " is " +
                      DTypeName(dtype) + ", its signature says " +
                      DTypeName(node.signature.outputs[i].dtype));
    }
  }
  return Status();
}

}  // namespace

Status Interpreter::RunKernel(const ProgramNode& fired, Iteration& iteration,
                              std::vector<Token>& inputs, Outputs& outputs) {
  const size_t num_outputs = fired.signature.outputs.size();
  KernelContext context{*fired.node, fired.signature,  {},       {}, {}, {},
                        resources_,  TagOf(iteration), accesses_};
  for (Token& input : inputs) {
    context.inputs.push_back(std::move(input.value));
    context.variables.push_back(std::move(input.variable));
  }
  context.outputs.resize(num_outputs);
  context.output_variables.resize(num_outputs);
  TAGFLOW_RETURN_IF_ERROR((*fired.kernel)(context));
  TAGFLOW_RETURN_IF_ERROR(CheckOutputs(fired, context));
  for (size_t i = 0; i < num_outputs; ++i) {
    Token& token = outputs.tokens.emplace_back();
    token.value = std::move(context.outputs[i]);
    token.variable = std::move(context.output_variables[i]);
  }
  return Status();
}

Status Interpreter::ReadReferences(const ProgramNode& fired, std::vector<Token>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Token& input = inputs[i];
    if (input.variable == nullptr) continue;
    const bool is_ref = fired.signature.inputs[i].is_ref;
    const bool allows = fired.node->def->allows_uninitialized_input || fired.role == Role::kSwitch;
    const auto access = [&](int64_t part) {
      return Access{input.variable.get(), part, false, input.variable->name};
    };
    if (!(is_ref && allows)) accesses_.push_back(access(Access::kPresence));
    if (!input.variable->value.has_value()) {
      const Status found = rules().uninitialized(input.variable->name, is_ref && allows);
      TAGFLOW_RETURN_IF_ERROR(found);
    }
    if (!rules().reads_at_firing(true, is_ref)) continue;
    accesses_.push_back(access(Access::kValue));
    input.value = input.variable->value;
    input.variable = nullptr;
    if (options_.trace) reads_.emplace_back(static_cast<int>(i), input.value);
  }
  return Status();
}

}  // namespace tagflow::reference
