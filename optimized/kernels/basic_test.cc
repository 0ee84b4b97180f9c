// Tests: basic.cc standard_kernels.cc
#include <gtest/gtest.h>

#include <cmath>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

TEST(BasicKernelsTest, HandOnWhatTheyAreGiven) {
  Check({
      {"NoOp", {}, {}, ""},
      {"Const", {}, {{"value", Ints({1, 2})}, {"dtype", DType::kInt32}}, "int32[2] [1, 2]"},
      {"Identity", {Float(2)}, {}, "float[] 2"},
      {"StopGradient", {Strings({"a"})}, {}, "string[1] [\"a\"]"},
      {"IdentityN", {Float(2), Int(3)}, {}, "float[] 2; int32[] 3"},
  });
}

TEST(BasicKernelsTest, ReadValuesAsBools) {
  Check({
      {"DeepCopy", {Ints({1, 2})}, {}, "int32[2] [1, 2]"},
      {"DeepCopy", {Int(3)}, {}, "int32[] 3"},
      {"Const", {}, {{"value", Int(1)}, {"dtype", DType::kFloat}}, "INVALID_ARGUMENT:"},
      {"ToBool", {Strings({})}, {}, "bool[] false"},
      {"ToBool", {Tensor::Scalar(std::string("x"))}, {}, "bool[] true"},
      {"ToBool", {Float(NAN)}, {}, "bool[] true"},
      {"ToBool", {Float(-0.0f)}, {}, "bool[] false"},
      {"ToBool", {Tensor::Scalar(uint16_t{1})}, {}, "INVALID_ARGUMENT:"},
      {"ToBool", {Tensor::Vector<uint16_t>({0})}, {}, "bool[] true"},
  });
}

TEST(BasicKernelsTest, SelectAReference) {
  OpRunner runner;
  auto variable = [](int value) {
    return VariableReference(
        std::make_shared<Variable>("v", Variable::Contents{DType::kInt32, {}, Int(value)}));
  };
  EXPECT_EQ(runner.Text("RefSelect", {Int(1), variable(5), variable(6)}), "ref int32[] 6");
  EXPECT_TRUE(runner.Text("RefSelect", {Int(2), variable(5), variable(6)})
                  .starts_with("INVALID_ARGUMENT: Index must be in the range [0, 2)"));
}

TEST(BasicKernelsTest, TheLastUseOfAValueMovesIt) {
  OpRunner runner;
  Tensor value = Floats({1, 2, 3});
  const void* data = value.raw_data();
  const auto outputs = runner.Run("Identity", {std::move(value)});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ((*outputs)[0].raw_data(), data);
  EXPECT_TRUE((*outputs)[0].unique());
}

}  // namespace
}  // namespace tagflow::optimized
