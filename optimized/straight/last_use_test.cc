#include "optimized/straight/last_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "optimized/straight/code_writer.h"

namespace tagflow::optimized {
namespace {

// The slots at their last use, by instruction: "0:1,2 3:drop 4".
std::string Last(CodeWriter& writer, uint32_t slots) {
  writer.Add({.op = OpCode::kEnd});
  Code& code = writer.code;
  code.num_slots = slots;
  MarkLastUses(code);
  std::string text;
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    Instruction& at = code.instructions[i];
    std::string here = at.op == OpCode::kDrop ? "drop " + std::to_string(at.a) : "";
    VisitSlots(
        at, code.args, code.outputs,
        [&](Arg& arg) {
          if (arg.is_last) here += (here.empty() ? "" : ",") + std::to_string(arg.slot);
        },
        [](uint32_t) {});
    if (!here.empty()) text += (text.empty() ? "" : " ") + std::to_string(i) + ":" + here;
  }
  return text;
}

TEST(LastUseTest, TheLastReadInAStraightLine) {
  EXPECT_EQ(Last(CodeWriter().Call(1, {0}).Call(2, {0, 1}).Fetch(2), 3), "1:0,1 2:2");
}

TEST(LastUseTest, AConstantHasNone) {
  CodeWriter writer;
  writer.Call(1, {0}).Fetch(1);
  writer.code.constants.emplace_back(0, Tensor::Scalar<float>(1));
  EXPECT_EQ(Last(writer, 2), "1:1");
}

TEST(LastUseTest, EachBranchHasItsOwn) {
  // 0: unless p -> 3; 1: 2 = f(1); 2: jump 4; 3: 2 = g(1); 4: fetch 2
  EXPECT_EQ(Last(CodeWriter().Unless(0, 3).Call(2, {1}).Jump(4).Call(2, {1}).Fetch(2), 3),
            "1:1 3:1 4:2");
}

TEST(LastUseTest, WhatIsReadAfterABranchIsNotLastInIt) {
  EXPECT_EQ(Last(CodeWriter().Unless(0, 2).Call(2, {1}).Call(3, {1}).Fetch(3), 4), "2:1 3:3");
}

TEST(LastUseTest, ALoopReadsInItsNextIterationToo) {
  // slot 5: from outside; 1: a variable; 2: its predicate; 3: its next value
  CodeWriter writer;
  writer.Call(5, {}).Call(1, {});
  writer.Call(2, {1, 5}).Unless(2, 7).Call(3, {1, 5}).Move(3, 1).Repeat(2);
  writer.Fetch(1);
  EXPECT_EQ(Last(writer, 6), "4:1 5:3 7:drop 5 8:1");
  EXPECT_EQ(writer.code.instructions[3].target, 7u);
}

TEST(LastUseTest, AVariablePassedThroughLivesOn) {
  // 1 is read in the body and after the loop, and not written in between.
  CodeWriter writer;
  writer.Call(1, {});
  writer.Call(2, {}).Unless(2, 5).Call(3, {1}).Repeat(1).Fetch(1);
  EXPECT_EQ(Last(writer, 4), "5:1");
}

TEST(LastUseTest, ACallThatReadsAValueTwiceLeavesItToADrop) {
  EXPECT_EQ(Last(CodeWriter().Call(1, {0, 0}).Fetch(1), 2), "1:drop 0 2:1");
}

// What is done for an input does not depend on how many there are.
TEST(LastUseTest, ACallMayHaveAnyNumberOfInputs) {
  constexpr uint32_t kInputs = 400'000;
  std::vector<uint32_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), 0);
  CodeWriter writer;
  Last(writer.Call(kInputs, inputs).Fetch(kInputs), kInputs + 1);
  EXPECT_TRUE(std::ranges::all_of(writer.code.args, [](const Arg& arg) { return arg.is_last; }));
}

}  // namespace
}  // namespace tagflow::optimized
