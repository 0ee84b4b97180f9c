#include "graph/rounding.h"

#include <gtest/gtest.h>

#include "graph/op_def.h"

namespace tagflow {
namespace {

Rounding Of(const char* op) { return RoundingOf(*OpRegistry::Standard().Find(op)); }

TEST(Rounding, IsOfTheElementsOfOpsOfTwoTensors) {
  for (const char* op : {"AddV2", "Pow", "Atan2", "SigmoidGrad"}) {
    EXPECT_EQ(Of(op), Rounding::kOfElements) << op;
  }
}

TEST(Rounding, IsOfSumsWhereManyAreAddedUp) {
  for (const char* op : {"MatMul", "Sum", "Einsum", "AddN", "Cross", "Softmax"}) {
    EXPECT_EQ(Of(op), Rounding::kOfSums) << op;
  }
}

TEST(Rounding, IsOfProductsWhereManyAreMultiplied) {
  for (const char* op : {"Prod", "Cumprod", "SegmentProd", "UnsortedSegmentProd"}) {
    EXPECT_EQ(Of(op), Rounding::kOfProducts) << op;
  }
}

TEST(Rounding, IsOfComplementsOfTheBetaFunction) {
  EXPECT_EQ(Of("Betainc"), Rounding::kOfComplements);
}

TEST(Rounding, OfAConversionIsToTheNearest) {
  EXPECT_EQ(Of("Cast"), Rounding::kToNearest);
  for (const OpDef* op : OpRegistry::Standard().All()) {
    EXPECT_EQ(IsConversion(*op), op->name == "Cast") << op->name;
  }
}

}  // namespace
}  // namespace tagflow
