// Ops that write part of a tensor. The expected values and refusals are TensorFlow's.
// Tests: slice_update_kernels.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

const Tensor kGrid = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});

TEST(SliceUpdates, GradientsHaveZerosAroundThem) {
  const Tensor one = Ints({1});
  Check({
      {"StridedSliceGrad",
       {Ints({4}), one, Ints({3}), one, Ints({8, 9})},
       {},
       "int32[4] [0, 8, 9, 0]"},
      {"StridedSliceGrad",
       {Ints({4}), one, Ints({3}), one, Ints({8})},
       {},
       "INVALID_ARGUMENT: shape of dy was [1] instead of [2]"},
      {"StridedSliceGrad",
       {Int(4), one, one, one, one},
       {},
       "INVALID_ARGUMENT: shape must be 1-D, got shape []"},
  });
}

TEST(SliceUpdates, ValuesBroadcastToTheSlice) {
  const Tensor x = Ints({1, 2, 3, 4});
  const Tensor begin = Ints({3}), end = Ints({0}), back = Ints({-2});
  Check({
      {"TensorStridedSliceUpdate",
       {x, begin, end, back, Ints({8, 9})},
       {},
       "int32[4] [1, 9, 3, 8]"},
      {"TensorStridedSliceUpdate", {x, begin, end, back, Int(7)}, {}, "int32[4] [1, 7, 3, 7]"},
      {"TensorStridedSliceUpdate",
       {x, begin, end, Ints({1}), Ints({7, 7, 7})},
       {},
       "int32[4] [1, 2, 3, 4]"},
      {"TensorStridedSliceUpdate",
       {x, begin, end, back, Ints({7, 8, 9})},
       {},
       "INVALID_ARGUMENT: Cannot broadcast input shape [3] into final shape [2]"},
  });
}

TEST(SliceUpdates, OfVariables) {
  OpRunner runner;
  auto variable = std::make_shared<Variable>();
  variable->name = "v";
  variable->dtype = DType::kInt32;
  const std::vector<OpRunner::Input> inputs = {variable, Ints({0}), Ints({1}), Ints({1}), Int(9)};
  EXPECT_EQ(runner.Text("StridedSliceAssign", inputs),
            "FAILED_PRECONDITION: Attempting to use uninitialized value v");
  variable->value = Ints({1, 2});
  const Tensor before = variable->value;
  EXPECT_EQ(runner.Text("StridedSliceAssign", inputs), "ref int32[2] [9, 2]");
  EXPECT_EQ(before.DebugString(), "int32[2] [1, 2]");
  ASSERT_EQ(runner.accesses.size(), 1U);
  EXPECT_TRUE(runner.accesses[0].is_write);
}

TEST(SliceUpdates, OfVariablesByHandle) {
  OpRunner runner;
  const Tensor handle =
      runner.Run("VarHandleOp", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape()}})
          ->tensors[0];
  const std::vector<OpRunner::Input> inputs = {handle, Ints({0}), Ints({1}), Ints({1}), Int(9)};
  EXPECT_PRED2(
      [](const std::string& text, const char* part) { return text.find(part) != text.npos; },
      runner.Text("ResourceStridedSliceAssign", inputs), "NOT_FOUND");
  ASSERT_EQ(runner.Text("AssignVariableOp", {handle, Ints({1, 2})}), "");
  EXPECT_EQ(runner.Text("ResourceStridedSliceAssign", inputs), "");
  EXPECT_EQ(runner.Text("ReadVariableOp", {handle}, {{"dtype", DType::kInt32}}), "int32[2] [9, 2]");
}

TEST(SliceUpdates, RowsCountModulo) {
  const Tensor row = Ints(Dims{1, 3}, {7, 8, 9});
  Check({
      {"InplaceUpdate", {kGrid, Ints({-1}), row}, {}, "int32[2,3] [[1, 2, 3], [7, 8, 9]]"},
      {"InplaceAdd", {kGrid, Ints({2}), row}, {}, "int32[2,3] [[8, 10, 12], [4, 5, 6]]"},
      {"InplaceSub", {kGrid, Ints({0}), row}, {}, "int32[2,3] [[-6, -6, -6], [4, 5, 6]]"},
      {"InplaceAdd",
       {kGrid, Int(0), row},
       {},
       "INVALID_ARGUMENT: i must be a vector, not of shape []"},
      {"InplaceAdd",
       {Strings({"a"}), Ints({0}), Strings({"b"})},
       {},
       "INVALID_ARGUMENT: Unsupported data type: string"},
  });
}

}  // namespace
}  // namespace tagflow::reference
