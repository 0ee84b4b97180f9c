#include "cli/explore/explore_json.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::cli {
namespace {

// The JSON of a step of a graph that fetches `fetch`; of the graph alone where that is empty.
std::string JsonOf(const std::string& text, const std::string& fetch, int64_t limit = 1000) {
  Graph graph = TestGraph(text, OpRegistry::Standard()).Take();
  ExploredStep step;
  const auto session = *reference::Session::Create(graph.Clone());
  reference::RunOptions options;
  options.trace = [&](const reference::TraceEvent& event) {
    if (step.total++ < limit) step.firings.push_back(event);
  };
  if (!fetch.empty()) {
    const auto values = session->Run({}, {fetch}, {}, options);
    step.status = values.status();
    if (values.ok()) step.results.emplace_back(fetch, (*values)[0]);
  }
  return ExploreJson("a graph", graph, step);
}

bool Has(const std::string& json, const std::string& part) {
  return json.find(part) != std::string::npos;
}

constexpr char kLoop[] = R"(
  zero = Const() dtype=int32 value=0
  enter = Enter(zero) T=int32 frame_name=loop
  i = Merge(enter, next) T=int32
  limit = Const(^i) dtype=int32 value=2
  less = Less(i, limit) T=int32
  again = LoopCond(less)
  turn = Switch(i, again) T=int32
  one = Const(^turn) dtype=int32 value=1
  sum = AddV2(turn:1, one) T=int32
  next = NextIteration(sum) T=int32
  exit = Exit(turn:0) T=int32
)";

TEST(ExploreJsonTest, HasNodesFramesAndFirings) {
  const std::string json = JsonOf(kLoop, "exit");
  EXPECT_TRUE(Has(json, R"(["zero","Const",0,"",[],[]])")) << json;
  EXPECT_TRUE(Has(json, R"(["enter","Enter",1,"",[[0,0]],[]])")) << "it stands in its loop";
  EXPECT_TRUE(Has(json, R"(["i","Merge",1,"",[[1,0],[9,0]],[]])"));
  EXPECT_TRUE(Has(json, R"(["limit","Const",1,"",[],[2]])"));
  EXPECT_TRUE(Has(json, R"("frames":[["",-1],["loop",0]])"));
  EXPECT_TRUE(Has(json, R"("tags":["","loop[0]","loop[1]","loop[2]"])"));
  EXPECT_TRUE(Has(json, R"(["int32[] 2",2])"));
  EXPECT_TRUE(Has(json, "null")) << "a dead output of the Switch";
  EXPECT_TRUE(Has(json, R"("results":[["exit","int32[] 2"]],"error":null)"));
  EXPECT_TRUE(Has(json, R"("truncated":false)"));
}

TEST(ExploreJsonTest, FiringsAreNumberedInTheirOrder) {
  Graph graph = TestGraph(kLoop, OpRegistry::Standard()).Take();
  const auto session = *reference::Session::Create(std::move(graph));
  int64_t next = 0;
  reference::RunOptions options;
  options.trace = [&](const reference::TraceEvent& event) { EXPECT_EQ(event.firing, next++); };
  ASSERT_TRUE(session->Run({}, {"exit"}, {}, options).ok());
  EXPECT_GT(next, 20);
}

TEST(ExploreJsonTest, AStepThatFailsOrIsLongSaysSo) {
  const std::string json = JsonOf(R"(
    one = Const() dtype=int32 value=1
    zero = Const() dtype=int32 value=0
    y = FloorDiv(one, zero) T=int32
  )",
                                  "y");
  EXPECT_TRUE(Has(json, R"("node":"y","tag":"")")) << json;
  EXPECT_TRUE(Has(json, "INVALID_ARGUMENT"));
  const std::string cut = JsonOf(kLoop, "exit", 3);
  EXPECT_TRUE(Has(cut, R"("truncated":true)"));
}

TEST(ExploreJsonTest, NothingInItEndsTheElementThatHoldsIt) {
  const std::string hostile = "</script>\"\\\n\xE2\x80\xAE\xF0\x9F\x8C\x8D\xC3\x84 \x01&";
  Graph graph;
  const NodeId id = *graph.AddNode("x", "NoOp");
  graph.mutable_node(id).device = hostile;
  const std::string json = ExploreJson("\xFF not UTF-8", graph, {});
  EXPECT_EQ(json.find('<'), std::string::npos);
  for (const char c : json) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << static_cast<int>(c);
  EXPECT_TRUE(Has(json, R"(\u003c/script\u003e\"\\\u000a\u202e\ud83c\udf0d\u00c4 \u0001\u0026)"))
      << json;
  EXPECT_TRUE(Has(json, R"(\u00ff not UTF-8)"));
}

TEST(ExploreJsonTest, LanesNameTheirNodes) {
  Graph graph;
  ASSERT_TRUE(graph.AddNode("x", "NoOp").ok());
  ExploredStep step;
  step.about = "straight";
  step.notes = {"a note"};
  step.lanes = {{"thread 0", {{"x", "loop[1]", 0.5, 2}, {"send", "", 3, 1}}}};
  const std::string json = ExploreJson("t", graph, step);
  EXPECT_TRUE(Has(json, R"("engine":{"about":"straight","notes":["a note"],"lanes":[{"name":)"
                        R"("thread 0","events":[[0,"loop[1]",0.5,2],[-1,"",3,1]]}]})"))
      << json;
}

TEST(ExploreJsonTest, AnotherRunIsToldWhereItDiffers) {
  Graph graph;
  ASSERT_TRUE(graph.AddNode("x", "NoOp").ok());
  ExploredStep step;
  step.other = {{"optimized", "reference", {{3, "dead"}, {7, "int32[] <2>"}}, "x differs"}};
  EXPECT_TRUE(Has(ExploreJson("t", graph, step),
                  R"("other":{"name":"optimized","against":"reference","first":"x differs",)"
                  R"("differences":[[3,"dead"],[7,"int32[] \u003c2\u003e"]]})"));
  EXPECT_TRUE(Has(ExploreJson("t", graph, {}), R"("other":null)"));
}

}  // namespace
}  // namespace tagflow::cli
