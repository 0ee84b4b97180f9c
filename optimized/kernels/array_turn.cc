// Ops that turn a tensor around or on: ReverseV2, Reverse, ReverseSequence, Roll.

#include <string>

#include "graph/limits.h"
#include "optimized/kernels/array_parts.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/piecewise_copy.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kValues = kNumbers | SetOf(DType::kBool, DType::kString);

// ---- Reverse and ReverseV2 ----

// output[…, i, …] = input[…, dim - 1 - i, …] along the dimensions where `turned` is not 0
Result<Part> PartAlong(DimsView dims, DimsView turned) {
  if (dims.size() > kMostReversedDimensions) {
    return Unimplemented("reverse is not implemented for tensors of rank > " +
                         std::to_string(kMostReversedDimensions) + ".");
  }
  Part part{0, SmallDims(dims), StridesOf(dims)};
  for (size_t d = 0; d < dims.size(); ++d) {
    if (turned[d] == 0) continue;
    part.first = WrappingSum(part.first, WrappingProduct(dims[d] - 1, part.steps[d]));
    part.steps[d] = -part.steps[d];
  }
  return part;
}

// Whether the tensor stays as it is, whatever the axes.
bool IsUnturned(const Tensor& input) { return input.rank() == 0 || input.num_elements() == 0; }

}  // namespace

Result<Part> ReversedPart(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& axis = context.input(1);
  if (IsUnturned(input)) return Part{0, SmallDims(input.dims()), StridesOf(input.dims())};
  if (axis.rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not " + std::to_string(axis.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims axes, IndexValues(axis));
  SmallDims turned(input.dims().size(), 0);
  for (const int64_t given : axes) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t d, CanonicalAxis(given, input.rank(), "axis"));
    if (turned[static_cast<size_t>(d)]++ == 0) continue;
    return InvalidArgument("axis " + std::to_string(d) + " specified more than once.");
  }
  return PartAlong(input.dims(), turned);
}

namespace {

//   tensor: any; axis: vector of different dimensions
Status ReverseV2(KernelContext& context) {
  if (IsUnturned(context.input(0))) {
    context.output(0) = context.Take(0);
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, ReversedPart(context));
  return SetPart(context, 0, 0, part);
}

//   tensor: any; dims: whether to reverse, per dimension
Status Reverse(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& dims = context.input(1);
  if (input.rank() == 0) {
    context.output(0) = context.Take(0);  // whatever dims
    return Status();
  }
  if (dims.rank() != 1 || dims.dim(0) != input.rank()) {
    return InvalidArgument("'dims' must be a vector of one element for each of the " +
                           std::to_string(input.rank()) + " dimensions, but has shape " +
                           DimsString(dims.dims()));
  }
  if (input.dim(0) == 0) return InvalidArgument("Invalid input first dimension. Found 0.");
  SmallDims turned;
  for (const bool turns : dims.flat<bool>()) turned.push_back(turns);
  TAGFLOW_ASSIGN_OR_RETURN(const Part part, PartAlong(input.dims(), turned));
  return SetPart(context, 0, 0, part);
}

Result<BoundKernel> BindReverseV2(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kValues));
  return BoundKernel(ReverseV2);
}

Result<BoundKernel> BindReverse(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kValues));
  return BoundKernel(Reverse);
}

// ---- ReverseSequence ----

// The part of every tensor like `dims` that is one element of the batch and [begin, end) of the
// sequence; turned around, read from its end.
void CopySequence(const Mover& mover, const Tensor& input, Tensor& output, SequenceDims at,
                  int64_t element, int64_t begin, int64_t end, bool turned) {
  const DimsView dims = input.dims();
  const SmallDims strides = StridesOf(dims);
  const size_t seq = static_cast<size_t>(at.seq);
  StridedCopy copy;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == static_cast<size_t>(at.batch)) continue;
    const int64_t size = d == seq ? end - begin : dims[d];
    copy.Add(size, d == seq && turned ? -strides[d] : strides[d], strides[d]);
  }
  const int64_t batch_offset = element * strides[static_cast<size_t>(at.batch)];
  const int64_t first = turned ? end - 1 : begin;
  copy.Run(mover, mover.At(input.raw_data(), batch_offset + first * strides[seq]),
           mover.At(output.mutable_raw_data(), batch_offset + begin * strides[seq]));
}

//   input: any of rank 2 to 5; seq_lengths: one per element of the batch
//   output[b, s] = input[b, seq_lengths[b] - 1 - s] for s < seq_lengths[b], else input[b, s]
Status ReverseSequence(KernelContext& context, SequenceDims at) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(CheckSequences(input.dims(), context.input(1).dims(), at));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims lengths, IndexValues(context.input(1)));
  const int64_t longest = input.dim(static_cast<int>(at.seq));
  TAGFLOW_RETURN_IF_ERROR(CheckSequenceLengths(lengths, longest));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims()));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(input.dtype());
  for (size_t i = 0; i < lengths.size(); ++i) {
    const auto element = static_cast<int64_t>(i);
    CopySequence(mover, input, *out, at, element, 0, lengths[i], true);
    CopySequence(mover, input, *out, at, element, lengths[i], longest, false);
  }
  return Status();
}

Result<BoundKernel> BindReverseSequence(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const SequenceDims at, SequenceDimsOf(binding.node));
  return BoundKernel([at](KernelContext& context) { return ReverseSequence(context, at); });
}

// ---- Roll ----

// How far on, in [0, dim), each dimension is rolled.
Result<SmallDims> ReadShifts(const Tensor& shift, const Tensor& axis, DimsView dims) {
  if (shift.rank() > 1 || axis.rank() > 1 || !SameDims(shift.dims(), axis.dims())) {
    return InvalidArgument("shift and axis must be scalars or vectors of one size, not of shapes " +
                           DimsString(shift.dims()) + " and " + DimsString(axis.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims shifts, IndexValues(shift));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims axes, IndexValues(axis));
  SmallDims on(dims.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis_index,
                             CanonicalAxis(axes[i], static_cast<int64_t>(dims.size()), "axis"));
    const size_t d = static_cast<size_t>(axis_index);
    if (dims[d] == 0) continue;
    const int64_t shift_inside = (shifts[i] % dims[d] + dims[d]) % dims[d];
    on[d] = (on[d] + shift_inside) % dims[d];
  }
  return on;
}

//   input: any of rank 1 or more; shift, axis: scalars or vectors of one length
//   output[…, i, …] = input[…, i - shift, …] along each axis, modulo its size
Status Roll(KernelContext& context) {
  const Tensor& input = context.input(0);
  const DimsView dims = input.dims();
  if (dims.empty()) return InvalidArgument("input must be 1-D or higher");
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims on,
                           ReadShifts(context.input(1), context.input(2), dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  PiecewiseCopy copy(dims, dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t stays = dims[d] - on[d];
    copy.Add({{stays, 0, 1, on[d]}, {on[d], stays, 1, 0}});
  }
  copy.Run(MoverOf(input.dtype()), input, *out);
  return Status();
}

Result<BoundKernel> BindRoll(const Binding&) { return BoundKernel(Roll); }

}  // namespace

Result<SequenceDims> SequenceDimsOf(const Node& node) {
  SequenceDims dims;
  TAGFLOW_ASSIGN_OR_RETURN(dims.seq, IntAttr(node, "seq_dim"));
  TAGFLOW_ASSIGN_OR_RETURN(dims.batch, IntAttr(node, "batch_dim"));
  return dims;
}

Status CheckSequences(DimsView input, DimsView lengths, SequenceDims at) {
  const auto rank = static_cast<int64_t>(input.size());
  if (lengths.size() != 1) return InvalidArgument("seq_lens input must be 1-dim");
  if (at.seq == at.batch) {
    return InvalidArgument("batch_dim == seq_dim == " + std::to_string(at.seq));
  }
  for (const int64_t dim : {at.seq, at.batch}) {
    if (dim >= 0 && dim < rank) continue;
    return InvalidArgument("seq_dim and batch_dim must be in [0, " + std::to_string(rank) +
                           "), not " + std::to_string(dim));
  }
  const int64_t batch = input[static_cast<size_t>(at.batch)];
  if (lengths[0] != batch) {
    return InvalidArgument("Length of seq_lens != input.dims(" + std::to_string(at.batch) + "), (" +
                           std::to_string(lengths[0]) + " vs. " + std::to_string(batch) + ")");
  }
  if (rank <= kMostSequenceDimensions) return Status();
  return InvalidArgument("ReverseSequenceOp : Unhandled input dimensions: " + std::to_string(rank));
}

Status CheckSequenceLengths(DimsView lengths, int64_t longest) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] >= 0 && lengths[i] <= longest) continue;
    return InvalidArgument("seq_lens(" + std::to_string(i) + ") = " + std::to_string(lengths[i]) +
                           " is not in [0, " + std::to_string(longest) + "]");
  }
  return Status();
}

Status RegisterArrayTurnKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Reverse", BindReverse},
                                   {"ReverseSequence", BindReverseSequence},
                                   {"ReverseV2", BindReverseV2},
                                   {"Roll", BindRoll},
                               });
}

}  // namespace tagflow::optimized
