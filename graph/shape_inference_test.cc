#include "graph/shape_inference.h"

#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

// A graph of standard ops with shapes of its placeholders, and what is inferred of it.
class Shapes {
 public:
  explicit Shapes(std::string_view text) : test_(text, OpRegistry::Standard()) {}

  Shapes& Set(std::string_view name, std::string_view attr, AttrValue value) {
    test_.mutable_graph().SetAttr(test_.id(name), attr, std::move(value));
    return *this;
  }
  Shapes& Placeholder(std::string_view name, Dims dims) {
    return Set(name, "shape", PartialShape(std::move(dims)));
  }
  Shapes& Constant(std::string_view name, const std::vector<int32_t>& values) {
    return Set(name, "value", Tensor::Vector<int32_t>(values));
  }
  std::string Of(std::string_view name, size_t output = 0) const {
    const auto shapes = InferShapes(test_.graph());
    if (!shapes.ok()) return "error: " + shapes.status().message();
    const auto& outputs = (*shapes)[Index(test_.id(name))];
    return output < outputs.size() ? outputs[output].ToString() : "none";
  }

 private:
  TestGraph test_;
};

constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  enter = Enter(x) frame_name=f
  merge = Merge(enter, next)
  pred = Placeholder() dtype=bool
  enter_pred = Enter(pred) frame_name=f is_constant=true
  cond = LoopCond(enter_pred)
  switch = Switch(merge, cond)
  exit = Exit(switch)
  one = Const(^switch) dtype=int32 value=0
  body = ConcatV2(switch:1, switch:1, one) N=2
  next = NextIteration(body)
)";

TEST(ShapeInferenceTest, GoesInTopologicalOrderWhateverTheOrderOfNodes) {
  Shapes shapes(R"(
    c = Neg(b)
    b = Neg(a)
    a = Placeholder() dtype=float
  )");
  EXPECT_EQ(shapes.Placeholder("a", {2, -1}).Of("c"), "[2,?]");
}

TEST(ShapeInferenceTest, ALoopVariableThatGrowsHasAnUnknownDimension) {
  Shapes shapes(kLoop);
  shapes.Placeholder("x", {2, 3}).Placeholder("pred", {});
  EXPECT_EQ(shapes.Of("merge"), "[?,3]");
  EXPECT_EQ(shapes.Of("merge", 1), "[]");
  EXPECT_EQ(shapes.Of("body"), "[?,3]");
  EXPECT_EQ(shapes.Of("exit"), "[?,3]");
}

TEST(ShapeInferenceTest, ALoopVariableThatKeepsItsShapeKeepsIt) {
  Shapes shapes(R"(
    x = Placeholder() dtype=float
    enter = Enter(x) frame_name=f
    merge = Merge(enter, next)
    y = Neg(merge)
    next = NextIteration(y)
    exit = Exit(merge)
  )");
  EXPECT_EQ(shapes.Placeholder("x", {2, 3}).Of("exit"), "[2,3]");
}

TEST(ShapeInferenceTest, BranchesAreJoined) {
  Shapes shapes(R"(
    a = Placeholder() dtype=float
    b = Placeholder() dtype=float
    m = Merge(a, b)
  )");
  EXPECT_EQ(shapes.Placeholder("a", {2, 3}).Placeholder("b", {2, 4}).Of("m"), "[2,?]");
}

TEST(ShapeInferenceTest, ErrorsThatHoldInTheFirstIterationOnlyAreNone) {
  // Adding to [2,3] a tensor of shape [4,3] is an error only while the loop variable is [2,3].
  Shapes shapes(R"(
    x = Placeholder() dtype=float
    enter = Enter(x) frame_name=f
    merge = Merge(enter, next)
    z = Placeholder() dtype=float
    enter_z = Enter(z) frame_name=f is_constant=true
    axis = Const(^merge) dtype=int32 value=0
    body = ConcatV2(merge, merge, axis) N=2
    sum = Add(merge, enter_z)
    next = NextIteration(body)
  )");
  EXPECT_EQ(shapes.Placeholder("x", {2, 3}).Placeholder("z", {4, 3}).Of("sum"), "[4,3]");
}

TEST(ShapeInferenceTest, AContradictionNamesTheNodeAndTheShapes) {
  Shapes shapes(R"(
    a = Placeholder() dtype=float
    b = Placeholder() dtype=float
    sum = Add(a, b)
  )");
  shapes.Placeholder("a", {2}).Placeholder("b", {3});
  EXPECT_EQ(shapes.Of("sum"),
            "error: node 'sum' (op Add) cannot take inputs of shapes ([2], [3]): shapes [2] and "
            "[3] cannot be broadcast together");
}

TEST(ShapeInferenceTest, ConstantsAreSeenThroughIdentityAndEnter) {
  Shapes shapes(R"(
    x = Placeholder() dtype=float
    shape = Const() dtype=int32 value=0
    same = Identity(shape) T=int32
    enter = Enter(same) T=int32 frame_name=f is_constant=true
    enter_x = Enter(x) frame_name=f is_constant=true
    y = Reshape(enter_x, enter)
  )");
  shapes.Placeholder("x", {2, 6}).Constant("shape", {3, -1});
  EXPECT_EQ(shapes.Of("y"), "[3,4]");
}

TEST(ShapeInferenceTest, TheShapeOfAKnownShapeIsAConstant) {
  Shapes shapes(R"(
    x = Placeholder() dtype=float
    dims = Shape(x)
    zero = Const() dtype=float value=0
    zeros = Fill(dims, zero)
  )");
  EXPECT_EQ(shapes.Placeholder("x", {2, 6}).Of("zeros"), "[2,6]");
  EXPECT_EQ(shapes.Placeholder("x", {2, -1}).Of("zeros"), "[?,?]");
}

TEST(ShapeInferenceTest, TheShapeOfALoopVariableIsNotThatOfItsFirstValue) {
  Shapes shapes(std::string(kLoop) + R"(
    dims = Shape(merge)
    zero = Const(^merge) dtype=float value=0
    zeros = Fill(dims, zero)
  )");
  shapes.Placeholder("x", {2, 3}).Placeholder("pred", {});
  EXPECT_EQ(shapes.Of("zeros"), "[?,?]");
}

// The contradiction in `apart` is not seen.
TEST(ShapeInferenceTest, MayBeOfSomeNodesAlone) {
  const TestGraph graph(R"(
    two   = Const() dtype=int32 value=2
    rank  = Rank(two) T=int32
    sum   = AddV2(rank, two) T=int32
    same  = Identity(sum) T=int32
    apart = Transpose(two, two) T=int32 Tperm=int32
  )",
                        OpRegistry::Standard());
  EXPECT_FALSE(InferShapes(graph.graph()).ok());
  const auto shapes = InferShapesOf(graph.graph(), {graph.id("sum")});
  ASSERT_TRUE(shapes.ok()) << shapes.status().ToString();
  EXPECT_EQ((*shapes)[Index(graph.id("sum"))], std::vector<PartialShape>{PartialShape(Dims{})});
  EXPECT_EQ((*shapes)[Index(graph.id("rank"))].size(), 1u);
  EXPECT_TRUE((*shapes)[Index(graph.id("same"))].empty());
}

TEST(ShapeInferenceTest, WhatIsNotUnderstoodIsUnknown) {
  Shapes shapes(R"(
    x = Placeholder() dtype=float
    odd = NoSuchOp(x)
    y = Neg(odd)
    few = Add(x)
    z = Neg(few)
    cycle = Neg(cycle2)
    cycle2 = Neg(cycle)
  )");
  shapes.Placeholder("x", {2});
  EXPECT_EQ(shapes.Of("odd"), "none");
  EXPECT_EQ(shapes.Of("y"), "<unknown>");
  EXPECT_EQ(shapes.Of("z"), "<unknown>");
  EXPECT_EQ(shapes.Of("cycle"), "<unknown>");
}

TEST(ShapeInferenceTest, AVariableHasItsShapeUnlessAnAssignMayGiveItAnother) {
  constexpr char kText[] = R"(
    v = VariableV2() dtype=float
    x = Placeholder() dtype=float
    set = Assign(v, x)
    read = Identity(v)
  )";
  Shapes checked(kText);
  checked.Set("v", "shape", PartialShape(Dims{2})).Placeholder("x", {-1});
  EXPECT_EQ(checked.Of("read"), "[2]");
  EXPECT_EQ(checked.Of("set"), "[2]");
  Shapes free(kText);
  free.Set("v", "shape", PartialShape(Dims{2})).Placeholder("x", {3});
  free.Set("set", "validate_shape", false);
  EXPECT_EQ(free.Of("read"), "<unknown>");
  EXPECT_EQ(free.Of("set"), "<unknown>") << "a later Assign may come before the read";
}

TEST(ShapeInferenceTest, ConstChecksItsType) {
  Shapes shapes("c = Const() dtype=float value=1");
  shapes.Set("c", "value", Tensor::Scalar<int32_t>(1));
  EXPECT_PRED2(Contains, shapes.Of("c"),
               "attr 'dtype' is float, but attr 'value' holds int32: make them agree");
}

TEST(InferNodeShapesTest, AConstantThatContradictsItsShapeIsNotUsed) {
  Graph graph;
  const NodeId id = *graph.AddNode("r", "Reshape");
  graph.SetAttr(id, "T", DType::kFloat);
  const auto outputs =
      InferNodeShapes(graph.node(id), 1, {PartialShape(Dims{6}), PartialShape(Dims{3})},
                      {std::nullopt, Tensor::Vector<int32_t>(std::vector<int32_t>{2, 3})});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ((*outputs)[0].ToString(), "[?,?,?]");
}

}  // namespace
}  // namespace tagflow
