#include "optimized/straight/last_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace tagflow::optimized {
namespace {

// Code written by hand: slots are numbers, calls read some and write one.
class Writer {
 public:
  Writer& Call(uint32_t output, const std::vector<uint32_t>& inputs) {
    Instruction call{.op = OpCode::kCall,
                     .num_outputs = 1,
                     .n = static_cast<uint32_t>(inputs.size()),
                     .a = static_cast<uint32_t>(code.args.size()),
                     .b = static_cast<uint32_t>(code.outputs.size())};
    for (uint32_t slot : inputs) code.args.push_back({slot, 0});
    code.outputs.push_back(output);
    return Add(call);
  }
  Writer& Move(uint32_t from, uint32_t to) {
    code.args.push_back({from, 0});
    return Add({.op = OpCode::kMove, .a = static_cast<uint32_t>(code.args.size() - 1), .b = to});
  }
  Writer& Fetch(uint32_t slot) {
    code.args.push_back({slot, 0});
    return Add({.op = OpCode::kFetch, .a = static_cast<uint32_t>(code.args.size() - 1)});
  }
  Writer& Unless(uint32_t slot, uint32_t target) {
    return Add({.op = OpCode::kUnless, .n = 1, .a = slot, .target = target});
  }
  Writer& Jump(uint32_t target) { return Add({.op = OpCode::kJump, .target = target}); }
  Writer& Repeat(uint32_t target) { return Add({.op = OpCode::kRepeat, .target = target}); }
  Writer& Add(Instruction instruction) {
    code.instructions.push_back(instruction);
    return *this;
  }
  // The slots at their last use, by instruction: "0:1,2 3:drop 4".
  std::string Last(uint32_t slots) {
    Add({.op = OpCode::kEnd});
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
  Code code;
};

TEST(LastUseTest, TheLastReadInAStraightLine) {
  EXPECT_EQ(Writer().Call(1, {0}).Call(2, {0, 1}).Fetch(2).Last(3), "1:0,1 2:2");
}

TEST(LastUseTest, AConstantHasNone) {
  Writer writer;
  writer.Call(1, {0}).Fetch(1);
  writer.code.constants.emplace_back(0, Tensor::Scalar<float>(1));
  EXPECT_EQ(writer.Last(2), "1:1");
}

TEST(LastUseTest, EachBranchHasItsOwn) {
  // 0: unless p -> 3; 1: 2 = f(1); 2: jump 4; 3: 2 = g(1); 4: fetch 2
  EXPECT_EQ(Writer().Unless(0, 3).Call(2, {1}).Jump(4).Call(2, {1}).Fetch(2).Last(3),
            "1:1 3:1 4:2");
}

TEST(LastUseTest, WhatIsReadAfterABranchIsNotLastInIt) {
  EXPECT_EQ(Writer().Unless(0, 2).Call(2, {1}).Call(3, {1}).Fetch(3).Last(4), "2:1 3:3");
}

TEST(LastUseTest, ALoopReadsInItsNextIterationToo) {
  // slot 5: from outside; 1: a variable; 2: its predicate; 3: its next value
  Writer writer;
  writer.Call(5, {}).Call(1, {});
  writer.Call(2, {1, 5}).Unless(2, 7).Call(3, {1, 5}).Move(3, 1).Repeat(2);
  writer.Fetch(1);
  EXPECT_EQ(writer.Last(6), "4:1 5:3 7:drop 5 8:1");
  EXPECT_EQ(writer.code.instructions[3].target, 7u);
}

TEST(LastUseTest, AVariablePassedThroughLivesOn) {
  // 1 is read in the body and after the loop, and not written in between.
  Writer writer;
  writer.Call(1, {});
  writer.Call(2, {}).Unless(2, 5).Call(3, {1}).Repeat(1).Fetch(1);
  EXPECT_EQ(writer.Last(4), "5:1");
}

TEST(LastUseTest, ACallThatReadsAValueTwiceLeavesItToADrop) {
  EXPECT_EQ(Writer().Call(1, {0, 0}).Fetch(1).Last(2), "1:drop 0 2:1");
}

// What is done for an input does not depend on how many there are.
TEST(LastUseTest, ACallMayHaveAnyNumberOfInputs) {
  constexpr uint32_t kInputs = 400'000;
  std::vector<uint32_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), 0);
  Writer writer;
  writer.Call(kInputs, inputs).Fetch(kInputs).Last(kInputs + 1);
  EXPECT_TRUE(std::ranges::all_of(writer.code.args, [](const Arg& arg) { return arg.is_last; }));
}

}  // namespace
}  // namespace tagflow::optimized
