#ifndef TAGFLOW_REFERENCE_KERNELS_KERNEL_RUNNER_H_
#define TAGFLOW_REFERENCE_KERNELS_KERNEL_RUNNER_H_

// For tests: runs one kernel on tensors, without a graph around it, and makes tensors of any dtype
// from numbers.

#include <string>
#include <utility>
#include <vector>

#include "reference/kernel.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {

class KernelRunner {
 public:
  using Family = Status (*)(KernelRegistry&);

  // Knows the kernels of these families.
  explicit KernelRunner(std::initializer_list<Family> families) {
    for (Family family : families) TAGFLOW_CHECK(family(registry_).ok());
  }

  // The outputs of one node. Its attrs are those given: there is no op definition with defaults.
  Result<std::vector<Tensor>> RunAll(const std::string& op, std::vector<Tensor> inputs,
                                     AttrMap attrs = {}, size_t outputs = 1) {
    const Kernel* kernel = registry_.Find(op);
    if (kernel == nullptr) return NotFound("no kernel of op " + op);
    Node node;
    node.name = "node";
    node.op = op;
    node.attrs = std::move(attrs);
    const Signature signature;
    Resources resources;
    const std::string tag;
    AccessLog accesses;
    KernelContext context{
        node,      signature, std::move(inputs), {}, std::vector<Tensor>(outputs), {},
        resources, tag,       accesses};
    TAGFLOW_RETURN_IF_ERROR((*kernel)(context));
    return std::move(context.outputs);
  }

  // The first output; its text for what a test prints.
  Result<Tensor> Run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                             RunAll(op, std::move(inputs), std::move(attrs)));
    return outputs[0];
  }
  std::string Text(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Result<Tensor> output = Run(op, std::move(inputs), std::move(attrs));
    return output.ok() ? output->DebugString() : output.status().ToString();
  }

 private:
  KernelRegistry registry_;
};

// A tensor of any numeric dtype (or bool) from numbers; each must be one the dtype has.
inline Tensor Numbers(DType dtype, DimsView dims, const std::vector<double>& numbers) {
  return WithComputingType(dtype, [&](auto computing) -> Tensor {
    using C = typename decltype(computing)::Type;
    if constexpr (NumberElement<C>) {
      std::vector<C> values;
      for (double number : numbers) values.push_back(static_cast<C>(number));
      return *Store(dtype, dims, values);
    } else {
      CheckFailed(__FILE__, __LINE__, "a dtype of numbers");
    }
  });
}
inline Tensor Numbers(DType dtype, const std::vector<double>& numbers) {
  return Numbers(dtype, Dims{static_cast<int64_t>(numbers.size())}, numbers);
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_KERNEL_RUNNER_H_
