#include "graph/builder/case.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

TEST(CaseTest, FirstTruePredicateWins) {
  const Scope scope = Scope::Root();
  const Output a = Placeholder(scope.WithOpName("a"), DType::kBool, Dims{});
  const Output b = Placeholder(scope.WithOpName("b"), DType::kBool, Dims{});
  auto give = [](int value) { return [value](const Scope& s) { return Const(s, value); }; };
  Case(scope, {{a, give(1)}, {b, give(2)}}, give(3));
  const Graph graph = Finished(scope);
  EXPECT_EQ(Line(graph, "case/case/Merge"), "Merge(case/case/Const_1, case/case/Const)");
  EXPECT_EQ(Line(graph, "case/Merge"), "Merge(case/case/Merge, case/Const)");
  EXPECT_EQ(CountOps(graph, "Assert"), 0);
}

TEST(CaseTest, WithoutDefaultTheLastIsAsserted) {
  const Scope scope = Scope::Root();
  const Output a = Placeholder(scope.WithOpName("a"), DType::kBool, Dims{});
  const Output b = Placeholder(scope.WithOpName("b"), DType::kBool, Dims{});
  auto give = [](int value) { return [value](const Scope& s) { return Const(s, value); }; };
  Case(scope, {{a, give(1)}, {b, give(2)}});
  EXPECT_EQ(CountOps(Finished(scope), "Assert"), 1);
  Case(scope, {});
  ExpectError(scope, Code::kInvalidArgument, {"no branch"});
}

TEST(SwitchCaseTest, ACapturePassesLogarithmicallyManySwitches) {
  const Scope scope = Scope::Root();
  const Output index = Placeholder(scope.WithOpName("index"), DType::kInt32, Dims{});
  const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat, Dims{});
  std::vector<BranchFunction> branches;
  for (int i = 0; i < 8; ++i) branches.push_back([&x, i](const Scope&) { return x * i; });
  const Output y = SwitchCase(scope, index, branches);
  const Graph graph = Finished(scope);
  EXPECT_EQ(CountOps(graph, "Merge"), 7);
  int depth = 0;
  NodeId node = graph.Find(y.name());
  while (graph.node(node).op == "Merge") {
    node = graph.node(node).inputs[0].node;
    ++depth;
  }
  EXPECT_EQ(depth, 3);
}

}  // namespace
}  // namespace tagflow
