// Ops that take, or put, slices by index: Gather, GatherV2, GatherNd, and DynamicStitch, whose
// parallel twin may let any of several rows win and here lets the last.

#include <algorithm>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

// Coordinates of element i of a tensor of shape `dims`, as "1,0".
std::string CoordinatesText(int64_t i, DimsView dims) {
  std::string text;
  int64_t rest = i;
  for (int64_t stride : StridesOf(dims)) {
    text += (text.empty() ? "" : ",") + std::to_string(rest / stride);
    rest %= stride;
  }
  return text;
}

Status CheckIndices(const std::vector<int64_t>& indices, DimsView dims, int64_t limit) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && indices[i] < limit) continue;
    const std::string at = dims.empty() ? "" : CoordinatesText(static_cast<int64_t>(i), dims);
    return InvalidArgument("indices" + (dims.empty() ? std::string() : "[" + at + "]") + " = " +
                           std::to_string(indices[i]) + " is not in [0, " + std::to_string(limit) +
                           ")");
  }
  return Status();
}

// INVALID_ARGUMENT unless the first batch_dims dimensions of params and indices agree.
Status CheckBatch(DimsView params, DimsView indices, int64_t batch_dims, int64_t axis) {
  if (batch_dims > axis) {
    return InvalidArgument("batch_dims (" + std::to_string(batch_dims) +
                           ") must be less than or equal to axis (" + std::to_string(axis) + ").");
  }
  for (size_t d = 0; d < static_cast<size_t>(batch_dims); ++d) {
    if (params[d] == indices[d]) continue;
    const std::string at = "shape[" + std::to_string(d) + "]: ";
    return InvalidArgument("params." + at + std::to_string(params[d]) +
                           " should be equal to indices." + at + std::to_string(indices[d]));
  }
  return Status();
}

// output[batch, outer, index place, inner] = params[batch, outer, indices[batch, place], inner]
Result<Tensor> GatherAlong(const Tensor& params, const Tensor& indices_input, size_t axis,
                           size_t batch_dims) {
  const DimsView from = params.dims();
  const DimsView at = indices_input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(indices_input));
  Dims dims(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.end(), at.begin() + static_cast<std::ptrdiff_t>(batch_dims), at.end());
  dims.insert(dims.end(), from.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.end());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(params.dtype(), dims));
  if (output.num_elements() == 0) return output;  // no index is followed, none is checked
  TAGFLOW_RETURN_IF_ERROR(CheckIndices(indices, at, from[axis]));

  const int64_t batch = ProductOf(from, 0, batch_dims);
  const int64_t outer = ProductOf(from, batch_dims, axis);
  const int64_t inner = ProductOf(from, axis + 1, from.size());
  const int64_t per_batch = ProductOf(at, batch_dims, at.size());
  int64_t next = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < per_batch; ++i) {
        const int64_t index = indices[static_cast<size_t>(b * per_batch + i)];
        const int64_t row = ((b * outer + o) * from[axis] + index) * inner;
        CopyElements(params, row, output, next, inner);
        next += inner;
      }
    }
  }
  return output;
}

Status Gather(KernelContext& context) {
  if (context.inputs[0].rank() == 0) {
    return InvalidArgument("params must be at least 1 dimensional");
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           GatherAlong(context.inputs[0], context.inputs[1], 0, 0));
  return Status();
}

// As GatherV2 along the dimension after batch_dims.
Status ResourceGather(KernelContext& context) {
  const Tensor& params = context.inputs[0];
  const Tensor& indices = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(context.node, "batch_dims"));
  if (params.rank() == 0) return InvalidArgument("params must be at least 1 dimensional");
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= params.rank()) {
    return InvalidArgument("batch_dims is " + std::to_string(batch_dims) +
                           ", for params of shape " + DimsString(params.dims()) +
                           " and indices of shape " + DimsString(indices.dims()));
  }
  TAGFLOW_RETURN_IF_ERROR(CheckBatch(params.dims(), indices.dims(), batch_dims, batch_dims));
  const auto axis = static_cast<size_t>(batch_dims);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], GatherAlong(params, indices, axis, axis));
  return Status();
}

//   params: any; indices: integers; axis: scalar in [-rank, rank); attr batch_dims: how many
//   leading dimensions the two share
Status GatherV2(KernelContext& context) {
  const Tensor& params = context.inputs[0];
  const Tensor& indices = context.inputs[1];
  if (context.inputs[2].rank() != 0) return InvalidArgument("axis must be scalar");
  if (params.rank() == 0) return InvalidArgument("params must be at least 1 dimensional");
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(context.inputs[2], "axis"));
  const int64_t rank = params.rank();
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t axis,
      CanonicalAxis(given, rank,
                    "Expected axis in the range [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + "), but got " + std::to_string(given)));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t batch_dims, IntAttr(context.node, "batch_dims"));
  const int64_t most = indices.rank();
  if (batch_dims < -most || batch_dims > most) {
    return InvalidArgument("Expected batch_dims in the range [" + std::to_string(-most) + ", " +
                           std::to_string(most) + "], but got " + std::to_string(batch_dims));
  }
  if (batch_dims < 0) batch_dims += most;
  TAGFLOW_RETURN_IF_ERROR(CheckBatch(params.dims(), indices.dims(), batch_dims, axis));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[0],
      GatherAlong(params, indices, static_cast<size_t>(axis), static_cast<size_t>(batch_dims)));
  return Status();
}

// The row that the coordinates coords[0, depth) name, or -1 when they are outside.
int64_t RowAt(const int64_t* coords, size_t depth, DimsView dims) {
  int64_t row = 0;
  for (size_t d = 0; d < depth; ++d) {
    if (coords[d] < 0 || coords[d] >= dims[d]) return -1;
    row = row * dims[d] + coords[d];
  }
  return row;
}

Status BadCoordinates(const KernelContext& context, const Dims& outer, int64_t i,
                      const int64_t* coords, size_t depth) {
  std::string text = "indices[" + CoordinatesText(i, outer) + "] = [";
  for (size_t d = 0; d < depth; ++d) text += (d == 0 ? "" : ", ") + std::to_string(coords[d]);
  return InvalidArgument(text + "] does not index into param shape " +
                         DimsString(context.inputs[0].dims()) +
                         ", node name: " + context.node.name);
}

// Whether coordinates outside of params give zeros, or are an error; of a variable they always are.
Result<bool> IgnoresBadIndices(const Node& node) {
  if (node.op == "ResourceGatherNd") return false;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy, StringAttr(node, "bad_indices_policy"));
  if (policy == "IGNORE") return true;
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return false;
  return Unimplemented("GatherNd has no bad_indices_policy '" + policy +
                       "': take DEFAULT, ERROR or IGNORE");
}

//   params: rank >= 1; indices: [..., depth], depth <= rank: each row names a slice of params
Status GatherNd(KernelContext& context) {
  const Tensor& params = context.inputs[0];
  const Tensor& indices_input = context.inputs[1];
  const DimsView dims = params.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const bool ignores, IgnoresBadIndices(context.node));
  if (dims.empty()) return InvalidArgument("params must be at least a vector");
  if (indices_input.rank() == 0) return InvalidArgument("indices must be at least a vector");
  Dims outer = ToDims(indices_input.dims());
  const size_t depth = static_cast<size_t>(outer.back());
  outer.pop_back();
  if (depth > dims.size()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: " +
                           std::to_string(depth) + " vs. " + std::to_string(params.rank()));
  }
  const int64_t count = ProductOf(outer, 0, outer.size());
  if (count > 0 && params.num_elements() == 0) {
    return InvalidArgument("Requested more than 0 entries, but params is empty.  Params shape: " +
                           DimsString(dims));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(indices_input));
  Dims result = outer;
  result.insert(result.end(), dims.begin() + static_cast<std::ptrdiff_t>(depth), dims.end());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(params.dtype(), result));
  const int64_t inner = ProductOf(dims, depth, dims.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* coords = indices.data() + static_cast<size_t>(i) * depth;
    const int64_t row = RowAt(coords, depth, dims);
    if (row < 0 && ignores) continue;
    if (row < 0) return BadCoordinates(context, outer, i, coords, depth);
    CopyElements(params, row * inner, context.outputs[0], i * inner, inner);
  }
  return Status();
}

// One pair of inputs of DynamicStitch.
struct Stitch {
  const Tensor* data;
  std::vector<int64_t> indices;
};

// What data's shape adds to that of its indices; nothing fitting: an error.
Result<Dims> SliceDims(const Tensor& indices, const Tensor& data, size_t i) {
  const DimsView prefix = indices.dims();
  const DimsView dims = data.dims();
  if (dims.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), dims.begin())) {
    const std::string at = "[" + std::to_string(i) + "]";
    return InvalidArgument("data" + at + ".shape = " + DimsString(dims) +
                           " does not start with indices" + at + ".shape = " + DimsString(prefix));
  }
  return Dims(dims.begin() + static_cast<std::ptrdiff_t>(prefix.size()), dims.end());
}

Status DifferentSlices(const KernelContext& context, size_t i) {
  const size_t n = context.inputs.size() / 2;
  auto shape = [&](size_t input) { return DimsString(context.inputs[input].dims()); };
  auto rank = [&](size_t input) { return std::to_string(context.inputs[input].rank()); };
  const std::string at = "[" + std::to_string(i) + "]";
  return InvalidArgument("Need data[0].shape[" + rank(0) + ":] = data" + at + ".shape[" + rank(i) +
                         ":], got data[0].shape = " + shape(n) + ", data" + at +
                         ".shape = " + shape(n + i) + ", indices[0].shape = " + shape(0) +
                         ", indices" + at + ".shape = " + shape(i));
}

// Row indices[i] of the output is row i of the data; of several the last wins, rows nobody names
// are zero.
//   indices: n of int32; data: n, each with the shape of its indices and then one common shape
Status DynamicStitch(KernelContext& context) {
  const size_t n = context.inputs.size() / 2;
  std::vector<Stitch> stitches;
  int64_t rows = 0;
  Dims slice;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& data = context.inputs[n + i];
    TAGFLOW_ASSIGN_OR_RETURN(Dims dims, SliceDims(context.inputs[i], data, i));
    if (i > 0 && dims != slice) return DifferentSlices(context, i);
    slice = std::move(dims);
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> indices, IndexValues(context.inputs[i]));
    for (int64_t index : indices) rows = std::max(rows, index + 1);
    stitches.push_back({&data, std::move(indices)});
  }
  Dims dims = slice;
  dims.insert(dims.begin(), rows);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(context.inputs[n].dtype(), dims));
  const int64_t inner = ProductOf(slice, 0, slice.size());
  for (size_t s = 0; s < n; ++s) {
    const Stitch& stitch = stitches[s];
    for (size_t i = 0; i < stitch.indices.size(); ++i) {
      if (stitch.indices[i] < 0) {
        return InvalidArgument("indices[" + std::to_string(s) + "] holds " +
                               std::to_string(stitch.indices[i]) + ", which is out of range");
      }
      CopyElements(*stitch.data, static_cast<int64_t>(i) * inner, output, stitch.indices[i] * inner,
                   inner);
    }
  }
  context.outputs[0] = std::move(output);
  return Status();
}

}  // namespace

Status RegisterGatherKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Gather", Gather},
                                {"GatherV2", GatherV2},
                                {"GatherNd", GatherNd},
                                {"ResourceGather", OnValue(ResourceGather)},
                                {"ResourceGatherNd", OnValue(GatherNd)},
                                {"DynamicStitch", DynamicStitch},
                                {"ParallelDynamicStitch", DynamicStitch}});
}

}  // namespace tagflow::reference
