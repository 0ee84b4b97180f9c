#include "optimized/kernels/kept_panels.h"

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

class KeptPanelsTest : public testing::Test {
 protected:
  // What is kept of a factor; it would be `number` panels.
  int64_t Kept(const Tensor& factor, const std::vector<int64_t>& key, int64_t number,
               size_t part = 0) {
    const auto copy = [&]() -> Result<CopiedPanels> { return CopiedPanels{factor, number}; };
    const CopiedPanelsPtr kept = kept_.For(factor, key, part, copy);
    return kept == nullptr ? 0 : kept->count;
  }
  KeptPanels kept_;
  const Tensor factor_ = Numbers(Dims{3, 2});
};

TEST_F(KeptPanelsTest, AreCopiedAtTheSecondFiringAndNeverAgain) {
  EXPECT_EQ(Kept(factor_, {}, 1), 0);
  EXPECT_EQ(Kept(factor_, {}, 2), 2);
  EXPECT_EQ(Kept(factor_, {}, 3), 2);
}

TEST_F(KeptPanelsTest, AreOfOneFactorAndKey) {
  Kept(factor_, {0, 1}, 1);
  Kept(factor_, {0, 1}, 2);
  EXPECT_EQ(Kept(Numbers(Dims{3, 2}), {0, 1}, 3), 0);
  EXPECT_EQ(Kept(factor_.Reshaped(Dims{2, 3}), {0, 1}, 4), 0);
  EXPECT_EQ(Kept(factor_, {1}, 5), 0);
  EXPECT_EQ(Kept(factor_, {0, 1}, 6), 2);
}

TEST_F(KeptPanelsTest, EachPartHasItsOwn) {
  for (int64_t firing = 1; firing < 4; ++firing) {
    EXPECT_EQ(Kept(factor_, {}, 10 + firing, 0), firing == 1 ? 0 : 12);
    EXPECT_EQ(Kept(factor_, {}, 20 + firing, 1), firing == 1 ? 0 : 22);
  }
}

TEST_F(KeptPanelsTest, WhatCannotBeCopiedIsNotKept) {
  const auto fail = []() -> Result<CopiedPanels> { return ResourceExhausted("no memory"); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kept_.For(factor_, {}, 0, fail), nullptr);
}

// ---- In sessions ----

// An op of what is fed, and of weights that are a constant behind an Identity.
struct Network {
  Network(const char* op, const Dims& weights, const AttrMap& attrs,
          const SessionOptions& options = {}) {
    Scope scope = Scope::Root();
    const Output x = Placeholder(scope, DType::kFloat);
    const Output constant = Identity(scope, Const(scope, Numbers(weights)));
    const Output y = Op(scope, op, {x, constant}, attrs);
    names = {x.name(), constant.name(), y.name()};
    session = *Session::Create(*scope.Finish(), options);
  }
  Tensor Of(const Tensor& x) const { return (*session->Run({{names[0], x}}, {names[2]}))[0]; }
  // By the same weights, which are fed.
  Tensor OfFed(const Tensor& x, const Tensor& weights) const {
    return (*session->Run({{names[0], x}, {names[1], weights}}, {names[2]}))[0];
  }
  std::vector<std::string> names;
  std::unique_ptr<Session> session;
};

struct Case {
  const char* op;
  Dims x, weights;
  AttrMap attrs;
};
std::vector<Case> Cases() {
  const AttrMap same = {{"strides", IntList({1, 1, 1, 1})}, {"padding", "SAME"}};
  const AttrMap valid = {{"strides", IntList({1, 2, 2, 1})}, {"padding", "VALID"}};
  return {{"Conv2D", {1, 7, 7, 40}, {3, 3, 40, 130}, same},   // fewer rows than channels
          {"Conv2D", {2, 16, 15, 24}, {3, 3, 24, 40}, same},  // several tiles of rows
          {"Conv2D", {2, 13, 11, 64}, {1, 1, 64, 400}, same},
          {"Conv2D", {1, 9, 9, 8}, {3, 3, 4, 48}, valid},  // groups
          {"MatMul", {2, 300}, {300, 70}, {}},
          {"MatMul", {16, 700}, {700, 200}, {}},
          {"MatMul", {33, 40}, {40, 517}, {}},
          {"MatMul", {700, 33}, {700, 200}, {{"transpose_a", true}}},
          {"MatMul", {40, 300}, {500, 300}, {{"transpose_b", true}}}};
}

TEST(KeptPanelsInSessionsTest, ResultsHaveTheBitsOfWeightsThatAreFed) {
  for (const int threads : {1, 3}) {
    for (const Case& c : Cases()) {
      SessionOptions options;
      options.threads = threads;
      const Network network(c.op, c.weights, c.attrs, options);
      const Tensor x = Numbers(c.x), expected = network.OfFed(x, Numbers(c.weights));
      for (int run = 0; run < 4; ++run) {
        EXPECT_TRUE(BitwiseEqual(network.Of(x), expected)) << c.op << DimsString(c.weights) << run;
      }
    }
  }
}

// A window of three over an image of one row: other elements of it meet something.
TEST(KeptPanelsInSessionsTest, ImagesMayHaveOtherSizesFromRunToRun) {
  const Dims filter = {3, 3, 4, 40};
  const Network network("Conv2D", filter, Cases()[0].attrs);
  for (int run = 0; run < 4; ++run) {
    for (const int64_t rows : {5, 1, 40}) {
      const Tensor image = Numbers(Dims{1, rows, 6, 4});
      EXPECT_TRUE(BitwiseEqual(network.Of(image), network.OfFed(image, Numbers(filter))));
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized
