// Tests: inliner.cc, lower_branches.cc, lower_gradient.cc, lower_while.cc, node_lowering.cc

#include "transform/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/function_body.h"
#include "graph/test_function.h"
#include "graph/unknown_ops.h"

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

AttrMap OfFloats() { return {{"T", AttrValue(DType::kFloat)}}; }
FunctionNode Const(const std::string& name, float value) {
  return TestConst(name, Tensor::Scalar(value));
}
// y = nodes(x)
FunctionDef FunctionOf(const std::string& name, DType result, std::vector<FunctionNode> nodes,
                       const std::string& returns) {
  return TestFunction(name, DType::kFloat, result, std::move(nodes), returns);
}

// The same with an argument before the others and, where `hands_on`, x as a result behind the
// other.
FunctionDef WithFirst(FunctionDef def, const ArgDef& arg, bool hands_on) {
  Function function = **def.function;
  function.op.inputs.insert(function.op.inputs.begin(), arg);
  if (hands_on) {
    function.op.outputs.push_back(TestArg("same", DType::kFloat));
    function.returns.push_back("x");
  }
  def.function = std::make_shared<const Function>(std::move(function));
  return def;
}

class LowerTest : public testing::Test {
 protected:
  LowerTest() {
    for (FunctionDef each :
         {FunctionOf("twice", DType::kFloat, {{"sum", "AddV2", "", {"x", "x"}, OfFloats()}},
                     "sum:z"),
          FunctionOf("one", DType::kFloat, {Const("one", 1)}, "one:output"),
          FunctionOf("forever", DType::kFloat, {{"again", "forever", "", {"x"}, {}}}, "again:y"),
          FunctionOf("is_small", DType::kBool,
                     {Const("limit", 100), {"less", "Less", "", {"x", "limit:output"}, OfFloats()}},
                     "less:z")}) {
      graph_.library.Add(std::move(each));
    }
    graph_.library.Add(
        WithFirst(FunctionOf("of_a_count", DType::kFloat,
                             {{"sum", "AddV2", "", {"x", "x"}, OfFloats()}}, "sum:z"),
                  TestArg("i", DType::kInt32), false));
    graph_.library.Add(WithFirst(
        FunctionOf("negative", DType::kBool,
                   {Const("limit", 0), {"less", "Less", "", {"a", "limit:output"}, OfFloats()}},
                   "less:z"),
        TestArg("a", DType::kFloat), false));
    graph_.library.Add(WithFirst(FunctionOf("second_handed_on", DType::kFloat,
                                            {{"neg", "Neg", "", {"x"}, OfFloats()}}, "neg:y"),
                                 TestArg("a", DType::kFloat), true));
    Add("x", "Placeholder", {}, {{"dtype", AttrValue(DType::kFloat)}});
    Add("p", "Placeholder", {}, {{"dtype", AttrValue(DType::kBool)}});
  }

  void Add(const std::string& name, const char* op, const std::vector<std::string>& inputs,
           AttrMap attrs) {
    const NodeId id = *graph_.AddNode(name, op);
    for (const std::string& input : inputs) {
      graph_.mutable_node(id).inputs.push_back(*FindOutput(graph_, input));
    }
    for (auto& [attr, value] : attrs) graph_.SetAttr(id, attr, std::move(value));
  }
  static AttrValue Types(DType dtype, size_t count = 1) {
    AttrList list;
    list.types.assign(count, {dtype, false});
    return AttrValue(std::move(list));
  }
  static AttrValue Named(const std::string& function) {
    return AttrValue(NameAttrList{function, {}});
  }
  // What the node is after lowering: "op(input, ^control)".
  std::string Text(const std::string& name) const { return tagflow::Text(graph_, name); }

  Graph graph_;
};

TEST_F(LowerTest, TheBodyTakesThePlaceOfACall) {
  Add("call", "PartitionedCall", {"x"},
      {{"Tin", Types(DType::kFloat)}, {"Tout", Types(DType::kFloat)}, {"f", Named("twice")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("call/sum"), "AddV2(x, x)");
  EXPECT_EQ(Text("call"), "IdentityN(call/sum)");
}

TEST_F(LowerTest, ResultsAreTakenWhereTheyAreMade) {
  const AttrMap call = {
      {"Tin", Types(DType::kFloat)}, {"Tout", Types(DType::kFloat)}, {"f", Named("twice")}};
  Add("a", "PartitionedCall", {"x"}, call);
  Add("b", "PartitionedCall", {"a"}, call);
  Add("out", "Neg", {"b"}, OfFloats());
  LowerFunctions(graph_);
  EXPECT_EQ(Text("b/sum"), "AddV2(a/sum, a/sum)");
  EXPECT_EQ(Text("out"), "Neg(b/sum)");
}

TEST_F(LowerTest, BranchesAreBehindSwitches) {
  Add("if", "StatelessIf", {"p", "x"},
      {{"Tcond", AttrValue(DType::kBool)},
       {"Tin", Types(DType::kFloat)},
       {"Tout", Types(DType::kFloat)},
       {"then_branch", Named("twice")},
       {"else_branch", Named("one")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("if/pred"), "ToBool(p)");  // of any shape
  EXPECT_EQ(Text("if/input_0"), "Switch(x, if/pred)");
  EXPECT_EQ(Text("if/then/sum"), "AddV2(if/input_0:1, if/input_0:1)");
  EXPECT_EQ(Text("if/else/one"), "Const(^if/else_pivot)");
  EXPECT_EQ(Text("if/output_0"), "Merge(if/else/one, if/then/sum)");
  EXPECT_EQ(Text("if"), "IdentityN(if/output_0)");
}

TEST_F(LowerTest, AWhileIsALoop) {
  Add("start", "Const", {},
      {{"dtype", AttrValue(DType::kFloat)}, {"value", AttrValue(Tensor::Scalar(1.0f))}});
  Add("while", "StatelessWhile", {"start"},
      {{"T", Types(DType::kFloat)}, {"cond", Named("is_small")}, {"body", Named("twice")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("while/variable"), "Merge(while/enter, while/next)");
  EXPECT_EQ(Text("while/cond/limit"), "Const(^while/variable)");
  EXPECT_EQ(Text("while/pred"), "Identity(while/cond/less, ^while/variable)");  // of a scalar
  EXPECT_EQ(Text("while/again"), "LoopCond(while/pred)");
  EXPECT_EQ(Text("while/body/sum"), "AddV2(while/way:1, while/way:1)");
  EXPECT_EQ(Text("while/next"), "NextIteration(while/body/sum)");
  EXPECT_EQ(Text("while"), "IdentityN(while/exit)");
  EXPECT_EQ(*StringAttr(graph_.node(graph_.Find("while/enter")), "frame_name"), "while");
}

TEST_F(LowerTest, AForCountsTowardsItsLimit) {
  for (const char* name : {"start", "limit", "delta"}) {
    Add(name, "Const", {},
        {{"dtype", AttrValue(DType::kInt32)}, {"value", AttrValue(Tensor::Scalar(2))}});
  }
  Add("for", "For", {"start", "limit", "delta", "x"},
      {{"T", Types(DType::kFloat)}, {"body", Named("of_a_count")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("for/cond/Less"), "Less(for/variable, for/enter_1)");  // by a delta above 0
  EXPECT_EQ(Text("for/count"), "AddV2(for/way:1, for/enter_2)");
  EXPECT_EQ(Text("for"), "IdentityN(for/exit_1)");
  EXPECT_EQ(graph_.node(graph_.Find("for/check/Assert")).op, "Assert");
}

TEST_F(LowerTest, WhatHangsOnConstantsAloneIsInTheBodyOnlyWhenThatRuns) {
  Add("while", "StatelessWhile", {"x", "x"},
      {{"T", Types(DType::kFloat, 2)},
       {"cond", Named("negative")},
       {"body", Named("second_handed_on")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("while/body/neg"), "Neg(while/enter_1, ^while/pivot)");
  EXPECT_EQ(Text("while/next"), "NextIteration(while/body/neg)");
}

// The body's constants wait for a variable that the test looks at: no other is computed for them.
TEST_F(LowerTest, ABodyHangsOnWhatTheTestLooksAt) {
  graph_.library.Add(WithFirst(
      FunctionOf("second_is_small", DType::kBool,
                 {Const("limit", 9), {"less", "Less", "", {"x", "limit:output"}, OfFloats()}},
                 "less:z"),
      TestArg("a", DType::kFloat), false));
  FunctionDef turn = WithFirst(FunctionOf("turn", DType::kFloat,
                                          {{"neg", "Neg", "", {"a"}, OfFloats()},
                                           Const("one", 1),
                                           {"sum", "AddV2", "", {"x", "one:output"}, OfFloats()}},
                                          "neg:y"),
                               TestArg("a", DType::kFloat), true);
  Function changed = **turn.function;
  changed.returns[1] = "sum:z";
  turn.function = std::make_shared<const Function>(std::move(changed));
  graph_.library.Add(std::move(turn));
  Add("while", "StatelessWhile", {"x", "x"},
      {{"T", Types(DType::kFloat, 2)},
       {"cond", Named("second_is_small")},
       {"body", Named("turn")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("while/pivot"), "Identity(while/way_1:1)");
  EXPECT_EQ(Text("while/body/one"), "Const(^while/pivot)");
}

TEST_F(LowerTest, AGradientTakesThePlaceOfSymbolicGradient) {
  Add("gradient", "SymbolicGradient", {"x", "x"},
      {{"Tin", Types(DType::kFloat, 2)}, {"Tout", Types(DType::kFloat)}, {"f", Named("twice")}});
  Add("too_many", "SymbolicGradient", {"x", "x", "x"},
      {{"Tin", Types(DType::kFloat, 3)}, {"Tout", Types(DType::kFloat)}, {"f", Named("twice")}});
  LowerFunctions(graph_);
  EXPECT_EQ(Text("gradient"), "IdentityN(gradient/gradients/AddV2)");
  EXPECT_THAT(CannotRun(graph_.node(graph_.Find("too_many")), "CPU").ToString(),
              HasSubstr("function 'twice' has 1 results; there are 2 gradients by them"));
}

TEST_F(LowerTest, WhatCannotBeLoweredIsLeftAndSaysWhy) {
  const auto why = [&](AttrMap attrs) {
    const std::string name = graph_.UniqueName("call");
    attrs.emplace_back("Tin", Types(DType::kFloat));
    attrs.emplace_back("Tout", Types(DType::kInt32));
    Add(name, "PartitionedCall", {"x"}, std::move(attrs));
    LowerFunctions(graph_);
    EXPECT_TRUE(IsRefused(graph_.node(graph_.Find(name))));
    return CannotRun(graph_.node(graph_.Find(name)), "CPU").ToString();
  };
  EXPECT_THAT(why({{"f", Named("no_such")}}),
              HasSubstr("NOT_FOUND: the graph's library has no function 'no_such'"));
  EXPECT_THAT(why({{"f", Named("one")}}),
              HasSubstr("function 'one' takes (float) and gives (float); it is called with "
                        "(float) for (int32)"));
  EXPECT_THAT(why({}), HasSubstr("'f'"));
}

TEST_F(LowerTest, ARecursionWithoutEndEnds) {
  Add("call", "forever", {"x"}, {});
  LowerFunctions(graph_);
  EXPECT_LT(graph_.num_nodes(), 500u);
  std::string why;
  for (const NodeId id : graph_.NodeIds()) {
    if (graph_.node(id).op == "forever") why = CannotRun(graph_.node(id), "CPU").ToString();
  }
  EXPECT_THAT(why, HasSubstr("RESOURCE_EXHAUSTED: calls are nested more than 100 deep, up to one "
                             "of function 'forever'"));
}

TEST_F(LowerTest, ACallWithinItsOwnFunctionIsKept) {
  Add("call", "forever", {"x"}, {});
  LowerFunctions(graph_, {.kept = KeptCalls::kRecursive});
  EXPECT_EQ(Text("call/again"), "StatefulPartitionedCall(x)");
  const Node& kept = graph_.node(graph_.Find("call/again"));
  EXPECT_EQ(FindAttr(kept, "f")->function()->name, "forever");
  EXPECT_EQ(*IntAttr(kept, kCallDepthAttr), 1);
  EXPECT_FALSE(IsRefused(kept));
  EXPECT_EQ(Text("call"), "IdentityN(call/again)");
}

TEST_F(LowerTest, AllCallsMayBeKept) {
  Add("call", "PartitionedCall", {"x"},
      {{"Tin", Types(DType::kFloat)}, {"Tout", Types(DType::kFloat)}, {"f", Named("twice")}});
  Add("loop", "StatelessWhile", {"x"},
      {{"T", Types(DType::kFloat)}, {"cond", Named("is_small")}, {"body", Named("twice")}});
  LowerFunctions(graph_, {.kept = KeptCalls::kAll, .within = {"f"}, .depth = 3});
  EXPECT_EQ(Text("call"), "StatefulPartitionedCall(x)");
  EXPECT_EQ(Text("loop"), "While(x)");
  EXPECT_EQ(*IntAttr(graph_.node(graph_.Find("loop")), kCallDepthAttr), 4);
}

// Each calls the next twice: a graph of three nodes would be one of 2^60.
TEST_F(LowerTest, CallsThatDoubleEnd) {
  constexpr int kFunctions = 60;
  const auto name = [](int i) { return "double_" + std::to_string(i); };
  for (int i = 0; i < kFunctions; ++i) {
    const std::string next = i + 1 < kFunctions ? name(i + 1) : "twice";
    graph_.library.Add(FunctionOf(
        name(i), DType::kFloat, {{"a", next, "", {"x"}, {}}, {"b", next, "", {"a:y"}, {}}}, "b:y"));
  }
  Add("call", name(0).c_str(), {"x"}, {});
  LowerFunctions(graph_);
  EXPECT_LT(graph_.num_nodes(), 10'000'000u);
  int calls = 0;
  for (const NodeId id : graph_.NodeIds()) {
    if (graph_.library.Find(graph_.node(id).op) == nullptr) continue;
    const std::string why = CannotRun(graph_.node(id), "CPU").ToString();
    if (++calls == 1) {
      EXPECT_THAT(why, HasSubstr("RESOURCE_EXHAUSTED: the functions that this graph calls have"));
    }
  }
  EXPECT_GT(calls, 0);
}

}  // namespace
}  // namespace tagflow
