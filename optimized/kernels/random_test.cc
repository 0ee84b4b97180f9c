// The numbers themselves are held to TensorFlow's by recorded cases; here are known answers of
// Philox, what the streams promise, and every error.
//
// Tests: random.cc random_fill.cc random_source.cc

#include <gtest/gtest.h>

#include <limits>

#include "optimized/kernels/op_runner.h"
#include "optimized/kernels/philox.h"
#include "optimized/kernels/random_source.h"

namespace tagflow::optimized {
namespace {

std::vector<uint32_t> Words(const PhiloxBlock& block) { return {block.words, block.words + 4}; }

// The vectors of the paper's authors.
TEST(PhiloxTest, KnownAnswers) {
  constexpr uint64_t kOnes = ~uint64_t{0};
  using Answer = std::vector<uint32_t>;
  EXPECT_EQ(Words(Philox(0, 0, 0).Block(0)),
            (Answer{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Words(Philox(kOnes, kOnes, kOnes).Block(0)),
            (Answer{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Words(Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e).Block(0)),
            (Answer{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, BlocksAreCountedPastTheLowHalf) {
  const Philox stream(1, ~uint64_t{0} - 1, 7);
  EXPECT_EQ(Words(stream.Block(5)), Words(Philox(1, 3, 8).Block(0)));
  EXPECT_EQ(Words(stream.From(2).Block(3)), Words(stream.Block(5)));
}

Tensor Seed(int64_t a, int64_t b) { return Tensor::Vector<int64_t>({a, b}); }
Tensor Unsigned(const std::vector<uint64_t>& values) { return Tensor::Vector(values); }

TEST(RandomKernels, AStreamGoesOnAndBelongsToItsNode) {
  OpRunner runner;
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"seed", 5}, {"seed2", 7}};
  const auto draw = [&] { return runner.Text("RandomUniform", {Ints({3})}, attrs); };
  EXPECT_EQ(draw(), "float[3] [0.44746375, 0.620757, 0.25906932]");
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
      for (const double number : Doubles((*drawn)[0])) {
        EXPECT_LT(std::abs(number), 5);
        EXPECT_NE(number, 0);
      }
    }
  }
}

// The first numbers of a longer output are those of a shorter.
TEST(RandomKernels, APrefixIsAPrefix) {
  OpRunner runner;
  for (const char* op : {"StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    for (DType dtype : {DType::kFloat, DType::kDouble}) {
      const auto draw = [&](int32_t count) {
        return Doubles((*runner.Run(op, {Ints({count}), Seed(3, 4)}, {{"dtype", dtype}}))[0]);
      };
      std::vector<double> longer = draw(7);
      longer.resize(5);
      EXPECT_EQ(draw(5), longer);
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
  for (int32_t value : (*drawn)[0].flat<int32_t>()) {
    EXPECT_TRUE(value == -3 || value == -2) << value;
  }
  for (DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64}) {
    EXPECT_TRUE(
        runner.Run("StatelessRandomUniformFullInt", {Ints({3}), Seed(1, 2)}, {{"dtype", dtype}})
            .ok());
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
  EXPECT_EQ(runner.Text("Multinomial", {Ints(Dims{2, 1}, {7, 8}), Int(1)},
                        {{"output_dtype", DType::kInt32}}),
            "int32[2,1] [[0], [0]]");
}

TEST(RandomKernels, WhatCannotBeDrawnIsAnError) {
  const Tensor key = Unsigned({1});
  const Tensor counter = Unsigned({1, 2});
  const Tensor huge = Tensor::Vector<int64_t>({int64_t{1} << 62, 4});
  const Tensor many = Tensor::Vector<int64_t>({int64_t{1} << 50});
  const Tensor most = Tensor::Vector<int64_t>({int64_t{1} << 62});
  const AttrMap floats = {{"dtype", DType::kFloat}};
  Check({
      {"RandomUniform", {Ints({-1})}, floats, "INVALID_ARGUMENT:"},
      {"RandomUniform", {Int(3)}, floats, "INVALID_ARGUMENT:"},
      {"RandomUniform", {huge}, floats, "INVALID_ARGUMENT:"},
      {"RandomUniform", {many}, floats, "RESOURCE_EXHAUSTED:"},
      {"TruncatedNormal", {many}, floats, "RESOURCE_EXHAUSTED:"},
      {"RandomStandardNormal", {many}, floats, "RESOURCE_EXHAUSTED:"},
      {"RandomUniformInt", {Ints({2}), Int(5), Int(5)}, {}, "INVALID_ARGUMENT:"},
      {"RandomUniformInt", {Ints({2}), Ints({0}), Int(5)}, {}, "INVALID_ARGUMENT:"},
      {"RandomUniformInt", {many, Int(0), Int(5)}, {}, "RESOURCE_EXHAUSTED:"},
      {"Multinomial", {Floats({1}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"Multinomial", {Empty(DType::kFloat, Dims{2, 0}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomUniform", {Ints({2}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomUniformFullInt", {Ints({2}), counter}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomUniformV2", {Ints({2}), counter, counter, Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomUniformV2", {Ints({2}), key, key, Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomNormalV2", {Ints({2}), key, counter, Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"StatelessTruncatedNormalV2", {Ints({2}), key, counter, Ints({1})}, {}, "INVALID_ARGUMENT:"},
      // So many that their blocks cannot be counted; they are some all the same.
      {"StatelessRandomUniformV2", {most, key, counter, Int(0)}, floats, "INVALID_ARGUMENT:"},
  });
}

TEST(RandomKernels, NothingDrawnNothingAsked) {
  Check({
      {"RandomUniformInt", {Ints({0}), Int(5), Int(2)}, {}, "int32[0] []"},
      {"StatelessRandomUniformIntV2",
       {Ints({0}), Unsigned({1}), Unsigned({1, 2}), Int(9), Int(5), Int(2)},
       {},
       "int32[0] []"},
      {"StatelessRandomUniformV2",
       {Ints({0}), Unsigned({1}), Unsigned({1, 2}), Int(9)},
       {{"dtype", DType::kFloat}},
       "float[0] []"},
  });
}

TEST(RandomKernels, KeysOfSeeds) {
  OpRunner runner;
  auto made = runner.Run("StatelessRandomGetKeyCounterAlg", {Seed(1, 2)});
  ASSERT_TRUE(made.ok());
  const std::vector<Tensor>& key = *made;
  EXPECT_EQ(key[2].DebugString(), "int32[] 1");
  EXPECT_EQ(runner.Text("StatelessRandomUniformV2", {Ints({5}), key[0], key[1], key[2]}),
            runner.Text("StatelessRandomUniform", {Ints({5}), Seed(1, 2)}));
  EXPECT_EQ(runner.Text("StatelessRandomUniformFullIntV2", {Ints({5}), key[0], key[1], key[2]}),
            runner.Text("StatelessRandomUniformFullInt", {Ints({5}), Seed(1, 2)},
                        {{"dtype", DType::kUInt64}}));
  EXPECT_EQ(runner.Run("StatelessRandomGetKeyCounter", {Seed(1, 2)})->size(), 2u);
  EXPECT_EQ(runner.Text("StatelessRandomGetAlg", {}), "int32[] 1");
}

TEST(RandomKernels, RealNumbersOfEveryDTypeAreDoubles) {
  EXPECT_EQ(Doubles(Tensor::Vector<uint8_t>({200})), std::vector<double>{200});
  EXPECT_EQ(Doubles(Tensor::Vector<int16_t>({-2})), std::vector<double>{-2});
  EXPECT_EQ(Doubles(Tensor::Scalar(HalfFromFloat(0.5f))), std::vector<double>{0.5});
  EXPECT_EQ(Doubles(Floats({1, 2})), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace tagflow::optimized
