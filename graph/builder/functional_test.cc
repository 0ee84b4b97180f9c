#include "graph/builder/functional.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

class FunctionalTest : public testing::Test {
 protected:
  Scope scope_ = Scope::Root();
  Output rows_ = Const(scope_.WithOpName("rows"), Dims{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  Output ids_ = Const(scope_.WithOpName("ids"), std::vector<int32_t>{7, 8, 9});
};

TEST_F(FunctionalTest, MapTakesTheTypeOfItsResults) {
  const OutputList out = Map(scope_,
                             [](const Scope& s, const OutputList& row) -> OutputList {
                               return {Sum(s, row[0], 0), Greater(s, row[1], 7)};
                             },
                             {rows_, ids_});
  Finished(scope_);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].dtype(), DType::kFloat);
  EXPECT_EQ(out[1].dtype(), DType::kBool);
}

TEST_F(FunctionalTest, MapHasOneFlowPerResult) {
  Map(scope_, [](const Scope&, const OutputList& row) -> OutputList { return row[0] * 2; }, rows_,
      {.parallel_iterations = 4});
  const Graph graph = Finished(scope_);
  EXPECT_EQ(CountOps(graph, "TensorArrayV3"), 2);
  EXPECT_EQ(CountOps(graph, "Exit"), 2);  // the index and the flow
  EXPECT_EQ(*IntAttr(graph.node(graph.Find("map/while/Enter")), "parallel_iterations"), 4);
}

TEST_F(FunctionalTest, RowsHaveTheShapeOfARow) {
  PartialShape seen;
  Map(
      scope_,
      [&seen](const Scope&, const OutputList& row) {
        seen = row[0].shape();
        return row;
      },
      rows_);
  Finished(scope_);
  EXPECT_EQ(seen, PartialShape(Dims{2}));
}

TEST_F(FunctionalTest, NoElementsOrAScalarIsAnError) {
  auto same = [](const Scope&, const OutputList& row) { return row; };
  const Scope other = Scope::Root();
  Map(other, same, OutputList());
  ExpectError(other, Code::kInvalidArgument, {"no elements"});
  Map(scope_, same, Const(scope_.WithOpName("point"), 1));
  ExpectError(scope_, Code::kInvalidArgument, {"'point' is a scalar"});
}

TEST_F(FunctionalTest, AFoldGivesOneTensorPerAccumulator) {
  FoldL(scope_, [](const Scope&, const OutputList&, const OutputList& row) { return row; },
        {ids_, ids_}, {Const(scope_, 0)});
  ExpectError(scope_, Code::kInvalidArgument, {"2 tensors", "1 accumulators"});
}

TEST_F(FunctionalTest, AnAccumulatorKeepsItsType) {
  FoldL(scope_, [](const Scope&, const OutputList&, const OutputList& row) { return row; }, {ids_},
        {Const(scope_.WithOpName("start"), 0.0f)});
  ExpectError(scope_, Code::kInvalidArgument, {"(initially 'start')", "int32", "float"});
}

}  // namespace
}  // namespace tagflow
