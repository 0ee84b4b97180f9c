#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

std::string Moved(const char* op, const char* padding, const AttrValue& strides,
                  const AttrValue& rates, const std::vector<std::string>& inputs) {
  return ShapesOf(op, {{"padding", std::string(padding)}, {"strides", strides}, {"rates", rates}},
                  inputs);
}

TEST(DilationOpsTest, Windows) {
  const AttrValue ones = IntList({1, 1, 1, 1});
  const char* const op = "Dilation2D";
  const auto same = [&](const std::vector<std::string>& inputs) {
    return Moved(op, "SAME", IntList({1, 2, 1, 1}), ones, inputs);
  };
  EXPECT_EQ(same({"[2,5,6,?]", "[3,3,4]"}), "[2,3,6,4]");
  EXPECT_EQ(same({"<unknown>", "<unknown>"}), "[?,?,?,?]");
  const auto valid = [&](const std::vector<std::string>& inputs) {
    return Moved(op, "VALID", ones, IntList({1, 2, 1, 1}), inputs);
  };
  EXPECT_EQ(valid({"[2,7,6,1]", "[3,3,1]"}), "[2,3,4,1]");
  EXPECT_EQ(valid({"[2,7,6,1]", "[?,0,1]"}), "<unknown>");
  EXPECT_PRED2(Contains, valid({"[2,3,6,1]", "[3,3,1]"}), "error");
  EXPECT_PRED2(Contains, valid({"[2,7,6,1]", "[3,3,2]"}), "error");
  EXPECT_PRED2(Contains, valid({"[7,6,1]", "[3,3,1]"}), "rank");
  const AttrValue five = IntList({1, 1, 1, 1, 1});
  EXPECT_PRED2(Contains, Moved(op, "VALID", ones, five, {"[2,7,6,1]", "[3,3,1]"}), "4 elements");
}

TEST(DilationOpsTest, Gradients) {
  const AttrValue ones = IntList({1, 1, 1, 1});
  const std::vector<std::string> inputs = {"[2,5,?,1]", "[3,3,1]", "<unknown>"};
  EXPECT_EQ(Moved("Dilation2DBackpropInput", "SAME", ones, ones, inputs), "[2,5,?,1]");
  EXPECT_EQ(Moved("Dilation2DBackpropFilter", "SAME", ones, ones, inputs), "[3,3,1]");
}

}  // namespace
}  // namespace tagflow
