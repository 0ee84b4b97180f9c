#ifndef TAGFLOW_OPTIMIZED_KERNELS_OP_RUNNER_H_
#define TAGFLOW_OPTIMIZED_KERNELS_OP_RUNNER_H_

// For tests: binds and runs one op by its definition, so that attrs have their defaults, and the
// types and counts of the inputs need not be said twice. Variables, arrays and stacks live as long
// as the runner.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

class OpRunner {
 public:
  // How the inputs come to the kernel: held by nobody else (so it may overwrite them), or shared.
  enum class Inputs { kLast, kShared };

  explicit OpRunner(Inputs inputs = Inputs::kLast) : is_last_(inputs == Inputs::kLast) {
    services_.session = &session;
    services_.step = &step;
  }

  Result<std::vector<Tensor>> Run(const std::string& op, std::vector<Tensor> inputs,
                                  AttrMap attrs = {}) {
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
    const KernelEntry* kernel = KernelRegistry::Standard().Find(op);
    if (kernel == nullptr) return NotFound("no kernel of op " + op);
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel bound, kernel->bind(Binding{node, signature}));
    return Call(bound, signature, std::move(inputs));
  }

  // What the outputs hold, or the error, as one line.
  std::string Text(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Result<std::vector<Tensor>> result = Run(op, std::move(inputs), std::move(attrs));
    if (!result.ok()) return result.status().ToString();
    std::string text;
    for (const Tensor& output : *result) {
      text += (text.empty() ? "" : "; ") +
              (IsReference(output) ? "ref " + ReferencedVariable(output).value().DebugString()
                                   : output.DebugString());
    }
    return text;
  }

  std::string node_name = "node";
  SessionState session;
  StepState step;

 private:
  static bool IsReference(const Tensor& value) {
    if (value.dtype() != DType::kResource || value.num_elements() != 1) return false;
    const auto& handle = *value.data<ResourceHandle>();
    return handle.type_name.empty() && dynamic_cast<Variable*>(handle.object.get()) != nullptr;
  }

  Result<std::vector<Tensor>> Call(const BoundKernel& bound, const Signature& signature,
                                   std::vector<Tensor> inputs) {
    const size_t num_inputs = inputs.size();
    std::vector<Tensor> slots = std::move(inputs);
    std::vector<Arg> args;
    std::vector<uint32_t> outputs;
    for (size_t i = 0; i < num_inputs; ++i) args.push_back({static_cast<uint32_t>(i), is_last_});
    std::vector<Tensor> shared = is_last_ ? std::vector<Tensor>() : slots;
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      outputs.push_back(static_cast<uint32_t>(slots.size()));
      slots.emplace_back();
    }
    KernelContext context(slots.data(), services_);
    context.Point(args.data(), outputs.data(), static_cast<int>(num_inputs));
    TAGFLOW_RETURN_IF_ERROR(bound(context));
    std::vector<Tensor> results(slots.begin() + static_cast<long>(num_inputs), slots.end());
    for (size_t i = 0; i < results.size(); ++i) {
      const ArgType type = signature.outputs[i];
      if (type.is_ref ? !IsReference(results[i]) : results[i].dtype() != type.dtype) {
        return Internal("output " + std::to_string(i) + " is not as the op declares it");
      }
    }
    return results;
  }

  static bool Has(const Node& node, const std::string& name) {
    return std::any_of(node.attrs.begin(), node.attrs.end(),
                       [&](const auto& attr) { return attr.first == name; });
  }
  static void Set(Node& node, const std::string& name, AttrValue value) {
    if (!name.empty() && !Has(node, name)) node.attrs.emplace_back(name, std::move(value));
  }
  static DType DTypeOfInput(const Tensor& input) {
    return IsReference(input) ? ReferencedVariable(input).contents().dtype : input.dtype();
  }

  // Gives the node the attrs that say its inputs' types and counts.
  static void Infer(Node& node, const std::vector<Tensor>& inputs) {
    size_t lists = 0;
    for (const ArgDef& arg : node.def->inputs) lists += arg.number_attr.empty() ? 0 : 1;
    const size_t singles = node.def->inputs.size() - lists;
    const size_t per_list = lists == 0 ? 0 : (inputs.size() - singles) / lists;
    size_t next = 0;
    for (const ArgDef& arg : node.def->inputs) {
      if (!arg.type_list_attr.empty()) {
        AttrList types;
        for (; next < inputs.size(); ++next) {
          types.types.push_back({DTypeOfInput(inputs[next]), false});
        }
        Set(node, arg.type_list_attr, std::move(types));
        continue;
      }
      Set(node, arg.number_attr, static_cast<int64_t>(per_list));
      if (next < inputs.size()) Set(node, arg.type_attr, DTypeOfInput(inputs[next]));
      next += arg.number_attr.empty() ? 1 : per_list;
    }
  }

  bool is_last_;
  StepServices services_;
};

// A call of an op and what must come of it.
struct Row {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs;
  std::string expected;  // the whole text, or of an error the code and a colon
};

// Every row with inputs that may be overwritten and with inputs that may not.
inline void Check(const std::vector<Row>& rows) {
  for (OpRunner::Inputs inputs : {OpRunner::Inputs::kLast, OpRunner::Inputs::kShared}) {
    OpRunner runner(inputs);
    for (const Row& row : rows) {
      std::vector<Tensor> copies;
      for (const Tensor& input : row.inputs) copies.push_back(*input.Clone());
      const std::string text = runner.Text(row.op, std::move(copies), row.attrs);
      EXPECT_TRUE(row.expected.ends_with(":") ? text.starts_with(row.expected)
                                              : text == row.expected)
          << row.op << ": " << text << " is not " << row.expected;
    }
  }
}

// Short ways to write tensors.
inline Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
inline Tensor Ints(DimsView dims, const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>(dims, values);
}
inline Tensor Int(int32_t value) { return Tensor::Scalar(value); }
inline Tensor Floats(const std::vector<float>& values) { return Tensor::Vector(values); }
inline Tensor Floats(DimsView dims, const std::vector<float>& values) {
  return Tensor::Of<float>(dims, values);
}
inline Tensor Float(float value) { return Tensor::Scalar(value); }
inline Tensor Strings(const std::vector<std::string>& values) { return Tensor::Vector(values); }
inline Tensor Empty(DType dtype, DimsView dims) { return *Tensor::Allocate(dtype, dims); }

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_OP_RUNNER_H_
