#ifndef TAGFLOW_FUZZ_DIRECT_REDUCTIONS_H_
#define TAGFLOW_FUZZ_DIRECT_REDUCTIONS_H_

// Sums over elements: kSum, kMean, kMax, kMin and kMatMul.
//
// Terms are taken in row-major order, floats are summed in double and rounded once. Integers wrap;
// their mean is the sum divided towards zero. Where several elements are the greatest (least), the
// derivative is the mean of theirs, as in TensorFlow.

#include "fuzz/direct/value.h"
#include "fuzz/program/op.h"

namespace tagflow::fuzz {

// kSum, kMean, kMax or kMin of x over `axes` (negative ones count from the end; none: all).
// Sets situation.error for an axis out of range and for a dtype the operation is not for.
template <typename R>
Value<R> Reduce(Op op, const Value<R>& x, const std::vector<int64_t>& axes, Situation& situation);

// x: [m, k], y: [k, n], output: [m, n]. Sets situation.error for other shapes.
template <typename R>
Value<R> MatMul(const Value<R>& x, const Value<R>& y, Situation& situation);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_REDUCTIONS_H_
