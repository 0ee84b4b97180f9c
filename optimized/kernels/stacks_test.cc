#include <gtest/gtest.h>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Stacks : public ::testing::TestWithParam<OpRunner::Inputs> {
 protected:
  Tensor New(int max_size, DType dtype = DType::kInt32) {
    return (*runner_.Run("StackV2", {Int(max_size)}, {{"elem_type", dtype}}))[0];
  }
  std::string Push(const Tensor& stack, Tensor value) {
    return runner_.Text("StackPushV2", {stack, std::move(value)});
  }
  std::string Pop(const Tensor& stack, DType dtype = DType::kInt32) {
    return runner_.Text("StackPopV2", {stack}, {{"elem_type", dtype}});
  }
  OpRunner runner_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, Stacks,
                         ::testing::Values(OpRunner::Inputs::kLast, OpRunner::Inputs::kShared));

TEST_P(Stacks, AreLastInFirstOut) {
  const Tensor stack = New(-1);
  EXPECT_EQ(Push(stack, Int(1)), "int32[] 1");
  EXPECT_EQ(Push(stack, Ints({2})), "int32[1] [2]");
  EXPECT_EQ(Pop(stack), "int32[1] [2]");
  EXPECT_EQ(Pop(stack), "int32[] 1");
  EXPECT_EQ(Pop(stack), "INVALID_ARGUMENT: Stack[node] is empty when calling Pop().");
}

TEST_P(Stacks, RefuseWrongUse) {
  const Tensor stack = New(1);
  EXPECT_TRUE(Contains(Push(stack, Float(1)), "INVALID_ARGUMENT: Stack[node] holds int32"));
  EXPECT_EQ(Push(stack, Int(1)), "int32[] 1");
  EXPECT_EQ(Push(stack, Int(2)), "INVALID_ARGUMENT: Stack[node] overflowed its max_size (1)");
  EXPECT_TRUE(Contains(Pop(stack, DType::kFloat), "INTERNAL"));
  EXPECT_EQ(runner_.Text("StackCloseV2", {stack}), "");
  EXPECT_EQ(Pop(stack), "INVALID_ARGUMENT: Stack[node] has already been closed.");
  EXPECT_EQ(Push(stack, Int(1)), "INVALID_ARGUMENT: Stack[node] has already been closed.");
  EXPECT_TRUE(Contains(Pop(Tensor::Scalar(ResourceHandle())), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Pop(Empty(DType::kResource, Dims{0})), "must be a scalar"));
  EXPECT_TRUE(Contains(runner_.Text("StackV2", {Ints({1})}, {{"elem_type", DType::kInt32}}),
                       "INVALID_ARGUMENT: max_size must be a scalar"));
}

TEST_P(Stacks, EndWithTheirStep) {
  const Tensor stack = New(-1);
  runner_.step.End();
  EXPECT_TRUE(Contains(Pop(stack), "has already been closed."));
}

TEST_P(Stacks, MayHoldTheirOwnHandles) {
  Tensor stack = New(-1, DType::kResource);
  ASSERT_TRUE(runner_.Run("StackPushV2", {stack, stack}).ok());
  stack = Tensor();
  runner_.step.End();  // leaks, or frees twice, if the ring is not cut
}

}  // namespace
}  // namespace tagflow::optimized
