// Tests: walk.cc, op.cc

#include "fuzz/program/walk.h"

#include <gtest/gtest.h>

#include "fuzz/program/check.h"
#include "fuzz/program/retype.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

constexpr char kNest[] = R"(
  input p: bool = true
  input x: float = 2
  two: int32 = Const 2
  y: float = Cond(p) {
  then:
    n: int32, z: float = While(two, x) from 0 step 1 Less most 2 {
    test(i0: int32, z0: float):
    body(i1: int32, z1: float):
      z2: float = Neg(z1) after i1
      return z2
    }
    return z
  else:
    return x
  }
  w: float = Square(y)
  return w)";

TEST(OpTest, NamesAndOperationsCorrespond) {
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(OpOfName(OpName(op)), op) << OpName(op);
  }
  EXPECT_EQ(OpName(Op::kAssignAdd), "AssignAdd");
  EXPECT_EQ(OpOfName("assignadd"), std::nullopt);
  EXPECT_EQ(OpName(static_cast<Op>(200)), "?");
}

TEST(WalkTest, StatementsComeInOrderOfTheText) {
  std::string seen;
  ForEachStatement(ProgramOf(kNest).body,
                   [&](const Statement& s) { seen += std::string(OpName(s.op)) + " "; });
  EXPECT_EQ(seen, "Const Cond While Neg Square ");
}

TEST(WalkTest, BlocksKnowTheirOwnerAndDepth) {
  std::string seen;
  ForEachBlock(ProgramOf(kNest).body, [&](const Block&, const Statement* owner, int depth) {
    seen += (owner == nullptr ? "-" : std::string(OpName(owner->op))) + std::to_string(depth) + " ";
  });
  EXPECT_EQ(seen, "-0 Cond1 While2 While2 Cond1 ");
}

TEST(WalkTest, UsesAreOperandsAfterAndResults) {
  const Program program = ProgramOf(kNest);
  std::vector<int> uses(program.types.size());
  ForEachUse(program.body, [&](ValueId id) { ++uses[Index(id)]; });
  // p x two y n z i0 z0 i1 z1 z2 w
  EXPECT_EQ(uses, (std::vector<int>{1, 2, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1}));
}

TEST(WalkTest, SizeAndDepthAreCounted) {
  EXPECT_EQ(Size(ProgramOf(kNest)), 7);  // five statements, two inputs
  EXPECT_EQ(Depth(ProgramOf(kNest)), 2);
  EXPECT_EQ(Depth(ProgramOf("x: float = Const 1")), 0);
}

TEST(WalkTest, CanonicalNumbersValuesAsTheTextDoes) {
  Program program = ProgramOf(kNest);
  const std::string text = ToText(program);
  // Values numbered backwards, among others that nothing binds.
  const auto moved = [](ValueId id) { return ValueId{40 - static_cast<int32_t>(id) * 2}; };
  Program scattered = program;
  scattered.types.assign(50, Type());
  for (size_t i = 0; i < program.types.size(); ++i) {
    scattered.types[Index(moved(ValueId(i)))] = program.types[i];
  }
  for (Input& input : scattered.inputs) input.value = moved(input.value);
  ForEachUse(scattered.body, [&](ValueId& id) { id = moved(id); });
  ForEachStatement(scattered.body, [&](Statement& statement) {
    for (ValueId& id : statement.outputs) id = moved(id);
    for (Block& block : statement.blocks) {
      for (ValueId& id : block.parameters) id = moved(id);
    }
  });
  ASSERT_TRUE(Check(scattered).ok()) << Check(scattered).ToString();
  EXPECT_EQ(ToText(scattered), text);
  const Program canonical = Canonical(scattered);
  EXPECT_EQ(canonical.types, program.types);
  EXPECT_EQ(canonical.inputs[1].value, ValueId{1});
  EXPECT_EQ(ToText(canonical), text);
}

TEST(RetypeTest, TypesFollowALiteral) {
  Program program = ProgramOf(
      "x: float[2] = Const [1, 2] y: float[2] = Neg(x) "
      "z: float[4] = Concat(x, y) [0] return z");
  program.body.statements[0].literal = Tensor::Vector<double>({1, 2, 3});
  ASSERT_TRUE(Retype(program).ok());
  EXPECT_EQ(ToText(program),
            "v0: double[3] = Const [1, 2, 3]\nv1: double[3] = Neg(v0)\n"
            "v2: double[6] = Concat(v0, v1) [0]\nreturn v2\n");
  EXPECT_TRUE(Check(program).ok());
}

TEST(RetypeTest, WhatDiffersBetweenBranchesAndIterationsIsOpened) {
  Program program = ProgramOf(R"(
    input p: bool = true
    input n: int32 = 2
    x: float[2] = Const [1, 2]
    y: float[2] = Cond(p) {then: return x else: z: float[2] = Neg(x) return z}
    i: int32, w: float[2] = While(n, x) from 0 step 1 Less most 3 {
    test(i0: int32, w0: float[2]):
    body(i1: int32, w1: float[2]): w2: float[2] = Neg(w1) w3: float[2] = Abs(w2) return w3})");
  Statement& negation = program.body.statements[1].blocks[1].statements[0];
  negation.op = Op::kConcat;
  negation.operands = {ValueId{2}, ValueId{2}};
  negation.numbers = {0};
  Statement& body = program.body.statements[2].blocks[1].statements[0];
  body.op = Op::kConcat;
  body.operands = {body.operands[0], body.operands[0]};
  body.numbers = {0};
  EXPECT_FALSE(Check(program).ok());
  ASSERT_TRUE(Retype(program).ok());
  EXPECT_TRUE(Check(program).ok()) << Check(program).ToString();
  EXPECT_EQ(program.type(program.body.statements[1].outputs[0]).dims, Dims{-1});
  EXPECT_EQ(program.type(program.body.statements[2].outputs[1]).dims, Dims{-1});
}

TEST(RetypeTest, FailsWhereNoTypeSuits) {
  Program program = ProgramOf(
      "x: float[2] = Const [1, 2] y: float[2] = Add(x, x) "
      "z: float[2] = Reshape(y) [2] return z");
  program.body.statements[0].literal = Tensor::Vector<float>({1, 2, 3});
  EXPECT_EQ(Retype(program).message(), "cannot reshape [3] to [2]");
}

}  // namespace
}  // namespace tagflow::fuzz
