// Tests: resource_variables.cc reference_variables.cc variable_access.cc change.cc int_view.cc

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optimized/kernels/change.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Speaks of resource and reference variables by name, with inputs that are shared or are not.
class Variables : public ::testing::TestWithParam<OpRunner::Inputs> {
 protected:
  std::string Run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return runner_.Text(op, std::move(inputs), std::move(attrs));
  }
  Tensor Output(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto outputs = runner_.Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  }
  Tensor Handle(const std::string& name) {
    return Output("VarHandleOp", {},
                  {{"dtype", DType::kInt32}, {"shape", PartialShape()}, {"shared_name", name}});
  }
  Tensor Value(const std::string& name) {
    return Output("ReadVariableOp", {Handle(name)}, {{"dtype", DType::kInt32}});
  }
  std::string Read(const std::string& name, DType dtype = DType::kInt32) {
    return Run("ReadVariableOp", {Handle(name)}, {{"dtype", dtype}});
  }
  std::string Assign(const std::string& name, Tensor value, bool validate_shape = false) {
    return Run("AssignVariableOp", {Handle(name), std::move(value)},
               {{"validate_shape", validate_shape}});
  }
  Tensor Reference(const std::string& name, DType dtype = DType::kInt32) {
    return Output("VariableV2", {},
                  {{"dtype", dtype}, {"shape", PartialShape(Dims{2})}, {"shared_name", name}});
  }

  OpRunner runner_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, Variables,
                         ::testing::Values(OpRunner::Inputs::kLast, OpRunner::Inputs::kShared));

TEST_P(Variables, AreSharedByName) {
  EXPECT_TRUE(Contains(Read("v"), "FAILED_PRECONDITION: Could not find variable v."));
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(Read("v"), "int32[2] [1, 2]");
  EXPECT_EQ(Run("AssignAddVariableOp", {Handle("v"), Ints({1, 1})}), "");
  EXPECT_EQ(Read("v"), "int32[2] [2, 3]");
  EXPECT_EQ(Run("VariableShape", {Handle("v")}), "int32[1] [2]");
  EXPECT_EQ(Run("VariableShape", {Handle("v")}, {{"out_type", DType::kInt64}}), "int64[1] [2]");
  EXPECT_EQ(Run("VarIsInitializedOp", {Handle("v")}), "bool[] true");
  EXPECT_EQ(Run("VarIsInitializedOp", {Handle("w")}), "bool[] false");
}

TEST_P(Variables, AnonymousOnesAreApart) {
  const AttrMap attrs = {{"dtype", DType::kInt32},
                         {"shape", PartialShape()},
                         {"shared_name", "cd2c89b7-88b7-44c8-ad83-06c2a9158347"}};
  const Tensor one = Output("VarHandleOp", {}, attrs);
  const Tensor two = Output("VarHandleOp", {}, attrs);
  EXPECT_EQ(Run("AssignVariableOp", {one, Int(1)}), "");
  EXPECT_EQ(Run("VarIsInitializedOp", {one}), "bool[] true");
  EXPECT_EQ(Run("VarIsInitializedOp", {two}), "bool[] false");
}

TEST_P(Variables, AReadIsASnapshot) {
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  const Tensor before = Value("v");
  EXPECT_EQ(Run("AssignSubVariableOp", {Handle("v"), Ints({1, 1})}), "");
  EXPECT_EQ(before.DebugString(), "int32[2] [1, 2]");
  EXPECT_EQ(Run("AssignAddVariableOp", {Handle("v"), Value("v")}), "");
  EXPECT_EQ(Read("v"), "int32[2] [0, 2]");
}

TEST_P(Variables, AnUpdateIsInPlaceWhereNobodyHoldsASnapshot) {
  EXPECT_EQ(Assign("v", *Ints({1, 2}).Clone()), "");
  EXPECT_EQ(Run("AssignSubVariableOp", {Handle("v"), Ints({1, 1})}), "");
  const void* data = Value("v").raw_data();
  EXPECT_EQ(Run("AssignSubVariableOp", {Handle("v"), Ints({1, 1})}), "");
  EXPECT_EQ(Value("v").raw_data(), data);
  EXPECT_EQ(Read("v"), "int32[2] [-1, 0]");
}

TEST_P(Variables, RefuseWrongUse) {
  EXPECT_TRUE(Contains(Run("AssignAddVariableOp", {Handle("v"), Int(1)}), "NOT_FOUND"));
  EXPECT_TRUE(Contains(Run("VariableShape", {Handle("v")}), "NOT_FOUND"));
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(Read("v", DType::kFloat),
            "INVALID_ARGUMENT: Trying to read variable with wrong dtype. Expected float got int32");
  EXPECT_TRUE(Contains(Assign("v", Float(1)), "INVALID_ARGUMENT: Trying to assign variable with"));
  EXPECT_TRUE(Contains(Assign("v", Int(1), true), "INVALID_ARGUMENT: Trying to assign to "));
  EXPECT_TRUE(Contains(Run("AssignAddVariableOp", {Handle("v"), Int(1)}),
                       "INVALID_ARGUMENT: Cannot update variable with shape [2]"));
  EXPECT_TRUE(Contains(Run("AssignAddVariableOp", {Handle("v"), Float(1)}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Run("AssignAddVariableOp", {Handle("v"), Strings({"a"})}), "UNIMPLEMENTED"));
  const Tensor nothing = Tensor::Scalar(ResourceHandle());
  EXPECT_TRUE(Contains(Run("VarIsInitializedOp", {nothing}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(
      Contains(Run("VarIsInitializedOp", {Empty(DType::kResource, Dims{2})}), "INVALID_ARGUMENT"));
}

TEST_P(Variables, ADestroyedVariableIsGone) {
  EXPECT_EQ(Run("DestroyResourceOp", {Handle("v")}), "");
  EXPECT_TRUE(Contains(Run("DestroyResourceOp", {Handle("v")}, {{"ignore_lookup_error", false}}),
                       "NOT_FOUND"));
  EXPECT_EQ(Assign("v", Int(1)), "");
  EXPECT_EQ(Run("DestroyResourceOp", {Handle("v")}), "");
  EXPECT_TRUE(Contains(Read("v"), "FAILED_PRECONDITION"));
  EXPECT_EQ(Assign("v", Float(1)), "");
}

TEST_P(Variables, AReferenceVariableKeepsItsShape) {
  const Tensor v = Reference("v");
  EXPECT_EQ(Run("IsVariableInitialized", {v}), "bool[] false");
  EXPECT_EQ(Run("AssignAdd", {v, Ints({1, 2})}),
            "FAILED_PRECONDITION: Attempting to use uninitialized value v");
  EXPECT_TRUE(Contains(Run("Assign", {v, Ints({1, 2, 3})}), "INVALID_ARGUMENT"));
  EXPECT_EQ(Run("Assign", {v, Ints({1, 2, 3})}, {{"validate_shape", false}}),
            "ref int32[3] [1, 2, 3]");
  EXPECT_EQ(Run("AssignSub", {Reference("v"), Ints({1, 1, 1})}), "ref int32[3] [0, 1, 2]");
  EXPECT_EQ(Run("AssignAdd", {v, Ints({5, 5, 5})}), "ref int32[3] [5, 6, 7]");
  EXPECT_TRUE(Contains(Run("AssignSub", {v, Int(1)}), "INVALID_ARGUMENT"));
  EXPECT_EQ(Run("IsVariableInitialized", {v}), "bool[] true");
  EXPECT_TRUE(Contains(
      Run("VariableV2", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{2, -1})}}),
      "INVALID_ARGUMENT"));
}

TEST_P(Variables, ReferencesAndHandlesOfOneNameDoNotMeet) {
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(Run("IsVariableInitialized", {Reference("v")}), "bool[] false");
  EXPECT_TRUE(Contains(
      Run("VariableV2", {},
          {{"dtype", DType::kFloat}, {"shape", PartialShape(Dims{2})}, {"shared_name", "v"}}),
      "INVALID_ARGUMENT"));
}

TEST_P(Variables, CountingStopsAtTheLimit) {
  const Tensor v = Reference("v");
  EXPECT_TRUE(Contains(Run("CountUpTo", {v}, {{"limit", 2}}), "FAILED_PRECONDITION"));
  EXPECT_EQ(Run("Assign", {v, Int(1)}, {{"validate_shape", false}}), "ref int32[] 1");
  EXPECT_EQ(Run("CountUpTo", {v}, {{"limit", 2}}), "int32[] 1");
  EXPECT_EQ(Run("CountUpTo", {v}, {{"limit", 2}}), "OUT_OF_RANGE: Reached limit of 2");
  EXPECT_EQ(Run("Assign", {v, Ints({1})}, {{"validate_shape", false}}), "ref int32[1] [1]");
  EXPECT_TRUE(Contains(Run("CountUpTo", {v}, {{"limit", 2}}), "INVALID_ARGUMENT"));
  const AttrMap high = {{"limit", int64_t{1} << 40}, {"T", DType::kInt32}};
  EXPECT_TRUE(Contains(Run("ResourceCountUpTo", {Handle("r")}, high), "NOT_FOUND"));
  EXPECT_EQ(Assign("r", Int(std::numeric_limits<int32_t>::max() - 1)), "");
  EXPECT_EQ(Run("ResourceCountUpTo", {Handle("r")}, high), "int32[] 2147483646");
  EXPECT_TRUE(Contains(Run("ResourceCountUpTo", {Handle("r")}, high), "INVALID_ARGUMENT"));
}

TEST_P(Variables, OfAStepEndWhenDestroyed) {
  const AttrMap attrs = {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{2})}};
  const Tensor made = Output("TemporaryVariable", {}, attrs);
  EXPECT_TRUE(Contains(Run("TemporaryVariable", {}, attrs), "ALREADY_EXISTS"));
  EXPECT_EQ(Run("AssignAdd", {made, Ints({1, 2})}), "ref int32[2] [1, 2]");
  EXPECT_TRUE(
      Contains(Run("DestroyTemporaryVariable", {made}, {{"var_name", "other"}}), "NOT_FOUND"));
  EXPECT_EQ(Run("DestroyTemporaryVariable", {made}, {{"var_name", "node"}}), "int32[2] [1, 2]");
  EXPECT_TRUE(
      Contains(Run("DestroyTemporaryVariable", {made}, {{"var_name", "node"}}), "NOT_FOUND"));
  const AttrMap unknown = {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{-1})}};
  EXPECT_TRUE(Contains(Run("TemporaryVariable", {}, unknown), "INVALID_ARGUMENT"));
  const AttrMap quantized = {{"dtype", DType::kQInt8}, {"shape", PartialShape(Dims{2})}};
  EXPECT_TRUE(Contains(Run("TemporaryVariable", {}, quantized), "UNIMPLEMENTED"));
  const AttrMap huge = {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{1 << 30, 1 << 30})}};
  EXPECT_TRUE(Contains(Run("TemporaryVariable", {}, huge), "RESOURCE_EXHAUSTED"));
}

// What a change makes of two elements of one type.
template <typename T>
T Changed(Change change, T a, T b) {
  FindChange(change, DTypeOf<T>::value)(&a, &b, 1, 0);
  return a;
}

TEST(Changes, IntegersWrap) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Changed<int32_t>(Change::kSubtract, kLeast, 1), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Changed<int32_t>(Change::kDivide, kLeast, -1), kLeast);
  EXPECT_EQ(Changed<int8_t>(Change::kDivide, -128, -1), -128);
  EXPECT_EQ(Changed<int8_t>(Change::kAdd, 127, 1), -128);
  EXPECT_EQ(Changed<uint16_t>(Change::kMultiply, 0xffff, 0xffff), 1);
  EXPECT_EQ(Changed<int64_t>(Change::kMultiply, int64_t{1} << 62, 4), 0);
  EXPECT_EQ(Changed<int32_t>(Change::kDivide, -7, 2), -3);
}

TEST(Changes, OfEveryKindOfElement) {
  EXPECT_EQ(Changed(Change::kAdd, true, true), true);
  EXPECT_EQ(Changed(Change::kSubtract, true, true), false);
  EXPECT_EQ(ToFloat(Changed(Change::kAdd, HalfFromFloat(2048), HalfFromFloat(1))), 2048.0f);
  EXPECT_EQ(ToFloat(Changed(Change::kMultiply, BFloat16FromFloat(3), BFloat16FromFloat(0.5f))),
            1.5f);
  EXPECT_EQ(Changed(Change::kMultiply, std::complex<float>(0, 1), std::complex<float>(0, 1)),
            std::complex<float>(-1, 0));
  EXPECT_EQ(Changed<std::string>(Change::kSet, "a", "b"), "b");
  EXPECT_EQ(Changed(Change::kLower, 3.0f, NAN), 3.0f);
  EXPECT_TRUE(std::isnan(Changed(Change::kRaise, double{NAN}, 3.0)));
  EXPECT_EQ(FindChange(Change::kRaise, DType::kComplex64), nullptr);
  EXPECT_EQ(FindChange(Change::kMultiply, DType::kBool), nullptr);
  EXPECT_EQ(FindChange(Change::kAdd, DType::kString), nullptr);
}

TEST(Changes, ZerosAreFound) {
  EXPECT_TRUE(HasZero(Floats({1, -0.0f})));
  EXPECT_FALSE(HasZero(Floats({1, NAN})));
  EXPECT_FALSE(HasZero(Empty(DType::kInt32, Dims{0})));
  EXPECT_FALSE(HasZero(Tensor::Scalar(std::complex<float>(0, 1))));
}

TEST(Changes, ASumStaysInItsPlaceUnlessItIsShared) {
  Tensor sum = *Floats({1, 2}).Clone();
  const void* data = sum.raw_data();
  ASSERT_TRUE(AddTo(sum, Floats({1, 1})).ok());
  EXPECT_EQ(sum.raw_data(), data);
  const Tensor shared = sum;
  ASSERT_TRUE(AddTo(sum, shared).ok());
  EXPECT_EQ(sum.DebugString(), "float[2] [4, 6]");
  EXPECT_EQ(shared.DebugString(), "float[2] [2, 3]");
}

TEST(IntViewTest, ReadsEveryInteger) {
  EXPECT_EQ((*IntView::Of(Ints({-1, 2})))[0], -1);
  EXPECT_EQ((*IntView::Of(Tensor::Vector<int64_t>({5})))[0], 5);
  EXPECT_EQ(IntView::Of(Tensor::Vector<uint8_t>({1, 200}))->values(),
            (std::vector<int64_t>{1, 200}));
  EXPECT_EQ((*IntView::Of(Tensor::Scalar(uint64_t{1} << 63)))[0],
            std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(IntView::Of(Float(1)).ok());
  EXPECT_EQ(*OnlyInt(Ints({7}), "x"), 7);
  EXPECT_EQ(*OnlyInt(Tensor::Scalar(int8_t{-3}), "x"), -3);
  EXPECT_EQ(OnlyInt(Ints({7, 8}), "x").status().message(),
            "x must be a scalar, but it has shape [2]");
  EXPECT_FALSE(ScalarInt(Ints({7}), "x").ok());
  EXPECT_FALSE(ScalarInt(Float(7), "x").ok());
}

}  // namespace
}  // namespace tagflow::optimized
