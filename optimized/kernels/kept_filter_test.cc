#include "optimized/kernels/kept_filter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

Tensor Numbers(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
  uint32_t bits = 1;
  for (float& number : tensor.mutable_flat<float>()) {
    bits = bits * 1664525 + 1013904223;
    number = static_cast<float>(bits >> 8) / float{1 << 23} - 1;
  }
  return tensor;
}

// ---- What is kept ----

class KeptFilterTest : public testing::Test {
 protected:
  // What is kept of a filter for windows of which these elements meet something; it would be
  // `number` panels.
  int64_t Kept(const Tensor& filter, std::vector<Tap> taps, int64_t number) {
    const TapAxis one, axis = {.window = 3, .taps = std::move(taps)};
    const TapGrid grid = {1, {&one, &one, &axis}};
    const auto copy = [&]() -> Result<CopiedPanels> { return CopiedPanels{filter, number}; };
    const CopiedPanelsPtr kept = kept_.For(filter, grid, 0, copy);
    return kept == nullptr ? 0 : kept->count;
  }
  KeptFilter kept_;
  const Tensor filter_ = Numbers(Dims{3, 2});
  const std::vector<Tap> all_ = {{-1, 0}, {0, 1}, {1, 2}}, inner_ = {{0, 1}};
};

TEST_F(KeptFilterTest, IsCopiedAtTheSecondFiringAndNeverAgain) {
  EXPECT_EQ(Kept(filter_, all_, 1), 0);
  EXPECT_EQ(Kept(filter_, all_, 2), 2);
  EXPECT_EQ(Kept(filter_, all_, 3), 2);
}

TEST_F(KeptFilterTest, IsOfOneFilterAndTheSameTaps) {
  Kept(filter_, all_, 1);
  Kept(filter_, all_, 2);
  EXPECT_EQ(Kept(Numbers(Dims{3, 2}), all_, 3), 0);
  EXPECT_EQ(Kept(filter_.Reshaped(Dims{2, 3}), all_, 4), 0);
  EXPECT_EQ(Kept(filter_, inner_, 5), 0);
  EXPECT_EQ(Kept(filter_, all_, 6), 2);
}

TEST_F(KeptFilterTest, WhatCannotBeCopiedIsNotKept) {
  const TapAxis one;
  const TapGrid grid = {1, {&one, &one, &one}};
  const auto fail = []() -> Result<CopiedPanels> { return ResourceExhausted("no memory"); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kept_.For(filter_, grid, 0, fail), nullptr);
}

// ---- In sessions ----

// A convolution of an image that is fed, by a filter that is a constant behind an Identity.
struct Network {
  Network(const Dims& filter, AttrMap attrs, const SessionOptions& options) {
    Scope scope = Scope::Root();
    const Output image = Placeholder(scope, DType::kFloat);
    const Output weights = Identity(scope, Const(scope, Numbers(filter)));
    const Output y = Op(scope, "Conv2D", {image, weights}, attrs);
    names = {image.name(), weights.name(), y.name()};
    session = *Session::Create(*scope.Finish(), options);
  }
  Tensor Of(const Tensor& image) const {
    return (*session->Run({{names[0], image}}, {names[2]}))[0];
  }
  // By the same filter, which is fed.
  Tensor OfFed(const Tensor& image, const Tensor& filter) const {
    return (*session->Run({{names[0], image}, {names[1], filter}}, {names[2]}))[0];
  }
  std::vector<std::string> names;
  std::unique_ptr<Session> session;
};

TEST(KeptFilterInSessionsTest, ResultsHaveTheBitsOfAFilterThatIsFed) {
  struct Case {
    Dims image, filter;
    const char* padding = "SAME";
  };
  const Case cases[] = {{{1, 7, 7, 40}, {3, 3, 40, 130}},         // fewer rows than channels
                        {{2, 16, 15, 24}, {3, 3, 24, 40}},        // several tiles of rows
                        {{2, 13, 11, 64}, {1, 1, 64, 400}},       // both
                        {{1, 9, 9, 8}, {3, 3, 4, 48}, "VALID"}};  // groups
  for (const int threads : {1, 3}) {
    for (const Case& c : cases) {
      SessionOptions options;
      options.threads = threads;
      const AttrMap attrs = {{"strides", IntList({1, 1, 1, 1})}, {"padding", c.padding}};
      const Network network(c.filter, attrs, options);
      const Tensor image = Numbers(c.image), expected = network.OfFed(image, Numbers(c.filter));
      for (int run = 0; run < 4; ++run) {
        EXPECT_TRUE(BitwiseEqual(network.Of(image), expected)) << DimsString(c.filter) << run;
      }
    }
  }
}

// A window of three over an image of one row: other elements of it meet something.
TEST(KeptFilterInSessionsTest, ImagesMayHaveOtherSizesFromRunToRun) {
  const Dims filter = {3, 3, 4, 40};
  const AttrMap attrs = {{"strides", IntList({1, 1, 1, 1})}, {"padding", "SAME"}};
  const Network network(filter, attrs, {});
  for (int run = 0; run < 4; ++run) {
    for (const int64_t rows : {5, 1, 40}) {
      const Tensor image = Numbers(Dims{1, rows, 6, 4});
      EXPECT_TRUE(BitwiseEqual(network.Of(image), network.OfFed(image, Numbers(filter))));
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized
