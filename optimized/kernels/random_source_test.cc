#include "optimized/kernels/random_source.h"

#include <gtest/gtest.h>

#include "optimized/formulas/philox.h"
#include "optimized/kernels/op_runner.h"

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

TEST(RandomSource, RealNumbersOfEveryDTypeAreDoubles) {
  EXPECT_EQ(Doubles(Tensor::Vector<uint8_t>({200})), std::vector<double>{200});
  EXPECT_EQ(Doubles(Tensor::Vector<int16_t>({-2})), std::vector<double>{-2});
  EXPECT_EQ(Doubles(Tensor::Scalar(HalfFromFloat(0.5f))), std::vector<double>{0.5});
  EXPECT_EQ(Doubles(Floats({1, 2})), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace tagflow::optimized
