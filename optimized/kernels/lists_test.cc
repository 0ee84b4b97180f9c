// Lists and optionals.
// Tests: lists.cc list_ops.cc list_rows.cc list_joins.cc optionals.cc variant_sum.cc

#include <gtest/gtest.h>

#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "optimized/kernels/op_runner.h"
#include "optimized/kernels/variant_sum.h"

namespace tagflow::optimized {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Speaks of lists of floats.
class Lists : public ::testing::TestWithParam<OpRunner::Inputs> {
 protected:
  std::string Text(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return runner_.Text(op, std::move(inputs), std::move(attrs));
  }
  Tensor First(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto result = runner_.Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(result.ok()) << op << ": " << result.status().ToString();
    return result.ok() ? (*result)[0] : Tensor();
  }
  Tensor Reserve(int size, Tensor shape = Int(-1), DType dtype = DType::kFloat) {
    return First("TensorListReserve", {std::move(shape), Int(size)}, {{"element_dtype", dtype}});
  }
  Tensor Rows(Tensor rows) { return First("TensorListFromTensor", {std::move(rows), Int(-1)}); }
  Tensor Push(Tensor list, Tensor value) {
    return First("TensorListPushBack", {std::move(list), std::move(value)});
  }
  Tensor Set(const Tensor& list, int i, Tensor value) {
    return First("TensorListSetItem", {list, Int(i), std::move(value)});
  }
  std::string Get(const Tensor& list, int i, Tensor shape = Int(-1)) {
    return Text("TensorListGetItem", {list, Int(i), std::move(shape)}, kFloats);
  }
  std::string Stack(const Tensor& list, Tensor shape = Int(-1)) {
    return Text("TensorListStack", {list, std::move(shape)}, kFloats);
  }
  std::string Gather(const Tensor& list, const std::vector<int32_t>& indices) {
    return Text("TensorListGather", {list, Ints(indices), Int(-1)}, kFloats);
  }
  std::string Concat(const Tensor& list, const std::vector<int64_t>& leading = {}) {
    return Text("TensorListConcatV2", {list, Int(-1), Tensor::Vector(leading)}, kFloats);
  }
  std::string Length(const Tensor& list) { return Text("TensorListLength", {list}); }

  const AttrMap kFloats = {{"element_dtype", DType::kFloat}};
  OpRunner runner_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, Lists,
                         ::testing::Values(OpRunner::Inputs::kLast, OpRunner::Inputs::kShared));

TEST_P(Lists, AChangeGivesAnotherList) {
  const Tensor old = Rows(Floats({1, 2}));
  const Tensor changed = Set(Push(old, Float(3)), 0, Float(9));
  EXPECT_EQ(Stack(changed), "float[3] [9, 2, 3]");
  EXPECT_EQ(Stack(old), "float[2] [1, 2]");
  const auto popped = runner_.Run("TensorListPopBack", {changed, Int(-1)}, kFloats);
  EXPECT_EQ(Stack((*popped)[0]), "float[2] [9, 2]");
  EXPECT_EQ((*popped)[1].DebugString(), "float[] 3");
  EXPECT_EQ(Stack(changed), "float[3] [9, 2, 3]");
}

TEST_P(Lists, AListThatNobodyElseHoldsIsChangedWhereItIs) {
  const bool is_last = GetParam() == OpRunner::Inputs::kLast;
  // An initializer list would hold copies of the inputs until the op is done.
  const auto run = [&](const std::string& op, Tensor list, Tensor other) {
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(list));
    inputs.push_back(std::move(other));
    return *runner_.Run(op, std::move(inputs), kFloats);
  };
  Tensor list = Rows(Floats({1, 2}));
  const TensorList* const before = TensorList::In(list);
  Tensor pushed = run("TensorListPushBack", std::move(list), Float(3))[0];
  EXPECT_EQ(TensorList::In(pushed) == before, is_last);
  const TensorList* const longer = TensorList::In(pushed);
  std::vector<Tensor> popped = run("TensorListPopBack", std::move(pushed), Int(-1));
  EXPECT_EQ(TensorList::In(popped[0]) == longer, is_last);
  EXPECT_EQ(popped[1].DebugString(), "float[] 3");
  const Tensor kept = popped[0];
  EXPECT_EQ(Stack(run("TensorListPushBack", popped[0], Float(4))[0]), "float[3] [1, 2, 4]");
  EXPECT_EQ(Stack(kept), "float[2] [1, 2]");
}

TEST_P(Lists, NobodyKeepsAnOldListForItself) {
  const Tensor pushed = Push(Push(Reserve(0), Floats({1, 2})), Float(3));
  EXPECT_TRUE(TensorList::In(pushed)->Get(0).unique());
}

TEST_P(Lists, WhatWasNeverSetReadsAsZeros) {
  EXPECT_EQ(Get(Reserve(2), 0, Ints({2})), "float[2] [0, 0]");
  EXPECT_EQ(Get(Reserve(2, Ints({1})), 1), "float[1] [0]");
  EXPECT_TRUE(Contains(Get(Reserve(2), 0), "of what shape?"));
  const Tensor list = Set(Reserve(3), 1, Floats({1, 2}));
  EXPECT_EQ(Get(list, 0), "float[2] [0, 0]");
  EXPECT_EQ(Get(list, 1), "float[2] [1, 2]");
  EXPECT_EQ(Stack(list), "float[3,2] [[0, 0], [1, 2], [0, 0]]");
  EXPECT_EQ(Concat(list, {1, 7, 0}), "float[3] [0, 1, 2]; int64[3] [1, 2, 0]");
  EXPECT_EQ(Gather(list, {1, 0}), "float[2,2] [[1, 2], [0, 0]]");
  EXPECT_EQ(Text("TensorListPopBack", {Reserve(1, Ints({1})), Int(-1)}, kFloats).substr(0, 8),
            "variant[");
  EXPECT_TRUE(Contains(Get(Set(list, 2, Floats({1})), 0), "INVALID_ARGUMENT"));
  const AttrMap handles = {{"element_dtype", DType::kResource}};
  EXPECT_TRUE(Contains(
      Text("TensorListGetItem", {Reserve(1, Ints({}), DType::kResource), Int(0), Int(-1)}, handles),
      "no zero of dtype resource"));
}

TEST_P(Lists, RowsAndPieces) {
  const Tensor rows = Floats(Dims{3, 1}, {1, 2, 3});
  EXPECT_EQ(Stack(First("TensorListScatter", {rows, Ints({2, 0, 1}), Int(-1)})),
            "float[3,1] [[2], [3], [1]]");
  EXPECT_EQ(Stack(First("TensorListScatterV2", {rows, Ints({3, 0, 1}), Ints({1}), Int(-1)})),
            "float[4,1] [[2], [3], [0], [1]]");
  EXPECT_EQ(Stack(First("TensorListScatterIntoExistingList",
                        {Rows(rows), Floats(Dims{1, 1}, {9}), Ints({1})})),
            "float[3,1] [[1], [9], [3]]");
  const Tensor pieces =
      First("TensorListSplit", {rows, Int(-1), Tensor::Vector<int64_t>({1, 0, 2})});
  EXPECT_EQ(Concat(pieces), "float[3,1] [[1], [2], [3]]; int64[3] [1, 0, 2]");
  EXPECT_EQ(Text("TensorListConcat", {pieces}, kFloats),
            "float[3,1] [[1], [2], [3]]; int64[3] [1, 0, 2]");
  EXPECT_EQ(
      Text("TensorListElementShape", {Reserve(0, Ints({-1, 2}))}, {{"shape_type", DType::kInt64}}),
      "int64[2] [-1, 2]");
  EXPECT_EQ(Text("TensorListElementShape", {pieces}, {{"shape_type", DType::kInt32}}),
            "int32[] -1");
}

TEST_P(Lists, RefuseWrongUse) {
  const Tensor list = Rows(Floats({1, 2}));
  EXPECT_TRUE(Contains(Get(list, -1), "INVALID_ARGUMENT: there is no element -1 in a list of 2"));
  EXPECT_TRUE(Contains(Get(list, 2), "INVALID_ARGUMENT: there is no element 2"));
  EXPECT_TRUE(Contains(Gather(list, {2}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Text("TensorListSetItem", {list, Int(2), Float(1)}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Length(Tensor::Scalar(Variant())), "it holds nothing"));
  EXPECT_TRUE(Contains(Length(Empty(DType::kVariant, Dims{2})), "must be a scalar"));
  EXPECT_TRUE(Contains(Text("TensorListPushBack", {list, Int(1)}),
                       "elements of dtype float, but the op is for int32"));
  EXPECT_TRUE(Contains(Text("TensorListPushBack", {Reserve(0, Ints({2})), Float(1)}),
                       "elements of shape [2] cannot hold one of shape []"));
  EXPECT_TRUE(Contains(Text("TensorListResize", {list, Int(-1)}), "not be negative"));
  EXPECT_TRUE(Contains(Text("TensorListReserve", {Int(-2), Int(1)}, kFloats), "must be -1"));
  EXPECT_TRUE(
      Contains(Text("TensorListPopBack", {Reserve(0), Int(-1)}, kFloats), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Stack(list, Ints({2})), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Concat(list), "scalar"));
  EXPECT_TRUE(Contains(Concat(Reserve(1, Ints({-1})), {-4}), "leading_dims says -4"));
  EXPECT_TRUE(
      Contains(Text("TensorListScatter", {Floats({1, 2}), Ints({0, -1}), Int(-1)}), "negative"));
  EXPECT_TRUE(Contains(Text("TensorListScatter", {Floats({1, 2}), Ints({0}), Int(-1)}),
                       "there are 1 indices for 2 rows"));
  EXPECT_TRUE(Contains(
      Text("TensorListSplit", {Floats({1}), Int(-1), Tensor::Vector<int64_t>({INT64_MAX, 1})}),
      "cannot be cut"));
  EXPECT_TRUE(Contains(Stack(Reserve(3, Ints({1 << 30, 1 << 30}))), "RESOURCE_EXHAUSTED"));
}

TEST_P(Lists, ResizingKeepsWhatFits) {
  const Tensor list = Rows(Floats({1, 2}));
  EXPECT_EQ(Stack(First("TensorListResize", {list, Int(1)})), "float[1] [1]");
  EXPECT_EQ(Stack(First("TensorListResize", {list, Int(3)})), "float[3] [1, 2, 0]");
  EXPECT_EQ(Stack(First("TensorListSetItem", {list, Int(3), Float(9)},
                        {{"resize_if_index_out_of_bounds", true}})),
            "float[4] [1, 2, 0, 9]");
}

// A graph may name dtypes that no tensor of ours has.
TEST_P(Lists, ElementsOfQuantizedDTypesHaveNoZeros) {
  const AttrMap quantized = {{"element_dtype", DType::kQInt8}};
  const Tensor list = Reserve(1, Ints({1}), DType::kQInt8);
  EXPECT_TRUE(
      Contains(Text("TensorListGetItem", {list, Int(0), Int(-1)}, quantized), "UNIMPLEMENTED"));
  EXPECT_TRUE(Contains(Text("TensorListStack", {list, Int(-1)}, quantized), "UNIMPLEMENTED"));
  EXPECT_TRUE(
      Contains(Text("TensorListConcatV2", {list, Int(-1), Tensor::Vector<int64_t>({})}, quantized),
               "UNIMPLEMENTED"));
}

TEST_P(Lists, SayHowLongTheyMayGet) {
  const Tensor list = First("EmptyTensorList", {Int(-1), Int(1)}, kFloats);
  EXPECT_EQ(Length(Push(list, Float(1))), "int32[] 1");
  EXPECT_TRUE(
      Contains(Text("TensorListPushBack", {Push(list, Float(1)), Float(2)}), "the list is full"));
}

// 2^31 elements, then 2^61: nothing walks them.
TEST_P(Lists, HugeOnesCostNothing) {
  Tensor list = Reserve(INT32_MAX);
  EXPECT_EQ(Length(list), "int32[] 2147483647");
  for (int i = 0; i < 31; ++i) list = First("TensorListConcatLists", {list, list}, kFloats);
  EXPECT_TRUE(Contains(Length(list), "which is no int32"));
  EXPECT_TRUE(Contains(Concat(list), "RESOURCE_EXHAUSTED"));
  EXPECT_EQ(Stack(First("TensorListConcatLists", {Rows(Floats({1})), Rows(Floats({2}))}, kFloats)),
            "float[2] [1, 2]");
}

TEST_P(Lists, InATensorOfLists) {
  Tensor two = Empty(DType::kVariant, Dims{2});
  two.mutable_data<Variant>()[0] = Reserve(0).scalar<Variant>();
  two.mutable_data<Variant>()[1] = Rows(Floats({5})).scalar<Variant>();
  const Tensor pushed = First("TensorListPushBackBatch", {two, Floats({1, 2})});
  EXPECT_EQ(Stack(pushed.SliceOuter(1, 1).Reshaped({})), "float[2] [5, 2]");
  EXPECT_TRUE(Contains(Text("TensorListPushBackBatch", {two, Floats({1})}), "a row for each"));
}

TEST_P(Lists, AndOptionalsAddUp) {
  const Tensor list = Rows(Floats({1, 2}));
  EXPECT_EQ(Stack(*SumOfVariants(list, *SumOfVariants(list, Reserve(2)))), "float[2] [2, 4]");
  EXPECT_EQ(Stack(list), "float[2] [1, 2]");
  EXPECT_EQ(SumOfVariants(list, Reserve(1)).status().code(), Code::kInvalidArgument);
  const Tensor nothing = First("OptionalNone", {});
  EXPECT_EQ(SumOfVariants(list, nothing).status().code(), Code::kInternal);
  const Tensor some = First("OptionalFromValue", {Float(1), list});
  EXPECT_EQ(Text("OptionalHasValue", {some}), "bool[] true");
  const Tensor twice = *SumOfVariants(some, some);
  EXPECT_EQ(OptionalTensors::In(twice)->components()[0].DebugString(), "float[] 2");
  EXPECT_EQ(Text("OptionalHasValue", {*SumOfVariants(nothing, nothing)}), "bool[] false");
  EXPECT_EQ(SumOfVariants(some, nothing).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(SumOfVariants(Rows(Strings({"a"})), Rows(Strings({"b"}))).status().code(),
            Code::kInvalidArgument);
}

TEST_P(Lists, OptionalsGiveWhatTheyHold) {
  AttrList types, shapes;
  types.types = {{DType::kFloat, false}};
  shapes.shapes = {PartialShape(Dims{-1})};
  const AttrMap attrs = {{"output_shapes", shapes}, {"output_types", types}};
  const auto get = [&](Tensor optional) {
    return Text("OptionalGetValue", {std::move(optional)}, attrs);
  };
  EXPECT_EQ(get(First("OptionalFromValue", {Floats({1, 2})})), "float[2] [1, 2]");
  EXPECT_TRUE(Contains(get(First("OptionalFromValue", {Float(1)})), "component 0 is float[]"));
  EXPECT_TRUE(Contains(get(First("OptionalFromValue", {Ints({1})})), "component 0 is int32[1]"));
  EXPECT_TRUE(Contains(get(First("OptionalNone", {})), "has no value"));
  EXPECT_TRUE(Contains(get(Reserve(1)), "holds an optional"));
}

// A list that holds itself twice, and that again: 2^60 elements deep down. And one in a list in a
// list….
TEST(SumOfVariants, WhatIsNestedTooDeepIsRefused) {
  const auto holding = [](const Tensor& element, int count) {
    TensorList list(DType::kVariant);
    for (int i = 0; i < count; ++i) list.Push(element);
    return TensorList::Wrap(std::move(list));
  };
  Tensor wide = holding(Tensor::Scalar(Variant()), 1);
  Tensor deep = wide;
  for (int i = 0; i < 60; ++i) wide = holding(wide, 2);
  for (int i = 0; i < 100000; ++i) deep = holding(deep, 1);
  EXPECT_EQ(SumOfVariants(wide, wide).status().code(), Code::kResourceExhausted);
  EXPECT_EQ(SumOfVariants(deep, deep).status().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace tagflow::optimized
