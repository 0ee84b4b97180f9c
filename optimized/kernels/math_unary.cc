// Functions of one number.

#include "optimized/formulas/functions.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the tables below are of nothing else

Status RegisterMathUnaryKernels(KernelRegistry& registry) {
  constexpr DTypeSet kRint = SetOf(DType::kFloat, DType::kDouble);
  constexpr DTypeSet kRound = kFloats | SetOf(DType::kInt32, DType::kInt64);
  return RegisterAll(registry, {
                                   {"Abs", Map<Abs>(kSigned | kFloats)},
                                   {"Acos", DoubleMap<Acos>(kContinuous)},
                                   {"Acosh", DoubleMap<Acosh>(kContinuous)},
                                   {"Asin", DoubleMap<Asin>(kContinuous)},
                                   {"Asinh", DoubleMap<Asinh>(kContinuous)},
                                   {"Atan", DoubleMap<Atan>(kContinuous)},
                                   {"Atanh", DoubleMap<Atanh>(kContinuous)},
                                   {"Ceil", Map<Ceil>(kFloats)},
                                   {"Cos", DoubleMap<Cos>(kContinuous)},
                                   {"Cosh", DoubleMap<Cosh>(kContinuous)},
                                   {"Exp", DoubleMap<Exp>(kContinuous)},
                                   {"Expm1", DoubleMap<Expm1>(kContinuous)},
                                   {"Floor", Map<Floor>(kFloats)},
                                   {"Inv", Map<Reciprocal>(kContinuous)},
                                   {"IsFinite", Map<IsFinite>(kFloats)},
                                   {"IsInf", Map<IsInf>(kFloats)},
                                   {"IsNan", Map<IsNan>(kFloats)},
                                   {"Log", DoubleMap<Log>(kContinuous)},
                                   {"Log1p", DoubleMap<Log1p>(kContinuous)},
                                   {"Neg", Map<Neg>(kSigned | kContinuous)},
                                   {"Reciprocal", Map<Reciprocal>(kContinuous)},
                                   {"Rint", Map<Round>(kRint)},
                                   {"Round", Map<Round>(kRound)},
                                   {"Rsqrt", DoubleMap<Rsqrt>(kContinuous)},
                                   {"Sigmoid", DoubleMap<Sigmoid>(kContinuous)},
                                   {"Sign", Map<Sign>(kSigned | kContinuous)},
                                   {"Sin", DoubleMap<Sin>(kContinuous)},
                                   {"Sinh", DoubleMap<Sinh>(kContinuous)},
                                   {"Sqrt", Map<Sqrt>(kContinuous)},
                                   {"Square", Map<Square>(kNumbers)},
                                   {"Tan", DoubleMap<Tan>(kContinuous)},
                                   {"Tanh", DoubleMap<Tanh>(kContinuous)},
                               });
}

}  // namespace tagflow::optimized
