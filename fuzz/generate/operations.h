#ifndef TAGFLOW_FUZZ_GENERATE_OPERATIONS_H_
#define TAGFLOW_FUZZ_GENERATE_OPERATIONS_H_

// Operations on tensors, chosen at random or as asked for, kept within the profile's limits: an
// operand that an operation must not be applied to is first brought into its domain.

#include <optional>
#include <vector>

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

inline bool IsFloatDType(DType dtype) { return dtype == DType::kFloat || dtype == DType::kDouble; }
inline Type TensorType(DType dtype, Dims dims = {}) {
  return {Kind::kTensor, dtype, std::move(dims)};
}

// A dtype that values of the profile have.
DType RandomDType(Maker& maker);

// An elementwise operation whose operands broadcast; no value when it must not be applied to them.
std::optional<ValueId> TryElementwise(Maker& maker, Op op, std::vector<ValueId> operands,
                                      DType result);
// The same for operands and results of one dtype, after bringing the operands into its domain. In
// the last resort a constant.
ValueId Elementwise(Maker& maker, Op op, std::vector<ValueId> operands);

// One random operation, with what it takes to make it; a tensor of any dtype and shape.
ValueId RandomOperation(Maker& maker);
// One random operation of result `type` (scalars) or an elementwise one (others).
ValueId RandomOf(Maker& maker, DType dtype, bool scalar);

// A bool scalar: a constant, a comparison of fed or computed values, something about a counter, …
ValueId RandomPredicate(Maker& maker);
// An int32 scalar within [0, size).
ValueId RandomIndex(Maker& maker, int size);

// A value with the type of `x` made from it that lies within `wanted`, and is exact if that is.
// kNone when there is no way.
ValueId BroughtInto(Maker& maker, ValueId x, const Fact& wanted);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_OPERATIONS_H_
