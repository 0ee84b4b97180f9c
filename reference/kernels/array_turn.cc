// Ops that turn a tensor around or on: ReverseV2, Reverse, ReverseSequence, Roll.

#include <string>

#include "graph/limits.h"
#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"

namespace tagflow::reference {
namespace {

// output[…, i, …] = input[…, dim - 1 - i, …] along the dimensions that `turned` marks
Status ReverseAlong(KernelContext& context, const std::vector<bool>& turned) {
  const Tensor& input = context.inputs[0];
  if (input.rank() > kMostReversedDimensions) {
    return Unimplemented("reverse is not implemented for tensors of rank > " +
                         std::to_string(kMostReversedDimensions) + ".");
  }
  const DimsView dims = input.dims();
  const std::vector<int64_t> strides = StridesOf(dims);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               source += (turned[d] ? dims[d] - 1 - at[d] : at[d]) * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

//   tensor: any; axis: vector of different dimensions
Status ReverseV2(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& axis = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kValues));
  if (input.rank() == 0 || input.num_elements() == 0) {
    context.outputs[0] = input;  // whatever the axes
    return Status();
  }
  if (axis.rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not " + std::to_string(axis.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IndexValues(axis));
  std::vector<bool> turned(input.dims().size(), false);
  for (const int64_t given : axes) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t d,
                             CanonicalAxis(given, input.rank(),
                                           "'axis' " + std::to_string(given) + " is out of the " +
                                               std::to_string(input.rank()) + " dimensions"));
    if (turned[static_cast<size_t>(d)]) {
      return InvalidArgument("axis " + std::to_string(d) + " specified more than once.");
    }
    turned[static_cast<size_t>(d)] = true;
  }
  return ReverseAlong(context, turned);
}

//   tensor: any; dims: whether to reverse, per dimension
Status Reverse(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& dims = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kValues));
  if (input.rank() == 0) {
    context.outputs[0] = input;  // whatever dims
    return Status();
  }
  if (dims.rank() != 1 || dims.num_elements() != input.rank()) {
    return InvalidArgument("'dims' must be a vector of one element for each of the " +
                           std::to_string(input.rank()) + " dimensions, but has shape " +
                           DimsString(dims.dims()));
  }
  if (input.dim(0) == 0) return InvalidArgument("Invalid input first dimension. Found 0.");
  const auto turned = dims.flat<bool>();
  return ReverseAlong(context, std::vector<bool>(turned.begin(), turned.end()));
}

Status CheckLengths(const std::vector<int64_t>& lengths, int64_t longest) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] >= 0 && lengths[i] <= longest) continue;
    return InvalidArgument("seq_lens(" + std::to_string(i) + ") = " + std::to_string(lengths[i]) +
                           " is not in [0, " + std::to_string(longest) + "]");
  }
  return Status();
}

Status CheckSequenceDims(const KernelContext& context, int64_t seq_dim, int64_t batch_dim) {
  const int64_t rank = context.inputs[0].rank();
  if (seq_dim == batch_dim) {
    return InvalidArgument("batch_dim == seq_dim == " + std::to_string(seq_dim));
  }
  for (const int64_t dim : {seq_dim, batch_dim}) {
    if (dim >= 0 && dim < rank) continue;
    return InvalidArgument("seq_dim " + std::to_string(seq_dim) + " and batch_dim " +
                           std::to_string(batch_dim) + " must be in [0, " + std::to_string(rank) +
                           ")");
  }
  return Status();
}

//   input: any of rank 2 to 5; seq_lengths: one per element of the batch
//   output[b, s] = input[b, seq_lengths[b] - 1 - s] for s < seq_lengths[b], else input[b, s]
Status ReverseSequence(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& seq_lengths = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seq_dim, IntAttr(context.node, "seq_dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dim, IntAttr(context.node, "batch_dim"));
  if (seq_lengths.rank() != 1) return InvalidArgument("seq_lens input must be 1-dim");
  TAGFLOW_RETURN_IF_ERROR(CheckSequenceDims(context, seq_dim, batch_dim));
  const size_t seq = static_cast<size_t>(seq_dim);
  const size_t batch = static_cast<size_t>(batch_dim);
  if (seq_lengths.num_elements() != input.dims()[batch]) {
    return InvalidArgument("Length of seq_lens != input.dims(" + std::to_string(batch_dim) +
                           "), (" + std::to_string(seq_lengths.num_elements()) + " vs. " +
                           std::to_string(input.dims()[batch]) + ")");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, IndexValues(seq_lengths));
  TAGFLOW_RETURN_IF_ERROR(CheckLengths(lengths, input.dims()[seq]));
  if (input.rank() > kMostSequenceDimensions) {
    return InvalidArgument("ReverseSequenceOp : Unhandled input dimensions: " +
                           std::to_string(input.rank()));
  }
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, input.dims(), [&](const Dims& at) {
                             const int64_t length = lengths[static_cast<size_t>(at[batch])];
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               const bool turns = d == seq && at[d] < length;
                               source += (turns ? length - 1 - at[d] : at[d]) * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

//   input: any of rank 1 or more; shift, axis: scalars or vectors of one length
//   output[…, i, …] = input[…, i - shift, …] along each axis, modulo its size
Status Roll(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& shift = context.inputs[1];
  const Tensor& axis = context.inputs[2];
  if (input.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  if (shift.rank() > 1 || axis.rank() > 1) {
    return InvalidArgument("shift and axis must be scalars or 1-D vectors, but have the shapes " +
                           DimsString(shift.dims()) + " and " + DimsString(axis.dims()));
  }
  if (ToDims(shift.dims()) != ToDims(axis.dims())) {
    return InvalidArgument("shift and axis must have the same size");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> shifts, IndexValues(shift));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IndexValues(axis));
  const Dims dims = ToDims(input.dims());
  Dims back(dims.size(), 0);  // how far back, in [0, dim), the source of an element is
  for (size_t i = 0; i < axes.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t d,
                             CanonicalAxis(axes[i], input.rank(),
                                           "axis " + std::to_string(axes[i]) + " is out of range"));
    const int64_t dim = dims[static_cast<size_t>(d)];
    int64_t& sum = back[static_cast<size_t>(d)];
    if (dim > 0) sum = (sum + dim - shifts[i] % dim) % dim;
  }
  const std::vector<int64_t> strides = StridesOf(dims);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               const int64_t from = at[d] + back[d];
                               source += (from < dims[d] ? from : from - dims[d]) * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

}  // namespace

Status RegisterArrayTurnKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ReverseV2", ReverseV2},
                                {"Reverse", Reverse},
                                {"ReverseSequence", ReverseSequence},
                                {"Roll", Roll}});
}

}  // namespace tagflow::reference
