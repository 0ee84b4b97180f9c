// What Gradients adds to a graph: no more than is needed. What it computes is tested where graphs
// can be run, in fuzz/gradient.
//
// Tests: gradients.cc, forward.cc, forward_values.cc, gates.cc, region.cc, gradient_loop.cc,
//        loop_gradient.cc, loop_history.cc, loop_values.cc, rematerialize.cc, body_copy.cc, jvp.cc,
//        rerun.cc, effect_replay.cc, trip_count.cc

#include "transform/gradients/gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "graph/builder/builder.h"
#include "graph/validate.h"
#include "transform/gradients/jvp.h"

namespace tagflow {
namespace {

class GradientsTest : public testing::Test {
 protected:
  Output Input(const char* name, const PartialShape& shape = PartialShape::Scalar()) {
    return Placeholder(scope.WithOpName(name), DType::kDouble, shape);
  }
  // a = a * x + b, `n` times, from a = x.
  Output Loop(const Scope& in, const Output& x, const Output& b) {
    return WhileLoop(
        in, {Const(in, 0), x}, [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          return {v[0] + 1, Add(s, Mul(s, v[1], x), b)};
        },
        {.name = "loop"})[1];
  }
  OutputList Of(const Output& y, const OutputList& xs, const GradientOptions& options = {}) {
    const Result<OutputList> gradients = Gradients(scope, {y}, xs, {}, options);
    EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
    for (const Status& error : ValidateGraph(scope.graph())) ADD_FAILURE() << error.ToString();
    return gradients.ok() ? *gradients : OutputList();
  }
  int64_t Count(const std::string& op) {
    const std::vector<NodeId> ids = scope.graph().NodeIds();
    return std::ranges::count_if(ids, [&](NodeId id) { return scope.graph().node(id).op == op; });
  }

  Scope scope = Scope::Root();
};

TEST_F(GradientsTest, OfAStraightLineAreOps) {
  const Output x = Input("x");
  const OutputList gradients = Of(x * x, {x});
  EXPECT_EQ(Count("Mul"), 3);
  EXPECT_EQ(Count("AddV2"), 1);
  EXPECT_EQ(Count("Switch") + Count("Merge") + Count("Enter"), 0);
  EXPECT_EQ(gradients[0].dtype(), DType::kDouble);
  EXPECT_EQ(gradients[0].shape(), PartialShape::Scalar());
}

TEST_F(GradientsTest, OfALoopKeepWhatIsUsedAndNoMore) {
  const Output x = Input("x"), b = Input("b");
  Of(Loop(scope, x, b), {x, b});
  // a is kept; x is captured, and b is not used.
  EXPECT_EQ(Count("TensorListPushBack"), 1);
  EXPECT_EQ(Count("TensorListPopBack"), 1);
  EXPECT_EQ(Count("LoopCond"), 2);
  EXPECT_EQ(Count("StackV2"), 0);
}

TEST_F(GradientsTest, OfALoopOfSumsKeepNothing) {
  const Output x = Input("x"), b = Input("b");
  Of(WhileLoop(
         scope, {Const(scope, 0), x},
         [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
         [&](const Scope&, const OutputList& v) -> OutputList {
           return {v[0] + 1, v[1] + b};
         })[1],
     {x, b});
  EXPECT_EQ(Count("TensorListPushBack") + Count("EmptyTensorList"), 0);
}

TEST_F(GradientsTest, OnlyTheShapeIsKeptWhereAShapeWillDo) {
  const Output x = Input("x", PartialShape::UnknownOfRank(1)), b = Input("b");
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, Concat(s, {v[1], ExpandDims(s, Sum(s, v[1], 0), 0)}, 0)};
      },
      {.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(1)}});
  Of(Sum(scope, loop[1], 0), {x});
  for (const NodeId id : scope.graph().NodeIds()) {
    const Node& node = scope.graph().node(id);
    if (node.op != "TensorListPushBack") continue;
    EXPECT_NE(*TypeAttr(node, "element_dtype"), DType::kDouble) << node.name;
  }
}

TEST_F(GradientsTest, OfABranchAreJoinedWithZeros) {
  const Output x = Input("x"), z = Input("z");
  const Output y = Cond(
      scope, Less(scope, x, z), [&](const Scope&) { return OutputList{x * z}; },
      [&](const Scope&) { return OutputList{z * 2}; });
  const int64_t merges = Count("Merge");
  Of(y, {x});
  EXPECT_EQ(Count("Merge"), merges + 1);
}

TEST_F(GradientsTest, StacksOnRequest) {
  const Output x = Input("x"), b = Input("b");
  GradientOptions options;
  options.history = History::kStacks;
  Of(Loop(scope, x, b), {x, b}, options);
  EXPECT_EQ(Count("StackPushV2"), 1);
  EXPECT_EQ(Count("StackPopV2"), 1);
  EXPECT_EQ(Count("TensorListPushBack"), 0);
}

TEST_F(GradientsTest, RematerializedLoopsKeepStatesAndRunAgain) {
  const Output x = Input("x"), b = Input("b");
  GradientOptions options;
  options.rematerialize = {{.loop = "loop"}};
  Of(Loop(scope, x, b), {x, b}, options);
  // The loop, the one over its blocks, the one that runs a block again, and the one back over it.
  EXPECT_EQ(Count("LoopCond"), 4);
  EXPECT_EQ(Count("TensorListPushBack"), 3);  // two variables of the state, one value
}

TEST_F(GradientsTest, EffectsAreTakenOutOfWhatRunsAgain) {
  const Output x = Input("x");
  const Output y = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output random =
            Op(s, "RandomUniform", {Const(s, std::vector<int32_t>{})}, {{"dtype", DType::kDouble}});
        return {v[0] + 1, v[1] * random * x};
      },
      {.name = "loop"})[1];
  GradientOptions options;
  options.rematerialize = {{.loop = "loop"}};
  Of(y, {x}, options);
  EXPECT_EQ(Count("RandomUniform"), 1);
  options.rematerialize[0].states = 2;
  Of(y, {x}, options);
  EXPECT_EQ(Count("RandomUniform"), 1);
}

TEST_F(GradientsTest, ABudgetOfStatesWantsAKnownNumberOfTrips) {
  const Output x = Input("x"), b = Input("b");
  const Output y = Loop(scope, x, b);
  GradientOptions options;
  options.rematerialize = {{.loop = "loop", .states = 2, .trips = 1000}};
  const Status status = Gradients(scope, {y}, {x}, {}, options).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("iterations, not 1000"), std::string::npos) << status.ToString();
}

TEST_F(GradientsTest, TwiceGivesTheSameTwice) {
  const Output x = Input("x"), b = Input("b");
  const Output y = Loop(scope, x, b);
  const size_t before = scope.graph().num_nodes();
  Of(y, {x});
  const size_t once = scope.graph().num_nodes();
  Of(y, {x});
  EXPECT_EQ(scope.graph().num_nodes() - once, once - before);
}

TEST_F(GradientsTest, ALoopWithoutBackPropStopsThem) {
  const Output x = Input("x");
  const Output y = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x};
      },
      {.back_prop = false})[1];
  EXPECT_FALSE(Of(y, {x})[0].valid());
}

TEST_F(GradientsTest, AlongADirectionWantOneForEachX) {
  const Output x = Input("x");
  const size_t before = scope.graph().num_nodes();
  const Status status = Jvp(scope, {x}, {x}, {}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(scope.graph().num_nodes(), before);
  const Result<OutputList> along = Jvp(scope, {x * x}, {x}, {x});
  ASSERT_TRUE(along.ok()) << along.status().ToString();
  EXPECT_TRUE((*along)[0].valid());
}

TEST_F(GradientsTest, ControlFlowThatIsNoNestIsRefused) {
  const Output x = Input("x"), p = Less(scope, x, 0), q = Less(scope, x, 1);
  const Operation a = Op(scope, "Switch", {x, p}), b = Op(scope, "Switch", {x, q});
  const Output y = Op(scope, "Merge", {{a[0], b[1]}})[0];
  const Status status = Gradients(scope, {y}, {x}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find("no nest of branches and loops"), std::string::npos);
  EXPECT_EQ(status.message().find("stack"), std::string::npos);
  EXPECT_TRUE(scope.ok());
}

TEST_F(GradientsTest, FlowsOfArraysAreRefused) {
  const Operation array = Op(scope, "TensorArrayV3", {1}, {{"dtype", DType::kFloat}});
  const Output x = Placeholder(scope, DType::kFloat, PartialShape::Scalar());
  const Output flow = Op(scope.WithOpName("w"), "TensorArrayWriteV3", {array[0], 0, x, array[1]});
  const Output read =
      Op(scope, "TensorArrayReadV3", {array[0], 0, flow}, {{"dtype", DType::kFloat}});
  for (const auto& [y, by] : {std::pair(flow, x), std::pair(read, flow)}) {
    const Status status = Gradients(scope, {y}, {by}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find("'w', is the flow of a TensorArray"), std::string::npos)
        << status.ToString();
  }
}

// A float that stands where a flow does, and a flow where a float does.
TEST_F(GradientsTest, WhatIsNoFlowHasNoGradientAsOne) {
  const Output x = Placeholder(scope, DType::kFloat, PartialShape::Scalar());
  const Operation array = Op(scope, "TensorArrayV3", {1}, {{"dtype", DType::kFloat}});
  const Output flow = Op(scope, "TensorArrayWriteV3", {array[0], 0, x, x});
  const Output read =
      Op(scope, "TensorArrayReadV3", {array[0], 0, flow}, {{"dtype", DType::kFloat}});
  EXPECT_EQ(Of(read, {x})[0].dtype(), DType::kFloat);
  EXPECT_FALSE(Of(Neg(scope, flow), {x})[0].valid());
}

TEST_F(GradientsTest, OfAFilledTensorAreOfTheValuesShape) {
  const Output value = Input("value", PartialShape());
  const Output filled = Fill(scope, Const(scope, std::vector<int32_t>{2, 3}), value);
  Of(filled, {value});
  EXPECT_EQ(Count("Reshape"), 1);
}

TEST_F(GradientsTest, OfRowsOfNothingChangeNothing) {
  const Output x = Input("x", PartialShape({2, 0}));
  Of(Gather(scope, x, Const(scope, std::vector<int32_t>{1}), 0), {x});
  EXPECT_EQ(Count("TensorScatterAdd"), 0);
}

TEST_F(GradientsTest, OfAScalarsRowsAreRefused) {
  const Output x = Input("x"), rows = Const(scope, std::vector<int32_t>{0});
  const Output y = Op(scope, "InplaceUpdate", {x, rows, Input("v", PartialShape({1}))});
  EXPECT_EQ(Gradients(scope, {y}, {x}).status().code(), Code::kInvalidArgument);
}

// As TensorFlow's own gradients are, of which no gradient can be taken.
TEST_F(GradientsTest, WhereStacksAreInTheWayThatIsSaid) {
  const Output x = Input("x"), p = Less(scope, x, 0), q = Less(scope, x, 1);
  const Output stack = Op(scope, "StackV2", {-1}, {{"elem_type", DType::kDouble}});
  const Output pushed = Op(scope, "StackPushV2", {stack, x});
  const Output popped = Op(scope.WithOpName("pop").WithControlDependencies({pushed.op()}),
                           "StackPopV2", {stack}, {{"elem_type", DType::kDouble}});
  const Operation a = Op(scope, "Switch", {x, p}), b = Op(scope, "Switch", {popped, q});
  const Status status = Gradients(scope, {Op(scope, "Merge", {{a[0], b[1]}})[0]}, {x}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find("'pop' pops a stack"), std::string::npos) << status.ToString();
}

// Of an op that is not defined: beside the path it is a node like any other.
TEST(UnknownOpTest, IsNamedOnThePath) {
  Graph graph;
  const auto add = [&](const char* name, const char* op, std::vector<OutputRef> inputs) {
    const NodeId id = *graph.AddNode(name, op);
    graph.mutable_node(id).inputs = std::move(inputs);
    return OutputRef{id, 0};
  };
  const OutputRef x = add("x", "Placeholder", {});
  graph.SetAttr(x.node, "dtype", DType::kFloat);
  const OutputRef odd = add("odd", "NobodysOp", {x});
  const OutputRef y = add("y", "Neg", {odd}), z = add("z", "Neg", {x});
  graph.SetAttr(y.node, "T", DType::kFloat);
  graph.SetAttr(z.node, "T", DType::kFloat);
  graph.mutable_node(z.node).control_inputs = {odd.node};
  const Result<Scope> scope = Scope::Open(std::move(graph));
  ASSERT_TRUE(scope.ok());
  const Output of_x = *scope->Find("x");
  const Status through = Gradients(*scope, {*scope->Find("y")}, {of_x}).status();
  EXPECT_EQ(through.code(), Code::kUnimplemented);
  EXPECT_NE(through.message().find("the op NobodysOp of 'odd'"), std::string::npos);
  const Result<OutputList> beside = Gradients(*scope, {*scope->Find("z")}, {of_x});
  ASSERT_TRUE(beside.ok()) << beside.status().ToString();
  EXPECT_TRUE((*beside)[0].valid());
  const Result<Graph> made = scope->Finish();
  EXPECT_EQ(made->node(made->Find("odd")).op, "NobodysOp");
}

}  // namespace
}  // namespace tagflow
