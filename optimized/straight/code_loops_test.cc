#include "optimized/straight/code_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "optimized/straight/code_writer.h"

namespace tagflow::optimized {
namespace {

// "[head,repeat] end: slots" of each loop.
std::string Loops(CodeWriter& writer, uint32_t slots) {
  Code& code = writer.code;
  code.num_slots = slots;
  std::string text;
  for (const CodeLoop& loop : FindLoops(code)) {
    text += (text.empty() ? "[" : "; [") + std::to_string(loop.head) + "," +
            std::to_string(loop.repeat) + "] " + std::to_string(loop.end) + ":";
    for (const uint32_t slot : loop.kept) text += " " + std::to_string(slot);
  }
  return text;
}

TEST(CodeLoopsTest, ALoopKeepsWhatItReadsFromOutside) {
  // 0: 1 = f(0); head 1: unless 1 -> 4; 2: 2 = f(0); 3: repeat 1
  EXPECT_EQ(Loops(CodeWriter().Call(1, {0}).Unless(1, 4).Call(2, {0}).Repeat(1), 3),
            "[1,3] 4: 0 1");
}

TEST(CodeLoopsTest, WhatAnIterationWritesBeforeItReadsIsNotKept) {
  EXPECT_EQ(Loops(CodeWriter().Call(1, {0}).Call(2, {0}).Call(3, {2}).Repeat(1), 4), "[1,3] 4: 0");
}

TEST(CodeLoopsTest, TheOuterLoopKeepsForTheInnerOne) {
  // Slot 1 is written before both and read in the inner one.
  EXPECT_EQ(Loops(CodeWriter().Call(1, {0}).Call(2, {}).Call(3, {1}).Repeat(2).Repeat(1), 4),
            "[2,3] 4:; [1,4] 5: 1");
}

TEST(CodeLoopsTest, TheInnerLoopKeepsWhatTheOuterOneWritesAnew) {
  // Slot 1 is a variable of the outer loop: moved into before it, and at its end.
  EXPECT_EQ(
      Loops(CodeWriter().Call(1, {0}).Call(2, {}).Call(3, {1}).Repeat(2).Call(1, {0}).Repeat(1), 4),
      "[2,3] 4: 1; [1,5] 6: 0 1");
}

TEST(CodeLoopsTest, ALoopEndsWhereItsTestLeads) {
  EXPECT_EQ(Loops(CodeWriter().Call(1, {}).Unless(1, 4).Repeat(1).Call(2, {}), 3), "[1,2] 4: 1");
}

}  // namespace
}  // namespace tagflow::optimized
