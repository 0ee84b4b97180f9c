#include "transform/simplify/merge_equal_nodes.h"

#include "transform/limits.h"
#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

TEST(MergeEqualNodesTest, EqualTreesAreOne) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    a1 = Neg(x)
    b1 = Add(a1, x)
    y = Mul(b1, b2)
    b2 = Add(a2, x)
    a2 = Neg(x)
  )",
               {"x"}, {"y"});
  EXPECT_GT(g.Run(Pass::kDuplicates), 0);
  EXPECT_EQ(g.Line("y"), "Mul(b1, b1)");
  EXPECT_EQ(g.Needed(), "a1 b1 y");
}

TEST(MergeEqualNodesTest, AttrsDeviceAndControlInputsTell) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    w = NoOp()
    a = Cast(x) SrcT=float DstT=int32
    b = Cast(x) SrcT=float DstT=int64
    c = Neg(x)
    d = Neg(x, ^w)
    e = Neg(x)
  )",
               {"x"}, {"a", "b", "c", "d", "e"});
  g.graph().mutable_node(g.graph().Find("e")).device = "/device:CPU:1";
  EXPECT_EQ(g.Run(Pass::kDuplicates), 0);
}

TEST(MergeEqualNodesTest, FetchesAndTargetsStayAndFeedsAreNotShared) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    a = Neg(x)
    b = Neg(x)
    c = Neg(x)
    y = Add(b, c)
  )",
               {"x", "c"}, {"y", "a", "b"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 1);
  EXPECT_EQ(g.Line("y"), "Add(a, c)");
  EXPECT_EQ(g.Needed(), "a b y");
}

// Equal constants of two branches are live when the other is not.
TEST(MergeEqualNodesTest, BranchesKeepTheirConstants) {
  Simplified g(R"(
    p = Placeholder() dtype=bool
    s = Switch(p, p) T=bool
    yes = Identity(s:1) T=bool
    no = Identity(s:0) T=bool
    a = Const(^yes) dtype=float value=2
    b = Const(^no) dtype=float value=2
    out = Const() dtype=float value=2
    m = Merge(a, b)
    y = Add(m, out)
  )",
               {"p"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 0);
}

TEST(MergeEqualNodesTest, SwitchesAndConstantEntersAreShared) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    s1 = Switch(x, p)
    s2 = Switch(x, p)
    a = Add(s1:1, s2:1)
    b = Neg(s2:0)
    m = Merge(a, b)
  )",
               {"x", "p"}, {"m"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 2);
  EXPECT_EQ(g.Line("a"), "Add(s1:1, s1:1)");
  EXPECT_EQ(g.Line("b"), "Neg(s1)");
}

// Two loops that are equal but for their frames are two.
TEST(MergeEqualNodesTest, FramesTell) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    a = Enter(x) frame_name=f is_constant=true
    b = Enter(x) frame_name=g is_constant=true
    c = Enter(x) frame_name=f is_constant=true
    ao = Exit(a)
    bo = Exit(b)
    co = Exit(c)
  )",
               {"x"}, {"ao", "bo", "co"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 1);
  EXPECT_EQ(g.Line("bo"), "Exit(b)");
  EXPECT_EQ(g.Line("co"), "Exit(a)");
}

TEST(MergeEqualNodesTest, StateReferencesAndRandomNumbersAreNotShared) {
  Simplified g(R"(
    shape = Const() dtype=int32 value=1
    a = RandomUniform(shape) dtype=float T=int32
    b = RandomUniform(shape) dtype=float T=int32
    v = VariableV2() dtype=float
    c = Neg(v)
    d = Neg(v)
    y = AddN(a, b, c, d)
  )",
               {}, {"y"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 0);
}

TEST(MergeEqualNodesTest, ConstantsAreComparedByTheirBits) {
  Simplified g(R"(
    a = Const() dtype=float value=0
    b = Const() dtype=float value=0
    c = Const() dtype=float value=0
    y = AddN(a, b, c)
  )",
               {}, {"y"});
  g.graph().SetAttr(g.graph().Find("b"), "value", Tensor::Scalar<float>(-0.0f));
  EXPECT_EQ(g.Run(Pass::kDuplicates), 1);
  EXPECT_EQ(g.Line("y"), "AddN(a, b, a)");
}

// The same loop several times is one loop where nothing tells them apart, but headers are not
// merged: that would be an induction.
TEST(MergeEqualNodesTest, HeadersAreLeftAlone) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    e1 = Enter(x) frame_name=f
    e2 = Enter(x) frame_name=f
    pe = Enter(p) frame_name=f is_constant=true T=bool
    m1 = Merge(e1, n1)
    m2 = Merge(e2, n2)
    s1 = Switch(m1, pe)
    s2 = Switch(m2, pe)
    n1 = NextIteration(s1:1)
    n2 = NextIteration(s2:1)
    o1 = Exit(s1:0)
    o2 = Exit(s2:0)
  )",
               {"x", "p"}, {"o1", "o2"});
  EXPECT_EQ(g.Run(Pass::kDuplicates), 0);
}

// Constants larger than the limit stay apart.
TEST(MergeEqualNodesTest, ConstantsAreComparedUpToALimit) {
  for (const size_t bytes : {kMostBytesCompared - 4, kMostBytesCompared, kMostBytesCompared + 4}) {
    Simplified g("a = Const() dtype=float value=1\nb = Const() dtype=float value=1\ny = Add(a, b)",
                 {}, {"y"});
    const Tensor value = Tensor::Vector(std::vector<float>(bytes / sizeof(float), 1.5f));
    for (const char* name : {"a", "b"}) g.graph().SetAttr(g.graph().Find(name), "value", value);
    EXPECT_EQ(g.Run(Pass::kDuplicates), bytes <= kMostBytesCompared ? 1 : 0) << bytes;
  }
}

}  // namespace
}  // namespace tagflow
