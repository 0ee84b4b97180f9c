// Tests: simplify.cc, prune.cc, survey.cc, cannot_fail.cc, droppable.cc, call_view.cc, rewiring.cc
#include "transform/simplify/simplify.h"

#include <chrono>

#include "transform/simplify/call_view.h"
#include "transform/simplify/cannot_fail.h"
#include "transform/simplify/droppable.h"
#include "transform/simplify/rewiring.h"
#include "transform/simplify/survey.h"
#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

constexpr char kGraph[] = R"(
  x = Placeholder() dtype=float
  unused = Neg(x)
  p = Const() dtype=bool value=1
  two = Const() dtype=float value=2
  four = Add(two, two)
  s = Switch(x, p)
  t = Mul(s:1, four)
  f = Neg(s:0)
  m = Merge(f, t)
  i = Identity(m)
  a = Neg(i)
  b = Neg(m)
  y = Add(a, b)
)";

std::string NamesOf(const Graph& graph) {
  std::string names;
  for (const NodeId id : graph.NodeIds()) names += (names.empty() ? "" : " ") + graph.node(id).name;
  return names;
}

std::optional<CallGraph> SimplifyText(std::string_view text, const std::vector<std::string>& feeds,
                                      const std::vector<std::string>& fetches,
                                      const SimplifyOptions& options) {
  TestGraph g(text, OpRegistry::Standard());
  const CallSpec call = g.Call(feeds, fetches);
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  return Simplify(g.graph(), call, *valid, options);
}

TEST(SimplifyTest, ThePassesWorkTogether) {
  const auto made = SimplifyText(kGraph, {"x"}, {"y"}, {Passes::All(), EvaluateScalars});
  ASSERT_TRUE(made.has_value());
  // The stub of a feed is kept.
  EXPECT_EQ(NamesOf(made->graph), "x four t a y");
  EXPECT_TRUE(ValidateCall(made->graph, made->call).ok());
  EXPECT_EQ(OutputName(made->graph, made->call.fetches[0]), "y");
  EXPECT_EQ(OutputName(made->graph, made->call.feeds[0]), "x");
}

TEST(SimplifyTest, WithoutPassesNothingIsMade) {
  EXPECT_FALSE(SimplifyText(kGraph, {"x"}, {"y"}, {Passes::None(), EvaluateScalars}).has_value());
  EXPECT_FALSE(SimplifyText("x = Placeholder() dtype=float\n y = Neg(x)", {"x"}, {"y"},
                            {.passes = Passes::All(), .evaluate = nullptr, .if_worthwhile = false})
                   .has_value());
}

TEST(SimplifyTest, PassesHaveNames) {
  EXPECT_TRUE(Passes::Parse("none")->empty());
  for (const Pass pass : AllPasses()) {
    const Result<Passes> one = Passes::Parse(PassName(pass));
    ASSERT_TRUE(one.ok());
    for (const Pass other : AllPasses()) EXPECT_EQ(one->Has(other), other == pass);
    EXPECT_TRUE(Passes::Parse("all")->Has(pass));
  }
  const Result<Passes> two = Passes::Parse("switches,constants");
  ASSERT_TRUE(two.ok());
  EXPECT_TRUE(two->Has(Pass::kSwitches) && two->Has(Pass::kConstants));
  EXPECT_FALSE(two->Has(Pass::kIdentities));
  EXPECT_EQ(Passes::Parse("switches,").status().code(), Code::kInvalidArgument);
  EXPECT_NE(Passes::Parse("fold").status().message().find("duplicates"), std::string::npos);
}

TEST(SimplifyTest, ManyNodesAreDoneSoon) {
  Graph graph;
  const auto add = [&](std::string_view op, const std::string& name,
                       std::vector<OutputRef> inputs) {
    const NodeId id = *graph.AddNode(name, op);
    graph.mutable_node(id).inputs = std::move(inputs);
    if (op != "NoOp") graph.SetAttr(id, "T", DType::kFloat);
    return OutputRef{id, 0};
  };
  OutputRef x = add("Placeholder", "x", {});
  graph.mutable_node(x.node).attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape()}};
  OutputRef last = x;
  std::vector<NodeId> all;
  for (int i = 0; i < 30'000; ++i) {
    last = add(i % 2 == 0 ? "Identity" : "Neg", "n" + std::to_string(i), {last});
    all.push_back(last.node);
    all.push_back(add("Neg", "d" + std::to_string(i), {x}).node);
  }
  const OutputRef group = add("NoOp", "group", {});
  graph.mutable_node(group.node).control_inputs = all;
  CallSpec call;
  call.feeds = {x};
  call.fetches = {last};
  call.targets = {group.node};
  const Result<ValidatedCall> valid = ValidateCall(graph, call);
  ASSERT_TRUE(valid.ok());
  const auto made = Simplify(graph, call, *valid, {Passes::All(), EvaluateScalars});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->graph.num_nodes(), 15'003u);
}

// The Enter of y goes, and says that iterations are in order.
TEST(SimplifyTest, TheSmallestParallelIterationsStay) {
  const auto made = SimplifyText(
      R"(
    x = Placeholder() dtype=float
    y = Placeholder() dtype=float
    e = Enter(x) frame_name=f
    ye = Enter(y) frame_name=f is_constant=true parallel_iterations=1
    xe = Enter(x) frame_name=f is_constant=true
    bound = Add(ye, xe)
    m = Merge(e, next)
    less = Less(m, bound)
    c = LoopCond(less)
    s = Switch(m, c)
    more = Square(s:1)
    next = NextIteration(more)
    out = Exit(s:0)
  )",
      {"x", "y"}, {"out"},
      {.passes = Passes().With(Pass::kInvariants), .evaluate = nullptr, .if_worthwhile = false});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->graph.Find("ye"), NodeId::kNone);
  const Result<ValidatedCall> valid = ValidateCall(made->graph, made->call);
  ASSERT_TRUE(valid.ok()) << valid.status().ToString();
  EXPECT_EQ(valid->frames.frames[1].parallel_iterations, 1);
}

TEST(PruneTest, WhatIsCutOffIsAStub) {
  TestGraph g(R"(
    a = Placeholder() dtype=float
    b = Neg(a)
    c = Neg(b)
    d = PlaceholderWithDefault(c, ^a) shape=0 dtype=float
    e = Add(b, d, ^d)
    other = Neg(e)
  )",
              OpRegistry::Standard());
  g.mutable_graph().SetAttr(g.id("d"), "shape", PartialShape());
  const CallSpec call = g.Call({"b", "d"}, {"e", "b"});
  CallGraph pruned = Prune(g.graph(), call, NeededNodes(g.graph(), call));
  EXPECT_EQ(NamesOf(pruned.graph), "b c d e");
  EXPECT_TRUE(pruned.graph.node(pruned.graph.Find("b")).inputs.empty());
  const Result<ValidatedCall> valid = ValidateCall(pruned.graph, pruned.call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
}

// What the survey counts of a graph's call.
int64_t Savings(std::string_view text, const std::vector<std::string>& fetches, Passes passes) {
  TestGraph g(text, OpRegistry::Standard());
  const CallSpec call = g.Call({"x"}, fetches);
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  return CountSavings(g.graph(), call, *valid, passes);
}

TEST(SurveyTest, CountsWhatEachPassWouldFind) {
  EXPECT_EQ(Savings(kGraph, {"y"}, Passes::None()), 0);
  EXPECT_EQ(Savings(kGraph, {"y"}, Passes().With(Pass::kConstants)), 1);
  EXPECT_EQ(Savings(kGraph, {"y"}, Passes().With(Pass::kSwitches)), 1);
  EXPECT_EQ(Savings("x = Placeholder() dtype=float\n a = Neg(x)\n b = Neg(x)\n y = Add(a, b)",
                    {"y"}, Passes().With(Pass::kDuplicates)),
            1);
}

TEST(SurveyTest, WhatIsInALoopCountsMore) {
  constexpr char kLoop[] = R"(
    x = Placeholder() dtype=float
    e = Enter(x) frame_name=f is_constant=true
    n = Neg(e)
    out = Exit(n)
  )";
  EXPECT_EQ(Savings(kLoop, {"out"}, Passes().With(Pass::kInvariants)), kTripsGuessed);
}

TEST(CannotFailTest, ShapesMustFitWhateverTheyAre) {
  TestGraph g(R"(
    x = Placeholder() dtype=float
    k = Placeholder() dtype=int32
    one = Const() dtype=float value=1
    ione = Const() dtype=int32 value=1
    neg = Neg(x)
    add = Add(x, one)
    any = Add(x, x)
    div = RealDiv(x, one)
    idiv = Div(k, ione) T=int32
    gather = GatherV2(x, k, k) Tparams=float Tindices=int32 Taxis=int32
  )",
              OpRegistry::Standard());
  const CallView view(g.graph(),
                      g.Call({"x", "k"}, {"neg", "add", "any", "div", "idiv", "gather"}));
  for (const char* name : {"neg", "add", "div"})
    EXPECT_TRUE(CannotFail(view, g.node(name))) << name;
  for (const char* name : {"any", "idiv", "gather", "one"}) {
    EXPECT_FALSE(CannotFail(view, g.node(name))) << name;
  }
}

TEST(DroppableTest, EffectsAndErrorsMayNotBeDropped) {
  TestGraph g(R"(
    x = Placeholder() dtype=float
    fed = Placeholder() dtype=float
    one = Const() dtype=float value=1
    add = Add(x, one)
    any = Add(x, x)
    w = NoOp()
    random = RandomUniform(one) dtype=float T=int32
    v = VariableV2() dtype=float shape=0
    read = Identity(v)
  )",
              OpRegistry::Standard());
  const CallView view(g.graph(),
                      g.Call({"fed"}, {"x", "fed", "add", "any", "random", "read"}, {"w"}));
  for (const char* name : {"fed", "one", "add", "w"}) {
    EXPECT_TRUE(MayBeDropped(view, g.node(name))) << name;
  }
  for (const char* name : {"x", "any", "random", "v", "read"}) {
    EXPECT_FALSE(MayBeDropped(view, g.node(name))) << name;
  }
  EXPECT_FALSE(TouchesState(view, g.node("any")));
  for (const char* name : {"random", "v", "read"}) {
    EXPECT_TRUE(TouchesState(view, g.node(name))) << name;
  }
}

// A predicate that is no scalar is an error, too.
TEST(DroppableTest, OfSwitchesThoseWhosePredicateIsAScalar) {
  TestGraph g(R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    e = Enter(x) frame_name=f
    pe = Enter(p) frame_name=f is_constant=true T=bool
    m = Merge(e, n)
    c = LoopCond(pe)
    by_loop = Switch(m, c)
    n = NextIteration(by_loop:1)
    out = Exit(by_loop:0)
    yes = Const() dtype=bool value=1
    by_constant = Switch(x, yes)
    by_feed = Switch(x, p)
  )",
              OpRegistry::Standard());
  const CallView view(g.graph(), g.Call({"x", "p"}, {"out", "by_constant", "by_feed"}));
  for (const char* name : {"m", "by_loop", "n", "by_constant"}) {
    EXPECT_TRUE(MayBeDropped(view, g.node(name))) << name;
  }
  for (const char* name : {"c", "by_feed"}) {
    EXPECT_FALSE(MayBeDropped(view, g.node(name))) << name;
  }
}

TEST(CallViewTest, TellsWhatAnOpMayBeTakenFor) {
  const auto traits = [](const char* op) { return TraitsOf(OpRegistry::Standard().Find(op)); };
  EXPECT_EQ(traits("Add"), kPure);
  EXPECT_EQ(traits("Identity"), kForwards);
  EXPECT_EQ(traits("Const"), kConst);
  EXPECT_EQ(traits("Switch"), kSwitch);
  EXPECT_EQ(traits("RefSwitch"), kReference);
  EXPECT_EQ(traits("VariableV2"), kReference);
  for (const char* op : {"RandomUniform", "StatelessRandomUniform", "Placeholder", "NoOp",
                         "ReadVariableOp", "Assert", "PlaceholderWithDefault", "Exit"}) {
    EXPECT_EQ(traits(op), 0) << op;
  }
  EXPECT_EQ(TraitsOf(nullptr), 0);
}

TEST(RewiringTest, ChainsOfReplacementsEndAtTheLast) {
  TestGraph g(R"(
    a = NoOp()
    b = NoOp()
    c = NoOp()
    y = NoOp(^a, ^b, ^c)
  )",
              OpRegistry::Standard());
  Rewiring rewiring;
  rewiring.ReplaceNode(g.id("a"), g.id("b"));
  rewiring.ReplaceControl(g.id("b"), g.id("c"));
  EXPECT_EQ(rewiring.FindControl(g.id("a")), g.id("c"));
  EXPECT_EQ(rewiring.Apply(g.mutable_graph(), {g.id("y")}), 2);
  EXPECT_EQ(g.node("y").control_inputs, std::vector<NodeId>{g.id("c")});
  rewiring.Replace({g.id("b"), 1}, {g.id("c"), 2});
  EXPECT_EQ(rewiring.Find({g.id("a"), 1}), (OutputRef{g.id("c"), 2}));
}

}  // namespace
}  // namespace tagflow
