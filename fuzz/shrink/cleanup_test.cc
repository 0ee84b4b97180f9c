// Tests: cleanup.cc, rewrite.cc

#include "fuzz/shrink/cleanup.h"

#include <gtest/gtest.h>

#include "fuzz/program/check.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"
#include "fuzz/shrink/rewrite.h"

namespace tagflow::fuzz {
namespace {

std::string Cleaned(const std::string& text) {
  Program program = ProgramOf(text);
  RemoveUnneeded(program);
  EXPECT_TRUE(Check(program).ok()) << Check(program).ToString();
  return ToText(program);
}

// `edit` of the program, with what it leaves unneeded taken out.
std::string Edited(const std::string& text, const std::function<void(Program&)>& edit) {
  Program program = ProgramOf(text);
  edit(program);
  EXPECT_TRUE(Check(program).ok()) << Check(program).ToString() << "\n" << ToText(program);
  RemoveUnneeded(program);
  return ToText(program);
}

TEST(CleanupTest, WhatNoResultNeedsGoes) {
  EXPECT_EQ(Cleaned("variable a: float = 1 variable b: float = 2 input x: float = 1 "
                    "input y: float = 2 s: float = Neg(x) t: float = Read a Assign(x) b "
                    "u: float = Square(s) return s"),
            "variable x0: float = 2\ninput v0: float = 1\nv1: float = Neg(v0)\nAssign(v0) x0\n"
            "return v1\n");
}

TEST(CleanupTest, ACircleOfLoopVariablesThatNothingSeesGoes) {
  const std::string loop = R"(
    input n: int32 = 3
    input x: float = 1
    i: int32, a: float, b: float, c: float = While(n, x, x, x) from 0 step 1 Less most 3 {
    test(i0: int32, a0: float, b0: float, c0: float):
    body(i1: int32, a1: float, b1: float, c1: float):
      d: float = Neg(c1)
      return b1, a1, d
    }
  )";
  EXPECT_EQ(Cleaned(loop + "return c"), R"(input v0: int32 = 3
input v1: float = 1
v2: int32, v3: float = While(v0, v1) from 0 step 1 Less most 3 {
test(v4: int32, v5: float):
body(v6: int32, v7: float):
  v8: float = Neg(v7)
  return v8
}
return v3
)");
  EXPECT_EQ(Cleaned(loop + "return a"), R"(input v0: int32 = 3
input v1: float = 1
v2: int32, v3: float, v4: float = While(v0, v1, v1) from 0 step 1 Less most 3 {
test(v5: int32, v6: float, v7: float):
body(v8: int32, v9: float, v10: float):
  return v10, v9
}
return v3
)");
}

TEST(CleanupTest, BranchesKeepTheirEffectsAndNeededOutputs) {
  EXPECT_EQ(Cleaned(R"(
    variable a: float = 1
    input p: bool = true
    input x: float = 1
    y: float, z: float = Cond(p) {
    then:
      s: float = Neg(x)
      Assign(s) a
      t: float = Square(x)
      return s, t
    else:
      return x, x
    }
    return z)"),
            R"(variable x0: float = 1
input v0: bool = true
input v1: float = 1
v2: float = Cond(v0) {
then:
  v3: float = Neg(v1)
  Assign(v3) x0
  v4: float = Square(v1)
  return v4
else:
  return v1
}
return v2
)");
}

TEST(CleanupTest, WhatComesBeforeSomethingNeededIsNeeded) {
  EXPECT_EQ(Cleaned("x: float = Const 1 y: float = Const 2 z: float = Neg(x) after y return z"),
            "v0: float = Const 1\nv1: float = Const 2\nv2: float = Neg(v0) after v1\nreturn v2\n");
}

TEST(RewriteTest, OneIterationStandsForALoop) {
  EXPECT_EQ(Edited(R"(
    input n: int32 = 3
    input x: float = 1
    i: int32, a: float = While(n, x) from 5 step -2 Greater most 3 {
    test(i0: int32, a0: float):
    body(i1: int32, a1: float):
      b: float = Cast(i1)
      c: float = Add(a1, b)
      return c
    }
    return i, a)",
                   [](Program& program) { Inline(program, 0, 1); }),
            "input v0: float = 1\nv1: int32 = Const 5\nv2: int32 = Const 3\n"
            "v3: float = Cast(v1)\nv4: float = Add(v0, v3)\nreturn v2, v4\n");
}

TEST(RewriteTest, ATestStandsForALoopThatEndsAtOnce) {
  EXPECT_EQ(Edited(R"(
    variable v: float = 0
    input n: int32 = 3
    input x: float = 1
    i: int32, a: float = While(n, x) from 5 step -2 Greater most 3 {
    test(i0: int32, a0: float):
      b: float = Neg(a0)
      Assign(b) v
    body(i1: int32, a1: float):
      c: float = Exp(a1)
      return c
    }
    return i, a)",
                   [](Program& program) { Inline(program, 0, 0); }),
            "variable x0: float = 0\ninput v0: float = 1\nv1: int32 = Const 5\n"
            "v2: float = Neg(v0)\nAssign(v2) x0\nreturn v1, v0\n");
}

TEST(RewriteTest, ABranchStandsForACond) {
  const std::string cond =
      "input p: bool = true input x: float = 1 y: float, z: float = Cond(p) {"
      "then: s: float = Neg(x) return s, x else: return x, x} return y, z";
  EXPECT_EQ(Edited(cond, [](Program& program) { Inline(program, 0, 0); }),
            "input v0: float = 1\nv1: float = Neg(v0)\nreturn v1, v0\n");
  EXPECT_EQ(Edited(cond, [](Program& program) { Inline(program, 0, 1); }),
            "input v0: float = 1\nreturn v0, v0\n");
}

TEST(RewriteTest, WhatIsTakenOutLeavesZerosOnesOrOperands) {
  const std::string sum =
      "input x: float[2] = [3, 4] y: float[2] = Neg(x) "
      "z: float[2] = Add(y, x) return z";
  EXPECT_EQ(Edited(sum, [](Program& program) { TakeOut(program, 0, 1, Stand::kOnes); }),
            "input v0: float[2] = [3, 4]\nv1: float[2] = Const [1, 1]\n"
            "v2: float[2] = Add(v1, v0)\nreturn v2\n");
  EXPECT_EQ(Edited(sum, [](Program& program) { TakeOut(program, 0, 2, Stand::kZeros); }),
            "v0: float[2] = Const [0, 0]\nreturn v0\n");
  EXPECT_EQ(Edited(sum, [](Program& program) { TakeOut(program, 0, 2, Stand::kOperands); }),
            "input v0: float[2] = [3, 4]\nreturn v0\n");
}

TEST(RewriteTest, AnArrayIsWhatItWasBefore) {
  const std::string text = CorpusText("array.txt");
  // The writes in the cond, and then the cond, the loop.
  const auto without = [](Op op) {
    return [op](Program& program) {
      for (size_t i = 0; i < program.body.statements.size(); ++i) {
        size_t position = 0;
        for (size_t before = 0; before < i; ++before) {
          ++position;
          for (const Block& block : program.body.statements[before].blocks) {
            position += block.statements.size();
          }
        }
        if (program.body.statements[i].op != op) continue;
        TakeOut(program, position, position + 1, Stand::kZeros);
        return;
      }
    };
  };
  const std::string no_cond = Edited(text, without(Op::kCond));
  EXPECT_EQ(no_cond.find("Cond"), std::string::npos);
  EXPECT_NE(no_cond.find("While"), std::string::npos);
  const std::string no_loop = Edited(text, without(Op::kWhile));
  EXPECT_NE(no_loop.find("Cond"), std::string::npos);
  EXPECT_EQ(no_loop.find("While"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::fuzz
