#include "conformance/compare.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/io/tensor_proto.h"

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
bool Same(T expected, T actual, const Bounds& bounds = {}) {
  return Difference(Tensor::Scalar(expected), Tensor::Scalar(actual), bounds).empty();
}

TEST(Compare, WithoutBoundsEveryBitCounts) {
  EXPECT_TRUE(Same(1.5f, 1.5f));
  EXPECT_FALSE(Same(1.5f, std::nextafter(1.5f, 2.0f)));
  EXPECT_FALSE(Same(0.0f, -0.0f));
  EXPECT_TRUE(Same(kNan, -kNan));
  EXPECT_FALSE(Same(kNan, 1.0f));
  EXPECT_FALSE(Same<int64_t>(3, 4));
  EXPECT_TRUE(Same(Half{0x7e00}, Half{0x7e01}));  // two NaNs
  EXPECT_FALSE(Same(std::complex<float>(1, 0.0f), std::complex<float>(1, -0.0f)));
}

TEST(Compare, UlpsCountSteps) {
  const float next = std::nextafter(1.0f, 2.0f);
  const float after = std::nextafter(next, 2.0f);
  EXPECT_TRUE(Same(1.0f, next, {.ulps = 1}));
  EXPECT_FALSE(Same(1.0f, after, {.ulps = 1}));
  EXPECT_TRUE(Same(0.0f, -0.0f, {.ulps = 1}));
  EXPECT_TRUE(Same(std::numeric_limits<float>::denorm_min(), -0.0f, {.ulps = 1}));
  EXPECT_FALSE(Same(1.0, -1.0, {.ulps = 1000}));
  EXPECT_FALSE(Same(std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(),
                    {.ulps = 1000}));
  EXPECT_TRUE(Same(BFloat16{0x3f80}, BFloat16{0x3f82}, {.ulps = 2}));
  EXPECT_FALSE(Same(BFloat16{0x3f80}, BFloat16{0x3f83}, {.ulps = 2}));
}

TEST(Compare, AnyOneBoundIsEnough) {
  EXPECT_TRUE(Same(100.0f, 101.0f, {.relative = 0.01}));
  EXPECT_FALSE(Same(100.0f, 101.1f, {.relative = 0.01}));
  EXPECT_TRUE(Same(0.0f, 0.5f, {.absolute = 0.5}));
  EXPECT_FALSE(Same(0.0f, 0.6f, {.ulps = 3, .absolute = 0.5}));
  EXPECT_TRUE(Same(0.0f, 0.01f, {.magnitude_relative = 1e-3, .magnitude = 20}));
  EXPECT_FALSE(Same(0.0f, 0.03f, {.magnitude_relative = 1e-3, .magnitude = 20}));
}

TEST(Compare, BoundsDoNotExcuseNanAndInfinity) {
  const Bounds wide{.ulps = 1 << 30, .relative = 10, .absolute = 1e30};
  EXPECT_FALSE(Same(kNan, 1.0f, wide));
  EXPECT_FALSE(Same(1.0f, kNan, wide));
  EXPECT_FALSE(Same(kInfinity, std::numeric_limits<float>::max(), wide));
  EXPECT_FALSE(Same(1.0f, kInfinity, wide));
  EXPECT_FALSE(Same(kInfinity, -kInfinity, wide));
  EXPECT_TRUE(Same(kInfinity, kInfinity, wide));
  EXPECT_FALSE(Same(true, false, wide));
}

TEST(Compare, DTypesAndShapesMustBeTheSame) {
  EXPECT_THAT(Difference(Tensor::Scalar(1.0f), Tensor::Scalar(1.0), {}),
              HasSubstr("dtype is double"));
  EXPECT_THAT(Difference(Tensor::Scalar(1.0f), Tensor::Vector<float>({1.0f}), {}),
              HasSubstr("shape is [1], expected []"));
}

TEST(Compare, TheFirstDifferenceIsNamedWithItsIndex) {
  const float expected[] = {1, 2, 3, 4};
  const float actual[] = {1, 2, 5, 6};
  const std::string text = Difference(Tensor::Of<float>(Dims{2, 2}, expected),
                                      Tensor::Of<float>(Dims{2, 2}, actual), {});
  EXPECT_THAT(text, HasSubstr("element [1,0]"));
  EXPECT_THAT(text, HasSubstr("off by 2"));
  EXPECT_THAT(text, HasSubstr("2 of 4 elements differ"));
}

TEST(Compare, StringsAreCompared) {
  EXPECT_TRUE(Same<std::string>("a", "a"));
  EXPECT_THAT(Difference(Tensor::Scalar<std::string>("a"), Tensor::Scalar<std::string>("b"), {}),
              HasSubstr("expected"));
}

TEST(Compare, OneOfSeveralValuesIsEnough) {
  Expectation expectation;
  *expectation.add_any_of() = *TensorToProto(Tensor::Scalar(1));
  *expectation.add_any_of() = *TensorToProto(Tensor::Scalar(2));
  EXPECT_EQ(Mismatch(expectation, *TensorToProto(Tensor::Scalar(2)), 0), "");
  EXPECT_THAT(Mismatch(expectation, *TensorToProto(Tensor::Scalar(3)), 0),
              HasSubstr("none of the 2 values"));
}

TEST(Compare, AValueThatCannotBeReadIsAMismatch) {
  Expectation expectation;
  *expectation.add_any_of() = *TensorToProto(Tensor::Scalar(1));
  EXPECT_THAT(Mismatch(expectation, TensorProto(), 0), HasSubstr("engine's value"));
  *expectation.mutable_any_of(0) = TensorProto();
  EXPECT_THAT(Mismatch(expectation, *TensorToProto(Tensor::Scalar(1)), 0),
              HasSubstr("case's value"));
}

TEST(Compare, TermsAreBoundedByWhatIsFedAndConstant) {
  Step step;
  *step.add_feeds()->mutable_value() = *TensorToProto(Tensor::Vector<float>({-1, 2}));
  GraphDef graph;
  (*graph.add_node()->mutable_attr())["value"].mutable_tensor()->CopyFrom(
      *TensorToProto(Tensor::Vector<double>({-5})));
  EXPECT_EQ(MagnitudeOfTerms(graph, step), 16);  // 3 + 5, or products: 8 * 8 / 4
}

}  // namespace
}  // namespace tagflow::conformance
