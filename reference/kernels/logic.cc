// Logic of booleans.

#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Booleans are computed as the integers 0 and 1.
struct LogicalAnd {
  bool operator()(std::same_as<int64_t> auto x, std::same_as<int64_t> auto y) const {
    return x != 0 && y != 0;
  }
};
struct LogicalOr {
  bool operator()(std::same_as<int64_t> auto x, std::same_as<int64_t> auto y) const {
    return x != 0 || y != 0;
  }
};
struct LogicalNot {
  bool operator()(std::same_as<int64_t> auto x) const { return x == 0; }
};

}  // namespace

Status RegisterLogicKernels(KernelRegistry& registry) {
  constexpr DTypeSet kBool = {DType::kBool};
  TAGFLOW_RETURN_IF_ERROR(registry.Register("LogicalAnd", BroadcastKernel(kBool, LogicalAnd())));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("LogicalOr", BroadcastKernel(kBool, LogicalOr())));
  return registry.Register("LogicalNot", UnaryKernel(kBool, LogicalNot()));
}

}  // namespace tagflow::reference
