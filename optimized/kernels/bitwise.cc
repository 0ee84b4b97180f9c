// Integers as rows of bits, in two's complement.

#include <algorithm>
#include <bit>

#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct And {
  template <Integer C>
  C operator()(C x, C y) const {
    return x & y;
  }
};
struct Or {
  template <Integer C>
  C operator()(C x, C y) const {
    return x | y;
  }
};
struct Xor {
  template <Integer C>
  C operator()(C x, C y) const {
    return x ^ y;
  }
};
struct Invert {
  template <Integer C>
  C operator()(C x) const {
    return ~x;
  }
};

// Shifts by less than nothing are shifts by nothing, shifts by all bits or more are by all but one.
// `bits` is how many the dtype has: a number computed in a wider type has more.
template <Integer C>
int ShiftCount(C y, double bits) {
  const auto most = static_cast<C>(bits - 1);
  return y < 0 ? 0 : static_cast<int>(std::min(y, most));
}
struct LeftShift {
  double bits;
  template <Integer C>
  C operator()(C x, C y) const {
    return static_cast<C>(static_cast<std::make_unsigned_t<C>>(x) << ShiftCount(y, bits));
  }
};
// A negative number stays negative.
struct RightShift {
  double bits;
  template <Integer C>
  C operator()(C x, C y) const {
    return x >> ShiftCount(y, bits);
  }
};

double BitsOf(DType dtype) { return 8 * static_cast<double>(DTypeSize(dtype)); }

template <typename F>
Result<BoundKernel> BindShift(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kIntegers));
  return BindPairs(binding, kIntegers, kPairForms<F>, PairShapes::kBroadcast, BitsOf(dtype));
}

// Of a number widened to 64 bits, how many of its own bits are 1.
struct PopulationCount {
  double bits;
  uint64_t operator()(uint64_t x) const {
    return static_cast<uint64_t>(std::popcount(x << (64 - static_cast<int>(bits))));
  }
};
//   output: uint8, of the input's shape
Result<BoundKernel> BindPopulationCount(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kIntegers));
  const Elements elements = {dtype, DType::kUInt8, WidestWidening(dtype),
                             WidestWidening(DType::kUInt8)};
  const MapLoop loop = {ComputeMap<PopulationCount, uint64_t>, elements, BitsOf(dtype)};
  return BoundKernel([loop](KernelContext& context) { return RunMap(loop, context); });
}

}  // namespace

Status RegisterBitwiseKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"BitwiseAnd", Pairs<And>(kIntegers)},
                                   {"BitwiseOr", Pairs<Or>(kIntegers)},
                                   {"BitwiseXor", Pairs<Xor>(kIntegers)},
                                   {"Invert", Map<Invert>(kIntegers)},
                                   {"LeftShift", BindShift<LeftShift>},
                                   {"PopulationCount", BindPopulationCount},
                                   {"RightShift", BindShift<RightShift>},
                               });
}

}  // namespace tagflow::optimized
