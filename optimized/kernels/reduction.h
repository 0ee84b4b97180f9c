#ifndef TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_
#define TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_

// Reductions over some dimensions of a tensor.
//
// Elements are widened to int64_t, uint64_t, double or std::complex<double> and folded into a total
// for each element of the output, which is narrowed once at the end; so the result has the accuracy
// of double, and integers wrap at their own width. A stretch of elements that lie side by side and
// have one total is folded in lanes, element i into lane i mod 8, and the lanes then in pairs: the
// order depends on the shape alone, and compilers make vectors of it.

#include <algorithm>
#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/numbers.h"
#include "optimized/kernel.h"
#include "optimized/kernels/formula.h"

namespace tagflow::optimized {

// A reduction for one wide type. Pointers are to elements of it.
struct Reducer {
  // *total with `count` more elements. Null: the reduction is not of this type.
  void (*fold)(const void* x, int64_t count, void* total) = nullptr;
  // totals[i] with x[i], for each i < count.
  void (*fold_each)(const void* x, int64_t count, void* totals) = nullptr;
  // `count` totals of no elements of this dtype.
  void (*start)(DType dtype, int64_t count, void* totals) = nullptr;
  // What becomes of `count` totals of a dtype, of `elements` elements each.
  void (*finish)(DType dtype, int64_t elements, int64_t count, void* totals) = nullptr;
};
// A reduction, by wide type.
struct Reducers {
  Reducer of_int64, of_uint64, of_double, of_complex;
};
// The one for this dtype.
const Reducer& ReducerOf(const Reducers& reducers, DType dtype);

// Reduces to `output`, of the input's dtype, which has as many elements as the shape `kept`: the
// input's dims with 1 for each that is reduced. On the threads of the context's session where the
// first dimension is kept: an element is folded in one order.
//   Errors: RESOURCE_EXHAUSTED
Status Reduce(const Reducer& reducer, const Tensor& input, DimsView kept, Tensor& output,
              const KernelContext& context);

// ---- Reducers from formulas ----

// R has, for the wide types A that it is meant for,
//   template <A> static A Start(DType)        the total of no elements
//   static A Next(A total, A x)               with one more element
//   static A Merge(A x, A y)                  of two totals, of which x comes first
//   static A Finish(A, DType, int64_t)        what is given out; may be missing
//   static A Settled(A, const A* x, int64_t)  the total of all these x, where lanes lose what
//                                             depends on their order; may be missing
inline constexpr int64_t kLanes = 8;

template <typename R, typename A>
A FoldLanes(const A* x, int64_t count) {
  A lanes[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = R::Next(R::template Start<A>(DTypeOf<A>::value), x[lane]);
  }
  for (int64_t i = kLanes; i < count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = R::Next(lanes[lane], x[i + lane]);
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) {
      lanes[lane] = R::Merge(lanes[lane], lanes[lane + half]);
    }
  }
  if constexpr (requires { R::Settled(lanes[0], x, count); }) {
    return R::Settled(lanes[0], x, count);
  }
  return lanes[0];
}
template <typename R, typename A>
void Fold(const void* elements, int64_t count, void* total) {
  const A* x = static_cast<const A*>(elements);
  A result = *static_cast<A*>(total);
  int64_t i = 0;
  if (count >= 2 * kLanes) {
    i = count / kLanes * kLanes;
    result = R::Merge(result, FoldLanes<R>(x, i));
  }
  for (; i < count; ++i) result = R::Next(result, x[i]);
  *static_cast<A*>(total) = result;
}
template <typename R, typename A>
void FoldEach(const void* elements, int64_t count, void* totals) {
  const A* x = static_cast<const A*>(elements);
  A* total = static_cast<A*>(totals);
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) total[i] = R::Next(total[i], x[i]);
}
template <typename R, typename A>
void Start(DType dtype, int64_t count, void* totals) {
  std::fill_n(static_cast<A*>(totals), count, R::template Start<A>(dtype));
}
template <typename R, typename A>
void Finish(DType dtype, int64_t elements, int64_t count, void* totals) {
  if constexpr (requires(A total) { R::Finish(total, dtype, elements); }) {
    A* total = static_cast<A*>(totals);
    for (int64_t i = 0; i < count; ++i) total[i] = R::Finish(total[i], dtype, elements);
  }
}

template <typename R, typename A>
constexpr Reducer MakeReducer() {
  if constexpr (requires(A total) { R::Next(total, total); }) {
    return {Fold<R, A>, FoldEach<R, A>, Start<R, A>, Finish<R, A>};
  } else {
    return {};
  }
}
template <typename R>
inline constexpr Reducers kReducers = {MakeReducer<R, int64_t>(), MakeReducer<R, uint64_t>(),
                                       MakeReducer<R, double>(),
                                       MakeReducer<R, std::complex<double>>()};

// The reductions that other kernels need too.
struct SumFormula {
  template <Number A>
  static A Start(DType) {
    return 0;
  }
  template <Number A>
  static A Next(A sum, A x) {
    return Plus(sum, x);
  }
  template <Number A>
  static A Merge(A x, A y) {
    return Plus(x, y);
  }
};
const Reducers& SumReducers();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_
