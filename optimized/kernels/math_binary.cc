// Arithmetic of two numbers, with broadcasting.

#include "optimized/formulas/arithmetic.h"
#include "optimized/kernels/addition.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the tables below are of nothing else

const PairForms& AddForms() { return kPairForms<Add>; }

Status RegisterMathBinaryKernels(KernelRegistry& registry) {
  constexpr DTypeSet kLargeInts = SetOf(DType::kInt32, DType::kInt64);
  constexpr DTypeSet kLargeFloats = SetOf(DType::kFloat, DType::kDouble);
  constexpr DTypeSet kMod = kLargeInts | kLargeFloats;
  constexpr DTypeSet kAdd =
      (kNumbers & ~SetOf(DType::kUInt16, DType::kUInt32, DType::kUInt64)) | SetOf(DType::kString);
  return RegisterAll(registry,
                     {
                         {"Add", Pairs<Add>(kAdd)},
                         {"AddV2", Pairs<Add>(kNumbers)},
                         {"Atan2", Pairs<Atan2>(kFloats)},
                         {"Div", Pairs<Div>(kNumbers)},
                         {"DivNoNan", Pairs<DivNoNan>(kContinuous)},
                         {"FloorDiv", Pairs<FloorDiv>(kReals)},
                         {"FloorMod", Pairs<FloorMod>(kReals)},
                         {"Maximum", Pairs<Maximum>(kReals)},
                         {"Minimum", Pairs<Minimum>(kReals)},
                         {"Mod", Pairs<TruncateMod>(kMod)},
                         {"Mul", Pairs<Mul>(kNumbers)},
                         {"MulNoNan", Pairs<MulNoNan>(kContinuous)},
                         {"NextAfter", Pairs<NextAfter>(kLargeFloats)},
                         {"Pow", Pairs<Pow>(kSigned | kContinuous)},
                         {"RealDiv", Pairs<Div>(kContinuous)},
                         {"SquaredDifference", Pairs<SquaredDifference>(kLargeInts | kContinuous)},
                         {"Sub", Pairs<Sub>(kNumbers)},
                         {"TruncateDiv", Pairs<TruncateDiv>(kReals)},
                         {"TruncateMod", Pairs<TruncateMod>(kMod)},
                         {"Xdivy", Pairs<UnlessZero<Div>>(kContinuous)},
                         {"Xlog1py", Pairs<UnlessZero<TimesLog1p>>(kContinuous)},
                         {"Xlogy", Pairs<UnlessZero<TimesLog>>(kContinuous)},
                     });
}

}  // namespace tagflow::optimized
