#include <gtest/gtest.h>

#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

// What is wrong with the program of these statements, on an array a and a stack s.
std::string ErrorOf(const std::string& statements) {
  const Result<Program> program = ParseProgram(R"(
    input p: bool = true
    input i: int32 = 3
    input x: float = 1
    a: array of float = ArrayNew [5]
    s: stack of float = StackNew [5]
  )" + statements);
  if (program.ok()) return "none";
  const std::string& message = program.status().message();
  return message.substr(message.rfind("': ") + 3);
}

std::string LoopError(const std::string& test, const std::string& body,
                      const std::string& after = "") {
  return ErrorOf(
      "n: int32, c: array of float = While(i, a) from 0 step 1 Less most 5 {"
      "test(j: int32, t: array of float): " +
      test + " body(k: int32, b: array of float): " + body + "}" + after);
}

const char* const kUsedUp = "uses an array or stack that was used up before";
const char* const kNoVariable = "uses up, in a loop, an array or stack that is no variable of it";

TEST(LinearTest, WhatWasUsedUpIsNotUsedAgain) {
  EXPECT_EQ(
      ErrorOf("b: array of float = ArrayWrite(a, i, x) c: array of float = ArrayWrite(b, i, x)"),
      "none");
  EXPECT_EQ(
      ErrorOf("b: array of float = ArrayWrite(a, i, x) c: array of float = ArrayWrite(a, i, x)"),
      kUsedUp);
  EXPECT_EQ(ErrorOf("b: array of float = ArrayWrite(a, i, x) c: float = ArrayRead(a, i)"), kUsedUp);
  EXPECT_EQ(ErrorOf("b: array of float = ArrayWrite(a, i, x) c: float[5] = ArrayGather(a)"),
            kUsedUp);
  EXPECT_EQ(ErrorOf("t: stack of float = StackPush(s, x) u: stack of float = StackPush(s, x)"),
            kUsedUp);
  EXPECT_EQ(
      ErrorOf("y: float, t: stack of float = StackPop(s) u: stack of float = StackPush(s, x)"),
      kUsedUp);
}

TEST(LinearTest, ReadsUseNothingUp) {
  EXPECT_EQ(ErrorOf("y: float = ArrayRead(a, i) z: float = ArrayRead(a, i) "
                    "w: float[5] = ArrayGather(a) b: array of float = ArrayWrite(a, i, x)"),
            "none");
}

TEST(LinearTest, ABranchGivesWhatItMadeOfAnArray) {
  EXPECT_EQ(ErrorOf("b: array of float = Cond(p) {"
                    "then: c: array of float = ArrayWrite(a, i, x) return c else: return a} "
                    "y: float = ArrayRead(b, i)"),
            "none");
  EXPECT_EQ(ErrorOf("b: array of float = Cond(p) {then: return a else: return a} "
                    "y: float = ArrayRead(a, i)"),
            kUsedUp);
  EXPECT_EQ(ErrorOf("Cond(p) {then: b: array of float = ArrayWrite(a, i, x) else:} "
                    "y: float = ArrayRead(a, i)"),
            kUsedUp);
  EXPECT_EQ(ErrorOf("b: array of float, c: array of float = Cond(p) {"
                    "then: return a, a else: return a, a}"),
            kUsedUp);
}

TEST(LinearTest, ABranchDoesNotSeeWhatAnotherUsedUp) {
  EXPECT_EQ(ErrorOf("Cond(p) {then: b: array of float = ArrayWrite(a, i, x) "
                    "else: c: array of float = ArrayWrite(a, i, x)}"),
            "none");
}

TEST(LinearTest, BranchesGiveOneArray) {
  EXPECT_EQ(ErrorOf("b: array of float = ArrayNew [5] "
                    "c: array of float = Cond(p) {then: return a else: return b}"),
            "result 0 is another array or stack in one branch than in another");
  EXPECT_EQ(ErrorOf("c: array of float = Cond(p) {"
                    "then: b: array of float = ArrayNew [5] return b else: return a}"),
            "an array or stack made in a branch leaves it");
}

TEST(LinearTest, AnArrayInALoopIsAVariableOfIt) {
  EXPECT_EQ(LoopError("", "return b"), "none");
  EXPECT_EQ(LoopError("", "w: array of float = ArrayWrite(b, k, x) return w"), "none");
  EXPECT_EQ(LoopError("", "t2: stack of float = StackPush(s, x) return b"), kNoVariable);
  EXPECT_EQ(LoopError("y: float = ArrayRead(t, j)", "return b"), "none");
  EXPECT_EQ(LoopError("w: array of float = ArrayWrite(t, j, x)", "return b"),
            "uses up a variable of the loop in its test");
  EXPECT_EQ(LoopError("", "w: array of float = ArrayNew [5] return w"),
            "the next value of variable 0, an array or stack, does not come from it");
  EXPECT_EQ(LoopError("", "w: array of float = ArrayWrite(b, k, x) return b"), kUsedUp);
  EXPECT_EQ(LoopError("", "return b", " y: float = ArrayRead(a, i)"), kUsedUp);
  EXPECT_EQ(LoopError("", "y: float = ArrayRead(a, i) return b"), kUsedUp);
  EXPECT_EQ(LoopError("", "return b", " y: float = ArrayRead(c, i)"), "none");
}

TEST(LinearTest, ACondInALoopDoesNotHideThatTheArrayIsNotTheLoops) {
  EXPECT_EQ(
      ErrorOf("n: int32 = While(i) from 0 step 1 Less most 5 {test(j: int32): "
              "body(k: int32): Cond(p) {then: b: array of float = ArrayWrite(a, k, x) else:}}"),
      kNoVariable);
}

TEST(LinearTest, ALoopReadsAnArrayFromAround) {
  EXPECT_EQ(ErrorOf("n: int32 = While(i) from 0 step 1 Less most 5 {test(j: int32): "
                    "body(k: int32): y: float = ArrayRead(a, k)} "
                    "b: array of float = ArrayWrite(a, i, x)"),
            "none");
}

TEST(LinearTest, SwappedArraysAreRefused) {
  EXPECT_EQ(
      ErrorOf(
          "b: array of float = ArrayNew [5] "
          "n: int32, c: array of float, d: array of float = While(i, a, b) from 0 step 1 Less "
          "most 5 {test(j: int32, t: array of float, u: array of float): body(k: int32, v: array "
          "of float, w: array of float): return w, v}"),
      "the next value of variable 0, an array or stack, does not come from it");
}

TEST(LinearTest, ResultsAreTensors) {
  const Result<Program> program = ParseProgram("a: array of float = ArrayNew [5] return a");
  EXPECT_EQ(program.status().message(), "line 1, column 1: a result of the program is a tensor");
}

}  // namespace
}  // namespace tagflow::fuzz
