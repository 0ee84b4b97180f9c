// The named helpers: each is the op it says, with the attrs it says.

#include "graph/builder/array_ops.h"
#include "graph/builder/builder_test_util.h"
#include "graph/builder/math_ops.h"
#include "graph/builder/stack.h"
#include "graph/builder/tensor_array.h"
#include "graph/builder/variable.h"

namespace tagflow {
namespace {

class OpsTest : public testing::Test {
 protected:
  void ExpectOp(const Operation& op, std::string_view name) {
    ASSERT_TRUE(op.valid()) << name << ": " << scope_.status().ToString();
    EXPECT_EQ(scope_.graph().node(op.node()).op, name);
  }

  Scope scope_ = Scope::Root();
  Output x_ = Placeholder(scope_, DType::kFloat, Dims{2, 3});
  Output i_ = Placeholder(scope_, DType::kInt32, Dims{});
  Output p_ = Placeholder(scope_, DType::kBool, Dims{2, 3});
};

TEST_F(OpsTest, Arithmetic) {
  ExpectOp(Add(scope_, x_, 1), "AddV2");
  ExpectOp(Sub(scope_, x_, 1), "Sub");
  ExpectOp(Mul(scope_, x_, 1), "Mul");
  ExpectOp(Div(scope_, i_, 2), "Div");
  ExpectOp(RealDiv(scope_, x_, 2), "RealDiv");
  ExpectOp(FloorDiv(scope_, i_, 2), "FloorDiv");
  ExpectOp(FloorMod(scope_, i_, 2), "FloorMod");
  ExpectOp(Pow(scope_, x_, 2), "Pow");
  ExpectOp(Maximum(scope_, x_, 2), "Maximum");
  ExpectOp(Minimum(scope_, x_, 2), "Minimum");
  ExpectOp(Sigmoid(scope_, x_), "Sigmoid");
  EXPECT_EQ(Cast(scope_, x_, DType::kInt64).dtype(), DType::kInt64);
  Finished(scope_);
}

TEST_F(OpsTest, ComparisonsAndLogic) {
  ExpectOp(Equal(scope_, x_, 1), "Equal");
  ExpectOp(NotEqual(scope_, x_, 1), "NotEqual");
  ExpectOp(LessEqual(scope_, x_, 1), "LessEqual");
  ExpectOp(GreaterEqual(scope_, x_, 1), "GreaterEqual");
  ExpectOp(LogicalOr(scope_, p_, true), "LogicalOr");
  ExpectOp(LogicalNot(scope_, p_), "LogicalNot");
  ExpectOp(Select(scope_, p_, x_, 0), "SelectV2");
  Finished(scope_);
}

TEST_F(OpsTest, ReductionsAndProducts) {
  EXPECT_EQ(Sum(scope_, x_, 0).shape(), PartialShape(Dims{3}));
  EXPECT_EQ(Mean(scope_, x_, 1, true).shape(), PartialShape(Dims{2, 1}));
  EXPECT_EQ(All(scope_, p_, -1).shape(), PartialShape(Dims{2}));
  ExpectOp(Any(scope_, p_, 0), "Any");
  ExpectOp(Max(scope_, x_, 0), "Max");
  ExpectOp(Min(scope_, x_, 0), "Min");
  EXPECT_EQ(MatMul(scope_, x_, x_, false, true).shape(), PartialShape(Dims{2, 2}));
  ExpectOp(AddN(scope_, {x_, x_}), "AddN");
  Finished(scope_);
}

TEST_F(OpsTest, ShapesAndRearrangements) {
  EXPECT_EQ(Shape(scope_, x_, DType::kInt64).dtype(), DType::kInt64);
  ExpectOp(Size(scope_, x_), "Size");
  ExpectOp(Rank(scope_, x_), "Rank");
  EXPECT_EQ(Reshape(scope_, x_, Tensor::Vector<int32_t>({3, 2})).shape(), PartialShape(Dims{3, 2}));
  const Output wide = ExpandDims(scope_, x_, 0);
  EXPECT_EQ(wide.shape(), PartialShape(Dims{1, 2, 3}));
  EXPECT_EQ(Squeeze(scope_, wide, {0}).shape(), PartialShape(Dims{2, 3}));
  EXPECT_EQ(Pack(scope_, {x_, x_}, 1).shape(), PartialShape(Dims{2, 2, 3}));
  EXPECT_EQ(Unpack(scope_, x_, 3, 1).size(), 3u);
  EXPECT_EQ(Concat(scope_, {x_, x_}, 1).shape(), PartialShape(Dims{2, 6}));
  EXPECT_EQ(ElementAt(scope_, x_, i_).shape(), PartialShape(Dims{3}));
  ExpectOp(Slice(scope_, x_, Tensor::Vector<int32_t>({0, 0}), Tensor::Vector<int32_t>({1, 1})),
           "Slice");
  ExpectOp(Tile(scope_, x_, Tensor::Vector<int32_t>({2, 1})), "Tile");
  ExpectOp(Transpose(scope_, x_, Tensor::Vector<int32_t>({1, 0})), "Transpose");
  ExpectOp(Fill(scope_, Tensor::Vector<int32_t>({2}), 1.5f), "Fill");
  ExpectOp(Range(scope_, 0, i_, 2), "Range");
  ExpectOp(ZerosLike(scope_, x_), "ZerosLike");
  ExpectOp(OnesLike(scope_, x_), "OnesLike");
  ExpectOp(StopGradient(scope_, x_), "StopGradient");
  ExpectOp(PlaceholderWithDefault(scope_, x_, PartialShape()), "PlaceholderWithDefault");
  EXPECT_EQ(IdentityN(scope_, {x_, i_}).size(), 2u);
  Finished(scope_);
}

TEST_F(OpsTest, AnArrayThreadsItsFlow) {
  const TensorArray array(scope_, i_, DType::kFloat,
                          {.element_shape = PartialShape(Dims{3}), .name = "rows"});
  const TensorArray written = array.Write(scope_, 0, ElementAt(scope_, x_, 0));
  EXPECT_EQ(written.handle().name(), "rows");
  EXPECT_NE(written.flow().name(), array.flow().name());
  EXPECT_EQ(written.Read(scope_, 0).shape(), PartialShape(Dims{3}));
  ExpectOp(array.Unstack(scope_, x_).Gather(scope_), "TensorArrayGatherV3");
  ExpectOp(array.Split(scope_, x_, Tensor::Vector<int64_t>({1, 1})).Concat(scope_),
           "TensorArrayConcatV3");
  ExpectOp(array.Gradient(scope_, "g").flow(), "TensorArrayGradV3");
  ExpectOp(array.Size(scope_), "TensorArraySizeV3");
  ExpectOp(array.Close(scope_), "TensorArrayCloseV3");
  Finished(scope_);
}

TEST_F(OpsTest, AStackPushesAndPops) {
  const Stack stack(scope_, -1, DType::kFloat);
  ExpectOp(stack.Push(scope_, x_, true), "StackPushV2");
  EXPECT_EQ(stack.Pop(scope_).dtype(), DType::kFloat);
  ExpectOp(stack.Close(scope_), "StackCloseV2");
  stack.Push(scope_, i_);
  ExpectError(scope_, Code::kInvalidArgument, {"int32", "float"});
}

TEST_F(OpsTest, VariablesOfBothKinds) {
  const Variable v(scope_, DType::kFloat, PartialShape(Dims{2, 3}), {.shared_name = "shared"});
  EXPECT_EQ(v.Read(scope_).dtype(), DType::kFloat);
  ExpectOp(v.Assign(scope_, x_), "AssignVariableOp");
  ExpectOp(v.IsInitialized(scope_), "VarIsInitializedOp");
  const RefVariable r(scope_, DType::kFloat, PartialShape(Dims{2, 3}));
  EXPECT_TRUE(r.Assign(scope_, x_).is_ref());
  EXPECT_FALSE(r.Read(scope_).is_ref());
  ExpectOp(r.AssignSub(scope_, x_), "AssignSub");
  ExpectOp(r.IsInitialized(scope_), "IsVariableInitialized");
  Finished(scope_);
}

}  // namespace
}  // namespace tagflow
