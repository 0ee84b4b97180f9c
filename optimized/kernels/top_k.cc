// TopK; InTopK, which asks whether an element would be among its outcome; and NthElement, which
// gives one of a row by its rank.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// Attr k of the older ops, or the scalar input of the newer ones.
constexpr int kNoInput = -1;
struct HowMany {
  int input = kNoInput;
  int64_t attr = 0;

  static Result<HowMany> Of(const Binding& binding, size_t input) {
    HowMany k;
    if (binding.signature.inputs.size() > input) {
      k.input = static_cast<int>(input);
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(k.attr, IntAttr(binding.node, "k"));
    }
    return k;
  }
  Result<int64_t> Get(const KernelContext& context) const {
    if (input == kNoInput) return attr;
    return ScalarInt(context.input(input), "k");
  }
};

// ---- TopK ----

// Whether a comes before b: it is larger, and NaN is larger than any number.
template <Real C>
bool IsBefore(C a, C b) {
  const bool a_is_nan = !(a == a);
  const bool b_is_nan = !(b == b);
  if (a_is_nan || b_is_nan) return a_is_nan && !b_is_nan;
  return a > b;
}

// The places of the k first of a row, in order; of equal ones the earlier is first.
template <Real C>
void SortRow(const C* row, int64_t length, int64_t k, std::vector<int64_t>& places) {
  places.resize(static_cast<size_t>(length));
  std::iota(places.begin(), places.end(), int64_t{0});
  std::partial_sort(places.begin(), places.begin() + k, places.end(), [&](int64_t a, int64_t b) {
    if (IsBefore(row[a], row[b])) return true;
    return a < b && !IsBefore(row[b], row[a]);
  });
}

// A heap of places in a row, the least of them first, as TensorFlow's CPU kernel has one: where it
// is not asked to sort, it leaves the k largest in the heap's order. A NaN compares as equal, and
// of equal ones the later place is less.
template <Real C>
class LeastFirst {
 public:
  LeastFirst(const C* row, std::vector<int64_t>& places) : row_(row), heap_(places) {}

  // Makes the first k + 1 places a heap, and goes through the rest: what is more than the least
  // takes its room. REQUIRES: 1 < k < length
  void Fill(int64_t length, int64_t k) {
    heap_.resize(static_cast<size_t>(k) + 1);
    std::iota(heap_.begin(), heap_.end(), int64_t{0});
    for (int64_t root = (k - 1) / 2; root >= 0; --root) Settle(root, k + 1, heap_[At(root)]);
    Settle(0, k, heap_[At(k)]);
    heap_.pop_back();
    for (int64_t place = k + 1; place < length; ++place) {
      if (!IsLess(heap_[0], place)) continue;
      Settle(0, k - 1, heap_[At(k - 1)]);
      Lift(k - 1, 0, place);
    }
  }

 private:
  static size_t At(int64_t i) { return static_cast<size_t>(i); }
  bool IsLess(int64_t a, int64_t b) const {
    return row_[a] < row_[b] || (!(row_[a] > row_[b]) && a > b);
  }

  // Into the heap of `size` below root: from the leaf that the lesser children lead to, upwards.
  void Settle(int64_t root, int64_t size, int64_t place) {
    int64_t node = root;
    for (int64_t right = 2 * node + 2; right < size; right = 2 * node + 2) {
      const int64_t child = IsLess(heap_[At(right - 1)], heap_[At(right)]) ? right - 1 : right;
      heap_[At(node)] = heap_[At(child)];
      node = child;
    }
    if (2 * node + 2 == size) {
      heap_[At(node)] = heap_[At(size - 1)];
      node = size - 1;
    }
    Lift(node, root, place);
  }

  void Lift(int64_t node, int64_t root, int64_t place) {
    for (; node > root; node = (node - 1) / 2) {
      const int64_t parent = heap_[At((node - 1) / 2)];
      if (!IsLess(place, parent)) break;
      heap_[At(node)] = parent;
    }
    heap_[At(node)] = place;
  }

  const C* row_;
  std::vector<int64_t>& heap_;
};

template <Real C>
Status FillTopK(KernelContext& context, const SmallDims& dims, DType index, bool sorted) {
  const Tensor& input = context.input(0);
  const int64_t length = input.dims().back();
  const int64_t k = dims.back();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), dims));
  const int64_t count = out->num_elements();
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> elements, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(ElementsFor<C> values, ElementsFor<C>::Of(*out));
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(count));
  std::vector<int64_t> places;
  for (int64_t next = 0; next < count; next += k) {
    const C* row = elements.data() + next / k * length;
    if (sorted || k <= 1 || k == length) {
      SortRow(row, length, k, places);
    } else {
      LeastFirst<C>(row, places).Fill(length, k);
    }
    for (int64_t i = 0; i < k; ++i) {
      indices.push_back(places[static_cast<size_t>(i)]);
      values[next + i] = row[indices.back()];
    }
  }
  values.Finish();
  return SetIndices(context, 1, index, dims, indices);
}

using TopKFiller = Status (*)(KernelContext& context, const SmallDims& dims, DType index,
                              bool sorted);

// The k largest elements of each row and their places, in order if that is asked for.
//   input: ordered numbers [..., n]; k: integer scalar, 0 <= k <= n; outputs: [..., k]
Status TopK(KernelContext& context, HowMany how_many, TopKFiller fill, DType index, bool sorted) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t k, how_many.Get(context));
  if (input.rank() < 1) return InvalidArgument("input must be at least a vector, not a scalar");
  SmallDims dims(input.dims());
  const int64_t length = dims.back();
  if (k < 0 || k > length) {
    return InvalidArgument("k must be from 0 to " + std::to_string(length) + " for an input of " +
                           DimsString(dims) + ", not " + std::to_string(k));
  }
  const int64_t last_max = index == DType::kInt16 ? std::numeric_limits<int16_t>::max()
                                                  : std::numeric_limits<int32_t>::max();
  if (length - 1 > last_max) {
    return InvalidArgument("the places in rows of " + std::to_string(length) +
                           " do not fit into their dtype");
  }
  dims.back() = k;
  return fill(context, dims, index, sorted);
}

Result<BoundKernel> BindTopK(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const HowMany k, HowMany::Of(binding, 1));
  const TopKFiller fill = ForComputingType(dtype, []<typename C>(Computing<C>) -> TopKFiller {
    if constexpr (Real<C>) return FillTopK<C>;
    return nullptr;
  });
  TAGFLOW_ASSIGN_OR_RETURN(const bool sorted, BoolAttr(binding.node, "sorted"));
  return BoundKernel([k, fill, sorted, index = binding.output_dtype(1)](KernelContext& context) {
    return TopK(context, k, fill, index, sorted);
  });
}

// ---- InTopK ----

// Whether fewer than k elements of a row are larger than that at `target`; false where the target
// is outside of the row, or anything that decides is not finite.
bool IsInTop(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    larger += row[i] > row[target] ? 1 : 0;
  }
  return larger < k;
}

//   predictions: float [batch, classes]; targets: integers [batch]; precision: bool [batch]
Status InTopK(KernelContext& context, HowMany how_many) {
  const Tensor& predictions = context.input(0);
  const Tensor& targets = context.input(1);
  if (predictions.rank() != 2 || targets.rank() != 1 || predictions.dim(0) != targets.dim(0)) {
    return InvalidArgument(
        "predictions must be a matrix with a row for each of the targets, a vector, not " +
        DimsString(predictions.dims()) + " and " + DimsString(targets.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t k, how_many.Get(context));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView places, IntView::Of(targets));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kBool, targets.dims()));
  const int64_t classes = predictions.dim(1);
  bool* precision = out->mutable_data<bool>();
  for (int64_t i = 0; i < places.size(); ++i) {
    precision[i] = IsInTop(predictions.data<float>() + i * classes, classes, places[i], k);
  }
  return Status();
}

Result<BoundKernel> BindInTopK(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), SetOf(DType::kFloat)));
  TAGFLOW_ASSIGN_OR_RETURN(const HowMany k, HowMany::Of(binding, 2));
  return BoundKernel([k](KernelContext& context) { return InTopK(context, k); });
}

// ---- NthElement ----

// The element of a row that comes behind n others, of equal ones the earlier first.
template <Real C>
C NthOfRow(const C* row, int64_t n, bool from_largest, std::vector<int64_t>& places) {
  std::iota(places.begin(), places.end(), int64_t{0});
  std::ranges::nth_element(places, places.begin() + n, [&](int64_t a, int64_t b) {
    const bool is_larger = IsBefore(row[a], row[b]);
    const bool is_less = IsBefore(row[b], row[a]);
    if (is_larger || is_less) return from_largest ? is_larger : is_less;
    return a < b;
  });
  return row[places[static_cast<size_t>(n)]];
}

//   input: ordered numbers [..., m]; n: integer scalar, 0 <= n < m; values: [...]
template <Real C>
Status NthElement(KernelContext& context, bool from_largest) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t n, ScalarInt(context.input(1), "n"));
  if (n < 0) return InvalidArgument("n must be non-negative but is " + std::to_string(n));
  if (input.rank() < 1) return InvalidArgument("Input must be at least rank 1 but is rank 0");
  const int64_t length = input.dims().back();
  if (n >= length) {
    return InvalidArgument("Input must have last dimension > n = " + std::to_string(n));
  }
  const DimsView dims = input.dims();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, input.dtype(), dims.first(dims.size() - 1)));
  if (out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> elements, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(ElementsFor<C> values, ElementsFor<C>::Of(*out));
  std::vector<int64_t> places(static_cast<size_t>(length));
  for (int64_t row = 0; row < out->num_elements(); ++row) {
    values[row] = NthOfRow<C>(elements.data() + row * length, n, from_largest, places);
  }
  values.Finish();
  return Status();
}

Result<BoundKernel> BindNthElement(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(binding.node, "reverse"));
  return ForComputingType(dtype, [reverse]<typename C>(Computing<C>) -> BoundKernel {
    if constexpr (Real<C>) {
      return BoundKernel(
          [reverse](KernelContext& context) { return NthElement<C>(context, reverse); });
    }
    return BoundKernel();
  });
}

}  // namespace

Status RegisterTopKKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"InTopK", BindInTopK},
                                   {"InTopKV2", BindInTopK},
                                   {"NthElement", BindNthElement, Cost::kHeavy},
                                   {"TopK", BindTopK, Cost::kHeavy},
                                   {"TopKV2", BindTopK, Cost::kHeavy},
                               });
}

}  // namespace tagflow::optimized
