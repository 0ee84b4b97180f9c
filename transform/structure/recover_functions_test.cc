// Tests: recover_functions.cc emitter.cc emit_choice.cc emit_loop.cc body.cc value_types.cc
#include "transform/structure/recover_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "graph/test_graph.h"
#include "graph/validate.h"
#include "transform/lower/lower.h"
#include "transform/structure/structure_text.h"

namespace tagflow {
namespace {

using testing::HasSubstr;

// "op(input, ^control)" of the node.
std::string Text(const Graph& graph, const std::string& name) {
  const NodeId id = graph.Find(name);
  if (id == NodeId::kNone) return "none";
  const Node& node = graph.node(id);
  std::string inputs;
  for (const OutputRef input : node.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + OutputName(graph, input);
  }
  for (const NodeId input : node.control_inputs) {
    inputs += (inputs.empty() ? "^" : ", ^") + graph.node(input).name;
  }
  return node.op + "(" + inputs + ")";
}

// The node of a function; null where there is none.
const FunctionNode* NodeOf(const Graph& graph, const std::string& function,
                           const std::string& name) {
  const FunctionDef* const def = graph.library.Find(function);
  if (def == nullptr) return nullptr;
  for (const FunctionNode& node : (*def->function)->nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

struct Recovered {
  Recovered(const std::string& text, const std::vector<std::string>& feeds,
            const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {})
      : original(text, OpRegistry::Standard()) {
    auto result = RecoverFunctions(original.graph(), original.Call(feeds, fetches, targets));
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    made = *std::move(result);
    const auto valid = ValidateCall(made.graph, made.call);
    EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  }
  std::string Node(const std::string& name) const { return Text(made.graph, name); }

  TestGraph original;
  RecoveredGraph made;
};

constexpr char kCond[] = R"(
  p = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  s = Switch(x, p)
  t = Neg(s:1)
  f = Exp(s:0)
  m = Merge(f, t)
  y = Neg(m)
)";
constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=f parallel_iterations=3
  k = Enter(n) frame_name=f is_constant=true parallel_iterations=3
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  b = Add(s:1, k)
  next = NextIteration(b)
  out = Exit(s:0)
)";

TEST(RecoverFunctionsTest, ACondIsAnIfByTheNameOfItsMerge) {
  const Recovered found(kCond, {"p", "x"}, {"y"});
  EXPECT_EQ(found.made.num_choices, 1);
  EXPECT_THAT(found.made.declined, testing::IsEmpty());
  EXPECT_EQ(found.Node("y"), "Neg(m)");
  EXPECT_EQ(found.Node("s"), "none");
  EXPECT_THAT(found.Node("m"), HasSubstr("StatelessIf("));
  EXPECT_NE(NodeOf(found.made.graph, "m_then", "t"), nullptr);
  EXPECT_NE(NodeOf(found.made.graph, "m_else", "f"), nullptr);
}

TEST(RecoverFunctionsTest, ALoopIsAWhile) {
  const Recovered found(kLoop, {"x", "n"}, {"out"});
  EXPECT_EQ(found.made.num_loops, 1);
  EXPECT_EQ(found.Node("f"), "StatelessWhile(x, n)");
  EXPECT_EQ(found.Node("out"), "Identity(f)");
  EXPECT_EQ(*IntAttr(found.made.graph.node(found.made.graph.Find("f")), "parallel_iterations"), 3);
  EXPECT_NE(NodeOf(found.made.graph, "f_cond", "less"), nullptr);
  EXPECT_NE(NodeOf(found.made.graph, "f_body", "b"), nullptr);
}

// It is computed in the body once more, and in the test only where it may fail: there it would in
// the last iteration, too.
TEST(RecoverFunctionsTest, WhatEveryIterationComputesIsThereForTheBody) {
  std::string text = kLoop;
  const std::string body = "b = Add(s:1, k)";
  text.replace(text.find(body), body.size(),
               "b = AddN(s:1, size, by) N=3\n  size = Neg(m)\n  by = MatMul(k, k)");
  const Recovered found(text, {"x", "n"}, {"out"});
  EXPECT_EQ(found.made.num_loops, 1);
  EXPECT_NE(NodeOf(found.made.graph, "f_body", "size_r"), nullptr);
  EXPECT_NE(NodeOf(found.made.graph, "f_body", "by_r"), nullptr);
  EXPECT_EQ(NodeOf(found.made.graph, "f_cond", "size"), nullptr);
  EXPECT_NE(NodeOf(found.made.graph, "f_cond", "by"), nullptr);
}

// What a call feeds or fetches stays outside, with what is around it.
TEST(RecoverFunctionsTest, WhatIsFedStaysOutside) {
  const Recovered found(kCond, {"p", "x", "t"}, {"m"});
  EXPECT_EQ(found.made.num_choices, 0);
  EXPECT_EQ(found.made.graph.node(found.made.call.feeds.back().node).name, "t");
}

constexpr char kEffects[] = R"(
  p = Placeholder() dtype=bool
  one = Const() dtype=float value=1
  v = VarHandleOp() dtype=float
  first = AssignAddVariableOp(v, one) dtype=float
  s = Switch(p, p, ^first) T=bool
  pivot = Identity(s:1) T=bool
  v2 = VarHandleOp(^pivot) dtype=float
  in = AssignAddVariableOp(v2, one2, ^pivot) dtype=float
  one2 = Const(^pivot) dtype=float value=1
  token = Const(^in) dtype=float value=2
  s0 = Identity(s:0) T=bool
  other = Const(^s0) dtype=float value=3
  j = Merge(other, token)
  last = AssignAddVariableOp(v, one, ^j) dtype=float
)";

TEST(RecoverFunctionsTest, EffectsKeepTheirOrderAndVariablesTheirName) {
  const Recovered found(kEffects, {"p"}, {}, {"last"});
  EXPECT_EQ(found.made.num_choices, 1);
  EXPECT_EQ(found.Node("s"), "Identity(p, ^first)");
  EXPECT_EQ(found.Node("j"), "If(p/scalar, s)");
  EXPECT_EQ(found.Node("last"), "AssignAddVariableOp(v, one, ^j)");
  const FunctionNode* const variable = NodeOf(found.made.graph, "j_then", "v2");
  ASSERT_NE(variable, nullptr);
  const auto name = std::ranges::find(variable->attrs, "shared_name", &AttrMap::value_type::first);
  ASSERT_NE(name, variable->attrs.end());
  EXPECT_EQ(*name->second.Get<std::string>(), "v2");
}

// Its body may begin before all of its inputs are there, but not before what it waits for.
TEST(RecoverFunctionsTest, ACallWaitsForWhatItTakesToo) {
  const TestGraph g("x = Placeholder() dtype=float\n y = Identity(x)", OpRegistry::Standard());
  Graph graph = g.graph().Clone();
  Function one;
  one.op.name = "one";
  ArgDef arg;
  arg.dtype = DType::kFloat;
  arg.name = "x";
  one.op.inputs = {arg};
  arg.name = "y";
  one.op.outputs = {arg};
  one.returns = {"x"};
  graph.library.Add({"one", "", std::make_shared<const Function>(std::move(one))});
  const NodeId call = *graph.AddNode("call", "PartitionedCall");
  for (const auto* attr : {"Tin", "Tout"}) {
    AttrList types;
    types.types = {{DType::kFloat, false}};
    graph.SetAttr(call, attr, AttrValue(std::move(types)));
  }
  graph.SetAttr(call, "f", AttrValue(NameAttrList{"one", {}}));
  const NodeId by_name = *graph.AddNode("by_name", "one");
  const NodeId y = graph.Find("y");
  for (const NodeId id : {call, by_name}) {
    graph.mutable_node(id).inputs = {{y, 0}};
    graph.mutable_node(id).control_inputs = {y};
  }
  const auto made = RecoverFunctions(graph);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(Text(made->graph, "call"), "PartitionedCall(y, ^y)");
  EXPECT_EQ(Text(made->graph, "by_name"), "one(y, ^y)");
}

TEST(RecoverFunctionsTest, DevicesAndColocationAreKept) {
  TestGraph g(kCond, OpRegistry::Standard());
  g.mutable_graph().mutable_node(g.id("t")).device = "/device:GPU:1";
  AttrList near;
  near.strings = {"loc:@t"};
  g.mutable_graph().SetAttr(g.id("f"), "_class", AttrValue(std::move(near)));
  const auto made = RecoverFunctions(g.graph(), g.Call({"p", "x"}, {"y"}));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(NodeOf(made->graph, "m_then", "t")->device, "/device:GPU:1");
  EXPECT_EQ(NodeOf(made->graph, "m_else", "f")->device, "/device:GPU:1");
}

// ---- There and back ----

// The lines that say where loops and conds begin and end, without names.
std::string Skeleton(const Graph& graph) {
  std::istringstream lines(StructureText(graph));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    const std::string word = line.substr(indent, line.find_first_of(" :", indent) - indent);
    for (const char* const keyword : {"if", "else", "case", "loop", "while", "frame", "#"}) {
      if (word == keyword) text += line.substr(0, indent) + word + "\n";
    }
  }
  return text;
}

constexpr char kNested[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=f
  k = Enter(n) frame_name=f is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  odd = Less(s:1, k)
  s2 = Switch(s:1, odd)
  e2 = Enter(s2:1) frame_name=g
  k2 = Enter(k) frame_name=g is_constant=true
  m2 = Merge(e2, next2)
  less2 = Less(m2, k2)
  c2 = LoopCond(less2)
  w2 = Switch(m2, c2)
  b2 = Add(w2:1, w2:1)
  next2 = NextIteration(b2)
  out2 = Exit(w2:0)
  j = Merge(s2:0, out2)
  next = NextIteration(j)
  out = Exit(s:0)
)";
constexpr char kCase[] = R"(
  i = Placeholder() dtype=int32
  x = Placeholder() dtype=float
  s = _SwitchN(x, i) num_outs=3
  a = Neg(s:0)
  b = Exp(s:1)
  m = Merge(a, b, s:2)
)";

TEST(RecoverFunctionsTest, WhatIsLoweredAgainHasTheSameStructure) {
  for (const char* const text : {kCond, kLoop, kNested, kCase, kEffects}) {
    const TestGraph g(text, OpRegistry::Standard());
    const auto made = RecoverFunctions(g.graph());
    ASSERT_TRUE(made.ok()) << text;
    Graph lowered = made->graph.Clone();
    LowerFunctions(lowered);
    EXPECT_EQ(Skeleton(lowered), Skeleton(g.graph())) << text;
  }
}

// Twice lowered, twice recovered: as many loops and conds each time.
TEST(RecoverFunctionsTest, RecoveryIsStable) {
  const TestGraph g(kNested, OpRegistry::Standard());
  auto made = RecoverFunctions(g.graph());
  ASSERT_TRUE(made.ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(made->num_loops, 2);
    EXPECT_EQ(made->num_choices, 1);
    EXPECT_THAT(made->declined, testing::IsEmpty());
    Graph lowered = made->graph.Clone();
    LowerFunctions(lowered);
    made = RecoverFunctions(lowered);
    ASSERT_TRUE(made.ok());
  }
}

}  // namespace
}  // namespace tagflow
