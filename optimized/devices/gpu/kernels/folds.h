#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FOLDS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FOLDS_H_

// What reductions make of elements, in whichever order they are taken:
//   Element, Total    the dtype, and what parts are folded to
//   Total Start()     of no elements
//   Total Of(x, at)   of one, which is number `at` of those that are folded
//   Merge(a, b)       of two totals
//   Finish(total, n)  what is given out for n elements, of a type Result, if not of Element
// Where there is a type ByOutput, each output has one, and Of takes it as a third argument.
// Floats are folded in double and integers in int64_t, and rounded or cut once at the end: as on
// the host (kernels/reduction.h).
//
// Tested by conformance/gpu/host_reductions_test.cc.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"
#include "optimized/formulas/smooth.h"

namespace tagflow::optimized {

template <typename C>
using WideOf = std::conditional_t<std::is_integral_v<C>, int64_t, double>;

template <typename C>
struct SumFold {
  using Element = C;
  using Total = WideOf<C>;
  TAGFLOW_ANYWHERE static Total Start() { return 0; }
  TAGFLOW_ANYWHERE static Total Of(C x, int64_t) { return x; }
  TAGFLOW_ANYWHERE static Total Merge(Total a, Total b) { return Plus(a, b); }
  TAGFLOW_ANYWHERE static C Finish(Total sum, int64_t) { return static_cast<C>(sum); }
};

// Of integers the exact sum divided towards zero; of no elements NaN for floats and 0 for integers.
template <typename C>
struct MeanFold : SumFold<C> {
  using Total = typename SumFold<C>::Total;
  TAGFLOW_ANYWHERE static C Finish(Total sum, int64_t elements) {
    if constexpr (std::is_integral_v<C>) {
      if (elements == 0) return 0;
    }
    return static_cast<C>(sum / static_cast<Total>(elements));
  }
};

template <typename C>
struct ProdFold : SumFold<C> {
  using Total = typename SumFold<C>::Total;
  TAGFLOW_ANYWHERE static Total Start() { return 1; }
  TAGFLOW_ANYWHERE static Total Merge(Total a, Total b) { return Times(a, b); }
};

template <typename C>
struct NormFold : SumFold<C> {
  TAGFLOW_ANYWHERE static double Of(C x, int64_t) { return static_cast<double>(x) * x; }
  TAGFLOW_ANYWHERE static C Finish(double sum, int64_t) { return static_cast<C>(std::sqrt(sum)); }
};

// Half the sum of the squares.
template <typename C>
struct L2LossFold : NormFold<C> {
  TAGFLOW_ANYWHERE static C Finish(double sum, int64_t) { return static_cast<C>(sum / 2); }
};

// Extremes: NaN if any element is; of equal elements the last, which tells zeros apart.
template <typename C>
struct Extreme {
  C value;
  int64_t at;
};
template <typename C>
TAGFLOW_ANYWHERE Extreme<C> FartherOf(const Extreme<C>& a, const Extreme<C>& b, bool a_is_farther,
                                      bool b_is_farther) {
  if (a_is_farther || a.value != a.value) return a;
  if (b_is_farther || b.value != b.value) return b;
  return a.at > b.at ? a : b;
}
constexpr int64_t kBeforeAll = -1;

template <typename C>
struct MaxFold {
  using Element = C;
  using Total = Extreme<C>;
  using Limits = std::numeric_limits<C>;
  TAGFLOW_ANYWHERE static Total Start() {
    return {Limits::has_infinity ? -Limits::infinity() : Limits::lowest(), kBeforeAll};
  }
  TAGFLOW_ANYWHERE static Total Of(C x, int64_t at) { return {x, at}; }
  TAGFLOW_ANYWHERE static Total Merge(const Total& a, const Total& b) {
    return FartherOf(a, b, a.value > b.value, b.value > a.value);
  }
  TAGFLOW_ANYWHERE static C Finish(const Total& max, int64_t) { return max.value; }
};
template <typename C>
struct MinFold : MaxFold<C> {
  using Total = Extreme<C>;
  using Limits = std::numeric_limits<C>;
  TAGFLOW_ANYWHERE static Total Start() {
    return {Limits::has_infinity ? Limits::infinity() : Limits::max(), kBeforeAll};
  }
  TAGFLOW_ANYWHERE static Total Merge(const Total& a, const Total& b) {
    return FartherOf(a, b, a.value < b.value, b.value < a.value);
  }
};

// The sum of exp(x - shift), which does not overflow where the shift is the largest x.
template <typename C>
struct ShiftedExpFold {
  using Element = C;
  using Total = double;
  using Result = double;
  using ByOutput = C;
  TAGFLOW_ANYWHERE static double Start() { return 0; }
  TAGFLOW_ANYWHERE static double Of(C x, int64_t, C shift) {
    return SmoothExp(static_cast<double>(x) - static_cast<double>(shift));
  }
  TAGFLOW_ANYWHERE static double Merge(double a, double b) { return a + b; }
  TAGFLOW_ANYWHERE static double Finish(double sum, int64_t) { return sum; }
};

template <typename C>
struct NegatedSumFold : SumFold<double> {
  using Result = C;
  TAGFLOW_ANYWHERE static C Finish(double sum, int64_t) { return static_cast<C>(0 - sum); }
};

// Where the best element is: the first that no other beats. NaN never is; of nothing else it is 0.
template <typename C, bool is_max, typename I>
struct ArgBestFold {
  using Element = C;
  using Total = Extreme<C>;
  using Result = I;
  TAGFLOW_ANYWHERE static Total Start() { return {C(0), kBeforeAll}; }
  TAGFLOW_ANYWHERE static Total Of(C x, int64_t at) { return {x, x == x ? at : kBeforeAll}; }
  TAGFLOW_ANYWHERE static Total Merge(const Total& a, const Total& b) {
    if (a.at == kBeforeAll) return b;
    if (b.at == kBeforeAll) return a;
    if (a.value != b.value) return is_max == (a.value > b.value) ? a : b;
    return a.at < b.at ? a : b;
  }
  TAGFLOW_ANYWHERE static I Finish(const Total& best, int64_t) {
    return static_cast<I>(best.at == kBeforeAll ? 0 : best.at);
  }
};

struct AllFold {
  using Element = bool;
  using Total = bool;
  TAGFLOW_ANYWHERE static bool Start() { return true; }
  TAGFLOW_ANYWHERE static bool Of(bool x, int64_t) { return x; }
  TAGFLOW_ANYWHERE static bool Merge(bool a, bool b) { return a && b; }
  TAGFLOW_ANYWHERE static bool Finish(bool all, int64_t) { return all; }
};
struct AnyFold : AllFold {
  TAGFLOW_ANYWHERE static bool Start() { return false; }
  TAGFLOW_ANYWHERE static bool Merge(bool a, bool b) { return a || b; }
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_FOLDS_H_
