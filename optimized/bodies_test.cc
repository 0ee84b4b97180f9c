// Tests: executor_choice.cc

#include "optimized/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/test_function.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

constexpr DType kInt = DType::kInt32;

Tensor I(int32_t value) { return Tensor::Scalar(value); }
AttrMap OfInts() { return {{"T", AttrValue(kInt)}}; }
AttrValue Types(std::vector<DType> dtypes) {
  AttrList list;
  for (const DType dtype : dtypes) list.types.push_back({dtype, false});
  return AttrValue(std::move(list));
}
// Sorted by their names, as attrs are.
AttrMap OfIf(const std::string& then, const std::string& other) {
  return {{"Tcond", AttrValue(DType::kBool)},
          {"Tin", Types({kInt})},
          {"Tout", Types({kInt})},
          {"else_branch", AttrValue(NameAttrList{other, {}})},
          {"then_branch", AttrValue(NameAttrList{then, {}})}};
}

// `call` is a call of the function `name` by x.
Graph Caller(const std::string& name, std::vector<FunctionDef> functions) {
  Graph graph;
  for (FunctionDef& function : functions) graph.library.Add(std::move(function));
  const NodeId x = *graph.AddNode("x", "Placeholder");
  graph.SetAttr(x, "dtype", AttrValue(kInt));
  const NodeId call = *graph.AddNode("call", name);
  graph.mutable_node(call).inputs = {{x, 0}};
  return graph;
}

// f(x) = x > 0 ? f(x - 1) + 12 / x : at_end(x)
Graph Recursive(FunctionDef at_end) {
  return Caller("f", {TestFunction("f", kInt, kInt,
                                   {TestConst("zero", I(0)),
                                    {"more", "Greater", "", {"x", "zero:output"}, OfInts()},
                                    {"if", "If", "", {"more:z", "x"}, OfIf("more", at_end.name)}},
                                   "if:output"),
                      TestFunction("more", kInt, kInt,
                                   {TestConst("one", I(1)),
                                    TestConst("twelve", I(12)),
                                    {"less", "Sub", "", {"x", "one:output"}, OfInts()},
                                    {"rest", "f", "", {"less:z"}, {}},
                                    {"part", "FloorDiv", "", {"twelve:output", "x"}, OfInts()},
                                    {"sum", "AddV2", "", {"rest:y", "part:z"}, OfInts()}},
                                   "sum:z"),
                      std::move(at_end)});
}
FunctionDef Same() {
  return TestFunction("same", kInt, kInt, {{"same", "Identity", "", {"x"}, OfInts()}},
                      "same:output");
}
FunctionDef FailsAtZero() {
  return TestFunction("fails", kInt, kInt, {{"bad", "FloorDiv", "", {"x", "x"}, OfInts()}},
                      "bad:z");
}

// All ways to run a body.
std::vector<SessionOptions> Ways() {
  std::vector<SessionOptions> ways(4);
  ways[1].lowers_functions = false;
  ways[2].executor = ExecutorChoice::kTokens;
  ways[3].executor = ExecutorChoice::kSharedTokens;
  ways[3].threads = 2;
  ways[3].lowers_functions = false;
  return ways;
}

Result<std::vector<Tensor>> RunCall(const Graph& graph, const SessionOptions& options, int32_t x,
                                    const RunOptions& run = {}) {
  const auto session = *Session::Create(graph.Clone(), options);
  return session->Run({{"x", I(x)}}, {"call"}, {}, run);
}

TEST(Bodies, RunAFunctionThatCallsItself) {
  for (const SessionOptions& options : Ways()) {
    const auto results = RunCall(Recursive(Same()), options, 4);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    EXPECT_EQ((*results)[0].DebugString(), "int32[] 25");
  }
}

//                                                                        Spec: [functional.names]
TEST(Bodies, ErrorsNameTheCallsThatTheNodeIsIn) {
  for (const SessionOptions& options : Ways()) {
    const Status status = RunCall(Recursive(FailsAtZero()), options, 2).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.node(), "call/if/then/rest/if/then/rest/if/else/bad");
    EXPECT_EQ(status.tag(), "");
  }
}

//                                                                    Spec: [functional.recursion]
TEST(Bodies, OfTooManyCallsInEachOtherAreRefused) {
  for (const SessionOptions& options : Ways()) {
    // A call and the branch of an If for each.
    EXPECT_TRUE(RunCall(Recursive(Same()), options, 48).ok());
    const Status status = RunCall(Recursive(Same()), options, 50).status();
    EXPECT_EQ(status.code(), Code::kResourceExhausted);
    EXPECT_EQ(status.rule(), "functional.recursion");
  }
}

// f(x) = x > 1 ? f(x - 1) + f(x - 2) : x, which makes more bodies for 21 than are kept.
TEST(Bodies, BeyondThoseThatAreKeptAreMadeAnew) {
  Graph graph =
      Caller("f", {TestFunction("f", kInt, kInt,
                                {TestConst("one", I(1)),
                                 {"more", "Greater", "", {"x", "one:output"}, OfInts()},
                                 {"if", "If", "", {"more:z", "x"}, OfIf("more", "same")}},
                                "if:output"),
                   TestFunction("more", kInt, kInt,
                                {TestConst("one", I(1)),
                                 {"before", "Sub", "", {"x", "one:output"}, OfInts()},
                                 {"first", "Sub", "", {"before:z", "one:output"}, OfInts()},
                                 {"a", "f", "", {"before:z"}, {}},
                                 {"b", "f", "", {"first:z"}, {}},
                                 {"sum", "AddV2", "", {"a:y", "b:y"}, OfInts()}},
                                "sum:z"),
                   Same()});
  const auto session = *Session::Create(std::move(graph));
  for (const auto& [x, y] : {std::pair{10, 55}, {21, 10'946}, {10, 55}}) {
    const auto results = session->Run({{"x", I(x)}}, {"call"});
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    EXPECT_EQ(*(*results)[0].data<int32_t>(), y);
  }
}

// x = x + 1, for ever
Graph Endless() {
  Graph graph = Caller(
      "Neg",
      {TestFunction("yes", kInt, DType::kBool, {TestConst("yes", Tensor::Scalar(true))},
                    "yes:output"),
       TestFunction("more", kInt, kInt, {{"sum", "AddV2", "", {"x", "x"}, OfInts()}}, "sum:z")});
  const NodeId loop = graph.Find("call");
  Node& node = graph.mutable_node(loop);
  node.op = "While";
  node.def = graph.registry().Find(node.op);
  graph.SetAttr(loop, "T", Types({kInt}));
  graph.SetAttr(loop, "cond", AttrValue(NameAttrList{"yes", {}}));
  graph.SetAttr(loop, "body", AttrValue(NameAttrList{"more", {}}));
  return graph;
}

TEST(Bodies, EndByTheLimitsOfTheStep) {
  for (const SessionOptions& options : Ways()) {
    RunOptions firings;
    firings.max_firings = 1'000;
    const Status counted = RunCall(Endless(), options, 1, firings).status();
    EXPECT_EQ(counted.code(), Code::kResourceExhausted);
    EXPECT_NE(counted.message().find("after 1000 firings"), std::string::npos)
        << counted.ToString();
    RunOptions deadline;
    deadline.deadline_s = 0.05;
    EXPECT_EQ(RunCall(Endless(), options, 1, deadline).status().code(), Code::kDeadlineExceeded);
    RunOptions cancelled;
    int asked = 0;
    cancelled.cancelled = [&] { return ++asked > 20; };
    EXPECT_EQ(RunCall(Endless(), options, 1, cancelled).status().code(), Code::kCancelled);
  }
}

//                                                                        Spec: [functional.while]
TEST(Bodies, ErrorsInALoopTellTheIteration) {
  Graph graph = Endless();
  // By x = 0 in the third iteration: 2, 1, 0.
  graph.library = FunctionLibrary();
  graph.library.Add(TestFunction("yes", kInt, DType::kBool,
                                 {TestConst("yes", Tensor::Scalar(true))}, "yes:output"));
  graph.library.Add(TestFunction("more", kInt, kInt,
                                 {TestConst("one", I(1)),
                                  {"part", "FloorDiv", "", {"one:output", "x"}, OfInts()},
                                  {"less", "Sub", "", {"x", "one:output", "^part"}, OfInts()}},
                                 "less:z"));
  for (const SessionOptions& options : Ways()) {
    const Status status = RunCall(graph, options, 2).status();
    EXPECT_EQ(status.node(), "call/body/part");
    EXPECT_EQ(status.tag(), "call[2]");
  }
}

// f(x) = x > 0 ? count(f(x - 1)) : x, where count adds one a thousand times.
Graph WithLoopInRecursion() {
  Graph graph = Caller(
      "f",
      {TestFunction("f", kInt, kInt,
                    {TestConst("zero", I(0)),
                     {"more", "Greater", "", {"x", "zero:output"}, OfInts()},
                     {"if", "If", "", {"more:z", "x"}, OfIf("more", "same")}},
                    "if:output"),
       TestFunction("more", kInt, kInt,
                    {TestConst("one", I(1)),
                     {"less", "Sub", "", {"x", "one:output"}, OfInts()},
                     {"rest", "f", "", {"less:z"}, {}},
                     {"loop",
                      "While",
                      "",
                      {"rest:y"},
                      {{"T", Types({kInt})},
                       {"body", AttrValue(NameAttrList{"next", {}})},
                       {"cond", AttrValue(NameAttrList{"is_not_last", {}})}}}},
                    "loop:output"),
       TestFunction("is_not_last", kInt, DType::kBool,
                    {TestConst("thousand", I(1'000)),
                     TestConst("last", I(999)),
                     {"mod", "FloorMod", "", {"x", "thousand:output"}, OfInts()},
                     {"go", "NotEqual", "", {"mod:z", "last:output"}, OfInts()}},
                    "go:z"),
       TestFunction("next", kInt, kInt,
                    {TestConst("one", I(1)), {"sum", "AddV2", "", {"x", "one:output"}, OfInts()}},
                    "sum:z"),
       Same()});
  return graph;
}

TEST(Bodies, LoopsInThemAreMachineCode) {
  if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  SessionOptions options;
  options.native = {NativeChoice::kAlways};
  const auto session = *Session::Create(WithLoopInRecursion(), options);
  const auto callable = *session->MakeCallable({"x"}, {"call"});
  EXPECT_EQ((*callable->Run({I(2)}))[0].DebugString(), "int32[] 999");
  EXPECT_THAT(callable->Notes(),
              testing::Contains(testing::MatchesRegex(
                  "the loop of 'call/if/then/.*/loop/.*' is machine code, compiled in .*")));
  options.native = {NativeChoice::kOff};
  const auto interpreted = *Session::Create(WithLoopInRecursion(), options);
  EXPECT_EQ((*interpreted->Run({{"x", I(2)}}, {"call"}))[0].DebugString(), "int32[] 999");
  EXPECT_TRUE((*interpreted->MakeCallable({"x"}, {"call"}))->Notes().empty());
}

TEST(Bodies, OfOtherTypesThanTheCallAreRefused) {
  Graph graph = Caller(
      "f", {TestFunction("f", kInt, kInt, {{"again", "g", "", {"x"}, {}}}, "again:y"),
            TestFunction("g", DType::kFloat, kInt, {{"again", "f", "", {"x"}, {}}}, "again:y")});
  SessionOptions options;
  options.lowers_functions = false;
  const Status status = RunCall(graph, options, 1).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

}  // namespace
}  // namespace tagflow::optimized
