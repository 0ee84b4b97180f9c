#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_BODIES_H_

// Kernels that move elements, as so many bytes, whatever these mean.
//
// Tested by conformance/gpu/host_moves_test.cc.

#include <cstddef>
#include <cstdint>

#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/walk.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// A box of elements, copied: to[to_first + its walk] = from[from_first + its walk]. Where `from` is
// null, the host has the one element that is read.
struct BoxArgs {
  const void* from;
  alignas(8) char scalar[8];
  void* to;
  int64_t from_first;
  int64_t to_first;
  Walk<2> walk;  // of `from` and `to`
};

template <typename Bits>
struct BoxBody {
  explicit BoxBody(const BoxArgs& args)
      : from(static_cast<const Bits*>(args.from)),
        scalar(*reinterpret_cast<const Bits*>(args.scalar)),
        to(static_cast<Bits*>(args.to) + args.to_first),
        walk(args.walk) {
    if (from != nullptr) from += args.from_first;
  }
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    int64_t at[2];
    walk.Find(i, at);
    to[at[1]] = from != nullptr ? from[at[0]] : scalar;
  }
  const Bits* from;
  Bits scalar;
  Bits* to;
  Walk<2> walk;
};

// out[i] = condition ? x : y, of inputs 0, 1 and 2; those that are null the host has.
struct SelectArgs {
  static constexpr int kInputs = 3;
  const void* inputs[kInputs];
  alignas(8) char scalars[kInputs][8];
  void* out;
  Walk<kInputs> walk;
};

template <typename Bits>
struct SelectBody {
  explicit SelectBody(const SelectArgs& args)
      : condition(static_cast<const bool*>(args.inputs[0])),
        x(static_cast<const Bits*>(args.inputs[1])),
        y(static_cast<const Bits*>(args.inputs[2])),
        condition_scalar(*reinterpret_cast<const bool*>(args.scalars[0])),
        x_scalar(*reinterpret_cast<const Bits*>(args.scalars[1])),
        y_scalar(*reinterpret_cast<const Bits*>(args.scalars[2])),
        out(static_cast<Bits*>(args.out)),
        walk(args.walk) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    int64_t at[SelectArgs::kInputs];
    walk.Find(i, at);
    const bool holds = condition != nullptr ? condition[at[0]] : condition_scalar;
    out[i] = holds ? (x != nullptr ? x[at[1]] : x_scalar) : (y != nullptr ? y[at[2]] : y_scalar);
  }
  const bool* condition;
  const Bits* x;
  const Bits* y;
  bool condition_scalar;
  Bits x_scalar, y_scalar;
  Bits* out;
  Walk<SelectArgs::kInputs> walk;
};

// Calls visit.template operator()<Bits>() for elements of so many bytes, else returns `other`.
template <typename Visit, typename Return>
Return ForElementSize(size_t bytes, const Visit& visit, Return other) {
  switch (bytes) {
    case sizeof(uint8_t):
      return visit.template operator()<uint8_t>();
    case sizeof(uint16_t):
      return visit.template operator()<uint16_t>();
    case sizeof(uint32_t):
      return visit.template operator()<uint32_t>();
    case sizeof(uint64_t):
      return visit.template operator()<uint64_t>();
    default:
      return other;
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_BODIES_H_
