#include "graph/ops/einsum_equation.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

using Labels = EinsumLabels;

std::string ErrorOf(std::string_view text, size_t inputs) {
  return EinsumEquation::Parse(text, inputs).status().message();
}

TEST(EinsumEquationTest, NamesDimensions) {
  const EinsumEquation equation = *EinsumEquation::Parse("ij,jk->ik", 2);
  EXPECT_TRUE(equation.is_fixed(0));
  EXPECT_EQ(*equation.InputLabels(0, 2), (Labels{'i', 'j'}));
  EXPECT_EQ(*equation.InputLabels(1, 2), (Labels{'j', 'k'}));
  EXPECT_EQ(*equation.OutputLabels(0), (Labels{'i', 'k'}));
  EXPECT_NE(equation.InputLabels(0, 3).status().message().find("equation names 2"),
            std::string::npos);
  EXPECT_FALSE(equation.OutputLabels(1).ok());
}

TEST(EinsumEquationTest, AnEllipsisCountsFromTheEnd) {
  const EinsumEquation equation = *EinsumEquation::Parse("i...j->...ii", 1);
  EXPECT_FALSE(equation.is_fixed(0));
  EXPECT_EQ(equation.EllipsisRank(0, 4), 2);
  EXPECT_EQ(*equation.InputLabels(0, 4), (Labels{'i', -2, -1, 'j'}));
  EXPECT_EQ(*equation.InputLabels(0, 2), (Labels{'i', 'j'}));
  EXPECT_EQ(*equation.OutputLabels(2), (Labels{-2, -1, 'i', 'i'}));
  EXPECT_FALSE(equation.InputLabels(0, 1).ok());
}

TEST(EinsumEquationTest, ScalarsHaveNoLabels) {
  const EinsumEquation equation = *EinsumEquation::Parse(",->", 2);
  EXPECT_EQ(*equation.InputLabels(1, 0), Labels());
  EXPECT_EQ(*equation.OutputLabels(0), Labels());
}

TEST(EinsumEquationTest, SaysWhatIsWrong) {
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(contains, ErrorOf("ij", 1), "must have one '->'");
  EXPECT_PRED2(contains, ErrorOf("ij->->", 1), "must have one '->'");
  EXPECT_PRED2(contains, ErrorOf("ij,jk->ik", 1), "names 2 inputs, and there are 1");
  EXPECT_PRED2(contains, ErrorOf("i,i,i->i", 3), "names 3 inputs; two at a time");
  EXPECT_PRED2(contains, ErrorOf("i.j->i", 1), "no other periods");
  EXPECT_PRED2(contains, ErrorOf("...i...->i", 1), "no other periods");
  EXPECT_PRED2(contains, ErrorOf("ij->k", 1), "label 'k'");
}

}  // namespace
}  // namespace tagflow
