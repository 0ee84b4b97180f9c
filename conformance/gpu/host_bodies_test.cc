// What elementwise GPU kernels compute, run on the host: every body over all of its indices,
// against the reference.

#include "conformance/gpu/host_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "optimized/devices/gpu/kernels/elementwise_bodies.h"

namespace tagflow::optimized {
namespace {

// Whether the reference computes the function in another way (smooth.h): then it is compared by
// ulps ([number.1]).
template <typename F>
constexpr bool kIsTranscendental = kCallsLibrary<F> || requires {
  typename F::Steps;
};

// All else is compared bit for bit.
template <typename F>
std::string Compare(const std::string& op, const std::vector<Tensor>& inputs,
                    const Tensor& actual) {
  constexpr int kUlps = 2;
  return DifferenceFromReference(op, inputs, {}, actual, kIsTranscendental<F> ? kUlps : 0);
}

template <typename F, typename C>
void CheckPair(const char* op, const Tensor& x, const Tensor& y, const Dims& dims) {
  using Out = typename PairBody<F, C>::Out;
  Tensor out = *Tensor::Allocate(DTypeOf<Out>::value, dims);
  PairArgs args = {};
  args.places = *PlacesOf(x.dims(), y.dims(), dims);
  args.x = PlaceOnHost(x, args.x_scalar);
  args.y = PlaceOnHost(y, args.y_scalar);
  args.out = out.mutable_data<Out>();
  args.count = out.num_elements();
  uint64_t noted = FaultPlace::kNone;
  args.fault = {&noted, 0};
  OnHost(PairBody<F, C>(args), args.count);
  EXPECT_EQ(noted, FaultPlace::kNone);
  EXPECT_EQ(Compare<F>(op, {x, y}, out), "");
}

// A formula that refuses zeros: it notes the first.
template <typename F, typename C>
void CheckRefusal(const char* op) {
  const C x[] = {1, 2, 3, 4}, y[] = {1, 2, 0, 0};
  C out[] = {0, 0, 0, 0};
  uint64_t noted = FaultPlace::kNone;
  PairArgs args = {};
  args.x = x;
  args.y = y;
  args.out = out;
  args.fault = {&noted, 5};
  OnHost(PairBody<F, C>(args), 4);
  EXPECT_EQ(noted, uint64_t{5} << FaultPlace::kIndexBits | 2);
  const auto refused = ReferenceGives(op, {Tensor::Scalar<C>(3), Tensor::Scalar<C>(0)}, {});
  EXPECT_EQ(refused.status().code(), tagflow::Code::kInvalidArgument);
}

struct RunsPairs {
  template <typename F, typename C>
  void operator()(const char* op, DType) const {
    SCOPED_TRACE(op);
    ++*kernels;
    const std::vector<C> corners = Corners<C>();
    std::vector<C> second = corners;
    if constexpr (RefusingPairs<F, C>) {
      CheckRefusal<F, C>(op);
      std::ranges::replace(second, 0, 5);
    }
    const auto n = static_cast<int64_t>(corners.size());
    const Tensor column = TensorOf(corners, {n, 1}), row = TensorOf(second, {n});
    const Tensor scalar = Tensor::Scalar<C>(corners.back());
    CheckPair<F, C>(op, column, row, {n, n});
    CheckPair<F, C>(op, TensorOf(corners, {n}), row, {n});
    CheckPair<F, C>(op, scalar, row, {n});
    CheckPair<F, C>(op, column, scalar, {n, 1});
  }
  int* kernels;
};

struct RunsSamePairs {
  template <typename F, typename C>
  void operator()(const char* op, DType) const {
    SCOPED_TRACE(op);
    ++*kernels;
    const std::vector<C> corners = Corners<C>();
    std::vector<C> x, y;  // every pair
    for (const C a : corners) {
      x.insert(x.end(), corners.size(), a);
      y.insert(y.end(), corners.begin(), corners.end());
    }
    const Dims dims = {static_cast<int64_t>(x.size())};
    CheckPair<F, C>(op, TensorOf(x, dims), TensorOf(y, dims), dims);
  }
  int* kernels;
};

struct RunsMaps {
  template <typename F, typename C>
  void operator()(const char* op, DType) const {
    SCOPED_TRACE(op);
    ++*kernels;
    using Out = typename MapBody<F, C>::Out;
    const std::vector<C> corners = Corners<C>();
    const Dims dims = {static_cast<int64_t>(corners.size())};
    const Tensor x = TensorOf(corners, dims);
    Tensor out = *Tensor::Allocate(DTypeOf<Out>::value, dims);
    const MapArgs args = {x.data<C>(), out.mutable_data<Out>(), out.num_elements()};
    OnHost(MapBody<F, C>(args), args.count);
    EXPECT_EQ(Compare<F>(op, {x}, out), "");
  }
  int* kernels;
};

TEST(HostBodies, GiveWhatTheReferenceGives) {
  int kernels = 0;
  ForEachPairKernel(RunsPairs{&kernels});
  ForEachSamePairKernel(RunsSamePairs{&kernels});
  ForEachMapKernel(RunsMaps{&kernels});
  RecordProperty("kernels", kernels);
  EXPECT_GT(kernels, 200);
}

}  // namespace
}  // namespace tagflow::optimized
