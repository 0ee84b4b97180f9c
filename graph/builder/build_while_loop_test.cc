#include "graph/builder/build_while_loop.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

TEST(BuildWhileLoopTest, PortedCode) {
  const Scope scope = Scope::Root();
  const Output zero = Const(scope.WithOpName("zero"), 0);
  std::vector<Output> outputs;
  Output cond_output;
  const Status status = BuildWhileLoop(
      scope, {zero},
      [](const Scope& s, const std::vector<Output>& in, Output* out) {
        *out = Less(s, in[0], 3);
        return s.status();
      },
      [](const Scope& s, const std::vector<Output>& in, std::vector<Output>* out) {
        out->push_back(Add(s, in[0], 1));
        return s.status();
      },
      "frame", &outputs, true, &cond_output);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const Graph graph = Finished(scope);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(Line(graph, outputs[0].name()), "Exit(while/Switch)");
  EXPECT_EQ(Line(graph, cond_output.name()), "LoopCond(while/Less)");
  EXPECT_EQ(*StringAttr(graph.node(graph.Find("while/Enter")), "frame_name"), "frame");
}

TEST(BuildWhileLoopTest, AnErrorOfAFunctionIsReturned) {
  const Scope scope = Scope::Root();
  std::vector<Output> outputs;
  const Status status = BuildWhileLoop(
      scope, {Const(scope, 0)},
      [](const Scope&, const std::vector<Output>&, Output*) { return OutOfRange("mine"); },
      [](const Scope&, const std::vector<Output>&, std::vector<Output>*) { return Status(); },
      "frame", &outputs);
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_TRUE(outputs.empty());
}

}  // namespace
}  // namespace tagflow
