#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

AttrList Floats(size_t count) {
  AttrList list;
  list.types.assign(count, ArgType{DType::kFloat, false});
  return list;
}

AttrList Shapes(std::vector<PartialShape> shapes) {
  AttrList list;
  list.shapes = std::move(shapes);
  return list;
}

TEST(ParsingOpsTest, RawBytesAreOneMoreDimension) {
  EXPECT_EQ(ShapesOf("DecodeRaw", {{"out_type", DType::kFloat}}, {"[2,?]"}), "[2,?,?]");
  EXPECT_EQ(ShapesOf("DecodeRaw", {{"out_type", DType::kFloat}}, {"<unknown>"}), "<unknown>");
}

TEST(ParsingOpsTest, ExamplesAreTheFirstDimension) {
  const PartialShape pairs(Dims{2}), open(Dims{PartialShape::kUnknownDim, 2});
  const auto shapes = [&](const std::string& examples) {
    return ShapesOf("ParseExampleV2",
                    {{"num_sparse", 1},
                     {"sparse_types", Floats(1)},
                     {"Tdense", Floats(2)},
                     {"dense_shapes", Shapes({pairs, open})},
                     {"ragged_value_types", AttrList()},
                     {"ragged_split_types", AttrList()}},
                    {examples, "[0]", "[1]", "[2]", "[0]", "[0]", "[]"});
  };
  EXPECT_EQ(shapes("[3]"), "[?,2] [?] [2] [3,2] [3,?,2]");
  EXPECT_EQ(shapes("[]"), "[?,1] [?] [1] [2] [?,2]");
  EXPECT_EQ(shapes("<unknown>"), "[?,?] [?] [?] <unknown> <unknown>");
  EXPECT_PRED2(Contains, shapes("[3,3]"), "a scalar or a vector");
  EXPECT_PRED2(Contains,
               ShapesOf("ParseExample",
                        {{"Nsparse", 0},
                         {"Ndense", 0},
                         {"sparse_types", AttrList()},
                         {"Tdense", AttrList()},
                         {"dense_shapes", AttrList()}},
                        {"[]", "[0]"}),
               "serialized");
  EXPECT_PRED2(Contains,
               ShapesOf("ParseExample",
                        {{"Nsparse", 2},
                         {"Ndense", 0},
                         {"sparse_types", Floats(1)},
                         {"Tdense", AttrList()},
                         {"dense_shapes", AttrList()}},
                        {"[3]", "[0]", "[]", "[]"}),
               "Nsparse, 2, but got: 1");
}

}  // namespace
}  // namespace tagflow
