// Integers as rows of bits, in two's complement.

#include <algorithm>
#include <bit>

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

struct And {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return x & y;
  }
};
struct Or {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return x | y;
  }
};
struct Xor {
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return x ^ y;
  }
};
struct Invert {
  template <IntegerElement C>
  C operator()(C x) const {
    return ~x;
  }
};

// How many bits the dtype of the first input has.
int BitsOf(const KernelContext& context) {
  return 8 * static_cast<int>(DTypeSize(context.inputs[0].dtype()));
}

// Shifts by less than nothing are shifts by nothing, shifts by all bits or more are by all but one.
template <IntegerElement C>
int ShiftCount(C y, int bits) {
  if (y < 0) return 0;
  return static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(y), bits - 1));
}
struct Left {
  int bits;
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return static_cast<C>(static_cast<uint64_t>(x) << ShiftCount(y, bits));
  }
};
// A negative number stays negative.
struct Right {
  int bits;
  template <IntegerElement C>
  C operator()(C x, C y) const {
    return x >> ShiftCount(y, bits);
  }
};

Status LeftShift(KernelContext& context) {
  return BroadcastKernel(kIntegers, Left{BitsOf(context)})(context);
}
Status RightShift(KernelContext& context) {
  return BroadcastKernel(kIntegers, Right{BitsOf(context)})(context);
}

//   x: integers;  y: uint8, how many bits of each are 1
//   Errors: UNIMPLEMENTED for another dtype
Status PopulationCount(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), kIntegers));
  const uint64_t own_bits = ~uint64_t{0} >> (64 - BitsOf(context));
  std::vector<uint64_t> counts;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IndexValues(x));
  for (int64_t value : values) {
    counts.push_back(static_cast<uint64_t>(std::popcount(static_cast<uint64_t>(value) & own_bits)));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kUInt8, x.dims(), counts));
  return Status();
}

}  // namespace

Status RegisterBitwiseKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"BitwiseAnd", BroadcastKernel(kIntegers, And())},
                                   {"BitwiseOr", BroadcastKernel(kIntegers, Or())},
                                   {"BitwiseXor", BroadcastKernel(kIntegers, Xor())},
                                   {"Invert", UnaryKernel(kIntegers, Invert())},
                                   {"LeftShift", LeftShift},
                                   {"RightShift", RightShift},
                                   {"PopulationCount", PopulationCount},
                               });
}

}  // namespace tagflow::reference
