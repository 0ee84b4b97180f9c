// The GPU's reductions, run on the host: every pass over all of its indices, against the reference.
// Tests: folds.h, reduction_bodies.h

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "optimized/devices/gpu/kernels/reduction_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Bounds;
using conformance::DifferenceFromReference;
using conformance::Mixed;
using conformance::TensorOf;

struct RunsPassOnHost {
  template <typename Body>
  int operator()(const Body& body, int64_t count) const {
    OnHost(body, count);
    return 0;
  }
};

struct Shapes {
  Dims kept;  // the input's, with 1 for each reduced dimension
  Dims output;
};
Shapes ShapesOf(const Dims& dims, const std::vector<int32_t>& axes) {
  const auto rank = static_cast<int32_t>(dims.size());
  Shapes shapes;
  for (int32_t i = 0; i < rank; ++i) {
    const bool is_reduced = std::ranges::count(axes, i) + std::ranges::count(axes, i - rank) > 0;
    shapes.kept.push_back(is_reduced ? 1 : dims[i]);
    if (!is_reduced) shapes.output.push_back(dims[i]);
  }
  return shapes;
}

template <typename F>
Tensor Reduced(const Tensor& x, const Shapes& shapes) {
  using C = typename F::Element;
  using Out = typename ResultOfFold<F>::Type;
  Tensor out = *Tensor::Allocate(DTypeOf<Out>::value, shapes.output);
  ReductionArgs args = {};
  args.places = *ReductionPlacesOf(x.dims(), shapes.kept);
  const RoomSizes sizes = RoomsFor(args.places);
  std::vector<char> rooms[] = {std::vector<char>(sizes.first * kTotalBytesMax),
                               std::vector<char>(sizes.second * kTotalBytesMax)};
  args.x = x.data<C>();
  args.out = out.mutable_data<Out>();
  args.rooms[0] = rooms[0].data();
  args.rooms[1] = rooms[1].data();
  EXPECT_EQ(RunPasses<F>(args, RunsPassOnHost()), 0);
  return out;
}

struct Call {
  Dims dims;
  std::vector<int32_t> axes;
};
const Call kCalls[] = {
    {{7}, {0}},
    {{3, 4}, {}},
    {{2, 3, 4}, {1}},
    {{5, 70}, {0}},
    {{70, 5}, {1, 0}},
    {{5, 2000}, {-1}},
    {{2000, 5}, {0}},
    {{3, 40, 5, 2}, {0, 2}},
    {{40, 40, 40}, {0, 1, 2}},
    {{0, 3}, {0}},
    {{0, 3}, {1}},
    {{1, 1}, {0}},
};

Tensor AxesOf(const std::vector<int32_t>& axes) {
  return TensorOf(axes, {static_cast<int64_t>(axes.size())});
}

// Both sum in double and round once; but in another order.
template <typename C>
Bounds BoundsFor(const std::string& op, int64_t elements) {
  if (std::is_integral_v<C> || op == "Max" || op == "Min") return {};
  constexpr double kEpsilons = 4, kMagnitudeMax = 4;  // of an element of Mixed, or its square
  const double epsilon = std::numeric_limits<C>::epsilon();
  if (op == "Prod") return {.relative = kEpsilons * epsilon * static_cast<double>(elements + 1)};
  return {.magnitude_relative = kEpsilons * epsilon,
          .magnitude = kMagnitudeMax * static_cast<double>(elements + 1)};
}

struct RunsReductions {
  template <typename F>
  void operator()(const std::string& op, DType) const {
    SCOPED_TRACE(op);
    for (const Call& call : kCalls) Check<F>(op, call);
    ++*kernels;
  }
  template <typename F>
  static void Check(const std::string& op, const Call& call) {
    using C = typename F::Element;
    const Tensor x = Mixed<C>(call.dims), axes = AxesOf(call.axes);
    const Shapes shapes = ShapesOf(call.dims, call.axes);
    const Bounds bounds = BoundsFor<C>(op, x.num_elements());
    if (op == "L2Loss") {
      const Shapes all = {Dims(call.dims.size(), 1), {}};
      EXPECT_EQ(DifferenceFromReference(op, {x}, {}, {Reduced<F>(x, all)}, bounds), "");
    } else if (op == "BiasAddGrad") {
      if (call.dims.size() < 2) return;
      Dims channels(call.dims.size(), 1);
      channels[1] = call.dims[1];
      const Shapes kept = {channels, {channels[1]}};
      EXPECT_EQ(DifferenceFromReference(op, {x}, {{"data_format", "NCHW"}}, {Reduced<F>(x, kept)},
                                        bounds),
                "");
    } else {
      EXPECT_EQ(DifferenceFromReference(op, {x, axes}, {}, {Reduced<F>(x, shapes)}, bounds), "")
          << DimsString(call.dims) << " over " << axes.DebugString();
    }
  }
  int* kernels;
};

TEST(HostReductions, GiveWhatTheReferenceGives) {
  int kernels = 0;
  ForEachReduction(RunsReductions{&kernels});
  EXPECT_EQ(kernels, 30);
}

struct RunsArgBest {
  template <typename F>
  void operator()(const std::string& op, DType, DType index) const {
    using C = typename F::Element;
    const auto check = [&](const Tensor& x, int32_t axis) {
      const Tensor best = Reduced<F>(x, ShapesOf(Dims(x.dims().begin(), x.dims().end()), {axis}));
      EXPECT_EQ(DifferenceFromReference(op, {x, Tensor::Scalar<int32_t>(axis)},
                                        {{"output_type", index}}, {best}, {}),
                "")
          << op << " of " << x.DebugString();
    };
    for (int32_t axis = 0; axis < 3; ++axis) check(Mixed<C>({3, 50, 4}), axis);
    check(Mixed<C>({5000}), 0);
    ++*kernels;
    if constexpr (std::is_floating_point_v<C>) {
      constexpr C kNan = std::numeric_limits<C>::quiet_NaN();
      constexpr C kInfinity = std::numeric_limits<C>::infinity();
      check(TensorOf<C>({kNan, kNan, 1, kNan, kInfinity, -kInfinity, 0, C(-0.0)}, {2, 4}), 0);
      check(TensorOf<C>({kNan, kNan, 1, kNan, kInfinity, -kInfinity, 0, C(-0.0)}, {2, 4}), 1);
      check(TensorOf<C>({kNan, kInfinity, -kInfinity, kInfinity, -kInfinity}, {5}), 0);
    }
  }
  int* kernels;
};

TEST(HostReductions, FindTheBest) {
  int kernels = 0;
  ForEachArgBest(RunsArgBest{&kernels});
  EXPECT_EQ(kernels, 16);
}

template <typename F>
void CheckRow(const std::string& op, const std::vector<typename F::Element>& row) {
  const Tensor x = TensorOf(row, {static_cast<int64_t>(row.size())});
  const Tensor reduced = Reduced<F>(x, {{1}, {}});
  EXPECT_EQ(DifferenceFromReference(op, {x, AxesOf({0})}, {}, {reduced}, {}), "")
      << op << " of " << x.DebugString();
}

TEST(HostReductions, KnowNanZerosAndInfinities) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> zeros(100, -1.0f);
  zeros[70] = 0.0f;
  zeros[3] = -0.0f;
  std::vector<float> other_zeros = zeros;
  std::swap(other_zeros[70], other_zeros[3]);
  std::vector<float> nan = zeros;
  nan[50] = kNan;
  for (const auto& row : {zeros, other_zeros, nan, {kNan, kInfinity}, {-kInfinity, -kInfinity}}) {
    CheckRow<MaxFold<float>>("Max", row);
    std::vector<float> negated;
    for (const float x : row) negated.push_back(-x);
    CheckRow<MinFold<float>>("Min", negated);
    CheckRow<SumFold<float>>("Sum", row);
    CheckRow<ProdFold<float>>("Prod", row);
  }
}

TEST(HostReductions, WrapIntegersAndDivideExactSums) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> large(65, kMax);
  CheckRow<SumFold<int32_t>>("Sum", large);
  CheckRow<ProdFold<int32_t>>("Prod", large);
  CheckRow<MeanFold<int32_t>>("Mean", large);
  CheckRow<MeanFold<int32_t>>("Mean", {-7, 2});
}

TEST(HostReductions, FindTheOneThatDiffers) {
  Tensor x = *Tensor::Allocate(DType::kBool, Dims{3000});
  std::fill_n(x.mutable_data<bool>(), 3000, true);
  EXPECT_TRUE(Reduced<AllFold>(x, {{1}, {}}).scalar<bool>());
  x.mutable_data<bool>()[2345] = false;
  EXPECT_FALSE(Reduced<AllFold>(x, {{1}, {}}).scalar<bool>());
  std::fill_n(x.mutable_data<bool>(), 3000, false);
  EXPECT_FALSE(Reduced<AnyFold>(x, {{1}, {}}).scalar<bool>());
  x.mutable_data<bool>()[2345] = true;
  EXPECT_TRUE(Reduced<AnyFold>(x, {{1}, {}}).scalar<bool>());
}

}  // namespace
}  // namespace tagflow::optimized
