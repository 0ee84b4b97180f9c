#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_BODIES_H_

// Memory filled with the numbers of a stream, as on the host (optimized/kernels/random_fill.h): an
// index is a group of numbers (optimized/formulas/random_numbers.h), of which the last may stand
// out behind the end.
//
// Tested by conformance/gpu/host_random_test.cc.

#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/philox.h"
#include "optimized/formulas/random_numbers.h"

namespace tagflow::optimized {

enum class Distribution : uint8_t { kUniform, kNormal, kTruncatedNormal, kIntsOfRange, kAllInts };

struct RandomArgs {
  void* out;
  int64_t count;  // of numbers
  Philox stream;
  IntRange range;  // of kIntsOfRange
};

template <typename Group>
struct RandomBody {
  using T = typename Group::Number;
  static constexpr int64_t kSize = Group::kSize;
  explicit RandomBody(const RandomArgs& args)
      : make(args.range), stream(args.stream), out(static_cast<T*>(args.out)), count(args.count) {}
  int64_t num_groups() const { return (count + kSize - 1) / kSize; }
  TAGFLOW_ANYWHERE void operator()(int64_t n) const {
    T numbers[kSize];
    make(stream, static_cast<uint64_t>(n), numbers);
    const int64_t first = n * kSize;
    for (int64_t i = 0; i < kSize && first + i < count; ++i) out[first + i] = numbers[i];
  }
  Group make;
  Philox stream;
  T* out;
  int64_t count;
};

// Calls visit.template operator()<Group>(distribution, dtype) for every distribution and dtype.
template <template <typename> typename Group, typename Visit>
void VisitRandomFloats(Distribution distribution, const Visit& visit) {
  visit.template operator()<Group<float>>(distribution, DType::kFloat);
  visit.template operator()<Group<double>>(distribution, DType::kDouble);
}
template <typename Visit>
void ForEachRandom(const Visit& visit) {
  using enum Distribution;
  VisitRandomFloats<UniformGroup>(kUniform, visit);
  VisitRandomFloats<NormalGroup>(kNormal, visit);
  VisitRandomFloats<TruncatedNormalGroup>(kTruncatedNormal, visit);
  visit.template operator()<RangeGroup<int32_t>>(kIntsOfRange, DType::kInt32);
  visit.template operator()<RangeGroup<int64_t>>(kIntsOfRange, DType::kInt64);
  visit.template operator()<BitsGroup<uint32_t>>(kAllInts, DType::kInt32);
  visit.template operator()<BitsGroup<uint32_t>>(kAllInts, DType::kUInt32);
  visit.template operator()<BitsGroup<uint64_t>>(kAllInts, DType::kInt64);
  visit.template operator()<BitsGroup<uint64_t>>(kAllInts, DType::kUInt64);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_BODIES_H_
