#ifndef TAGFLOW_REFERENCE_KERNELS_OP_RUNNER_H_
#define TAGFLOW_REFERENCE_KERNELS_OP_RUNNER_H_

// For tests: runs one op by its definition, so that attrs have their defaults, and the types and
// counts of the inputs need not be said twice. Variables, arrays and stacks live as long as the
// runner.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_node.h"
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
    std::vector<DType> dtypes;
    for (const Input& input : inputs) dtypes.push_back(input.dtype());
    TAGFLOW_ASSIGN_OR_RETURN(const Node node, TestNode(node_name, op, dtypes, std::move(attrs)));
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
