// EditDistance: how many elements to insert, delete or replace make one sequence the other.
//
// What both begin and end with is passed over. Of the rest one row of distances is kept, along the
// shorter side: O(n m) time and O(min(n, m)) memory, which is used again for the next pair.

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

// A side's inputs, whose shapes fit together. Only the dimensions before the last are places of
// sequences; where in its sequence an element is does not matter.
struct Side {
  Places places;
  const Tensor& values;
  SmallDims dims;
};

//   Errors: INVALID_ARGUMENT where the three inputs are no sparse tensor of rank 2 or more
Result<Side> SideOf(const KernelContext& context, int first) {
  const Tensor& values = context.input(first + 1);
  const Tensor& shape = context.input(first + 2);
  TAGFLOW_ASSIGN_OR_RETURN(Places places, Places::Of(context.input(first)));
  if (values.rank() != 1 || values.dim(0) != places.size()) {
    return InvalidArgument("values " + DimsString(values.dims()) + " are not one for each of " +
                           std::to_string(places.size()) + " indices");
  }
  if (shape.rank() != 1 || shape.dim(0) != places.rank()) {
    return InvalidArgument("a shape " + DimsString(shape.dims()) + " does not fit indices of " +
                           std::to_string(places.rank()) + " columns");
  }
  if (places.rank() < 2) {
    return InvalidArgument("Input SparseTensors must have rank at least 2, but rank is: " +
                           std::to_string(places.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(shape));
  SmallDims dims;
  for (int64_t d = 0; d < view.size(); ++d) dims.push_back(view[d]);
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  return Side{std::move(places), values, std::move(dims)};
}

// The sequences of a side, one after the other.
template <typename C>
class SequenceReader {
 public:
  // The side and the dimensions outlive it.   Errors: INVALID_ARGUMENT: outside of the dimensions
  static Result<SequenceReader> Of(const Side& side, const SmallDims& dims) {
    for (int64_t i = 0; i < side.places.size(); ++i) {
      if (!side.places.IsInside(i, dims)) return side.places.Outside(i, dims);
    }
    SequenceReader reader(side, dims);
    TAGFLOW_ASSIGN_OR_RETURN(reader.elements_, ElementsAs<C>::Of(side.values));
    reader.Next();
    return reader;
  }

  bool is_at_end() const { return begin_ == end_; }
  // REQUIRES: not at the end
  int64_t place() const { return place_; }
  std::span<const C> sequence() const {
    return {elements_.data() + begin_, elements_.data() + end_};
  }
  void Next() {
    begin_ = end_;
    if (begin_ == elements_.size()) return;
    place_ = side_->places.NumberOf(begin_, *dims_);
    while (end_ < elements_.size() && side_->places.NumberOf(end_, *dims_) == place_) ++end_;
  }

 private:
  SequenceReader(const Side& side, const SmallDims& dims) : side_(&side), dims_(&dims) {}

  const Side* side_;
  const SmallDims* dims_;
  ElementsAs<C> elements_;
  int64_t begin_ = 0, end_ = 0, place_ = 0;
};

template <typename C>
int64_t Distance(std::span<const C> a, std::span<const C> b, std::vector<int64_t>& row) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a = a.subspan(1);
    b = b.subspan(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
  }
  if (a.size() < b.size()) std::swap(a, b);
  row.resize(b.size());
  std::iota(row.begin(), row.end(), int64_t{1});
  int64_t above = 0;  // of nothing of b
  for (const C& element : a) {
    int64_t diagonal = above++, left = above;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replaced = diagonal + (element == b[j] ? 0 : 1);
      diagonal = row[j];
      row[j] = left = std::min(std::min(row[j], left) + 1, replaced);
    }
  }
  return row.empty() ? above : row.back();
}

template <typename C>
void SetDistances(SequenceReader<C>& hypotheses, SequenceReader<C>& truths, bool normalize,
                  float* output) {
  std::vector<int64_t> row;
  while (!hypotheses.is_at_end() || !truths.is_at_end()) {
    const bool has_hypothesis =
        truths.is_at_end() || (!hypotheses.is_at_end() && hypotheses.place() <= truths.place());
    const bool has_truth =
        hypotheses.is_at_end() || (!truths.is_at_end() && truths.place() <= hypotheses.place());
    const std::span<const C> hypothesis =
        has_hypothesis ? hypotheses.sequence() : std::span<const C>();
    const std::span<const C> truth = has_truth ? truths.sequence() : std::span<const C>();
    float& out = output[has_hypothesis ? hypotheses.place() : truths.place()];
    out = static_cast<float>(Distance<C>(hypothesis, truth, row));
    if (normalize) {  // a sequence where the truth is none is infinitely wrong
      out = has_truth ? out / static_cast<float>(truth.size())
                      : std::numeric_limits<float>::infinity();
    }
    if (has_hypothesis) hypotheses.Next();
    if (has_truth) truths.Next();
  }
}

//   hypothesis, truth: sparse tensors of one rank, two or more; output: float, of dimensions large
//   enough for both, but for the last; 0 where neither has a sequence
//   Errors: INVALID_ARGUMENT also where that has no elements; RESOURCE_EXHAUSTED
template <typename C>
Status EditDistance(KernelContext& context, bool normalize) {
  TAGFLOW_ASSIGN_OR_RETURN(const Side hypothesis, SideOf(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const Side truth, SideOf(context, 3));
  if (hypothesis.dims.size() != truth.dims.size()) {
    return InvalidArgument("Expected truth and hypothesis to have matching ranks, but they are " +
                           std::to_string(truth.dims.size()) + " and " +
                           std::to_string(hypothesis.dims.size()));
  }
  SmallDims dims;
  for (size_t d = 0; d + 1 < truth.dims.size(); ++d) {
    dims.push_back(std::max(hypothesis.dims[d], truth.dims[d]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  if (count == 0) {
    return InvalidArgument("Got output shape " + DimsString(dims) + " which has 0 elements");
  }
  TAGFLOW_ASSIGN_OR_RETURN(auto hypotheses, SequenceReader<C>::Of(hypothesis, dims));
  TAGFLOW_ASSIGN_OR_RETURN(auto truths, SequenceReader<C>::Of(truth, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kFloat, dims));
  SetDistances<C>(hypotheses, truths, normalize, output.mutable_data<float>());
  context.output(0) = std::move(output);
  return Status();
}

Result<BoundKernel> BindEditDistance(const Binding& binding) {
  const DType dtype = binding.input_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, dtype, kNumbers | SetOf(DType::kBool, DType::kString)));
  TAGFLOW_ASSIGN_OR_RETURN(const bool normalize, BoolAttr(binding.node, "normalize"));
  return ForComputingType(dtype, [normalize]<typename C>(Computing<C>) {
    return BoundKernel(
        [normalize](KernelContext& context) { return EditDistance<C>(context, normalize); });
  });
}

}  // namespace

Status RegisterEditDistanceKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EditDistance", BindEditDistance, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
