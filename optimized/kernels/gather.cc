// Tested by conformance/ops/slicing.ops.

#include "optimized/kernels/gather.h"

#include <algorithm>
#include <string>

#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {
namespace {

Status IndexOutside(int64_t index, int64_t i, int64_t limit) {
  return InvalidArgument("indices[" + std::to_string(i) + "] = " + std::to_string(index) +
                         " is not in [0, " + std::to_string(limit) + ")");
}

// to[i] = from[rows[first + i]] for i < count, rows of `width` elements.
void CopyRows(const Mover& mover, const void* from, const IntView& rows, int64_t first,
              int64_t count, int64_t width, void* to) {
  if (width > 1) {
    for (int64_t i = 0; i < count; ++i) {
      mover.run(mover.At(from, rows[first + i] * width), mover.At(to, i * width), width);
    }
    return;
  }
  int64_t places[kGatherBlock];
  for (int64_t begin = 0; begin < count; begin += kGatherBlock) {
    const int64_t size = std::min(kGatherBlock, count - begin);
    for (int64_t i = 0; i < size; ++i) places[i] = rows[first + begin + i];
    mover.pick(from, places, mover.At(to, begin), size);
  }
}

// The slice that coordinates [first, first + dims.size()) name, or -1 when they are outside.
int64_t SliceAt(const IntView& coordinates, int64_t first, DimsView dims) {
  int64_t slice = 0;
  for (const int64_t dim : dims) {
    const int64_t at = coordinates[first++];
    if (at < 0 || at >= dim) return -1;
    slice = slice * dim + at;
  }
  return slice;
}

Status SliceOutside(const IntView& coordinates, int64_t i, size_t depth, DimsView dims) {
  SmallDims at;
  const int64_t first = i * static_cast<int64_t>(depth);
  for (size_t d = 0; d < depth; ++d) at.push_back(coordinates[first + static_cast<int64_t>(d)]);
  return InvalidArgument("indices[" + std::to_string(i) + "] = " + DimsString(at) +
                         " does not index into param shape " + DimsString(dims));
}

}  // namespace

Status CheckGatherIndices(const IntView& indices, int64_t limit) {
  // All at once, as nearly all are inside: a negative index is a large unsigned one.
  uint64_t highest = 0;
  for (int64_t i = 0; i < indices.size(); ++i) {
    highest = std::max(highest, static_cast<uint64_t>(indices[i]));
  }
  if (highest < static_cast<uint64_t>(limit)) return Status();
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= limit) return IndexOutside(indices[i], i, limit);
  }
  return Status();
}

Result<int64_t> GatheredAxis(const KernelContext& context) {
  constexpr int kAxis = 2;
  const int64_t rank = context.input(0).rank();
  const bool has_axis = context.num_inputs() > kAxis;
  if (has_axis && context.input(kAxis).rank() != 0) {
    return InvalidArgument("axis must be scalar");
  }
  if (rank == 0) return InvalidArgument("params must be at least 1 dimensional");
  if (!has_axis) return 0;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, OnlyInt(context.input(kAxis), "axis"));
  return CanonicalAxis(given, rank, "axis");
}

Result<size_t> SharedBatch(DimsView params, DimsView indices, int64_t batch_dims, int64_t axis) {
  const auto most = static_cast<int64_t>(indices.size());
  if (batch_dims < -most || batch_dims > most) {
    return InvalidArgument("Expected batch_dims in the range [" + std::to_string(-most) + ", " +
                           std::to_string(most) + "], but got " + std::to_string(batch_dims));
  }
  if (batch_dims < 0) batch_dims += most;
  if (batch_dims > axis) {
    return InvalidArgument("batch_dims (" + std::to_string(batch_dims) +
                           ") must be less than or equal to axis (" + std::to_string(axis) + ").");
  }
  const auto count = static_cast<size_t>(batch_dims);
  if (SameDims(params.first(count), indices.first(count))) return count;
  return InvalidArgument("the first " + std::to_string(batch_dims) + " dimensions of params, " +
                         DimsString(params) + ", and of indices, " + DimsString(indices) +
                         ", must be equal");
}

Result<size_t> BatchOfRows(DimsView params, DimsView indices, int64_t batch_dims) {
  if (params.empty()) return InvalidArgument("params must be at least 1 dimensional");
  const auto rows = static_cast<int64_t>(params.size()),
             most = static_cast<int64_t>(indices.size());
  if (batch_dims >= 0 && batch_dims <= most && batch_dims < rows) {
    return SharedBatch(params, indices, batch_dims, batch_dims);
  }
  return InvalidArgument("batch_dims is " + std::to_string(batch_dims) + ", for params of shape " +
                         DimsString(params) + " and indices of shape " + DimsString(indices));
}

Result<Tensor> GatherAlong(const KernelContext& context, const Tensor& params,
                           const Tensor& indices, size_t axis, size_t batch_dims) {
  const DimsView from = params.dims();
  const DimsView at = indices.dims();
  SmallDims dims(from.first(axis));
  dims.append(at.subspan(batch_dims));
  dims.append(from.subspan(axis + 1));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::AllocateUninitialized(params.dtype(), dims));
  if (out.num_elements() == 0) return out;  // no index is followed, none is checked
  TAGFLOW_ASSIGN_OR_RETURN(const IntView rows, IntView::Of(indices));
  TAGFLOW_RETURN_IF_ERROR(CheckGatherIndices(rows, from[axis]));

  const Mover& mover = MoverOf(params.dtype());
  const int64_t batch = ProductOf(from, 0, batch_dims);
  const int64_t outer = ProductOf(from, batch_dims, axis);
  const int64_t inner = ProductOf(from, axis + 1, from.size());
  const int64_t count = ProductOf(at, batch_dims, at.size());
  const void* source = params.raw_data();
  void* target = out.mutable_raw_data();
  constexpr double kPlaceNs = 1, kElementNs = 0.2;
  const double place_ns = kPlaceNs + kElementNs * static_cast<double>(inner);
  context.ForRanges(batch * outer * count, place_ns, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end;) {
      const int64_t slice = place / count, first = place % count;
      const int64_t run = std::min(count - first, end - place);
      CopyRows(mover, mover.At(source, slice * from[axis] * inner), rows,
               slice / outer * count + first, run, inner, mover.At(target, place * inner));
      place += run;
    }
  });
  return out;
}

Result<SmallDims> GatheredSlices(DimsView params, DimsView indices) {
  if (params.empty()) return InvalidArgument("params must be at least a vector");
  if (indices.empty()) return InvalidArgument("indices must be at least a vector");
  SmallDims result(indices);
  const auto depth = static_cast<size_t>(result.back());
  if (depth > params.size()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: " +
                           std::to_string(depth) + " vs. " + std::to_string(params.size()));
  }
  result.pop_back();
  const bool is_empty = std::ranges::find(params, 0) != params.end();
  if (ProductOf(result) > 0 && is_empty) {
    return InvalidArgument("Requested more than 0 entries, but params is empty.  Params shape: " +
                           DimsString(params));
  }
  result.append(params.subspan(depth));
  return result;
}

Status CheckSliceCoordinates(DimsView params, const Tensor& indices) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView coordinates, IntView::Of(indices));
  const auto depth = static_cast<size_t>(indices.dims().back());
  const int64_t count = depth == 0 ? 0 : coordinates.size() / indices.dims().back();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = i * indices.dims().back();
    if (SliceAt(coordinates, first, params.first(depth)) >= 0) continue;
    return SliceOutside(coordinates, i, depth, params);
  }
  return Status();
}

Result<Tensor> GatherSlices(const Tensor& params, const Tensor& indices, bool ignores) {
  const DimsView dims = params.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims result, GatheredSlices(dims, indices.dims()));
  const auto depth = static_cast<size_t>(indices.dims().back());
  const int64_t count = ProductOf(result, 0, indices.dims().size() - 1);
  // What is ignored stays zero.
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, ignores
                                           ? Tensor::Allocate(params.dtype(), result)
                                           : Tensor::AllocateUninitialized(params.dtype(), result));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView coordinates, IntView::Of(indices));
  const Mover& mover = MoverOf(params.dtype());
  const int64_t inner = ProductOf(dims, depth, dims.size());
  const void* source = params.raw_data();
  void* target = out.mutable_raw_data();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t slice = SliceAt(coordinates, i * static_cast<int64_t>(depth), dims.first(depth));
    if (slice < 0 && ignores) continue;
    if (slice < 0) return SliceOutside(coordinates, i, depth, dims);
    mover.run(mover.At(source, slice * inner), mover.At(target, i * inner), inner);
  }
  return out;
}

}  // namespace tagflow::optimized
