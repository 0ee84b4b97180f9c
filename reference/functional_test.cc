// Tests: bodies.cc, functional.cc

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/test_function.h"
#include "reference/session.h"

namespace tagflow::reference {
namespace {

AttrMap OfInts() { return {{"T", AttrValue(DType::kInt32)}}; }
FunctionNode Const(const std::string& name, int32_t value) {
  return TestConst(name, Tensor::Scalar(value));
}
FunctionDef FunctionOf(const std::string& name, DType result, std::vector<FunctionNode> nodes,
                       const std::string& returns) {
  return TestFunction(name, DType::kInt32, result, std::move(nodes), returns);
}

// A While that divides 12 by x - 1, x going down by one.
Graph Loop() {
  Graph graph;
  graph.library.Add(FunctionOf(
      "positive", DType::kBool,
      {Const("zero", 0), {"more", "GreaterEqual", "", {"x", "zero:output"}, OfInts()}}, "more:z"));
  graph.library.Add(FunctionOf("down", DType::kInt32,
                               {Const("one", 1),
                                Const("twelve", 12),
                                {"less", "Sub", "", {"x", "one:output"}, OfInts()},
                                {"quotient", "FloorDiv", "", {"twelve:output", "less:z"}, OfInts()},
                                {"again", "Identity", "", {"less:z", "^quotient"}, OfInts()}},
                               "again:output"));
  const NodeId x = *graph.AddNode("x", "Placeholder");
  graph.SetAttr(x, "dtype", AttrValue(DType::kInt32));
  const NodeId loop = *graph.AddNode("while", "StatelessWhile");
  graph.mutable_node(loop).inputs = {{x, 0}};
  AttrList types;
  types.types = {{DType::kInt32, false}};
  graph.SetAttr(loop, "T", AttrValue(std::move(types)));
  graph.SetAttr(loop, "cond", AttrValue(NameAttrList{"positive", {}}));
  graph.SetAttr(loop, "body", AttrValue(NameAttrList{"down", {}}));
  return graph;
}

TEST(Functional, AnErrorInABodyIsNamedByCallAndIteration) {
  const auto session = *Session::Create(Loop());
  const auto failed = session->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"while"});
  EXPECT_EQ(failed.status().node(), "while/body/quotient");
  EXPECT_EQ(failed.status().tag(), "while[2]");
  EXPECT_EQ((*session->Run({{"x", Tensor::Scalar<int32_t>(-1)}}, {"while"}))[0].DebugString(),
            "int32[] -1");
}

TEST(Functional, LimitsOfAStepAreThoseOfItsBodiesToo) {
  const auto session = *Session::Create(Loop());
  RunOptions options;
  options.max_firings = 20;
  const auto stopped = session->Run({{"x", Tensor::Scalar<int32_t>(1000)}}, {"while"}, {}, options);
  EXPECT_EQ(stopped.status().code(), Code::kResourceExhausted);
  int64_t firings = 0;
  options = {};
  options.firings = &firings;
  EXPECT_FALSE(session->Run({{"x", Tensor::Scalar<int32_t>(5)}}, {"while"}, {}, options).ok());
  EXPECT_GT(firings, 30);
}

TEST(Functional, TokensInABodyAreTraced) {
  const auto session = *Session::Create(Loop());
  std::string lines;
  RunOptions options;
  options.trace = [&](const TraceEvent& event) { lines += TraceLine(event) + "\n"; };
  EXPECT_FALSE(session->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"while"}, {}, options).ok());
  EXPECT_NE(lines.find("\"while/body/less\""), std::string::npos) << lines;
}

}  // namespace
}  // namespace tagflow::reference
