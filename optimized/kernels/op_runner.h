#ifndef TAGFLOW_OPTIMIZED_KERNELS_OP_RUNNER_H_
#define TAGFLOW_OPTIMIZED_KERNELS_OP_RUNNER_H_

// For tests: binds and runs one op by its definition, so that attrs have their defaults, and the
// types and counts of the inputs need not be said twice. Variables, arrays and stacks live as long
// as the runner.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_node.h"
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
    std::vector<DType> dtypes;
    for (const Tensor& input : inputs) dtypes.push_back(DTypeOfInput(input));
    TAGFLOW_ASSIGN_OR_RETURN(const Node node, TestNode(node_name, op, dtypes, std::move(attrs)));
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
      text += (text.empty() ? "" : "; ") + TextOf(output);
    }
    return text;
  }
  static std::string TextOf(const Tensor& output) {
    return IsReference(output) ? "ref " + ReferencedVariable(output).value().DebugString()
                               : output.DebugString();
  }

  // Whose threads help kernels from now on; it outlives the runner.
  void set_crew(Crew* crew) { services_.crew = crew; }

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

  static DType DTypeOfInput(const Tensor& input) {
    return IsReference(input) ? ReferencedVariable(input).contents().dtype : input.dtype();
  }

  bool is_last_;
  StepServices services_;
};

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
