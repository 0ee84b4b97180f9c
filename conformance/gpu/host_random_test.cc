// The GPU's random numbers, made on the host: the body over all of its indices, against the
// reference.
// Tests: random_bodies.h

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "optimized/devices/gpu/kernels/random_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::DifferenceFromReference;

constexpr uint64_t kKey = 0x0123456789abcdef, kHigh = 7;
// So that the counter carries into its upper half.
constexpr uint64_t kLow = ~uint64_t{0} - 3;
constexpr int64_t kRangeLow = -1000, kRangeHigh = 2'000'000'000;

// The op that draws so by a key and a counter.
std::string OpOf(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniform:
      return "StatelessRandomUniformV2";
    case Distribution::kNormal:
      return "StatelessRandomNormalV2";
    case Distribution::kTruncatedNormal:
      return "StatelessTruncatedNormalV2";
    case Distribution::kIntsOfRange:
      return "StatelessRandomUniformIntV2";
    case Distribution::kAllInts:
      break;
  }
  return "StatelessRandomUniformFullIntV2";
}

std::vector<Tensor> InputsOf(Distribution distribution, DType dtype, int64_t count) {
  std::vector<Tensor> inputs = {Tensor::Vector<int64_t>({count}), Tensor::Vector<uint64_t>({kKey}),
                                Tensor::Vector<uint64_t>({kLow, kHigh}),
                                Tensor::Scalar<int32_t>(1)};
  if (distribution != Distribution::kIntsOfRange) return inputs;
  for (const int64_t bound : {kRangeLow, kRangeHigh}) {
    inputs.push_back(dtype == DType::kInt64 ? Tensor::Scalar(bound)
                                            : Tensor::Scalar(static_cast<int32_t>(bound)));
  }
  return inputs;
}

// log, sin and cos are the libraries'; all else is exact.
conformance::Bounds BoundsOf(Distribution distribution) {
  const bool is_normal =
      distribution == Distribution::kNormal || distribution == Distribution::kTruncatedNormal;
  return {.ulps = is_normal ? 4 : 0};
}

struct ChecksRandom {
  template <typename Group>
  void operator()(Distribution distribution, DType dtype) const {
    for (const int64_t count : {1, 2, 3, 4, 5, 8, 1001}) {
      Tensor out = *Tensor::Allocate(dtype, Dims{count});
      const RandomBody<Group> body({out.mutable_raw_data(), count, Philox(kKey, kLow, kHigh),
                                    IntRange{kRangeLow, kRangeHigh}});
      OnHost(body, body.num_groups());
      EXPECT_EQ(DifferenceFromReference(OpOf(distribution), InputsOf(distribution, dtype, count),
                                        {{"dtype", dtype}}, {out}, BoundsOf(distribution)),
                "")
          << OpOf(distribution) << " of " << DTypeName(dtype) << ", " << count;
    }
  }
};

TEST(HostRandom, GivesWhatTheReferenceGives) { ForEachRandom(ChecksRandom()); }

}  // namespace
}  // namespace tagflow::optimized
