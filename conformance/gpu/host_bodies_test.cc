// What GPU kernels compute, run on the host: every body over all of its indices, against the
// reference.

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "conformance/compare.h"
#include "conformance/ops/op_runner.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"

namespace tagflow::optimized {
namespace {

template <typename T>
std::vector<T> Corners() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    return {0, 1, -1, 2, -2, 3, 7, -7, 31, Limits::max(), Limits::min(), Limits::max() / 2};
  } else {
    return {T(0),
            -T(0),
            T(1),
            -T(1),
            T(0.5),
            T(-2.5),
            T(3),
            T(-0.1),
            T(0.55),
            T(-0.7),
            T(20),
            T(-88),
            T(710),
            T(1e30),
            T(-1e30),
            Limits::max(),
            -Limits::max(),
            Limits::min(),
            Limits::denorm_min(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN()};
  }
}

template <typename T>
Tensor TensorOf(const std::vector<T>& values, const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  std::ranges::copy(values, tensor.mutable_data<T>());
  return tensor;
}

// Whether the reference computes the function in another way (smooth.h): then it is compared by
// ulps
// ([number.1]).
template <typename F>
constexpr bool kIsTranscendental = kCallsLibrary<F> || requires {
  typename F::Steps;
};

// All else is compared bit for bit.
template <typename F>
std::string Compare(const std::string& op, const std::vector<Tensor>& inputs,
                    const Tensor& actual) {
  static const auto runner = conformance::ReferenceOps().make();
  std::vector<conformance::OpRunner::Value> values;
  for (const Tensor& input : inputs) values.push_back({input, nullptr});
  const auto wanted = runner->Run(op, values, {});
  if (!wanted.ok()) return wanted.status().ToString();
  return conformance::Difference((*wanted)[0].tensor, actual,
                                 {.ulps = kIsTranscendental<F> ? 2 : 0});
}

struct RunsPairs {
  template <typename F, typename C>
  void operator()(const char* op, DType) const {
    SCOPED_TRACE(op);
    ++*kernels;
    const std::vector<C> corners = Corners<C>();
    const auto n = static_cast<int64_t>(corners.size());
    const Tensor column = TensorOf(corners, {n, 1}), row = TensorOf(corners, {n});
    const Tensor scalar = TensorOf<C>({corners.back()}, {});
    Check<F, C>(op, column, row, {n, n});
    Check<F, C>(op, row, row, {n});
    Check<F, C>(op, scalar, row, {n});
    Check<F, C>(op, column, scalar, {n, 1});
  }
  template <typename F, typename C>
  void Check(const char* op, const Tensor& x, const Tensor& y, const Dims& dims) const {
    using Out = typename PairBody<F, C>::Out;
    Tensor out = *Tensor::Allocate(DTypeOf<Out>::value, dims);
    PairArgs args = {};
    args.places = *PlacesOf(x.dims(), y.dims(), dims);
    args.x = Place<C>(x, args.x_scalar);
    args.y = Place<C>(y, args.y_scalar);
    args.out = out.mutable_data<Out>();
    args.count = out.num_elements();
    OnHost(PairBody<F, C>(args), args.count);
    EXPECT_EQ(Compare<F>(op, {x, y}, out), "");
  }
  template <typename C>
  static const void* Place(const Tensor& input, char* scalar) {
    if (!input.dims().empty()) return input.data<C>();
    std::memcpy(scalar, input.data<C>(), sizeof(C));
    return nullptr;
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
  ForEachMapKernel(RunsMaps{&kernels});
  RecordProperty("kernels", kernels);
  EXPECT_GT(kernels, 100);
}

}  // namespace
}  // namespace tagflow::optimized
