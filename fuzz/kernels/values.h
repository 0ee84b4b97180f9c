#ifndef TAGFLOW_FUZZ_KERNELS_VALUES_H_
#define TAGFLOW_FUZZ_KERNELS_VALUES_H_

// Values that kernels may trip over: numbers at the ends of their dtype, sizes that no memory has,
// indices out of range, odd text; and enough ordinary ones that a kernel gets to its work.

#include <string>

#include "fuzz/generate/choices.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// 0 … 3 mostly; else a small number of either sign.
int64_t DrawSmall(Choices& choices);
// A number that is no sensible size, index or axis.
int64_t DrawHuge(Choices& choices);
std::string DrawText(Choices& choices);

// Up to four dimensions of 0 … 4.
Dims DrawDims(Choices& choices);
// Like `dims` more often than not: the same, one dimension changed, a scalar, a short vector, or
// anything.
Dims DrawDimsLike(const Dims& dims, Choices& choices);

// Elements of one kind: small, of either sign, special, or of many digits. Handles and variants are
// empty. REQUIRES: IsTensorDType(dtype); dims of few elements
Tensor DrawTensor(DType dtype, const Dims& dims, Choices& choices);
// A vector in which every corner of the dtype (a NaN, an infinity, a zero, an end, and some
// ordinary numbers) stands once beside each of those in the vector of the other number. REQUIRES:
// number is 0 or 1; dtype is real, whole or bool
Tensor AllPairs(DType dtype, int number);
// Of NaN, infinities, and numbers at the ends of integer types.
Tensor DrawSpecials(DType dtype, const Dims& dims, Choices& choices);
// A scalar between 0 and 1, if the dtype has such.
Tensor DrawFraction(DType dtype, Choices& choices);
// Of more digits than bfloat16 has, some of them halfway between two of it.
Tensor DrawFine(DType dtype, const Dims& dims, Choices& choices);
// Of fractions that no dtype holds to the last digit.
Tensor DrawEndless(DType dtype, const Dims& dims, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_VALUES_H_
