#include "graph/builder/scope.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

using testing::ElementsAre;

TEST(ScopeTest, NamesAreUnique) {
  const Scope scope = Scope::Root();
  Const(scope, 1);
  Const(scope, 2);
  Const(scope.WithOpName("x"), 3);
  Const(scope.SubScope("layer"), 4);
  Const(scope.SubScope("layer").WithOpName("x"), 5);
  EXPECT_THAT(NodeNames(Finished(scope)),
              ElementsAre("Const", "Const_1", "x", "layer/Const", "layer_1/x"));
}

TEST(ScopeTest, BadNameIsAnError) {
  const Scope scope = Scope::Root();
  Const(scope.WithOpName("no spaces"), 1);
  ExpectError(scope, Code::kInvalidArgument, {"no spaces"});
}

TEST(ScopeTest, DeviceAndColocation) {
  const Scope scope = Scope::Root();
  const Output a = Const(scope.WithDevice("/device:CPU:1").WithOpName("a"), 1);
  const Operation b = Identity(scope.ColocateWith(a), a);
  Finished(scope);
  const Node& node = scope.graph().node(b.node());
  EXPECT_EQ(node.device, "/device:CPU:1");
  EXPECT_THAT(ListAttr(node, "_class")->strings, ElementsAre("loc:@a"));
}

TEST(ScopeTest, ControlDependencies) {
  const Scope scope = Scope::Root();
  const Output a = Const(scope.WithOpName("a"), 1);
  const Output b = Const(scope.WithOpName("b"), 2);
  const Scope after = scope.WithControlDependencies({a}).WithControlDependencies({b, a});
  Identity(after.WithOpName("c"), a);
  Identity(after.WithoutControlDependencies().WithOpName("d"), a);
  Group(scope.WithOpName("e"), {a, b});
  const Graph graph = Finished(scope);
  EXPECT_EQ(Line(graph, "c"), "Identity(a, ^a, ^b)");
  EXPECT_EQ(Line(graph, "d"), "Identity(a)");
  EXPECT_EQ(Line(graph, "e"), "NoOp(^a, ^b)");
}

TEST(ScopeTest, BuildingGoesOnAfterFinish) {
  const Scope scope = Scope::Root();
  Const(scope, 1);
  EXPECT_EQ(Finished(scope).num_nodes(), 1u);
  Const(scope, 2);
  EXPECT_EQ(Finished(scope).num_nodes(), 2u);
}

TEST(ScopeTest, OpenGoesOnWithAGraphThatWasMadeElsewhere) {
  const Scope first = Scope::Root();
  const OutputList loop = WhileLoop(
      first, {Const(first, 0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [](const Scope&, const OutputList& v) -> OutputList { return {v[0] + 1}; });
  const Result<Scope> opened = Scope::Open(Finished(first));
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  const Result<Output> exit = opened->Find(loop[0].name());
  ASSERT_TRUE(exit.ok()) << exit.status().ToString();
  EXPECT_EQ(exit->dtype(), DType::kInt32);
  EXPECT_EQ(exit->shape(), PartialShape::Scalar());
  // Names of nodes and frames that are there are not given again.
  WhileLoop(
      *opened, {*exit}, [](const Scope& s, const OutputList& v) { return Less(s, v[0], 9); },
      [](const Scope&, const OutputList& v) -> OutputList { return {v[0] + 1}; });
  EXPECT_EQ(Finished(*opened).num_nodes(), 2 * Finished(first).num_nodes() - 1);
  EXPECT_EQ(opened->Find("nothing").status().code(), Code::kNotFound);
}

TEST(ScopeTest, OpenLetsUnknownOpsBe) {
  Graph graph;
  const NodeId x = *graph.AddNode("x", "Placeholder");
  graph.SetAttr(x, "dtype", DType::kFloat);
  const NodeId odd = *graph.AddNode("odd", "NobodysOp");
  graph.mutable_node(odd).inputs = {{x, 0}};
  const NodeId after = *graph.AddNode("after", "Identity");
  graph.mutable_node(after).inputs = {{odd, 2}};
  graph.SetAttr(after, "T", DType::kFloat);
  const Result<Scope> opened = Scope::Open(std::move(graph));
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_EQ(Neg(*opened, *opened->Find("x")).dtype(), DType::kFloat);
  EXPECT_EQ(Neg(*opened, *opened->Find("after")).dtype(), DType::kFloat);
  EXPECT_EQ(opened->Find("odd").status().code(), Code::kUnimplemented);
  EXPECT_TRUE(opened->ok());
}

TEST(ScopeTest, FinishInsideABranchIsAnError) {
  const Scope scope = Scope::Root();
  const Output pred = Const(scope, true);
  Code code = Code::kOk;
  Cond(
      scope, pred,
      [&](const Scope& inner) {
        code = inner.Finish().status().code();
        return OutputList();
      },
      [](const Scope&) { return OutputList(); });
  EXPECT_EQ(code, Code::kFailedPrecondition);
  Finished(scope);
}

TEST(ScopeTest, HandMadeLoop) {
  const Scope scope = Scope::Root();
  const Output enter =
      Op(scope, "Enter", {Const(scope, 0)}, {{"frame_name", "f"}, {"parallel_iterations", 2}});
  const Output limit = Op(scope, "Enter", {Const(scope, 9)},
                          {{"frame_name", "f"}, {"is_constant", true}, {"parallel_iterations", 2}});
  const Operation merge = Op(scope, "Merge", {enter, enter});
  const Output goes_on = Op(scope, "LoopCond", {Less(scope, merge[0], limit)});
  const Operation port = Op(scope, "Switch", {merge[0], goes_on});
  const Output one = Const(scope.WithControlDependencies({Identity(scope, port[1])}), 1);
  const Output next = Op(scope, "NextIteration", {port[1] + one});
  scope.ReplaceInput(merge, 1, next);
  Op(scope, "Exit", {port[0]});
  EXPECT_EQ(Line(Finished(scope), "Merge"), "Merge(Enter, NextIteration)");
}

TEST(ScopeTest, ReplaceInputChecksTypes) {
  const Scope scope = Scope::Root();
  const Output one = Const(scope, 1);
  scope.ReplaceInput(Identity(scope, one), 0, Const(scope, 1.0f));
  ExpectError(scope, Code::kInvalidArgument, {"must be int32"});
}

TEST(ScopeTest, ConstantsKeepTheirShape) {
  const Scope scope = Scope::Root();
  EXPECT_EQ(Const(scope, Dims{2, 2}, std::vector<float>{1, 2, 3, 4}).shape(),
            PartialShape(Dims{2, 2}));
  EXPECT_EQ(Const(scope, std::vector<int64_t>{1, 2, 3}).shape(), PartialShape(Dims{3}));
  EXPECT_EQ(Const(scope, "text").dtype(), DType::kString);
  Const(scope, Dims{2, 2}, std::vector<float>{1});
  ExpectError(scope, Code::kInvalidArgument, {"[2,2]", "1 elements"});
}

}  // namespace
}  // namespace tagflow
