#include "optimized/straight/code_pieces.h"

#include <gtest/gtest.h>

#include <utility>

#include "optimized/straight/code_writer.h"

namespace tagflow::optimized {
namespace {

using Bounds = std::vector<std::pair<uint32_t, uint32_t>>;

Bounds Marked(uint32_t least, uint32_t most, Code& code) {
  Bounds bounds;
  for (const CodePiece& piece : MarkPieces(least, most, code)) {
    EXPECT_EQ(code.instructions[piece.first - 1].op, OpCode::kPiece);
    bounds.emplace_back(piece.first, piece.last);
  }
  return bounds;
}

Code Calls(int count) {
  CodeWriter writer;
  for (int i = 0; i < count; ++i) writer.Call(1, {0});
  return writer.Fetch(1).code;
}

TEST(CodePiecesTest, LongOnesAreCut) {
  Code code = Calls(10);
  EXPECT_EQ(Marked(2, 4, code), (Bounds{{1, 4}, {6, 9}, {11, 12}}));
  EXPECT_EQ(code.instructions.size(), 10u + 3 + 1);
  EXPECT_EQ(code.instructions[13].op, OpCode::kFetch);
}

TEST(CodePiecesTest, ShortOnesAreNotMarked) {
  Code code = Calls(3);
  EXPECT_EQ(Marked(4, 100, code), Bounds());
  EXPECT_EQ(code.instructions.size(), 4u);
}

// Calls 0 and 1; a loop of 3 to 5; calls 6 and 7.
TEST(CodePiecesTest, LoopsAreBetweenThem) {
  Code code = CodeWriter()
                  .Call(1, {0})
                  .Call(2, {1})
                  .Add({.op = OpCode::kEnter})
                  .Unless(1, 6)
                  .Call(2, {2})
                  .Repeat(3)
                  .Call(3, {2})
                  .Call(4, {3})
                  .code;
  EXPECT_EQ(Marked(2, 100, code), (Bounds{{1, 2}, {8, 9}}));
  // The test leaves the loop for the second piece's mark.
  EXPECT_EQ(code.instructions[4].op, OpCode::kUnless);
  EXPECT_EQ(code.instructions[4].target, 7u);
  EXPECT_EQ(code.instructions[6].target, 4u);
}

}  // namespace
}  // namespace tagflow::optimized
