#include "fuzz/gradient/finite_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fuzz/program/test_program.h"

namespace tagflow::fuzz {
namespace {

FiniteDifference Of(const std::string& text) {
  const auto differences = FiniteDifferences(ProgramOf(text), 0, 0);
  EXPECT_TRUE(differences.ok()) << differences.status().ToString();
  return differences.ok() ? differences->at(0) : FiniteDifference();
}

TEST(FiniteDifference, IsExactForSmoothFunctionsUpToItsError) {
  const FiniteDifference sine = Of("input v0: double = 2\nv1: double = Sin(v0)\nreturn v1\n");
  EXPECT_TRUE(sine.comparable);
  EXPECT_NEAR(sine.derivative, std::cos(2), 1e-9);
  EXPECT_LT(sine.error, 1e-5);
  const FiniteDifference large =
      Of("input v0: double = 1000\nv1: double = Mul(v0, v0)\nreturn v1\n");
  EXPECT_NEAR(large.derivative, 2000, 1e-6);
}

TEST(FiniteDifference, GoesThroughLoopsElementByElement) {
  const Program program = ProgramOf(R"(
    input v0: double[2] = [1.25, -2]
    v1: int32 = Const 3
    v2: int32, v3: double[2] = While(v1, v0) from 0 step 1 Less most 3 {
    test(v4: int32, v5: double[2]):
    body(v6: int32, v7: double[2]):
      v8: double[2] = Mul(v7, v0)
      return v8
    }
    return v3
  )");
  const auto differences = FiniteDifferences(program, 0, 0);
  ASSERT_TRUE(differences.ok()) << differences.status().ToString();
  EXPECT_NEAR(differences->at(0).derivative, 4 * std::pow(1.25, 3), 1e-7);
  EXPECT_NEAR(differences->at(1).derivative, 4 * -8.0, 1e-7);
}

TEST(FiniteDifference, AdmitsACornerAJumpAndASwing) {
  EXPECT_GT(Of("input v0: double = 0\nv1: double = Abs(v0)\nreturn v1\n").error, 0.5);
  EXPECT_GT(Of("input v0: double = 0.0001\nv1: double = Sign(v0)\nreturn v1\n").error, 0.5);
  EXPECT_GT(Of("input v0: double = 1\nv1: double = Const 14\nv2: double = Mul(v0, v1)\n"
               "v3: double = Exp(v2)\nv4: double = Sin(v3)\nreturn v4\n")
                .error,
            0.5);
}

TEST(FiniteDifference, SaysNothingWhereTheProgramGoesAnotherWayNearBy) {
  const std::string branch = R"(
    v1: double = Const 1
    v2: bool = Less(v0, v1)
    v3: double = Cond(v2) {
    then:
      v4: double = Square(v0)
      return v4
    else:
      return v1
    }
    return v3
  )";
  EXPECT_FALSE(Of("input v0: double = 1" + branch).comparable);
  EXPECT_FALSE(Of("input v0: double = 0.9999" + branch).comparable);
  EXPECT_TRUE(Of("input v0: double = 0.9" + branch).comparable);
}

TEST(FiniteDifference, IsOfDoublesByDoubles) {
  const Program program =
      ProgramOf("input v0: float = 1\nv1: float = Neg(v0)\nv2: double = Cast(v1)\nreturn v2, v1\n");
  for (const auto& [output, input] : {std::pair(0, 0), std::pair(5, 0), std::pair(0, -1)}) {
    EXPECT_EQ(FiniteDifferences(program, output, input).status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
