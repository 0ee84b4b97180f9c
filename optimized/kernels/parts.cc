#include "optimized/kernels/parts.h"

#include <utility>

#include "optimized/kernels/index_input.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

// From this size on, a header of its own is cheaper than a copy.
constexpr int64_t kSharedBytesMin = 1024;

// Strings and variants are shared from two elements on: each copy of one costs more than a header.
bool IsShared(const Tensor& input, int64_t elements) {
  if (!input.has_value() || input.is_inline()) return false;
  if (!IsPlainDType(input.dtype())) return elements > 1;
  return elements * static_cast<int64_t>(DTypeSize(input.dtype())) >= kSharedBytesMin;
}

Tensor SharedRun(const Tensor& input, int64_t first, int64_t count, DimsView dims) {
  return input.Reshaped(Dims{input.num_elements()}).SliceOuter(first, count).Reshaped(dims);
}

}  // namespace

Status SetPart(KernelContext& context, int output, int input, const Part& part) {
  StridedCopy copy;
  copy.AddAll(part.dims, part.steps);
  if (copy.is_one_run() && !copy.is_empty()) {
    return SetRun(context, output, input, part.first, part.dims);
  }
  const Tensor& from = context.input(input);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, from.dtype(), part.dims));
  if (copy.is_empty()) return Status();
  const Mover& mover = MoverOf(from.dtype());
  copy.Run(mover, mover.At(from.raw_data(), part.first), out->mutable_raw_data());
  return Status();
}

Status SetRun(KernelContext& context, int output, int input, int64_t first, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  const Tensor& from = context.input(input);
  if (IsShared(from, count)) {
    context.output(output) = SharedRun(from, first, count, dims);
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, from.dtype(), dims));
  if (count == 0) return Status();
  const Mover& mover = MoverOf(from.dtype());
  mover.run(mover.At(from.raw_data(), first), out->mutable_raw_data(), count);
  return Status();
}

Result<Tensor*> SetCopy(KernelContext& context, int output, int input) {
  Tensor& out = context.output(output);
  const Tensor& from = context.input(input);
  bool overwrites = !from.is_inline() && context.MayOverwrite(input);
  for (int i = 0; overwrites && i < context.num_inputs(); ++i) {
    // One value may come in twice, held by one slot.
    overwrites = i == input || context.input(i).raw_data() != from.raw_data();
  }
  if (overwrites) {
    out = context.Take(input);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(out, from.Clone());
  }
  return &out;
}

void SetReshaped(KernelContext& context, int output, int input, DimsView dims) {
  const Tensor value = context.Take(input);
  context.output(output) = value.Reshaped(dims);
}

}  // namespace tagflow::optimized
