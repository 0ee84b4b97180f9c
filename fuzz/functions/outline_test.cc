// Tests: outline.cc recursion.cc

#include "fuzz/functions/outline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

Tensor RunOnce(const Graph& graph, const reference::NamedTensors& feeds) {
  auto session = *reference::Session::Create(graph.Clone());
  const Result<std::vector<Tensor>> seen = session->Run(feeds, {"y"});
  EXPECT_TRUE(seen.ok()) << seen.status().ToString();
  return seen.ok() ? (*seen)[0] : Tensor();
}

TEST(OutlineTest, CallsGiveWhatTheirNodesGave) {
  const TestGraph g(R"(
    x = Placeholder() dtype=float
    a = Neg(x)
    b = Mul(a, x)
    c = Add(a, b)
    d = Identity(c, ^b)
    y = Sub(d, a)
  )",
                    OpRegistry::Standard());
  const reference::NamedTensors feeds = {{"x", Tensor::Scalar(3.0f)}};
  size_t most_functions = 0;
  bool calls_by_name = false, calls_twice = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    Graph graph = g.graph().Clone();
    ASSERT_TRUE(OutlineCalls(graph, g.Call({"x"}, {"y"}), choices).ok());
    EXPECT_TRUE(BitwiseEqual(RunOnce(graph, feeds), Tensor::Scalar(-9.0f))) << seed;
    most_functions = std::max(most_functions, graph.library.all().size());
    std::map<std::string, int> calls;
    for (const NodeId id : graph.NodeIds()) {
      const AttrValue* const f = FindAttr(graph.node(id), "f");
      calls_by_name |= graph.library.Find(graph.node(id).op) != nullptr;
      if (f != nullptr) calls_twice |= ++calls[f->function()->name] == 2;
    }
  }
  EXPECT_GT(most_functions, 3u);  // in each other
  EXPECT_TRUE(calls_by_name);
  EXPECT_TRUE(calls_twice);
}

TEST(OutlineTest, NothingIsTakenWhereTokensMayBeDead) {
  const TestGraph g(R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    s = Switch(x, p)
    t = Neg(s:1)
    y = Merge(s:0, t)
  )",
                    OpRegistry::Standard());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    Graph graph = g.graph().Clone();
    ASSERT_TRUE(OutlineCalls(graph, g.Call({"x", "p"}, {"y"}), choices).ok());
    EXPECT_TRUE(graph.library.empty());
  }
}

// while x < 100: x = x + x
void AddLoop(Graph& graph) {
  ArgDef x;
  x.name = "x";
  x.dtype = DType::kFloat;
  ArgDef result = x;
  result.name = "r";
  const auto add = [&](const std::string& name, std::vector<FunctionNode> nodes, DType dtype) {
    Function function;
    function.op.name = name;
    function.op.inputs = {x};
    result.dtype = dtype;
    function.op.outputs = {result};
    function.returns = {nodes.back().name + ":z:0"};
    function.nodes = std::move(nodes);
    graph.library.Add({name, "", std::make_shared<const Function>(std::move(function))});
  };
  const AttrMap of_floats = {{"T", AttrValue(DType::kFloat)}};
  add("small",
      {{"limit",
        "Const",
        "",
        {},
        {{"dtype", AttrValue(DType::kFloat)}, {"value", AttrValue(Tensor::Scalar(100.0f))}}},
       {"less", "Less", "", {"x", "limit:output:0"}, of_floats}},
      DType::kBool);
  add("twice", {{"sum", "AddV2", "", {"x", "x"}, of_floats}}, DType::kFloat);
  const NodeId loop = *graph.AddNode("loop", "StatelessWhile");
  AttrList types;
  types.types = {{DType::kFloat, false}};
  graph.SetAttr(loop, "T", AttrValue(std::move(types)));
  graph.SetAttr(loop, "cond", AttrValue(NameAttrList{"small", {}}));
  graph.SetAttr(loop, "body", AttrValue(NameAttrList{"twice", {}}));
}

TEST(RecursionTest, AWhileCallsItself) {
  TestGraph g("x = Placeholder() dtype=float\n y = Identity(x)", OpRegistry::Standard());
  Graph graph = g.graph().Clone();
  AddLoop(graph);
  const NodeId loop = graph.Find("loop");
  graph.mutable_node(loop).inputs = {{graph.Find("x"), 0}};
  graph.mutable_node(graph.Find("y")).inputs = {{loop, 0}};
  Choices choices = Choices::FromSeed(1);
  ASSERT_TRUE(MakeRecursive(graph, g.Call({"x"}, {"y"}), choices));
  EXPECT_EQ(graph.Find("loop"), NodeId::kNone);
  EXPECT_TRUE(BitwiseEqual(RunOnce(graph, {{"x", Tensor::Scalar(3.0f)}}), Tensor::Scalar(192.0f)));
  EXPECT_FALSE(MakeRecursive(graph, g.Call({"x"}, {"y"}), choices));
}

}  // namespace
}  // namespace tagflow::fuzz
