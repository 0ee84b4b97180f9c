#include "reference/kernels/philox.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tagflow::reference
