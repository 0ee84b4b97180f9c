// Tests: result_types.cc, shape_rules.cc

#include "fuzz/program/result_types.h"

#include <gtest/gtest.h>

#include "fuzz/program/shape_rules.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

// "none" if `call` gives a value of `type`, else what is wrong.
std::string ErrorOf(const std::string& type, const std::string& call) {
  const Result<Program> program = ParseProgram(R"(
    input p: bool = true
    input p2: bool[2] = [true, true]
    input f: float = 1
    input f2: float[2] = [1, 2]
    input f3: float[3] = [1, 2, 3]
    input f23: float[2,3] = [[1, 2, 3], [4, 5, 6]]
    input f31: float[3,1] = [[1], [2], [3]]
    input d: double = 1
    input u: uint8 = 1
    input i: int32 = 3
    input m: int32[3] = [1, 2, 3]
    input open: float[?] = float[2] [1, 2]
    input other: float[?] = float[2] [1, 2]
    input wide: float[?,3] = float[0,3] []
    a: array of float[2] = ArrayNew [5]
    s: stack of float[?] = StackNew [5]
    y: )" + type + " = " + call);
  if (program.ok()) return "none";
  const std::string& message = program.status().message();
  return message.substr(message.rfind("': ") + 3);
}

TEST(ResultTypesTest, ElementwiseOperationsTakeTheirDTypes) {
  EXPECT_EQ(ErrorOf("bool", "Neg(p)"), "does not take bool");
  EXPECT_EQ(ErrorOf("uint8", "Neg(u)"), "does not take uint8");
  EXPECT_EQ(ErrorOf("uint8", "Square(u)"), "none");
  EXPECT_EQ(ErrorOf("int32", "Sqrt(i)"), "does not take int32");
  EXPECT_EQ(ErrorOf("int32", "Sigmoid(i)"), "does not take int32");
  EXPECT_EQ(ErrorOf("int32", "Div(i, i)"), "does not take int32");
  EXPECT_EQ(ErrorOf("float", "FloorDiv(f, f)"), "does not take float");
  EXPECT_EQ(ErrorOf("float", "LogicalNot(f)"), "does not take float");
  EXPECT_EQ(ErrorOf("bool", "LogicalOr(p, p)"), "none");
  EXPECT_EQ(ErrorOf("bool", "Less(p, p)"), "does not take bool");
  EXPECT_EQ(ErrorOf("bool", "Equal(p, p)"), "none");
  EXPECT_EQ(ErrorOf("bool", "Add(p, p)"), "does not take bool");
  EXPECT_EQ(ErrorOf("bool", "ZerosLike(p)"), "none");
  EXPECT_EQ(ErrorOf("float", "Add(f, d)"), "the operands' types differ: float and double");
  EXPECT_EQ(ErrorOf("float", "Add(f, a)"), "operand 1 must be a tensor, not array of float[2]");
  EXPECT_EQ(ErrorOf("float", "Less(f, f)"), "what it gives is a bool, not a float");
  EXPECT_EQ(ErrorOf("uint8[2]", "Cast(f2)"), "none");
  EXPECT_EQ(ErrorOf("uint8[3]", "Cast(f2)"), "what it gives is a uint8[2], not a uint8[3]");
  EXPECT_EQ(ErrorOf("string", "Cast(f2)").find("programs have no string") != std::string::npos,
            true);
}

TEST(ResultTypesTest, OperandsBroadcast) {
  EXPECT_EQ(ErrorOf("float[2,3]", "Add(f23, f3)"), "none");
  EXPECT_EQ(ErrorOf("float[3,3]", "Add(f31, f3)"), "none");
  EXPECT_EQ(ErrorOf("float[2,3]", "Add(f23, f)"), "none");
  EXPECT_EQ(ErrorOf("float[3]", "Add(f3, f2)"), "the shapes [3] and [2] do not broadcast");
  EXPECT_EQ(ErrorOf("float[2]", "Add(f3, f)"), "what it gives is a float[3], not a float[2]");
  EXPECT_EQ(ErrorOf("float[?]", "Add(f3, f)"), "none");  // to know less is no fault
}

TEST(ResultTypesTest, AnUnknownDimensionMeetsItselfAndOnesOnly) {
  EXPECT_EQ(ErrorOf("float[?]", "Add(open, f)"), "none");
  EXPECT_EQ(ErrorOf("float[?]", "Add(open, open)"), "none");
  EXPECT_EQ(ErrorOf("float[?]", "Neg(open) z: float[?] = Mul(y, open)"), "none");
  EXPECT_EQ(ErrorOf("float[3,?]", "Add(f31, open)"), "none");
  EXPECT_EQ(ErrorOf("float[?,3]", "Add(wide, f3)"), "none");
  EXPECT_EQ(ErrorOf("float[?]", "Add(open, other)"),
            "the shapes [?] and [?] do not broadcast, as far as is known");
  EXPECT_EQ(ErrorOf("float[?]", "Add(open, f2)"),
            "the shapes [?] and [2] do not broadcast, as far as is known");
  EXPECT_EQ(ErrorOf("float[?]", "Concat(open, f) [0]"), "cannot put [] behind [?] along axis 0");
  EXPECT_EQ(ErrorOf("float[?]", "Concat(open, open) [0] z: float[?] = Add(y, open)"),
            "the shapes [?] and [?] do not broadcast, as far as is known");
  EXPECT_EQ(ErrorOf("float[2,?]", "Pack(open, open)"), "none");
  EXPECT_EQ(ErrorOf("float[2,?]", "Pack(open, other)"),
            "the operands' types differ: float[?] and float[?]");
}

TEST(ResultTypesTest, SelectTakesOneShape) {
  EXPECT_EQ(ErrorOf("float[2]", "Select(p2, f2, f2)"), "none");
  EXPECT_EQ(ErrorOf("float[2]", "Select(p, f2, f)"), "none");
  EXPECT_EQ(ErrorOf("float[2,3]", "Select(p, f23, f3)"),
            "the operands must have one shape or be scalars");
  EXPECT_EQ(ErrorOf("float", "Select(f, f, f)"), "the condition must be a bool, not float");
  EXPECT_EQ(ErrorOf("float", "Select(p, f, d)"), "the operands' types differ: float and double");
}

TEST(ResultTypesTest, ReductionsTakeDistinctAxes) {
  EXPECT_EQ(ErrorOf("float", "Sum(f23)"), "none");
  EXPECT_EQ(ErrorOf("float[2]", "Mean(f23) [1]"), "none");
  EXPECT_EQ(ErrorOf("float", "Max(f23) [1, 0]"), "none");
  EXPECT_EQ(ErrorOf("float", "Max(f23) [0, 0]"), "the axes [0,0] are not distinct ones of [2,3]");
  EXPECT_EQ(ErrorOf("float", "Min(f) [0]"), "the axes [0] are not distinct ones of []");
  EXPECT_EQ(ErrorOf("bool", "Sum(p2)"), "does not take bool");
}

TEST(ResultTypesTest, RearrangementsStayInside) {
  EXPECT_EQ(ErrorOf("float[3,2]", "Reshape(f23) [3, 2]"), "none");
  EXPECT_EQ(ErrorOf("float[4]", "Reshape(f23) [4]"), "cannot reshape [2,3] to [4]");
  EXPECT_EQ(ErrorOf("float[6]", "Reshape(f23) [-1]"), "cannot reshape [2,3] to [-1]");
  EXPECT_EQ(ErrorOf("float[2,1,3]", "ExpandDims(f23) [1]"), "none");
  EXPECT_EQ(ErrorOf("float[2,1,3]", "ExpandDims(f23) [3]"), "there is no place 3 in [2,3]");
  EXPECT_EQ(ErrorOf("float[1,2]", "Slice(f23) [1, 1, 1, 2]"), "none");
  EXPECT_EQ(ErrorOf("float[1,3]", "Slice(f23) [1, 1, 1, 3]"),
            "the begins and sizes [1,1,1,3] are not inside [2,3]");
  EXPECT_EQ(ErrorOf("float[1]", "Slice(f23) [0, 1]"),
            "the begins and sizes [0,1] are not inside [2,3]");
  EXPECT_EQ(ErrorOf("float[4,3]", "Tile(f23) [2, 1]"), "none");
  EXPECT_EQ(ErrorOf("float[?,6]", "Tile(wide) [2, 2]"), "none");
  EXPECT_EQ(ErrorOf("float[4,3]", "Tile(f23) [2]"), "the multiples [2] do not suit [2,3]");
  EXPECT_EQ(ErrorOf("float[3,2]", "Transpose(f23) [1, 0]"), "none");
  EXPECT_EQ(ErrorOf("float[3,2]", "Transpose(f23) [1, 1]"),
            "[1,1] is no permutation of the axes of [2,3]");
  EXPECT_EQ(ErrorOf("float[2]", "Fill(f) [2]"), "none");
  EXPECT_EQ(ErrorOf("float[2]", "Fill(f) [-2]"), "a dimension in [-2] is negative");
  EXPECT_EQ(ErrorOf("float[2]", "Fill(f2) [2]"), "the operand must be a scalar");
  EXPECT_EQ(ErrorOf("float[2,6]", "Concat(f23, f23) [1]"), "none");
  EXPECT_EQ(ErrorOf("float[2,6]", "Concat(f23, f31) [1]"),
            "cannot put [3,1] behind [2,3] along axis 1");
  EXPECT_EQ(ErrorOf("float[2,6]", "Concat(f23, f23) [2]"),
            "cannot put [2,3] behind [2,3] along axis 2");
}

TEST(ResultTypesTest, ProductsAndElementsAndCounts) {
  EXPECT_EQ(ErrorOf("float[2,1]", "MatMul(f23, f31)"), "none");
  EXPECT_EQ(ErrorOf("float[2,1]", "MatMul(f31, f23)"), "cannot multiply float[3,1] by float[2,3]");
  EXPECT_EQ(ErrorOf("float[3]", "ElementAt(f23, i)"), "none");
  EXPECT_EQ(ErrorOf("float", "ElementAt(f, i)"),
            "the first dimension of float is not known to be at least 1");
  EXPECT_EQ(ErrorOf("float[3]", "ElementAt(wide, i)"),
            "the first dimension of float[?,3] is not known to be at least 1");
  EXPECT_EQ(ErrorOf("float[3]", "ElementAt(f23, f)"),
            "operand 1, the index, must be an int32, not float");
  EXPECT_EQ(ErrorOf("int32[2]", "Shape(wide)"), "none");
  EXPECT_EQ(ErrorOf("int32", "Size(wide)"), "none");
  EXPECT_EQ(ErrorOf("int32", "Rank(a)"), "operand 0 must be a tensor, not array of float[2]");
  EXPECT_EQ(ErrorOf("float", "Pack"), "takes at least one operand");
}

TEST(ResultTypesTest, ArraysAndStacksHoldTheirElements) {
  EXPECT_EQ(ErrorOf("array of float[2]", "ArrayWrite(a, i, f2)"), "none");
  EXPECT_EQ(ErrorOf("array of float[2]", "ArrayWrite(a, i, f3)"),
            "a float[3] is no element of array of float[2]");
  EXPECT_EQ(ErrorOf("array of float[2]", "ArrayWrite(a, f, f2)"),
            "operand 1, the index, must be an int32, not float");
  EXPECT_EQ(ErrorOf("float[2]", "ArrayRead(f2, i)"), "operand 0 must be an array, not float[2]");
  EXPECT_EQ(ErrorOf("float[5,2]", "ArrayGather(a)"), "none");
  EXPECT_EQ(ErrorOf("float[6,2]", "ArrayGather(a)"),
            "what it gives is a float[5,2], not a float[6,2]");
  EXPECT_EQ(ErrorOf("array of float[?]", "ArrayNew [3]"), "the elements' shape must be known");
  EXPECT_EQ(ErrorOf("float", "ArrayNew [3]"), "does not give float");
  EXPECT_EQ(ErrorOf("array of float", "ArrayNew [-3]"), "the size must be between 0 and 1048576");
  EXPECT_EQ(ErrorOf("stack of float[?]", "StackPush(s, f3)"), "none");
  EXPECT_EQ(ErrorOf("stack of float[?]", "StackPush(s, f)"),
            "a float is no element of stack of float[?]");
  EXPECT_EQ(ErrorOf("float[?], z: stack of float[?]", "StackPop(s)"), "none");
  EXPECT_EQ(ErrorOf("float[2], z: stack of float[?]", "StackPop(s)"),
            "what it gives is a float[?], not a float[2]");
  EXPECT_EQ(ErrorOf("float[2], z: stack of float[?]", "StackPop(a)"),
            "operand 0 must be a stack, not array of float[2]");
}

TEST(ResultTypesTest, TypesAreWritten) {
  EXPECT_EQ(TypeText({Kind::kTensor, DType::kInt32, {}}), "int32");
  EXPECT_EQ(TypeText({Kind::kArray, DType::kHalf, {2, -1}}), "array of half[2,?]");
  EXPECT_EQ(TypeText({Kind::kStack, DType::kBool, {}}), "stack of bool");
  EXPECT_FALSE(CheckType({Kind::kTensor, DType::kFloat, Dims(9, 1)}).ok());
  EXPECT_FALSE(CheckType({Kind::kTensor, DType::kFloat, {1 << 20, 2}}).ok());
  EXPECT_FALSE(CheckType({Kind::kTensor, DType::kComplex64, {}}).ok());
}

}  // namespace
}  // namespace tagflow::fuzz
