// Tests: fold_constants.cc, anchors.cc
#include "transform/simplify/fold_constants.h"

#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

TEST(FoldConstantsTest, ATreeBecomesOneConstant) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    two = Const() dtype=float value=2
    same = Identity(two)
    four = Add(two, same)
    twelve = Mul(four, three)
    three = Const() dtype=float value=3
    y = Add(x, twelve)
  )",
               {"x"}, {"y", "four"});
  EXPECT_EQ(g.Run(Pass::kConstants), 2);
  EXPECT_EQ(g.Line("twelve"), "Const() float[] 12");
  EXPECT_EQ(g.Line("y"), "Add(x, twelve)");
  EXPECT_EQ(g.Needed(), "four twelve y");
}

TEST(FoldConstantsTest, AFeedIsNoConstant) {
  Simplified g(R"(
    two = Const() dtype=float value=2
    three = Const() dtype=float value=3
    five = Add(two, three)
    y = Add(five, three)
  )",
               {"two"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kConstants), 0);
  Simplified inner(R"(
    two = Const() dtype=float value=2
    five = Add(two, two)
    y = Add(five, two)
  )",
                   {"five"}, {"y"});
  EXPECT_EQ(inner.Run(Pass::kConstants), 0);
}

TEST(FoldConstantsTest, AnErrorStaysWhereItIs) {
  Simplified g(R"(
    one = Const() dtype=int32 value=1
    zero = Const() dtype=int32 value=0
    wrong = Div(one, zero) T=int32
    right = Div(zero, one) T=int32
    y = Add(wrong, right) T=int32
  )",
               {}, {"y"});
  EXPECT_EQ(g.Run(Pass::kConstants), 1);
  EXPECT_EQ(g.Line("wrong"), "Div(one, zero)");
  EXPECT_EQ(g.Line("right"), "Const() int32[] 0");
}

// A constant is live when what it was made from was: in its branch.
TEST(FoldConstantsTest, ABranchKeepsItsConstants) {
  Simplified g(R"(
    p = Placeholder() dtype=bool
    s = Switch(p, p) T=bool
    yes = Identity(s:1) T=bool
    no = Identity(s:0) T=bool
    a = Const(^yes) dtype=float value=2
    b = Const(^yes) dtype=float value=3
    sum = Add(a, b)
    c = Const(^no) dtype=float value=2
    diff = Sub(c, c)
    m = Merge(sum, diff)
  )",
               {"p"}, {"m"});
  EXPECT_EQ(g.Run(Pass::kConstants), 2);
  EXPECT_EQ(g.Line("sum"), "Const(^yes) float[] 5");
  EXPECT_EQ(g.Line("diff"), "Const(^no) float[] 0");
}

// A constant captured by nested bodies comes in every iteration of each.
TEST(FoldConstantsTest, WhatEntersALoopIsWaitedFor) {
  Simplified g(R"(
    two = Const() dtype=float value=2
    n = Placeholder() dtype=float
    e = Enter(n) frame_name=f
    k = Enter(two) frame_name=f is_constant=true
    ik = Identity(k)
    four = Add(k, ik)
    m = Merge(e, next)
    less = Less(m, four)
    c = LoopCond(less)
    s = Switch(m, c)
    three = Const(^s) dtype=float value=3
    sum = Add(three, k)
    more = Add(s:1, sum)
    next = NextIteration(more)
    out = Exit(s:0)
  )",
               {"n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kConstants), 2);
  EXPECT_EQ(g.Line("four"), "Const(^k) float[] 4");
  EXPECT_EQ(g.Line("sum"), "Const(^s, ^k) float[] 5");
}

TEST(FoldConstantsTest, EveryOutputGetsItsConstant) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    two = Const() dtype=float value=2
    pair = IdentityN(two, two)
    a = Neg(pair)
    b = Neg(pair:1)
  )",
               {"x"}, {"a", "b", "pair:1"});
  AttrList types;
  types.types = {{DType::kFloat, false}, {DType::kFloat, false}};
  g.graph().SetAttr(g.graph().Find("pair"), "T", types);
  const auto both = [](const Node&, std::span<const Tensor> inputs) {
    return Result<std::vector<Tensor>>(std::vector<Tensor>(inputs.begin(), inputs.end()));
  };
  FoldConstants(g.graph(), g.call, [&](const Node& node, std::span<const Tensor> inputs) {
    return node.op == "IdentityN" ? both(node, inputs) : Unimplemented("no");
  });
  EXPECT_EQ(g.Line("a"), "Neg(pair/output_0)");
  EXPECT_EQ(g.Line("pair/output_1"), "Const() float[] 2");
  EXPECT_EQ(g.Line("pair"), "IdentityN(two, two)");  // a fetch
}

TEST(FoldConstantsTest, LargeResultsAreNot) {
  Simplified g(R"(
    dims = Const() dtype=int32 value=1000000
    zero = Const() dtype=float value=0
    large = Fill(dims, zero)
    y = Neg(large)
  )",
               {}, {});
  g.graph().SetAttr(g.graph().Find("dims"), "value", Tensor::Vector<int32_t>({1'000'000}));
  g.graph().SetAttr(g.graph().Find("large"), "index_type", DType::kInt32);
  g.call.fetches = {{g.graph().Find("y"), 0}};
  int asked = 0;
  FoldConstants(g.graph(), g.call, [&](const Node&, std::span<const Tensor>) {
    ++asked;
    return Result<std::vector<Tensor>>(Unimplemented("no"));
  });
  EXPECT_EQ(asked, 0);
}

TEST(FoldConstantsTest, TheTotalIsBounded) {
  Simplified g(R"(
    one = Const() dtype=float value=1
    a = Add(one, one)
    b = Sub(one, one)
    y = Add(a, b)
  )",
               {}, {"y"});
  EXPECT_EQ(FoldConstants(g.graph(), g.call, EvaluateScalars, {.total_bytes = 4}), 1);
}

TEST(FoldConstantsTest, StateAndRandomNumbersStay) {
  Simplified g(R"(
    shape = Const() dtype=int32 value=1
    seed = Const() dtype=int32 value=1
    a = RandomUniform(shape) dtype=float T=int32
    b = StatelessRandomUniform(shape, seed) T=int32 Tseed=int32 dtype=float
    y = Add(a, b)
  )",
               {}, {"y"});
  int asked = 0;
  FoldConstants(g.graph(), g.call, [&](const Node&, std::span<const Tensor>) {
    ++asked;
    return Result<std::vector<Tensor>>(Unimplemented("no"));
  });
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace tagflow
