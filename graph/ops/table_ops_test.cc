#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(TableOpsTest, WhatIsFoundHasTheShapeOfTheKeysWhereAValueIsAScalar) {
  EXPECT_EQ(ShapesOf("LookupTableFindV2", {}, {"[]", "[2,?]", "[]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("LookupTableFindV2", {}, {"[]", "[2,?]", "[3]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("LookupTableFindV2", {}, {"[]", "[2,?]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("LookupTableFindV2", {}, {"[1]", "[2]", "[]"}),
               "input 'table_handle' must be a scalar");
}

TEST(TableOpsTest, KeysHaveAValueEach) {
  EXPECT_EQ(ShapesOf("InitializeTableV2", {}, {"[]", "[?]", "[3]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("InitializeTableV2", {}, {"[]", "[2]", "[3]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf("InitializeTableV2", {}, {"[]", "[]", "[]"}), "keys");
  EXPECT_EQ(ShapesOf("LookupTableImportV2", {}, {"[]", "[2]", "[2,4]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("LookupTableImportV2", {}, {"[]", "[2]", "[3]"}), "3");
  EXPECT_PRED2(Contains, ShapesOf("LookupTableImportV2", {}, {"[]", "[2,2]", "[2,2]"}), "keys");
  EXPECT_EQ(ShapesOf("LookupTableInsertV2", {}, {"[]", "[]", "[3]"}), "");
}

TEST(TableOpsTest, TheOthers) {
  EXPECT_EQ(
      ShapesOf("HashTableV2", {{"key_dtype", DType::kInt64}, {"value_dtype", DType::kString}}, {}),
      "[]");
  EXPECT_EQ(ShapesOf("LookupTableExportV2", {{"Tkeys", DType::kInt64}, {"Tvalues", DType::kString}},
                     {"[]"}),
            "[?] <unknown>");
  EXPECT_EQ(ShapesOf("LookupTableSizeV2", {}, {"[]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("LookupTableRemoveV2", {}, {"[]", "[]"}), "keys");
  EXPECT_PRED2(Contains,
               ShapesOf("InitializeTableFromTextFileV2", {{"key_index", -2}, {"value_index", -1}},
                        {"[]", "[2]"}),
               "filename");
}

}  // namespace
}  // namespace tagflow
