#ifndef TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_H_
#define TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_H_

// The elementwise operations of op.h, Cast and Select included. Broadcasting as everywhere: shapes
// aligned at their last dimension, ones stretched.

#include "fuzz/direct/value.h"
#include "fuzz/program/op.h"

namespace tagflow::fuzz {

// kNeg to kOnesLike. Sets situation.error for a dtype that the operation is not for.
template <typename R>
Value<R> Unary(Op op, const Value<R>& x, Situation& situation);

// kCast. Fractions are cut off. What the target cannot hold becomes what x86-64 makes of it:
// through int32 for integers of up to 32 bits, through int64 for int64. NaN is true.
template <typename R>
Value<R> Cast(const Value<R>& x, DType target, Situation& situation);

// kAdd to kLogicalOr. Sets situation.error for shapes that do not broadcast, for an integer divided
// by zero, and for a dtype that the operation is not for.
template <typename R>
Value<R> Binary(Op op, const Value<R>& x, const Value<R>& y, Situation& situation);

// kSelect: operands that broadcast.
template <typename R>
Value<R> Select(const Value<R>& condition, const Value<R>& x, const Value<R>& y,
                Situation& situation);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_H_
