#ifndef TAGFLOW_OPTIMIZED_KERNELS_ARRAY_PARTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ARRAY_PARTS_H_

// What the ops that move elements ask of their inputs, and where each element goes: shapes, checks
// and errors, without the moving, which devices do in ways of their own. Only inputs that say axes,
// sizes and places are read.
//
// Each is defined beside its op's kernel. All fail with INVALID_ARGUMENT, or as is said.
// Tested by conformance/ops/{array,rearranging,slicing,slice_update}.ops.

#include <cstddef>
#include <cstdint>

#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/small_vector.h"
#include "optimized/kernels/strided_slice.h"

namespace tagflow::optimized {

// ---- Outputs that are a part of input 0 ----

Result<Part> TransposedPart(const KernelContext& context);
Result<Part> BroadcastPart(const KernelContext& context);
Result<Part> SlicedPart(const KernelContext& context);
//   Errors: UNIMPLEMENTED (rank)
Result<Part> ReversedPart(const KernelContext& context);  // of ReverseV2

// ---- Tensors taken apart, and put together ----

// Output i of Unpack begins i steps after the first.
struct UnpackedParts {
  Part first;
  int64_t step;
};
Result<UnpackedParts> PartsOfUnpack(const KernelContext& context, int64_t axis_attr, int count);

// One size along the axis for each of the outputs, which lie one after the other.
struct Cuts {
  size_t axis;
  SmallDims sizes;
};
Result<Cuts> CutsOfSplit(const KernelContext& context, int64_t count);
Result<Cuts> CutsOfSplitV(const KernelContext& context, int64_t count);

// Inputs [first, last), which the output of shape `dims` has one after the other along the axis.
struct Joint {
  int first, last;
  size_t axis;
  SmallDims dims;
};
// Each of the inputs has the size 1 there, which its own shape does not have.
Result<Joint> JointOfPack(const KernelContext& context, int64_t axis_attr);
Result<Joint> JointOfConcat(const KernelContext& context);    // the axis is input 0
Result<Joint> JointOfConcatV2(const KernelContext& context);  // the axis is the last input

// ---- Tensors with something around them ----

// Where input 0 begins in the output, of shape `dims`.
struct Padding {
  SmallDims before;
  SmallDims dims;
};
//   Errors: UNIMPLEMENTED (rank)
Result<Padding> PaddingOf(const KernelContext& context);
Status CheckPadValue(const Tensor& value);  // of PadV2

// The output of StridedSliceGrad, of shape `dims`, is zero around this part.
struct SlicedFrom {
  SmallDims dims;
  Part part;
};
Result<SlicedFrom> SlicedFromOf(const KernelContext& context, const SliceMasks& masks);

// ---- Sequences ----

// The dimensions of ReverseSequence's input that sequences lie along, and that number them.
struct SequenceDims {
  int64_t seq = 0;
  int64_t batch = 0;
};
Result<SequenceDims> SequenceDimsOf(const Node& node);
Status CheckSequences(DimsView input, DimsView lengths, SequenceDims at);
Status CheckSequenceLengths(DimsView lengths, int64_t longest);

// ---- Repetition ----

struct Tiling {
  SmallDims multiples;
  SmallDims dims;  // of the output
};
Result<Tiling> TilingOf(const KernelContext& context);

// The shape that Fill gives.
Result<SmallDims> FilledDims(const KernelContext& context);
// The output of OneHot, [outer, depth, inner] as a whole, of indices [outer, inner].
struct HotDims {
  SmallDims dims;
  int64_t depth;
  int64_t inner;
};
Result<HotDims> HotDimsOf(const KernelContext& context, int64_t axis_attr);
// The element that OnesLike gives, over and over: a scalar.
Result<Tensor> OneOf(DType dtype);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ARRAY_PARTS_H_
