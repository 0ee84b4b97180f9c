#ifndef TAGFLOW_FUZZ_DIRECT_ARRANGE_H_
#define TAGFLOW_FUZZ_DIRECT_ARRANGE_H_

// Operations that move elements and compute none: kMatMul's neighbours in op.h from kReshape to
// kRank. All set situation.error where shapes and numbers do not fit.

#include <span>

#include "fuzz/direct/value.h"

namespace tagflow::fuzz {

using Numbers = std::vector<int64_t>;

// One of the dims may be -1: what is left.
template <typename R>
Value<R> Reshape(const Value<R>& x, const Numbers& dims, Situation& situation);
// Axes: negative ones count from the end (of the result, for ExpandDims).
template <typename R>
Value<R> ExpandDims(const Value<R>& x, int64_t axis, Situation& situation);
template <typename R>
Value<R> Concat(const Value<R>& x, const Value<R>& y, int64_t axis, Situation& situation);
// numbers: where each dimension begins, then how many of it, -1: all from there.
template <typename R>
Value<R> Slice(const Value<R>& x, const Numbers& numbers, Situation& situation);
// REQUIRES: at least one item
template <typename R>
Value<R> Pack(std::span<const Value<R>* const> items, Situation& situation);
// x[index modulo x.dim(0)], the remainder not negative.
template <typename R>
Value<R> ElementAt(const Value<R>& x, int64_t index, Situation& situation);
template <typename R>
Value<R> Tile(const Value<R>& x, const Numbers& multiples, Situation& situation);
template <typename R>
Value<R> Transpose(const Value<R>& x, const Numbers& permutation, Situation& situation);
template <typename R>
Value<R> Fill(const Value<R>& scalar, const Numbers& dims, Situation& situation);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_ARRANGE_H_
