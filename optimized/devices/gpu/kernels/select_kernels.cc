// Select and SelectV2.

#include <algorithm>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/select_shapes.h"

namespace tagflow::optimized {
namespace {

using ShapesOf = Result<SelectShapes> (*)(DimsView condition, DimsView x, DimsView y);

// How far apart in an input of shape `from` neighbours along the dimension that is `from_end`
// before the output's last are: nowhere, where it repeats.
int64_t StepOf(DimsView from, size_t from_end) {
  if (from_end >= from.size()) return 0;
  const size_t d = from.size() - 1 - from_end;
  return from[d] == 1 ? 0 : ProductOf(from, d + 1, from.size());
}

Result<Walk<SelectArgs::kInputs>> WalkOf(const SelectShapes& shapes, DimsView x, DimsView y) {
  Walk<SelectArgs::kInputs> walk;
  for (size_t i = 0; i < shapes.output.size(); ++i) {
    const int64_t dim = shapes.output[shapes.output.size() - 1 - i];
    TAGFLOW_RETURN_IF_ERROR(
        walk.Add(dim, {StepOf(shapes.condition, i), StepOf(x, i), StepOf(y, i)}));
  }
  return walk;
}

Status RunSelect(ShapesOf shapes_of, DType dtype, KernelContext& context) {
  const DimsView x = context.input(1).dims(), y = context.input(2).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const SelectShapes shapes, shapes_of(context.input(0).dims(), x, y));
  SelectArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.walk, WalkOf(shapes, x, y));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, dtype, shapes.output));
  if (args.walk.count == 0) return Status();
  for (int i = 0; i < SelectArgs::kInputs; ++i) {
    args.inputs[i] = PlaceOf(context.input(i), args.scalars[i]);
  }
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, Cuda().launch_select, DTypeSize(dtype), args);
}

// A condition that the host has, for the whole of x and y: the host's kernel hands one of them on.
bool ChoosesWhole(const KernelContext& context) {
  return context.input(0).is_inline() &&
         std::ranges::equal(context.input(1).dims(), context.input(2).dims());
}

void RegisterSelect(const std::string& op, ShapesOf shapes_of, KernelRegistry& registry) {
  const Binder bind = [shapes_of](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    const DType dtype = binding.output_dtype(0);
    return BindAs(on_host, [=](KernelContext& context) {
      if (AllAreOnHost(context) || ChoosesWhole(context)) return on_host(context);
      return RunSelect(shapes_of, dtype, context);
    });
  };
  for (const DType dtype : kMovedDTypes) RegisterForGpu(op, dtype, {.bind = bind}, registry);
}

}  // namespace

void RegisterGpuSelectKernels(KernelRegistry& registry) {
  RegisterSelect("Select", ShapesOfSelect, registry);
  RegisterSelect("SelectV2", ShapesOfSelectV2, registry);
}

}  // namespace tagflow::optimized
