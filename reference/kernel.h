#ifndef TAGFLOW_REFERENCE_KERNEL_H_
#define TAGFLOW_REFERENCE_KERNEL_H_

// What the interpreter hands a kernel, and the table of kernels. A kernel computes the outputs of
// one firing of an ordinary op from live inputs; it knows nothing of tags, frames or deadness.
//
// Kernels here are written to be read: straightforward loops, one formula per op.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/resources.h"

namespace tagflow::reference {

struct KernelContext {
  const Node& node;
  const Signature& signature;
  // One per data input, live. A reference input that the op declares non-ref has been read
  // ([ref.2]); where the op declares a reference (Assign's first input), inputs[i] has no value and
  // variables[i] is the variable.
  std::vector<Tensor> inputs;
  std::vector<std::shared_ptr<Variable>> variables;
  // One per output, to be filled; dtype is checked by the interpreter against the signature. For a
  // reference output set output_variables[i] instead.
  std::vector<Tensor> outputs;
  std::vector<std::shared_ptr<Variable>> output_variables;

  Resources& resources;    // session's variables and the step's arrays and stacks
  const std::string& tag;  // printed tag of this firing: names per-step objects, enters messages
  AccessLog& accesses;     // every touch of a resource is declared here, for the race detector
};

using Kernel = std::function<Status(KernelContext&)>;

// From op (and dtype where it matters, through the kernel's own dispatch) to kernel. Built by
// explicit calls, then read-only.
class KernelRegistry {
 public:
  // ALREADY_EXISTS for a second kernel of one op.
  Status Register(std::string_view op, Kernel kernel);
  // Null when there is none.
  const Kernel* Find(std::string_view op) const;
  std::vector<std::string> Ops() const;  // by name

  // Every kernel of the reference, made on first use.
  static const KernelRegistry& Standard();

 private:
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels_;
};

// Registers every kernel the reference has. Called by Standard(); users add their own to a registry
// of their own.
Status RegisterStandardKernels(KernelRegistry& registry);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNEL_H_
