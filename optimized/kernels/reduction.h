#ifndef TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_
#define TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_

// Reductions over some dimensions of a tensor, by the formulas of formulas/reductions.h: elements
// of other types than those that they fold in are widened block by block.

#include <algorithm>
#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/reductions.h"
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

template <typename R, typename A>
void Fold(const void* elements, int64_t count, void* total) {
  A& result = *static_cast<A*>(total);
  result = formulas::FoldStretch<R, A>(result, static_cast<const A*>(elements), count);
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
  std::fill_n(static_cast<A*>(totals), count, R::template Start<A>(DTypeSize(dtype)));
}
template <typename R, typename A>
void Finish(DType dtype, int64_t elements, int64_t count, void* totals) {
  A* total = static_cast<A*>(totals);
  const size_t size = DTypeSize(dtype);
  for (int64_t i = 0; i < count; ++i) total[i] = formulas::Finished<R>(total[i], size, elements);
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

// The reduction that other kernels need too.
const Reducers& SumReducers();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_REDUCTION_H_
