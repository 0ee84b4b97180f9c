// What GPU kernels cast, run on the host: every pair of dtypes, against the reference.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "optimized/devices/gpu/kernels/cast_bodies.h"

namespace tagflow::optimized {
namespace {

// Numbers around the bounds of the dtypes that are cast to.
template <typename From>
std::vector<From> Bounds() {
  std::vector<From> values = Corners<From>();
  if constexpr (std::is_same_v<From, float>) {
    // Around what is halfway between two short floats, or is none any more.
    for (const float x : {65504.0F, 65519.996F, 65520.0F, 0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1p-14F,
                          1 + 0x1p-11F, 1 + 0x3p-11F, 1 + 0x1p-8F, 1 + 0x3p-8F, 0x1.ffp127F}) {
      for (const float near : {x, std::nextafter(x, 0.0F), std::nextafter(x, 1e30F)}) {
        values.insert(values.end(), {near, -near});
      }
    }
  }
  if constexpr (std::is_floating_point_v<From>) {
    for (const double bound : {0x1p31, 0x1p32, 0x1p53, 0x1p63, 0x1p64}) {
      for (const double offset : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
        values.push_back(static_cast<From>(bound + offset));
        values.push_back(static_cast<From>(-bound + offset));
      }
    }
    values.push_back(std::nextafter(From(0x1p63), From(0)));
    values.push_back(std::nextafter(From(0x1p31), From(0)));
    values.push_back(From(3.4028235677973366e38));  // of a double: the least that is no float
  }
  return values;
}

// All of a short float's.
template <>
std::vector<Half> Bounds<Half>() {
  std::vector<Half> values;
  for (uint32_t bits = 0; bits < 0x1'0000; ++bits) values.push_back({static_cast<uint16_t>(bits)});
  return values;
}
template <>
std::vector<BFloat16> Bounds<BFloat16>() {
  std::vector<BFloat16> values;
  for (const Half half : Bounds<Half>()) values.push_back({half.bits});
  return values;
}

struct RunsCasts {
  template <typename F, typename From>
  void operator()(const CastKind& kind) const {
    SCOPED_TRACE(DTypeName(kind.from) + " to " + DTypeName(kind.to));
    ++*kernels;
    using Out = typename MapBody<F, From>::Out;
    const std::vector<From> values = Bounds<From>();
    const Dims dims = {static_cast<int64_t>(values.size())};
    const Tensor x = TensorOf(values, dims);
    Tensor out = *Tensor::Allocate(kind.to, dims);
    const MapArgs args = {x.data<From>(), out.mutable_data<Out>(), out.num_elements()};
    OnHost(MapBody<F, From>(args), args.count);
    const AttrMap attrs = {{"DstT", kind.to}, {"Truncate", kind.truncates}};
    EXPECT_EQ(DifferenceFromReference("Cast", {x}, attrs, out), "");
  }
  int* kernels;
};

TEST(HostCasts, GiveWhatTheReferenceGives) {
  int kernels = 0;
  ForEachCastKernel(RunsCasts{&kernels});
  constexpr int kDTypes = 5, kTruncating = 1, kOfShortFloats = 4;
  EXPECT_EQ(kernels, kDTypes * (kDTypes - 1) + kTruncating + kOfShortFloats);
}

}  // namespace
}  // namespace tagflow::optimized
