// Ops that look for positions: ArgMax, ArgMin, Where, InvertPermutation.

#include <algorithm>
#include <string>
#include <vector>

#include "graph/limits.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// ---- ArgMax and ArgMin ----

struct Larger {
  template <typename C>
  bool operator()(const C& x, const C& y) const {
    return x > y;
  }
};
struct Smaller {
  template <typename C>
  bool operator()(const C& x, const C& y) const {
    return x < y;
  }
};

// For each column of [count, inner], the row of the element that no other beats. The first wins;
// NaN never does, and a column without anything better gives 0.
template <typename C, typename Beats>
void BestRows(const C* values, int64_t count, int64_t inner, int64_t* best) {
  // -1: nothing but NaN so far.
  for (int64_t i = 0; i < inner; ++i) best[i] = values[i] == values[i] ? 0 : -1;
  for (int64_t row = 1; row < count; ++row) {
    const C* at = values + row * inner;
    for (int64_t i = 0; i < inner; ++i) {
      if (best[i] < 0 ? at[i] == at[i] : Beats()(at[i], values[best[i] * inner + i])) {
        best[i] = row;
      }
    }
  }
  for (int64_t i = 0; i < inner; ++i) best[i] = std::max<int64_t>(best[i], 0);
}

template <typename C, typename Beats>
Status FindBest(const Tensor& input, size_t axis, std::vector<int64_t>& best) {
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> elements, ElementsAs<C>::Of(input));
  const DimsView dims = input.dims();
  const int64_t outer = ProductOf(dims, 0, axis);
  const int64_t inner = ProductOf(dims, axis + 1, dims.size());
  for (int64_t o = 0; o < outer; ++o) {
    BestRows<C, Beats>(elements.data() + o * dims[axis] * inner, dims[axis], inner,
                       best.data() + o * inner);
  }
  return Status();
}

using BestFinder = Status (*)(const Tensor& input, size_t axis, std::vector<int64_t>& best);

//   input: ordered numbers or bool; dimension: integer scalar; output: output_type, that dimension
//   removed
Status ArgBest(KernelContext& context, BestFinder find, DType type) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, ScalarInt(context.input(1), "dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, CanonicalAxis(given, input.rank(), "dim"));
  SmallDims dims(input.dims());
  const size_t d = static_cast<size_t>(axis);
  if (dims[d] == 0) {
    return InvalidArgument("Reduction axis " + std::to_string(axis) + " is empty in shape " +
                           DimsString(dims));
  }
  dims.erase(d);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  std::vector<int64_t> best(static_cast<size_t>(count));
  if (count > 0) TAGFLOW_RETURN_IF_ERROR(find(input, d, best));
  return SetIndices(context, 0, type, dims, best);
}

template <typename Beats>
Result<BoundKernel> BindArgBest(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals | SetOf(DType::kBool)));
  const BestFinder find = ForComputingType(dtype, []<typename C>(Computing<C>) -> BestFinder {
    if constexpr (Real<C> || std::is_same_v<C, bool>) return FindBest<C, Beats>;
    return nullptr;
  });
  return BoundKernel([find, type = binding.output_dtype(0)](KernelContext& context) {
    return ArgBest(context, find, type);
  });
}

// ---- Where ----

// The places of elements that are not zero; NaN is not.
template <typename C>
Status FindNonzero(const Tensor& input, std::vector<int64_t>& places) {
  TAGFLOW_ASSIGN_OR_RETURN(const ElementsAs<C> elements, ElementsAs<C>::Of(input));
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (!(elements[i] == C())) places.push_back(i);
  }
  return Status();
}

using NonzeroFinder = Status (*)(const Tensor& input, std::vector<int64_t>& places);

//   condition: numbers or bool, rank 1 to 8
//   output: int64 [n, rank], the coordinates of the n elements that are not zero, in order
Status Where(KernelContext& context, NonzeroFinder find) {
  const Tensor& input = context.input(0);
  const int64_t rank = input.rank();
  if (rank < 1 || rank > kMostSearchedDimensions) {
    return InvalidArgument("WhereOp : Unhandled input dimensions: " + std::to_string(rank));
  }
  std::vector<int64_t> places;
  TAGFLOW_RETURN_IF_ERROR(find(input, places));
  const auto found = static_cast<int64_t>(places.size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, DType::kInt64, SmallDims(Dims{found, rank})));
  int64_t* coordinates = out->mutable_data<int64_t>();
  const DimsView dims = input.dims();
  for (int64_t place : places) {
    for (size_t d = dims.size(); d-- > 0; place /= dims[d]) coordinates[d] = place % dims[d];
    coordinates += rank;
  }
  return Status();
}

Result<BoundKernel> BindWhere(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  if (dtype == DType::kHalf) return NoKernelFor(binding, dtype);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers | SetOf(DType::kBool)));
  const NonzeroFinder find = ForComputingType(dtype, []<typename C>(Computing<C>) -> NonzeroFinder {
    if constexpr (Number<C> || std::is_same_v<C, bool>) return FindNonzero<C>;
    return nullptr;
  });
  return BoundKernel([find](KernelContext& context) { return Where(context, find); });
}

// ---- InvertPermutation ----

//   x: vector holding each of 0 … n-1 once; output[x[i]] = i
Status InvertPermutation(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() != 1) return InvalidArgument("invert_permutation expects a 1D vector.");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView permutation, IntView::Of(input));
  const int64_t size = permutation.size();
  std::vector<int64_t> inverse(static_cast<size_t>(size), -1);
  for (int64_t i = 0; i < size; ++i) {
    if (permutation[i] < 0 || permutation[i] >= size) {
      return InvalidArgument(std::to_string(permutation[i]) + " is not between 0 and " +
                             std::to_string(size));
    }
    int64_t& place = inverse[static_cast<size_t>(permutation[i])];
    if (place >= 0) {
      return InvalidArgument(std::to_string(permutation[i]) + " is duplicated in the input.");
    }
    place = i;
  }
  return SetIndices(context, 0, input.dtype(), input.dims(), inverse);
}

Result<BoundKernel> BindInvertPermutation(const Binding&) { return BoundKernel(InvertPermutation); }

}  // namespace

Status RegisterArraySearchKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"ArgMax", BindArgBest<Larger>},
                                   {"ArgMin", BindArgBest<Smaller>},
                                   {"InvertPermutation", BindInvertPermutation},
                                   {"Where", BindWhere},
                               });
}

}  // namespace tagflow::optimized
