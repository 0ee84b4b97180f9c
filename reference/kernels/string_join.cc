// Ops that make one text of several: StringJoin, ReduceJoin, UnsortedSegmentJoin.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

//   inputs: texts of one shape, or scalars that go to each element;  output[i] = their i-th, joined
Status StringJoin(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(context.node, "separator"));
  Dims dims;
  bool all_scalars = true;
  for (const Tensor& input : context.inputs) {
    if (input.rank() == 0) continue;
    if (!all_scalars && ToDims(input.dims()) != dims) {
      return InvalidArgument("texts of the shapes " + DimsString(dims) + " and " +
                             DimsString(input.dims()) + " cannot be joined");
    }
    dims = ToDims(input.dims());
    all_scalars = false;
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(dims));
  std::vector<std::string> joined;
  for (int64_t i = 0; i < elements; ++i) {
    std::vector<std::string_view> parts;
    for (const Tensor& input : context.inputs) {
      parts.push_back(input.data<std::string>()[input.rank() == 0 ? 0 : i]);
    }
    joined.push_back(Joined(parts, separator));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(dims, std::move(joined)));
  return Status();
}

// The dimensions in input 1, each in [0, rank).
//   Errors: OUT_OF_RANGE; INVALID_ARGUMENT for one named twice
Result<std::vector<int64_t>> JoinedDims(const KernelContext& context, int64_t rank) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> dims, IndexValues(context.inputs[1]));
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (*dim < -rank || *dim >= rank) {
      return OutOfRange("there is no dimension " + std::to_string(*dim) +
                        " to join in a tensor of " + std::to_string(rank));
    }
    if (*dim < 0) *dim += rank;
    if (std::find(dims.begin(), dim, *dim) != dim) {
      return InvalidArgument("dimension " + std::to_string(*dim) + " is to be joined twice");
    }
  }
  return dims;
}

//   inputs: texts; reduction_indices: dimensions to join over, the first runs fastest
Status ReduceJoin(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(context.node, "separator"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(context.node, "keep_dims"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto joined_dims, JoinedDims(context, input.rank()));
  Dims kept = ToDims(input.dims());  // with 1 for what is joined
  Dims joined_sizes;                 // slowest first
  std::vector<int64_t> joined_strides;
  const std::vector<int64_t> strides = StridesOf(input.dims());
  for (size_t i = joined_dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(joined_dims[i]);
    kept[d] = 1;
    joined_sizes.push_back(input.dim(static_cast<int>(d)));
    joined_strides.push_back(strides[d]);
  }
  Dims dims;
  for (size_t d = 0; d < kept.size(); ++d) {
    const auto place = std::find(joined_dims.begin(), joined_dims.end(), static_cast<int64_t>(d));
    if (keep_dims || place == joined_dims.end()) dims.push_back(kept[d]);
  }
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));

  // The offset of the element number `n` of a tensor of these sizes, whose dimensions are so many
  // elements apart.
  const auto offset = [](int64_t n, const Dims& sizes, const std::vector<int64_t>& apart) {
    int64_t sum = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      sum += n % sizes[d] * apart[d];
      n /= sizes[d];
    }
    return sum;
  };
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t outputs, NumElements(kept));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t parts, NumElements(joined_sizes));
  std::vector<std::string> texts;
  for (int64_t i = 0; i < outputs; ++i) {
    const std::string* first = input.data<std::string>() + offset(i, kept, strides);
    std::vector<std::string_view> joined;
    for (int64_t k = 0; k < parts; ++k) {
      joined.push_back(first[offset(k, joined_sizes, joined_strides)]);
    }
    texts.push_back(Joined(joined, separator));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(dims, std::move(texts)));
  return Status();
}

// OK if the shape of the segment ids is how the shape of the texts begins.
Status CheckSegments(const Tensor& texts, const Tensor& ids, const Tensor& count) {
  if (count.rank() != 0) {
    return InvalidArgument("the number of segments must be a scalar, not of shape " +
                           DimsString(count.dims()));
  }
  if (ids.rank() == 0) return InvalidArgument("segment_ids must not be a scalar");
  if (ids.rank() > texts.rank()) {
    return OutOfRange("segment_ids have rank " + std::to_string(ids.rank()) + ", the texts only " +
                      std::to_string(texts.rank()));
  }
  for (int d = 0; d < ids.rank(); ++d) {
    if (ids.dim(d) == texts.dim(d)) continue;
    return InvalidArgument("segment_ids of shape " + DimsString(ids.dims()) +
                           " do not fit texts of shape " + DimsString(texts.dims()));
  }
  return Status();
}

//   output[s] = the rows of texts whose segment id is s, joined element by element
Status UnsortedSegmentJoin(KernelContext& context) {
  const Tensor& texts = context.inputs[0];
  const Tensor& ids = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(context.node, "separator"));
  TAGFLOW_RETURN_IF_ERROR(CheckSegments(texts, ids, context.inputs[2]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, SingleIndex(context.inputs[2], "num_segments"));
  if (segments < 0) {
    return InvalidArgument("the number of segments must not be negative, but it is " +
                           std::to_string(segments));
  }
  Dims dims = {segments};
  dims.insert(dims.end(), texts.dims().begin() + ids.rank(), texts.dims().end());
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const int64_t width = ProductOf(dims, 1, dims.size());
  TAGFLOW_ASSIGN_OR_RETURN(const auto segment_of, IndexValues(ids));
  std::vector<std::vector<std::string_view>> parts(static_cast<size_t>(*NumElements(dims)));
  for (size_t row = 0; row < segment_of.size(); ++row) {
    if (segment_of[row] < 0 || segment_of[row] >= segments) {
      return InvalidArgument("segment id " + std::to_string(segment_of[row]) + " is not in [0, " +
                             std::to_string(segments) + ")");
    }
    for (int64_t i = 0; i < width; ++i) {
      parts[static_cast<size_t>(segment_of[row] * width + i)].push_back(
          texts.data<std::string>()[static_cast<int64_t>(row) * width + i]);
    }
  }
  std::vector<std::string> joined;
  for (const auto& part : parts) joined.push_back(Joined(part, separator));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(dims, std::move(joined)));
  return Status();
}

}  // namespace

Status RegisterStringJoinKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringJoin", StringJoin},
                                {"ReduceJoin", ReduceJoin},
                                {"UnsortedSegmentJoin", UnsortedSegmentJoin}});
}

}  // namespace tagflow::reference
