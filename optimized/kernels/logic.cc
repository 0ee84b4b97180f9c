// Logic of booleans.

#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// By the operators of bits, which work on many bytes at a time.
struct LogicalAnd {
  bool operator()(std::same_as<bool> auto x, std::same_as<bool> auto y) const { return x & y; }
};
struct LogicalOr {
  bool operator()(std::same_as<bool> auto x, std::same_as<bool> auto y) const { return x | y; }
};
struct LogicalNot {
  bool operator()(std::same_as<bool> auto x) const { return x ^ true; }
};

}  // namespace

Status RegisterLogicKernels(KernelRegistry& registry) {
  constexpr DTypeSet kBool = SetOf(DType::kBool);
  return RegisterAll(registry, {
                                   {"LogicalAnd", Pairs<LogicalAnd>(kBool)},
                                   {"LogicalNot", Map<LogicalNot>(kBool)},
                                   {"LogicalOr", Pairs<LogicalOr>(kBool)},
                               });
}

}  // namespace tagflow::optimized
