#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

// Inputs of unknown shape from here on.
std::vector<std::string> And(std::vector<std::string> known, size_t unknown) {
  known.resize(known.size() + unknown, "<unknown>");
  return known;
}

TEST(RecurrentOpsTest, AStepGivesTheBatchAndTheCells) {
  EXPECT_EQ(ShapesOf("LSTMBlockCell", {}, And({"[2,5]", "[?,3]"}, 6)),
            "[2,3] [2,3] [2,3] [2,3] [2,3] [2,3] [2,3]");
  EXPECT_EQ(ShapesOf("GRUBlockCell", {}, And({"[?,5]", "[2,3]"}, 4)), "[?,3] [?,3] [?,3] [?,3]");
  EXPECT_EQ(ShapesOf("GRUBlockCell", {}, And({}, 6)), "[?,?] [?,?] [?,?] [?,?]");
  EXPECT_PRED2(Contains, ShapesOf("LSTMBlockCell", {}, And({"[2]"}, 7)), "rank 2");
  EXPECT_PRED2(Contains, ShapesOf("GRUBlockCell", {}, And({"[2,1]", "[2]"}, 4)), "rank 2");
}

TEST(RecurrentOpsTest, GradientsOfAStepAreOfItsGates) {
  const std::initializer_list<std::pair<std::string, AttrValue>> attrs = {{"use_peephole", true}};
  EXPECT_EQ(ShapesOf("LSTMBlockCellGrad", attrs, And({"[2,5]", "[2,3]"}, 14)),
            "[2,3] [2,12] [3] [3] [3]");
  EXPECT_EQ(ShapesOf("LSTMBlockCellGrad", attrs, And({"[2,5]"}, 15)), "[2,?] [2,?] [?] [?] [?]");
  EXPECT_EQ(ShapesOf("GRUBlockCellGrad", {}, And({"[2,5]", "[2,3]", "[8,6]"}, 7)),
            "[2,5] [2,3] [2,3] [2,6]");
  EXPECT_PRED2(Contains, ShapesOf("GRUBlockCellGrad", {}, And({"[2,5]", "[2,3]", "[8]"}, 7)),
               "rank 2");
}

TEST(RecurrentOpsTest, ASequenceGivesTheCellsOfEachTime) {
  for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) {
    const auto shapes = [&](const char* x, const char* bias) {
      return ShapesOf(op, {}, {"[]", x, "[2,3]", "[2,3]", "[8,12]", "[3]", "[3]", "[3]", bias});
    };
    EXPECT_EQ(shapes("[7,2,5]", "[12]"), "[7,2,3] [7,2,3] [7,2,3] [7,2,3] [7,2,3] [7,2,3] [7,2,3]");
    EXPECT_EQ(shapes("<unknown>", "[?]"),
              "[?,?,?] [?,?,?] [?,?,?] [?,?,?] [?,?,?] [?,?,?] [?,?,?]");
    EXPECT_PRED2(Contains, shapes("[7,2,5]", "[13]"), "which 4 does not divide");
    EXPECT_PRED2(Contains, shapes("[2,5]", "[12]"), "rank 3");
    EXPECT_PRED2(Contains, shapes("[7,2,5]", "[3,4]"), "rank 1");
  }
}

TEST(RecurrentOpsTest, GradientsOfASequenceAreAsItsInputs) {
  for (const char* op : {"BlockLSTMGrad", "BlockLSTMGradV2"}) {
    EXPECT_EQ(ShapesOf(op, {{"use_peephole", false}},
                       And({"[]", "[7,2,5]", "[2,3]", "[2,3]", "[8,12]", "[3]", "[?]"}, 11)),
              "[7,2,5] [2,3] [2,3] [8,12] [3] [?] [?] [?]");
    EXPECT_PRED2(Contains, ShapesOf(op, {{"use_peephole", false}}, And({"[]", "[7,2]"}, 16)),
                 "rank 3");
  }
}

}  // namespace
}  // namespace tagflow
