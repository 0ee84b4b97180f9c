#ifndef TAGFLOW_OPTIMIZED_KERNELS_FORMULA_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FORMULA_H_

// A formula for one element, along a row of elements. It is a struct whose operator() takes the
// computing types (numbers.h) that it is meant for:
//
//   struct Add {
//     template <Number C>
//     C operator()(C x, C y) const { return Plus(x, y); }
//   };
//
// It returns its own type, or bool for an output of dtype bool. One that refuses some elements has
//
//   static const char* Refuses(C x, C y);   // null, or the message of an INVALID_ARGUMENT
//
// and one with a number of its own (the slope of a LeakyRelu) is made from a double. One whose
// loops over int32, float and double are worth a form for each processor (clones.h) derives from
// Hot.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "optimized/formulas/anywhere.h"
#include "optimized/kernels/clones.h"

// Before a loop whose iterations do not depend on each other, although the output may be one of
// the inputs.
#if defined(__clang__)
#define TAGFLOW_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
// Not all of them become vectors: not those over complex numbers.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define TAGFLOW_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tagflow::optimized {

// A step is 1, or 0 for one element that all of the row share. Both are 0 only in a row of one.
struct PairRow {
  const void* x;
  int64_t x_step;
  const void* y;
  int64_t y_step;
  void* out;
  int64_t count;
};
struct MapRow {
  const void* x;
  void* out;
  int64_t count;
};

// A formula along a row; of pairs it gives null, or what is refused.
using PairCompute = const char* (*)(const PairRow& row, double parameter);
using MapCompute = void (*)(const MapRow& row, double parameter);

template <typename F>
F MakeFormula(double parameter) {
  if constexpr (std::is_empty_v<F>) {
    return F();
  } else {
    return F{parameter};
  }
}
// The formula's name as it is written: "FloorDiv" of formulas::FloorDiv. Of one that is made of
// others ("UnlessZero<…>") it is whatever the compiler calls it.
template <typename F>
constexpr std::string_view FormulaName() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  constexpr std::string_view kBefore = "F = ";
  constexpr size_t kBegin = kFunction.find(kBefore) + kBefore.size();
  constexpr std::string_view kName =
      kFunction.substr(kBegin, kFunction.find_first_of(";]", kBegin) - kBegin);
  const size_t qualified = kName.find('<') == kName.npos ? kName.rfind(':') : kName.npos;
  return qualified == kName.npos ? kName : kName.substr(qualified + 1);
}
template <typename F, typename C>
concept Refusing = requires(const C& x) {
  F::Refuses(x, x);
};
template <typename F, typename C>
inline constexpr bool kIsHot =
    std::derived_from<F, Hot> && !Refusing<F, C> &&
    (std::same_as<C, int32_t> || std::same_as<C, float> || std::same_as<C, double>);
// A formula that is computed in two steps, of a block of elements each: F()(x) is
// F::Steps::Second(x, F::Steps::First(x)).
template <typename F, typename C>
concept HasSteps = std::floating_point<C> && requires(C x) {
  F::Steps::Second(x, F::Steps::First(x));
};
inline constexpr int64_t kStepBlock = 512;
// Whether loops over C are worth a form for each way to step.
template <typename C>
inline constexpr bool kIsNative = std::is_arithmetic_v<C> && !std::same_as<C, uint64_t>;

template <typename F, typename C>
inline __attribute__((always_inline)) const char* PairsAlong(const PairRow& row, double parameter) {
  using Out = std::invoke_result_t<F, C, C>;
  const F formula = MakeFormula<F>(parameter);
  const C* x = static_cast<const C*>(row.x);
  const C* y = static_cast<const C*>(row.y);
  Out* out = static_cast<Out*>(row.out);
  const int64_t count = row.count, x_step = row.x_step, y_step = row.y_step;
  if constexpr (Refusing<F, C>) {
    for (int64_t i = 0; i < count; ++i) {
      if (const char* why = F::Refuses(x[i * x_step], y[i * y_step])) return why;
    }
  }
  if constexpr (!kIsNative<C>) {
    for (int64_t i = 0; i < count; ++i) out[i] = formula(x[i * x_step], y[i * y_step]);
  } else if (x_step == 0) {
    const C fixed = *x;
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = formula(fixed, y[i]);
  } else if (y_step == 0) {
    const C fixed = *y;
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = formula(x[i], fixed);
  } else {
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = formula(x[i], y[i]);
  }
  return nullptr;
}

template <typename F, typename C>
const char* ComputePairs(const PairRow& row, double parameter) {
  return PairsAlong<F, C>(row, parameter);
}
template <typename F, typename C>
TAGFLOW_CLONES const char* ComputeHotPairs(const PairRow& row, double parameter) {
  return PairsAlong<F, C>(row, parameter);
}

template <typename F, typename C>
inline __attribute__((always_inline)) void MapAlong(const MapRow& row, double parameter) {
  using Out = std::invoke_result_t<F, C>;
  const F formula = MakeFormula<F>(parameter);
  const C* x = static_cast<const C*>(row.x);
  Out* out = static_cast<Out*>(row.out);
  if constexpr (HasSteps<F, C>) {
    C first[kStepBlock];
    for (int64_t done = 0; done < row.count;
         done += kStepBlock, x += kStepBlock, out += kStepBlock) {
      const int64_t count = std::min(kStepBlock, row.count - done);
      TAGFLOW_INDEPENDENT
      for (int64_t i = 0; i < count; ++i) first[i] = F::Steps::First(x[i]);
      TAGFLOW_INDEPENDENT
      for (int64_t i = 0; i < count; ++i) out[i] = F::Steps::Second(x[i], first[i]);
    }
  } else {
    TAGFLOW_INDEPENDENT
    for (int64_t i = 0; i < row.count; ++i) out[i] = formula(x[i]);
  }
}

template <typename F, typename C>
void ComputeMap(const MapRow& row, double parameter) {
  MapAlong<F, C>(row, parameter);
}
template <typename F, typename C>
TAGFLOW_CLONES void ComputeHotMap(const MapRow& row, double parameter) {
  MapAlong<F, C>(row, parameter);
}
template <typename F, typename C>
TAGFLOW_WIDE_CLONES void ComputeHotSteps(const MapRow& row, double parameter) {
  MapAlong<F, C>(row, parameter);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FORMULA_H_
