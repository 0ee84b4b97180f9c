// TopK; InTopK, which asks whether an element would be among its outcome; and NthElement, which
// gives one of a row by its rank.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Whether a comes before b: it is larger, and NaN is larger than any number.
template <RealElement C>
bool Before(C a, C b) {
  if (a != a || b != b) return b == b;
  return a > b;
}

// The places of the k first among `count` values, in order; of equal ones the earlier is first.
template <RealElement C>
std::vector<int64_t> Largest(const C* values, int64_t count, int64_t k) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) places.push_back(i);
  std::stable_sort(places.begin(), places.end(),
                   [&](int64_t a, int64_t b) { return Before(values[a], values[b]); });
  places.resize(static_cast<size_t>(k));
  return places;
}

// The k largest of a row in the order in which TensorFlow's CPU kernel leaves them where it is not
// asked to sort: that of a binary heap whose root is the one to go next. What equals another, or is
// a NaN, goes by its place. REQUIRES: 1 < k < count
template <RealElement C>
class Heap {
 public:
  Heap(const C* values, int64_t count, int64_t k) : values_(values) {
    for (int64_t i = 0; i <= k; ++i) places_.push_back(i);
    for (size_t top = places_.size() / 2; top-- > 0;) Sink(top, places_[top]);
    DropRoot();
    for (int64_t i = k + 1; i < count; ++i) {
      if (!Beats(i, places_[0])) continue;
      DropRoot();
      places_.push_back(i);
      Rise(0, places_.size() - 1, i);
    }
  }
  const std::vector<int64_t>& places() const { return places_; }

 private:
  bool Beats(int64_t a, int64_t b) const {
    if (values_[a] > values_[b]) return true;
    if (values_[a] < values_[b]) return false;
    return a < b;
  }

  void DropRoot() {
    const int64_t last = places_.back();
    places_.pop_back();
    Sink(0, last);
  }

  // Puts a place into the tree below `top`, whose root is free: the hole goes down to a leaf, by
  // the child that is beaten, and the place up from there.
  void Sink(size_t top, int64_t place) {
    size_t hole = top;
    while (2 * hole + 1 < places_.size()) {
      size_t child = 2 * hole + 2;
      const bool is_alone = child == places_.size();
      if (is_alone || Beats(places_[child], places_[child - 1])) --child;
      places_[hole] = places_[child];
      hole = child;
    }
    Rise(top, hole, place);
  }

  void Rise(size_t top, size_t hole, int64_t place) {
    while (hole > top && Beats(places_[(hole - 1) / 2], place)) {
      places_[hole] = places_[(hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
    places_[hole] = place;
  }

  const C* values_;
  std::vector<int64_t> places_;
};

// The places of the k largest among `count` values.
template <RealElement C>
std::vector<int64_t> TopOf(const C* values, int64_t count, int64_t k, bool sorted) {
  const bool leaves_a_heap = !sorted && k > 1 && k < count;
  return leaves_a_heap ? Heap<C>(values, count, k).places() : Largest(values, count, k);
}

// k, from the attr of TopK or the input of TopKV2.
Result<int64_t> HowMany(const KernelContext& context) {
  if (context.inputs.size() == 1) return IntAttr(context.node, "k");
  if (context.inputs[1].rank() != 0) {
    return InvalidArgument("k must be a scalar, not of shape " +
                           DimsString(context.inputs[1].dims()));
  }
  return SingleIndex(context.inputs[1], "k");
}

template <RealElement C>
Status FillTopK(KernelContext& context, int64_t k) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const bool sorted, BoolAttr(context.node, "sorted"));
  Dims dims = ToDims(input.dims());
  const int64_t length = dims.back();
  dims.back() = k;
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const int64_t rows = *NumElements(dims) == 0 ? 0 : input.num_elements() / length;
  const std::vector<C> elements = Load<C>(input);
  std::vector<C> values;
  std::vector<int64_t> indices;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t place : TopOf(elements.data() + row * length, length, k, sorted)) {
      values.push_back(elements[static_cast<size_t>(row * length + place)]);
      indices.push_back(place);
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), dims, values));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                           Store(context.signature.outputs[1].dtype, dims, indices));
  return Status();
}

// The k largest elements of each row and their places, in order if that is asked for.
//   input: ordered numbers [..., n]; k: integer scalar, 0 <= k <= n; outputs: [..., k]
Status TopK(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t k, HowMany(context));
  if (input.rank() < 1) return InvalidArgument("input must be at least a vector, not a scalar");
  const int64_t length = input.dims().back();
  if (k < 0 || k > length) {
    return InvalidArgument("k must be from 0 to " + std::to_string(length) + " for an input of " +
                           DimsString(input.dims()) + ", not " + std::to_string(k));
  }
  const bool narrow = context.signature.outputs[1].dtype == DType::kInt16;
  if (length - 1 >
      (narrow ? std::numeric_limits<int16_t>::max() : std::numeric_limits<int32_t>::max())) {
    return InvalidArgument("the places in rows of " + std::to_string(length) +
                           " do not fit into their dtype");
  }
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      return FillTopK<C>(context, k);
    } else {
      return RequireDType(context.node.op, input.dtype(), {});
    }
  });
}

// Whether fewer than k elements of a row are larger than that at `target`; false where the target
// is outside of the row, or anything that decides is not finite.
bool InTop(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    if (row[i] > row[target]) ++larger;
  }
  return larger < k;
}

//   predictions: float [batch, classes]; targets: integers [batch]; k: scalar input or attr
//   precision: bool [batch]
Status InTopK(KernelContext& context) {
  const Tensor& predictions = context.inputs[0];
  const Tensor& targets = context.inputs[1];
  if (predictions.rank() != 2 || targets.rank() != 1 || predictions.dim(0) != targets.dim(0)) {
    return InvalidArgument(
        "predictions must be a matrix with a row for each of the targets, a "
        "vector, not " +
        DimsString(predictions.dims()) + " and " + DimsString(targets.dims()));
  }
  int64_t k = 0;
  if (context.inputs.size() > 2) {
    if (context.inputs[2].rank() != 0) return InvalidArgument("k must be a scalar");
    TAGFLOW_ASSIGN_OR_RETURN(k, SingleIndex(context.inputs[2], "k"));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(k, IntAttr(context.node, "k"));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, predictions.dtype(), {DType::kFloat}));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> places, IndexValues(targets));
  const int64_t classes = predictions.dim(1);
  std::vector<int64_t> precision;
  for (size_t i = 0; i < places.size(); ++i) {
    const float* row = predictions.data<float>() + static_cast<int64_t>(i) * classes;
    precision.push_back(InTop(row, classes, places[i], k));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kBool, targets.dims(), precision));
  return Status();
}

// What is behind n others among `count` values from the least, or from the largest.
template <RealElement C>
C NthOf(const C* values, int64_t count, int64_t n, bool from_largest) {
  std::vector<C> sorted(values, values + count);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](C a, C b) { return from_largest ? Before(a, b) : Before(b, a); });
  return sorted[static_cast<size_t>(n)];
}

//   input: ordered numbers [..., m]; n: integer scalar, 0 <= n < m; values: [...]
Status NthElement(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kReals));
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], "n"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t n, SingleIndex(context.inputs[1], "n"));
  if (n < 0) return InvalidArgument("n must be non-negative but is " + std::to_string(n));
  if (input.rank() < 1) return InvalidArgument("Input must be at least rank 1 but is rank 0");
  const int64_t length = input.dims().back();
  if (n >= length) {
    return InvalidArgument("Input must have last dimension > n = " + std::to_string(n));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(context.node, "reverse"));
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> elements = Load<C>(input);
      std::vector<C> values;
      for (size_t row = 0; row < elements.size(); row += static_cast<size_t>(length)) {
        values.push_back(NthOf(elements.data() + row, length, n, reverse));
      }
      TAGFLOW_ASSIGN_OR_RETURN(
          context.outputs[0],
          Store(input.dtype(), WithoutDim(input.dims(), input.rank() - 1), values));
    }
    return Status();
  });
}

}  // namespace

Status RegisterTopKKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"TopK", TopK},
                                {"TopKV2", TopK},
                                {"InTopK", InTopK},
                                {"InTopKV2", InTopK},
                                {"NthElement", NthElement}});
}

}  // namespace tagflow::reference
