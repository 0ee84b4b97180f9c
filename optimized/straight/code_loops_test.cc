#include "optimized/straight/code_loops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tagflow::optimized {
namespace {

// Code written by hand: a Call reads some slots and writes one.
class Writer {
 public:
  Writer& Call(uint32_t output, const std::vector<uint32_t>& inputs) {
    const Instruction call{.op = OpCode::kCall,
                           .num_outputs = 1,
                           .n = static_cast<uint32_t>(inputs.size()),
                           .a = static_cast<uint32_t>(code.args.size()),
                           .b = static_cast<uint32_t>(code.outputs.size())};
    for (uint32_t slot : inputs) code.args.push_back({slot, 0});
    code.outputs.push_back(output);
    return Add(call);
  }
  Writer& Unless(uint32_t slot, uint32_t target) {
    return Add({.op = OpCode::kUnless, .n = 1, .a = slot, .target = target});
  }
  Writer& Repeat(uint32_t target) { return Add({.op = OpCode::kRepeat, .target = target}); }
  Writer& Add(Instruction instruction) {
    code.instructions.push_back(instruction);
    return *this;
  }
  // "[head,repeat] end: slots" of each loop.
  std::string Loops(uint32_t slots) {
    code.num_slots = slots;
    std::string text;
    for (const CodeLoop& loop : FindLoops(code)) {
      text += (text.empty() ? "[" : "; [") + std::to_string(loop.head) + "," +
              std::to_string(loop.repeat) + "] " + std::to_string(loop.end) + ":";
      for (const uint32_t slot : loop.kept) text += " " + std::to_string(slot);
    }
    return text;
  }
  Code code;
};

TEST(CodeLoopsTest, ALoopKeepsWhatItReadsFromOutside) {
  // 0: 1 = f(0); head 1: unless 1 -> 4; 2: 2 = f(0); 3: repeat 1
  EXPECT_EQ(Writer().Call(1, {0}).Unless(1, 4).Call(2, {0}).Repeat(1).Loops(3), "[1,3] 4: 0 1");
}

TEST(CodeLoopsTest, WhatAnIterationWritesBeforeItReadsIsNotKept) {
  EXPECT_EQ(Writer().Call(1, {0}).Call(2, {0}).Call(3, {2}).Repeat(1).Loops(4), "[1,3] 4: 0");
}

TEST(CodeLoopsTest, TheOuterLoopKeepsForTheInnerOne) {
  // Slot 1 is written before both and read in the inner one.
  EXPECT_EQ(Writer().Call(1, {0}).Call(2, {}).Call(3, {1}).Repeat(2).Repeat(1).Loops(4),
            "[2,3] 4:; [1,4] 5: 1");
}

TEST(CodeLoopsTest, TheInnerLoopKeepsWhatTheOuterOneWritesAnew) {
  // Slot 1 is a variable of the outer loop: moved into before it, and at its end.
  EXPECT_EQ(
      Writer().Call(1, {0}).Call(2, {}).Call(3, {1}).Repeat(2).Call(1, {0}).Repeat(1).Loops(4),
      "[2,3] 4: 1; [1,5] 6: 0 1");
}

TEST(CodeLoopsTest, ALoopEndsWhereItsTestLeads) {
  EXPECT_EQ(Writer().Call(1, {}).Unless(1, 4).Repeat(1).Call(2, {}).Loops(3), "[1,2] 4: 1");
}

}  // namespace
}  // namespace tagflow::optimized
