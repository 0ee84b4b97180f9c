#include "optimized/straight/branches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tagflow::optimized {
namespace {

// Emits drops of named slots under conditions, and runs the code for given predicates.
class BranchesTest : public testing::Test {
 protected:
  void Work(ConditionId condition, uint32_t name) {
    branches_.Enter(condition);
    code_.instructions.push_back({.op = OpCode::kDrop, .a = name});
  }
  ConditionId When(int32_t predicate, int32_t value, ConditionId also = ConditionId::kAlways) {
    return conditions_.With(also, {predicate, value});
  }

  // The names that are met, in order.
  std::vector<uint32_t> Met(const std::vector<int32_t>& values) {
    std::vector<uint32_t> met;
    for (size_t i = 0; i < code_.instructions.size(); ++i) {
      const Instruction& at = code_.instructions[i];
      if (at.op == OpCode::kDrop) met.push_back(at.a);
      const bool leaves = at.op == OpCode::kUnless && values[at.a] != static_cast<int32_t>(at.n);
      if (at.op == OpCode::kJump || leaves) i = at.target - 1;
    }
    return met;
  }
  size_t Count(OpCode op) const {
    return static_cast<size_t>(std::count_if(code_.instructions.begin(), code_.instructions.end(),
                                             [op](const Instruction& at) { return at.op == op; }));
  }
  size_t Tests() const { return Count(OpCode::kUnless); }
  size_t Jumps() const { return Count(OpCode::kJump); }

  Code code_;
  Conditions conditions_;
  int32_t p_ = conditions_.AddPredicate(2);
  int32_t q_ = conditions_.AddPredicate(2);
  Branches branches_{
      code_, conditions_, [this](const ConditionLiteral& literal) {
        code_.instructions.push_back({.op = OpCode::kUnless,
                                      .n = static_cast<uint32_t>(literal.value),
                                      .a = static_cast<uint32_t>(literal.predicate)});
      }};
};

using Names = std::vector<uint32_t>;

TEST_F(BranchesTest, TheOtherBranchIsAnElse) {
  Work(When(p_, 1), 1);
  Work(When(p_, 0), 2);
  Work(ConditionId::kAlways, 3);
  EXPECT_EQ(Tests(), 1u);
  EXPECT_EQ(Met({1, 0}), (Names{1, 3}));
  EXPECT_EQ(Met({0, 0}), (Names{2, 3}));
}

TEST_F(BranchesTest, BranchesNest) {
  const ConditionId in = When(p_, 1);
  Work(in, 1);
  Work(When(q_, 1, in), 2);
  Work(When(q_, 0, in), 3);
  Work(in, 4);
  Work(When(p_, 0), 5);
  Work(ConditionId::kAlways, 6);
  EXPECT_EQ(Tests(), 2u);
  EXPECT_EQ(Met({1, 1}), (Names{1, 2, 4, 6}));
  EXPECT_EQ(Met({1, 0}), (Names{1, 3, 4, 6}));
  EXPECT_EQ(Met({0, 1}), (Names{5, 6}));
}

TEST_F(BranchesTest, AnyOrderOfConditionsIsRight) {
  const ConditionId all[] = {ConditionId::kAlways,
                             When(p_, 1),
                             When(p_, 0),
                             When(q_, 1),
                             When(q_, 0),
                             When(q_, 1, When(p_, 1)),
                             When(q_, 0, When(p_, 1)),
                             When(q_, 1, When(p_, 0))};
  std::vector<ConditionId> order;
  for (uint32_t i = 0; i < 400; ++i) {
    order.push_back(all[(i * 2654435761u >> 7) % std::size(all)]);
    Work(order.back(), i);
  }
  branches_.Enter(ConditionId::kAlways);
  for (const int32_t p : {0, 1}) {
    for (const int32_t q : {0, 1}) {
      Names expected;
      for (uint32_t i = 0; i < order.size(); ++i) {
        const ConditionId now = When(p_, p, When(q_, q));
        if (conditions_.Implied(order[i], now)) expected.push_back(i);
      }
      EXPECT_EQ(Met({p, q}), expected);
    }
  }
}

// The loop at hand jumps back at the end of a branch, and needs no jump over the other; a loop in
// the branch ends there, and what comes next is the end of the branch.
TEST_F(BranchesTest, ALoopInABranchDoesNotRunIntoTheOther) {
  const auto repeat = [this](ConditionId condition) {
    branches_.Enter(condition);
    code_.instructions.push_back({.op = OpCode::kRepeat});
  };
  Work(When(p_, 1), 1);
  const size_t begun = branches_.BeginFrame();
  repeat(When(q_, 1));
  branches_.EndFrame(begun);
  Work(When(p_, 0), 2);
  Work(ConditionId::kAlways, 3);
  EXPECT_EQ(Met({1, 0}), (Names{1, 3}));
  EXPECT_EQ(Met({0, 0}), (Names{2, 3}));
  const size_t jumps = Jumps();
  repeat(When(p_, 1));
  Work(When(p_, 0), 4);
  EXPECT_EQ(Jumps(), jumps);
}

TEST_F(BranchesTest, AFrameStandsOnWhatIsOpen) {
  Work(When(p_, 1), 1);
  const size_t begun = branches_.BeginFrame();
  Work(When(q_, 1), 2);
  Work(ConditionId::kAlways, 3);
  branches_.EndFrame(begun);
  Work(When(p_, 1), 4);
  branches_.Enter(ConditionId::kAlways);
  EXPECT_EQ(Tests(), 2u);
  EXPECT_EQ(Met({1, 0}), (Names{1, 3, 4}));
  EXPECT_EQ(Met({0, 1}), (Names{}));
}

}  // namespace
}  // namespace tagflow::optimized
