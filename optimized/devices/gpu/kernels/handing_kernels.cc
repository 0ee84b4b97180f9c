// The host's kernels that look at no element but those of their host inputs: they hand the memory
// on, or compute on shapes, and what they make of these is on the host.

#include <string>
#include <vector>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"

namespace tagflow::optimized {
namespace {

struct Handing {
  std::string op;
  std::vector<std::string> host_inputs;
};

}  // namespace

void RegisterGpuHandingKernels(KernelRegistry& registry) {
  const std::vector<Handing> ops = {
      {"BroadcastGradientArgs", {"s0", "s1"}},
      {"ConcatOffset", {"concat_dim", "shape"}},
      {"ExpandDims", {"dim"}},
      {"InvertPermutation", {"x"}},
      {"Range", {"start", "limit", "delta"}},
      {"Rank", {}},
      {"Reshape", {"shape"}},
      {"Shape", {}},
      {"ShapeN", {}},
      {"Size", {}},
      {"Squeeze", {}},
      {"StatelessRandomGetAlg", {}},
      {"StatelessRandomGetKeyCounter", {"seed"}},
      {"StatelessRandomGetKeyCounterAlg", {"seed"}},
      // The tensors in a list are where they were.
      {"EmptyTensorList", {"element_shape", "max_num_elements"}},
      {"TensorListElementShape", {}},
      {"TensorListGetItem", {"index", "element_shape"}},
      {"TensorListLength", {}},
      {"TensorListPopBack", {"element_shape"}},
      {"TensorListPushBack", {}},
      {"TensorListReserve", {"element_shape", "num_elements"}},
      {"TensorListResize", {"size"}},
      {"TensorListSetItem", {"index"}},
  };
  // Of what has elements that may be in the GPU's memory; other values stay where they are.
  for (const char* op : {"EnsureShape", "PreventGradient", "Snapshot", "StopGradient"}) {
    for (const DType dtype : kMovedDTypes) {
      RegisterForGpu(op, dtype, {.bind = HostKernel(op).bind}, registry);
    }
  }
  // Of a list: else a loop that passes one on would bring it to the host each time.
  RegisterForGpu("Identity", DType::kVariant, {.bind = HostKernel("Identity").bind}, registry);
  for (const auto& [op, host_inputs] : ops) {
    RegisterForGpu(op, DType::kInvalid, {.bind = HostKernel(op).bind, .host_inputs = host_inputs},
                   registry);
  }
}

}  // namespace tagflow::optimized
