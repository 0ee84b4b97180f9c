// Logic of booleans.

#include "optimized/formulas/comparisons.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the tables below are of nothing else

Status RegisterLogicKernels(KernelRegistry& registry) {
  constexpr DTypeSet kBool = SetOf(DType::kBool);
  return RegisterAll(registry, {
                                   {"LogicalAnd", Pairs<LogicalAnd>(kBool)},
                                   {"LogicalNot", Map<LogicalNot>(kBool)},
                                   {"LogicalOr", Pairs<LogicalOr>(kBool)},
                               });
}

}  // namespace tagflow::optimized
