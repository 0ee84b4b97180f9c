// The numbers themselves are held to TensorFlow's by recorded cases; here are known answers of
// Philox, what the streams promise, and every error.
//
// Tests: philox.cc, random_draws.cc, random_kernels.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_runner.h"
#include "reference/kernels/philox.h"

namespace tagflow::reference {
namespace {

using Block = Philox::Block;

// The vectors of the paper's authors.
TEST(Philox, KnownAnswers) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}).Next(),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}).Next(),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}).Next(),
      (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SkippingIsDrawing) {
  constexpr uint32_t kOnes = 0xffffffff;
  Philox drawn({kOnes - 1, kOnes, kOnes, 7}, {1, 2});
  Philox skipped = drawn;
  for (int i = 0; i < 5; ++i) drawn.Next();
  skipped.Skip(5);
  EXPECT_EQ(skipped.Next(), drawn.Next());
}

Tensor Seed(int64_t a, int64_t b) { return Tensor::Vector<int64_t>({a, b}); }
Tensor Words(const std::vector<uint64_t>& values) { return Tensor::Vector(values); }

TEST(RandomKernels, AStreamGoesOnAndBelongsToItsNode) {
  OpRunner runner;
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"seed", 5}, {"seed2", 7}};
  const auto draw = [&] { return runner.Text("RandomUniform", {Ints({3})}, attrs); };
  EXPECT_EQ(draw(), "float[3] [0.44746375, 0.620757, 0.25906932]");
  ASSERT_EQ(runner.accesses.size(), 1u);
  EXPECT_TRUE(runner.accesses[0].is_write);
  EXPECT_EQ(runner.accesses[0].name, "node");
  EXPECT_EQ(draw(), "float[3] [0.78061545, 0.453869, 0.22467792]");
  runner.node_name = "other";
  EXPECT_EQ(draw(), "float[3] [0.44746375, 0.620757, 0.25906932]");
}

TEST(RandomKernels, WithoutSeedsNoTwoStreamsAreAlike) {
  OpRunner one;
  OpRunner two;
  const AttrMap attrs = {{"dtype", DType::kDouble}};
  EXPECT_NE(one.Text("RandomUniform", {Ints({2})}, attrs),
            two.Text("RandomUniform", {Ints({2})}, attrs));
}

TEST(RandomKernels, EveryDTypeIsDrawn) {
  OpRunner runner;
  for (const char* op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    for (DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
      auto drawn = runner.Run(op, {Ints({7}), Seed(1, 2)}, {{"dtype", dtype}});
      ASSERT_TRUE(drawn.ok()) << drawn.status().ToString();
      EXPECT_EQ(drawn->tensors[0].num_elements(), 7);
    }
  }
}

TEST(RandomKernels, WholeRangesOfIntegers) {
  OpRunner runner;
  const int64_t low = std::numeric_limits<int64_t>::min();
  const int64_t high = std::numeric_limits<int64_t>::max();
  auto drawn = runner.Run("StatelessRandomUniformInt",
                          {Ints({100}), Seed(1, 2), Tensor::Scalar(low), Tensor::Scalar(high)});
  ASSERT_TRUE(drawn.ok());
  drawn = runner.Run("StatelessRandomUniformInt", {Ints({100}), Seed(1, 2), Int(-3), Int(-1)});
  for (int32_t value : drawn->tensors[0].flat<int32_t>()) {
    EXPECT_TRUE(value == -3 || value == -2) << value;
  }
}

TEST(RandomKernels, ShufflingKeepsRows) {
  OpRunner runner;
  const AttrMap attrs = {{"seed", 3}};
  EXPECT_EQ(runner.Text("RandomShuffle", {Ints({1, 2, 3, 4})}, attrs), "int32[4] [4, 3, 2, 1]");
  EXPECT_EQ(runner.Text("RandomShuffle", {Ints({1, 2, 3, 4})}, attrs), "int32[4] [2, 3, 4, 1]");
  EXPECT_EQ(runner.Text("RandomShuffle", {Int(5)}, attrs), "int32[] 5");
  EXPECT_EQ(runner.Text("RandomShuffle", {Empty(DType::kString, Dims{0, 2})}, attrs),
            "string[0,2] []");
}

TEST(RandomKernels, ClassesOfImpossibleLogits) {
  OpRunner runner;
  const float infinity = std::numeric_limits<float>::infinity();
  const auto draw = [&](const std::vector<float>& logits, int32_t samples) {
    return runner.Text("StatelessMultinomial",
                       {Tensor::Of<float>(Dims{1, 2}, logits), Int(samples), Seed(1, 2)},
                       {{"output_dtype", DType::kInt64}});
  };
  EXPECT_EQ(draw({-infinity, 0}, 3), "int64[1,3] [[1, 1, 1]]");
  EXPECT_EQ(draw({-infinity, -infinity}, 2), "int64[1,2] [[2, 2]]");
  EXPECT_EQ(draw({0, 0}, 0), "int64[1,0] [[]]");
  EXPECT_EQ(draw({0, 0}, -1), "INVALID_ARGUMENT: num_samples must not be negative, but it is -1");
}

struct BadCase {
  const char* op;
  std::vector<OpRunner::Input> inputs;
  const char* error;
};

TEST(RandomKernels, WhatCannotBeDrawnIsAnError) {
  const Tensor key = Words({1});
  const Tensor counter = Words({1, 2});
  const Tensor huge = Tensor::Vector<int64_t>({int64_t{1} << 62, 4});
  const Tensor many = Tensor::Vector<int64_t>({int64_t{1} << 40});
  const std::vector<BadCase> cases = {
      {"RandomUniform", {Ints({-1})}, "INVALID_ARGUMENT: "},
      {"RandomUniform", {Int(3)}, "INVALID_ARGUMENT: the shape must be a vector"},
      {"RandomUniform", {huge}, "INVALID_ARGUMENT: "},
      {"RandomUniform", {many}, "RESOURCE_EXHAUSTED: "},
      {"TruncatedNormal", {many}, "RESOURCE_EXHAUSTED: "},
      {"RandomUniformInt", {Ints({2}), Int(5), Int(5)}, "INVALID_ARGUMENT: minval must be less"},
      {"RandomUniformInt", {Ints({2}), Ints({0}), Int(5)}, "INVALID_ARGUMENT: minval must be a"},
      {"RandomUniformInt", {many, Int(0), Int(5)}, "RESOURCE_EXHAUSTED: "},
      {"Multinomial", {Floats({1}), Int(2)}, "INVALID_ARGUMENT: the logits must be a matrix"},
      {"Multinomial", {Empty(DType::kFloat, Dims{2, 0}), Int(2)}, "INVALID_ARGUMENT: there is no"},
      {"StatelessRandomUniform", {Ints({2}), Ints({1})}, "INVALID_ARGUMENT: seed must have"},
      {"StatelessRandomUniformFullInt",
       {Ints({2}), Words({1, 2})},
       "INVALID_ARGUMENT: seed must be int32 or int64"},
      {"StatelessRandomUniformV2",
       {Ints({2}), counter, counter, Int(1)},
       "INVALID_ARGUMENT: key must have shape [1]"},
      {"StatelessRandomUniformV2",
       {Ints({2}), key, key, Int(1)},
       "INVALID_ARGUMENT: counter must be a vector of two"},
      {"StatelessRandomUniformV2",
       {Ints({2}), key, counter, Int(2)},
       "INVALID_ARGUMENT: there is no random algorithm 2"},
      {"StatelessRandomUniformV2",
       {Ints({2}), key, counter, Ints({1})},
       "INVALID_ARGUMENT: alg must be a scalar"},
  };
  for (const BadCase& bad : cases) {
    OpRunner runner;
    AttrMap attrs;
    const std::string op = bad.op;
    const bool chooses = op == "RandomUniform" || op == "TruncatedNormal";
    if (chooses) attrs.emplace_back("dtype", DType::kFloat);
    const std::string text = runner.Text(op, bad.inputs, attrs);
    EXPECT_EQ(text.rfind(bad.error, 0), 0u) << op << ": " << text;
  }
}

TEST(RandomKernels, NothingDrawnNothingAsked) {
  OpRunner runner;
  EXPECT_EQ(runner.Text("RandomUniformInt", {Ints({0}), Int(5), Int(2)}), "int32[0] []");
  EXPECT_EQ(runner.Text("StatelessRandomUniformV2", {Ints({0}), Words({1}), Words({1, 2}), Int(9)},
                        {{"dtype", DType::kFloat}}),
            "float[0] []");
}

TEST(RandomKernels, KeysOfSeeds) {
  OpRunner runner;
  auto made = runner.Run("StatelessRandomGetKeyCounterAlg", {Seed(1, 2)});
  ASSERT_TRUE(made.ok());
  const auto& key = made->tensors;
  EXPECT_EQ(key[2].DebugString(), "int32[] 1");
  EXPECT_EQ(runner.Text("StatelessRandomUniformV2", {Ints({5}), key[0], key[1], key[2]}),
            runner.Text("StatelessRandomUniform", {Ints({5}), Seed(1, 2)}));
  EXPECT_EQ(runner.Text("StatelessRandomGetAlg", {}), "int32[] 1");
}

}  // namespace
}  // namespace tagflow::reference
