#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_BODY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_BODY_H_

// Rows taken by indices that the device has, which it checks by itself ([device.1]).
//
// Tested by conformance/gpu/host_gather_test.cc.

#include <cstddef>
#include <cstdint>

#include "optimized/devices/fault_place.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// to[batch, outer, place, inner] = from[batch, outer, indices[batch, place], inner]
struct GatherArgs {
  const void* from;     // [batches * outer, limit, inner]
  const void* indices;  // [batches, places]; null: the host has the one there is
  alignas(8) char index_scalar[8];
  void* to;
  int64_t batches, outer, limit, places, inner;
  FaultPlace fault;  // is told the place of an index outside of [0, limit)

  int64_t count() const { return batches * outer * places * inner; }
};

template <typename Bits, typename I>
struct GatherBody {
  explicit GatherBody(const GatherArgs& of)
      : args(of), scalar(*reinterpret_cast<const I*>(of.index_scalar)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t row = i / args.inner, slab = row / args.places;
    const int64_t place = slab / args.outer * args.places + row % args.places;
    const auto* const indices = static_cast<const I*>(args.indices);
    const int64_t index = indices != nullptr ? indices[place] : scalar;
    const bool is_outside = index < 0 || index >= args.limit;
    if (is_outside) return args.fault.Note(place);
    const int64_t at = (slab * args.limit + index) * args.inner + i % args.inner;
    static_cast<Bits*>(args.to)[i] = static_cast<const Bits*>(args.from)[at];
  }
  GatherArgs args;
  I scalar;
};

// Calls visit.template operator()<Bits, I>() for indices of 4 or 8 bytes.
template <typename Bits, typename Visit>
auto ForIndexSize(size_t bytes, const Visit& visit) {
  return bytes == sizeof(int32_t) ? visit.template operator()<Bits, int32_t>()
                                  : visit.template operator()<Bits, int64_t>();
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_BODY_H_
