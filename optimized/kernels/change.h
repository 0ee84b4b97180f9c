#ifndef TAGFLOW_OPTIMIZED_KERNELS_CHANGE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CHANGE_H_

// Changing elements in place: what updates of variables, sums of lists and gradient arrays do.
//
// Integers wrap; a 16-bit float is changed as a float and rounded once. A quotient of integers is
// rounded towards zero. Lowering and raising leave an element that is NaN, and a NaN changes
// nothing.

#include <cstdint>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

enum class Change : uint8_t { kSet, kAdd, kSubtract, kMultiply, kDivide, kLower, kRaise };

// Changes target[i] by by[i * step] for i in [0, count), in order. Both point to elements of the
// dtype that the function is for and do not overlap, but that they may be the same when step is 1.
//   step: 1, or 0 for one element that changes them all
// REQUIRES: of kDivide, no element of an integer dtype in `by` is zero
using ChangeFunction = void (*)(void* target, const void* by, int64_t count, int64_t step);

// Null where elements of the dtype cannot be changed so: kSet is for all dtypes of tensors, kAdd
// and kSubtract are for numbers and bool (any, and not equal), the others for numbers, and kLower
// and kRaise for those that are ordered.
ChangeFunction FindChange(Change change, DType dtype);

// Copies all elements of `from` over those of `to` from number `begin` on.
// REQUIRES: one dtype, room for them; nobody else sees `to`
void CopyInto(const Tensor& from, Tensor& to, int64_t begin);

// Integers, floating and complex numbers.
bool IsNumber(DType dtype);

// Whether an element is zero. REQUIRES: IsNumber(tensor.dtype())
bool HasZero(const Tensor& tensor);

// Makes the elements of `tensor` seen through it alone, copying them where they are shared.
//   Errors: RESOURCE_EXHAUSTED
Status MakeUnique(Tensor& tensor);

// Adds `term` to `sum`, in place where nobody else sees `sum`.
//   Errors: RESOURCE_EXHAUSTED
// REQUIRES: one shape, one dtype that kAdd is for
Status AddTo(Tensor& sum, const Tensor& term);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CHANGE_H_
