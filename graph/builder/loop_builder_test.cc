#include "graph/builder/loop_builder.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow::internal {
namespace {

TEST(LoopBuilderTest, AVariableMayBeAddedInsideTheBody) {
  const Scope scope = Scope::Root();
  LoopBuilder loop(scope, {});
  loop.AddVariable(Const(scope.WithOpName("zero"), 0));
  loop.SetPredicate([](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); });
  loop.BuildBody([&](const Scope&, const OutputList& v) -> OutputList {
    const size_t late = loop.AddVariable(Const(scope.WithOpName("late"), 1.0f));
    EXPECT_EQ(late, 1u);
    return {v[0] + 1, loop.body_value(late) * 2};
  });
  const OutputList outputs = loop.Finish();
  const Graph graph = Finished(scope);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(Line(graph, "while/Enter_1"), "Enter(late)");
  EXPECT_EQ(Line(graph, "while/Merge_1"), "Merge(while/Enter_1, while/NextIteration_1)");
  EXPECT_EQ(Line(graph, "while/Mul"), "Mul(while/Identity_1, while/Mul/y)");
  EXPECT_EQ(outputs[1].dtype(), DType::kFloat);
}

TEST(LoopBuilderTest, AfterAnErrorEveryStepDoesNothing) {
  const Scope scope = Scope::Root();
  LoopBuilder loop(scope, {.parallel_iterations = -1});
  EXPECT_FALSE(loop.ok());
  loop.AddVariable(Output());
  loop.SetPredicate([](const Scope&, const OutputList&) {
    ADD_FAILURE();
    return Output();
  });
  loop.BuildBody([](const Scope&, const OutputList& v) {
    ADD_FAILURE();
    return v;
  });
  EXPECT_FALSE(loop.body_value(0).valid());
  EXPECT_TRUE(loop.Finish().empty());
  ExpectError(scope, Code::kInvalidArgument, {"parallel_iterations -1"});
}

}  // namespace
}  // namespace tagflow::internal
