#ifndef TAGFLOW_REFERENCE_KERNELS_OP_RUNNER_H_
#define TAGFLOW_REFERENCE_KERNELS_OP_RUNNER_H_

// For tests: runs one op by its definition, so that attrs have their defaults, and the types and
// counts of the inputs need not be said twice. Variables, arrays and stacks live as long as the
// runner.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "reference/kernel.h"

namespace tagflow::reference {

class OpRunner {
 public:
  // An input: a tensor, or a reference to a variable.
  struct Input {
    Input(Tensor value) : tensor(std::move(value)) {}                               // NOLINT
    Input(std::shared_ptr<Variable> reference) : variable(std::move(reference)) {}  // NOLINT
    DType dtype() const { return variable != nullptr ? variable->dtype : tensor.dtype(); }
    Tensor tensor;
    std::shared_ptr<Variable> variable;
  };
  struct Outputs {
    std::vector<Tensor> tensors;
    std::vector<std::shared_ptr<Variable>> variables;
  };

  Result<Outputs> Run(const std::string& op, std::vector<Input> inputs, AttrMap attrs = {}) {
    Node node;
    node.name = node_name;
    node.op = op;
    node.def = OpRegistry::Standard().Find(op);
    if (node.def == nullptr) return NotFound("no definition of op " + op);
    node.attrs = std::move(attrs);
    Infer(node, inputs);
    std::sort(node.attrs.begin(), node.attrs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
    const Kernel* kernel = KernelRegistry::Standard().Find(op);
    if (kernel == nullptr) return NotFound("no kernel of op " + op);
    accesses.clear();
    const size_t n = signature.outputs.size();
    KernelContext context{node, signature, {},  {},      std::vector<Tensor>(n),
                          {},   resources, tag, accesses};
    context.output_variables.resize(n);
    for (Input& input : inputs) {
      context.inputs.push_back(std::move(input.tensor));
      context.variables.push_back(std::move(input.variable));
    }
    TAGFLOW_RETURN_IF_ERROR((*kernel)(context));
    for (size_t i = 0; i < n; ++i) {
      const bool right = context.output_variables[i] != nullptr
                             ? signature.outputs[i].is_ref
                             : context.outputs[i].dtype() == signature.outputs[i].dtype;
      if (!right) return Internal("output " + std::to_string(i) + " is not as the op declares it");
    }
    return Outputs{std::move(context.outputs), std::move(context.output_variables)};
  }

  // What the outputs hold, or the error, as one line.
  std::string Text(const std::string& op, std::vector<Input> inputs, AttrMap attrs = {}) {
    Result<Outputs> result = Run(op, std::move(inputs), std::move(attrs));
    if (!result.ok()) return result.status().ToString();
    std::string text;
    for (size_t i = 0; i < result->tensors.size(); ++i) {
      const auto& variable = result->variables[i];
      text += (i == 0 ? "" : "; ") + (variable != nullptr ? "ref " + variable->value.DebugString()
                                                          : result->tensors[i].DebugString());
    }
    return text;
  }

  std::string node_name = "node";
  std::string tag;
  Resources resources;
  AccessLog accesses;  // of the last run

 private:
  static bool Has(const Node& node, const std::string& name) {
    return std::any_of(node.attrs.begin(), node.attrs.end(),
                       [&](const auto& attr) { return attr.first == name; });
  }
  static void Set(Node& node, const std::string& name, AttrValue value) {
    if (!name.empty() && !Has(node, name)) node.attrs.emplace_back(name, std::move(value));
  }

  // Gives the node the attrs that say its inputs' types and counts.
  static void Infer(Node& node, const std::vector<Input>& inputs) {
    size_t lists = 0;
    for (const ArgDef& arg : node.def->inputs) lists += arg.number_attr.empty() ? 0 : 1;
    const size_t singles = node.def->inputs.size() - lists;
    const size_t per_list = lists == 0 ? 0 : (inputs.size() - singles) / lists;
    size_t next = 0;
    for (const ArgDef& arg : node.def->inputs) {
      if (!arg.type_list_attr.empty()) {
        AttrList types;
        for (; next < inputs.size(); ++next) types.types.push_back({inputs[next].dtype(), false});
        Set(node, arg.type_list_attr, std::move(types));
        continue;
      }
      Set(node, arg.number_attr, static_cast<int64_t>(per_list));
      if (next < inputs.size()) Set(node, arg.type_attr, inputs[next].dtype());
      next += arg.number_attr.empty() ? 1 : per_list;
    }
  }
};

// Short ways to write tensors.
inline Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
inline Tensor Ints(DimsView dims, const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>(dims, values);
}
inline Tensor Int(int32_t value) { return Tensor::Scalar(value); }
inline Tensor Floats(const std::vector<float>& values) { return Tensor::Vector(values); }
inline Tensor Float(float value) { return Tensor::Scalar(value); }
inline Tensor Strings(const std::vector<std::string>& values) { return Tensor::Vector(values); }
inline Tensor Empty(DType dtype, DimsView dims) { return *Tensor::Allocate(dtype, dims); }

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_OP_RUNNER_H_
