// Ops that make one text of several: StringJoin, ReduceJoin, UnsortedSegmentJoin.
// Tested by conformance/ops/string.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// ---- Element by element ----

// The one shape of the inputs that are no scalars.
Result<Dims> JoinedShape(const KernelContext& context) {
  DimsView dims;
  bool all_scalars = true;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    if (input.rank() == 0) continue;
    if (!all_scalars && !SameDims(input.dims(), dims)) {
      return InvalidArgument("texts of the shapes " + DimsString(dims) + " and " +
                             DimsString(input.dims()) + " cannot be joined");
    }
    dims = input.dims();
    all_scalars = false;
  }
  return Dims(dims.begin(), dims.end());
}

//   inputs: texts of one shape, or scalars that go to each element;  output[i] = their i-th, joined
Result<BoundKernel> BindStringJoin(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(binding.node, "separator"));
  return BoundKernel([separator](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, JoinedShape(context));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, dims));
    const auto joined = output.mutable_flat<std::string>();
    for (int k = 0; k < context.num_inputs(); ++k) {
      const std::string* text = context.input(k).data<std::string>();
      const int step = context.input(k).rank() == 0 ? 0 : 1;
      for (std::string& target : joined) {
        if (k > 0) target += separator;
        target += *text;
        text += step;
      }
    }
    context.output(0) = std::move(output);
    return Status();
  });
}

// ---- Along dimensions ----

// The dimensions in input 1, each in [0, rank).
//   Errors: OUT_OF_RANGE; INVALID_ARGUMENT for one named twice
Result<std::vector<int64_t>> JoinedDims(const Tensor& input, int64_t rank) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(input));
  std::vector<int64_t> dims;
  for (int64_t dim : view.values()) {
    if (dim < -rank || dim >= rank) {
      return OutOfRange("there is no dimension " + std::to_string(dim) +
                        " to join in a tensor of " + std::to_string(rank));
    }
    if (dim < 0) dim += rank;
    if (std::ranges::find(dims, dim) != dims.end()) {
      return InvalidArgument("dimension " + std::to_string(dim) + " is to be joined twice");
    }
    dims.push_back(dim);
  }
  return dims;
}

// Walks the elements of some dimensions, the last of which runs fastest.
class Walk {
 public:
  void Add(int64_t size, int64_t stride) {
    sizes_.push_back(size);
    strides_.push_back(stride);
    position_.push_back(0);
  }
  int64_t offset() const { return offset_; }
  // To the next element; false, and back at the first, after the last.
  bool Next() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++position_[d] < sizes_[d]) return true;
      offset_ -= strides_[d] * sizes_[d];
      position_[d] = 0;
    }
    return false;
  }

 private:
  SmallDims sizes_, strides_, position_;
  int64_t offset_ = 0;
};

struct Reduction {
  Dims output;
  Walk outer;          // over the elements of the output
  Walk inner;          // over what one element joins
  bool joins_nothing;  // as there are no texts
};

Reduction ReductionOf(const Tensor& input, const std::vector<int64_t>& joined, bool keeps_dims) {
  Reduction reduction{{}, {}, {}, input.num_elements() == 0};
  const SmallDims strides = StridesOf(input.dims());
  for (int d = 0; d < input.rank(); ++d) {
    if (std::ranges::find(joined, int64_t{d}) == joined.end()) {
      reduction.output.push_back(input.dim(d));
      reduction.outer.Add(input.dim(d), strides[static_cast<size_t>(d)]);
    } else if (keeps_dims) {
      reduction.output.push_back(1);
    }
  }
  for (size_t i = joined.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(joined[i]);
    reduction.inner.Add(input.dims()[d], strides[d]);
  }
  return reduction;
}

//   inputs: texts; reduction_indices: dimensions to join over, the first runs fastest
Result<BoundKernel> BindReduceJoin(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(binding.node, "separator"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keeps_dims, BoolAttr(binding.node, "keep_dims"));
  return BoundKernel([separator, keeps_dims](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(const auto joined, JoinedDims(context.input(1), input.rank()));
    Reduction reduction = ReductionOf(input, joined, keeps_dims);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, reduction.output));
    if (!reduction.joins_nothing) {
      const std::string* texts = input.data<std::string>();
      for (std::string& target : output.mutable_flat<std::string>()) {
        bool is_first = true;
        do {
          if (!is_first) target += separator;
          is_first = false;
          target += texts[reduction.outer.offset() + reduction.inner.offset()];
        } while (reduction.inner.Next());
        reduction.outer.Next();
      }
    }
    context.output(0) = std::move(output);
    return Status();
  });
}

// ---- By segments ----

// OK if the shape of the segment ids is how the shape of the texts begins.
Status CheckSegments(const Tensor& texts, const Tensor& ids, const Tensor& count) {
  if (count.rank() != 0) {
    return InvalidArgument("num_segments must be a scalar, not of shape " +
                           DimsString(count.dims()));
  }
  if (ids.rank() == 0) return InvalidArgument("segment_ids must not be a scalar");
  if (ids.rank() > texts.rank()) {
    return OutOfRange("segment_ids have rank " + std::to_string(ids.rank()) + ", the texts only " +
                      std::to_string(texts.rank()));
  }
  if (SameDims(texts.dims().first(static_cast<size_t>(ids.rank())), ids.dims())) return Status();
  return InvalidArgument("segment_ids of shape " + DimsString(ids.dims()) +
                         " do not fit texts of shape " + DimsString(texts.dims()));
}

Result<int64_t> NumSegments(const Tensor& input) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, ScalarInt(input, "num_segments"));
  if (segments >= 0) return segments;
  return InvalidArgument("the number of segments must not be negative, but it is " +
                         std::to_string(segments));
}

//   output[s] = the rows of texts whose segment id is s, joined element by element
Result<BoundKernel> BindUnsortedSegmentJoin(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string separator, StringAttr(binding.node, "separator"));
  return BoundKernel([separator](KernelContext& context) -> Status {
    const Tensor& texts = context.input(0);
    TAGFLOW_RETURN_IF_ERROR(CheckSegments(texts, context.input(1), context.input(2)));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t segments, NumSegments(context.input(2)));
    TAGFLOW_ASSIGN_OR_RETURN(const IntView ids, IntView::Of(context.input(1)));
    const DimsView row = texts.dims().subspan(static_cast<size_t>(context.input(1).rank()));
    Dims dims = {segments};
    dims.insert(dims.end(), row.begin(), row.end());
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, dims));
    const int64_t width = ProductOf(row);
    const std::string* text = texts.data<std::string>();
    std::string* joined = output.mutable_data<std::string>();
    std::vector<bool> is_begun(static_cast<size_t>(segments), false);
    for (int64_t i = 0; i < ids.size(); ++i) {
      const int64_t segment = ids[i];
      if (segment < 0 || segment >= segments) {
        return InvalidArgument("segment id " + std::to_string(segment) + " is not in [0, " +
                               std::to_string(segments) + ")");
      }
      for (int64_t w = 0; w < width; ++w) {
        std::string& target = joined[segment * width + w];
        if (is_begun[static_cast<size_t>(segment)]) target += separator;
        target += *text++;
      }
      is_begun[static_cast<size_t>(segment)] = true;
    }
    context.output(0) = std::move(output);
    return Status();
  });
}

}  // namespace

Status RegisterStringJoinKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringJoin", BindStringJoin},
                                {"ReduceJoin", BindReduceJoin},
                                {"UnsortedSegmentJoin", BindUnsortedSegmentJoin}});
}

}  // namespace tagflow::optimized
