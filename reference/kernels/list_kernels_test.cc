// Lists and optionals.
// Tests: lists.cc, list_kernels.cc, list_rows_kernels.cc, optional_kernels.cc, variant_math.cc

#include <gtest/gtest.h>

#include "graph/tensor_list.h"
#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Speaks of lists of floats.
class ListKernels : public ::testing::Test {
 protected:
  Tensor Only(const std::string& op, std::vector<OpRunner::Input> inputs, AttrMap attrs = {}) {
    Result<OpRunner::Outputs> result = runner_.Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(result.ok()) << op << ": " << result.status().ToString();
    return result.ok() ? result->tensors[0] : Tensor();
  }
  Tensor Reserve(int size, Tensor shape = Int(-1), DType dtype = DType::kFloat) {
    return Only("TensorListReserve", {std::move(shape), Int(size)}, {{"element_dtype", dtype}});
  }
  Tensor Rows(Tensor rows) { return Only("TensorListFromTensor", {std::move(rows), Int(-1)}); }
  Tensor Push(const Tensor& list, Tensor value) {
    return Only("TensorListPushBack", {list, std::move(value)});
  }
  Tensor Set(const Tensor& list, int i, Tensor value) {
    return Only("TensorListSetItem", {list, Int(i), std::move(value)});
  }
  Tensor Sum(Tensor a, Tensor b) { return Only("AddN", {std::move(a), std::move(b)}); }
  std::string Get(const Tensor& list, int i, Tensor shape = Int(-1)) {
    return runner_.Text("TensorListGetItem", {list, Int(i), std::move(shape)}, kFloats);
  }
  std::string Stack(const Tensor& list, Tensor shape = Int(-1)) {
    return runner_.Text("TensorListStack", {list, std::move(shape)}, kFloats);
  }
  std::string Concat(const Tensor& list, std::vector<int64_t> leading = {}) {
    return runner_.Text("TensorListConcatV2", {list, Int(-1), Tensor::Vector(leading)}, kFloats);
  }
  std::string Length(const Tensor& list) { return runner_.Text("TensorListLength", {list}); }

  const AttrMap kFloats = {{"element_dtype", DType::kFloat}};
  OpRunner runner_;
};

TEST_F(ListKernels, AChangeGivesAnotherList) {
  const Tensor old = Rows(Floats({1, 2}));
  const Tensor changed = Set(Push(old, Float(3)), 0, Float(9));
  EXPECT_EQ(Stack(changed), "float[3] [9, 2, 3]");
  EXPECT_EQ(Stack(old), "float[2] [1, 2]");
  const auto popped = runner_.Run("TensorListPopBack", {changed, Int(-1)}, kFloats);
  EXPECT_EQ(Stack(popped->tensors[0]), "float[2] [9, 2]");
  EXPECT_EQ(popped->tensors[1].DebugString(), "float[] 3");
}

TEST_F(ListKernels, ASoleOwnerIsChangedInPlace) {
  Tensor list = Push(Reserve(0), Floats({1, 2}));
  Result<OpRunner::Outputs> pushed = runner_.Run("TensorListPushBack", {std::move(list), Float(3)});
  EXPECT_TRUE(TensorList::In(pushed->tensors[0])->Get(0).unique());
}

TEST_F(ListKernels, WhatWasNeverSetReadsAsZeros) {
  EXPECT_EQ(Get(Reserve(2), 0, Ints({2})), "float[2] [0, 0]");
  EXPECT_EQ(Get(Reserve(2, Ints({1})), 1), "float[1] [0]");
  EXPECT_TRUE(Contains(Get(Reserve(2), 0), "of what shape?"));
  const Tensor list = Set(Reserve(3), 1, Floats({1, 2}));
  EXPECT_EQ(Get(list, 0), "float[2] [0, 0]");
  EXPECT_EQ(Stack(list), "float[3,2] [[0, 0], [1, 2], [0, 0]]");
  EXPECT_EQ(Concat(list, {1, 7, 0}), "float[3] [0, 1, 2]; int64[3] [1, 2, 0]");
  EXPECT_EQ(runner_.Text("TensorListGather", {list, Ints({1, 0}), Int(-1)}, kFloats),
            "float[2,2] [[1, 2], [0, 0]]");
  EXPECT_TRUE(Contains(Get(Set(list, 2, Floats({1})), 0), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(
      runner_.Text("TensorListGetItem", {Reserve(1, Ints({}), DType::kResource), Int(0), Int(-1)},
                   {{"element_dtype", DType::kResource}}),
      "no zero of dtype resource"));
}

TEST_F(ListKernels, RefusesWrongUse) {
  const Tensor list = Rows(Floats({1, 2}));
  EXPECT_TRUE(Contains(Get(list, -1), "INVALID_ARGUMENT: there is no element -1 in a list of 2"));
  EXPECT_TRUE(Contains(Get(list, 2), "INVALID_ARGUMENT: there is no element 2"));
  EXPECT_TRUE(Contains(Length(Tensor::Scalar(Variant())), "it holds nothing"));
  EXPECT_TRUE(Contains(Length(Empty(DType::kVariant, Dims{2})), "must be a scalar"));
  EXPECT_TRUE(Contains(runner_.Text("TensorListPushBack", {list, Int(1)}),
                       "elements of dtype float, but the op is for int32"));
  EXPECT_TRUE(Contains(runner_.Text("TensorListPushBack", {Reserve(0, Ints({2})), Float(1)}),
                       "elements of shape [2] cannot hold one of shape []"));
  EXPECT_TRUE(Contains(runner_.Text("TensorListResize", {list, Int(-1)}), "not be negative"));
  EXPECT_TRUE(
      Contains(runner_.Text("TensorListReserve", {Int(-2), Int(1)}, kFloats), "must be -1"));
  EXPECT_TRUE(Contains(Stack(list, Ints({2})), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Concat(list), "scalar"));
  EXPECT_TRUE(Contains(Concat(Reserve(1, Ints({-1})), {-4}), "leading_dims says -4"));
  EXPECT_TRUE(Contains(runner_.Text("TensorListScatter", {Floats({1, 2}), Ints({0, -1}), Int(-1)}),
                       "negative"));
  EXPECT_TRUE(Contains(runner_.Text("TensorListSplit", {Floats({1}), Int(-1),
                                                        Tensor::Vector<int64_t>({INT64_MAX, 1})}),
                       "cannot be cut"));
  EXPECT_TRUE(Contains(Stack(Reserve(3, Ints({1 << 30, 1 << 30}))), "RESOURCE_EXHAUSTED"));
}

// A graph may name dtypes that no tensor of ours has.
TEST_F(ListKernels, ElementsOfQuantizedDTypesHaveNoZeros) {
  const AttrMap quantized = {{"element_dtype", DType::kQInt8}};
  const Tensor list = Reserve(1, Ints({1}), DType::kQInt8);
  EXPECT_TRUE(Contains(runner_.Text("TensorListGetItem", {list, Int(0), Int(-1)}, quantized),
                       "UNIMPLEMENTED"));
  EXPECT_TRUE(
      Contains(runner_.Text("TensorListStack", {list, Int(-1)}, quantized), "UNIMPLEMENTED"));
  EXPECT_TRUE(Contains(
      runner_.Text("TensorListConcatV2", {list, Int(-1), Tensor::Vector<int64_t>({})}, quantized),
      "UNIMPLEMENTED"));
}

TEST_F(ListKernels, AListSaysHowLongItMayGet) {
  const Tensor list = Only("EmptyTensorList", {Int(-1), Int(1)}, kFloats);
  EXPECT_EQ(Length(Push(list, Float(1))), "int32[] 1");
  EXPECT_TRUE(Contains(runner_.Text("TensorListPushBack", {Push(list, Float(1)), Float(2)}),
                       "the list is full"));
}

// 2^31 elements, then 2^61: nothing walks them.
TEST_F(ListKernels, HugeListsCostNothing) {
  Tensor list = Reserve(INT32_MAX);
  EXPECT_EQ(Length(list), "int32[] 2147483647");
  for (int i = 0; i < 31; ++i) list = Only("TensorListConcatLists", {list, list}, kFloats);
  EXPECT_TRUE(Contains(Length(list), "which is no int32"));
  EXPECT_EQ(Get(Only("ZerosLike", {Reserve(INT32_MAX)}), 7, Ints({1})), "float[1] [0]");
  EXPECT_TRUE(Contains(Concat(list), "RESOURCE_EXHAUSTED"));
}

TEST_F(ListKernels, BatchesOfLists) {
  const Tensor two = Only("Pack", {Reserve(0), Rows(Floats({5}))}, {{"axis", 0}});
  const Tensor pushed = Only("TensorListPushBackBatch", {two, Floats({1, 2})});
  EXPECT_EQ(Stack(pushed.SliceOuter(1, 1).Reshaped({})), "float[2] [5, 2]");
  EXPECT_TRUE(
      Contains(runner_.Text("TensorListPushBackBatch", {two, Floats({1})}), "a row for each"));
}

TEST_F(ListKernels, ListsAndOptionalsAddUp) {
  const Tensor list = Rows(Floats({1, 2}));
  EXPECT_EQ(Stack(Sum(list, Sum(list, Reserve(2)))), "float[2] [2, 4]");
  EXPECT_EQ(Stack(Only("ZerosLike", {list})), "float[2] [0, 0]");
  EXPECT_TRUE(Contains(runner_.Text("AddN", {list, Reserve(1)}), "INVALID_ARGUMENT"));
  const Tensor nothing = Only("OptionalNone", {});
  EXPECT_TRUE(Contains(runner_.Text("AddN", {list, nothing}), "INTERNAL"));
  const Tensor some = Only("OptionalFromValue", {Float(1), list});
  EXPECT_EQ(runner_.Text("OptionalHasValue", {some}), "bool[] true");
  EXPECT_EQ(runner_.Text("OptionalHasValue", {Sum(nothing, nothing)}), "bool[] false");
  EXPECT_TRUE(Contains(runner_.Text("AddN", {some, nothing}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(runner_.Text("AddN", {Rows(Strings({"a"})), Rows(Strings({"b"}))}),
                       "dtype string cannot be added"));
}

TEST_F(ListKernels, OptionalsGiveWhatTheyHold) {
  AttrList types, shapes;
  types.types = {{DType::kFloat, false}};
  shapes.shapes = {PartialShape(Dims{-1})};
  const AttrMap attrs = {{"output_shapes", shapes}, {"output_types", types}};
  auto get = [&](Tensor optional) {
    return runner_.Text("OptionalGetValue", {std::move(optional)}, attrs);
  };
  EXPECT_EQ(get(Only("OptionalFromValue", {Floats({1, 2})})), "float[2] [1, 2]");
  EXPECT_TRUE(Contains(get(Only("OptionalFromValue", {Float(1)})), "component 0 is float[]"));
  EXPECT_TRUE(Contains(get(Only("OptionalFromValue", {Ints({1})})), "component 0 is int32[1]"));
  EXPECT_TRUE(Contains(get(Only("OptionalNone", {})), "has no value"));
  EXPECT_TRUE(Contains(get(Reserve(1)), "holds an optional"));
}

// A list that holds itself twice, and that again: 2^60 elements deep down. And one in a list in a
// list….
TEST_F(ListKernels, WhatIsNestedTooDeepIsRefused) {
  Tensor wide = Rows(Floats({1}));
  Tensor deep = wide;
  for (int i = 0; i < 60; ++i) {
    wide = Push(Push(Reserve(0, Int(-1), DType::kVariant), wide), wide);
  }
  for (int i = 0; i < 100000; ++i) deep = Push(Reserve(0, Int(-1), DType::kVariant), deep);
  EXPECT_TRUE(Contains(runner_.Text("ZerosLike", {wide}), "RESOURCE_EXHAUSTED"));
  EXPECT_TRUE(Contains(runner_.Text("AddN", {deep, deep}), "RESOURCE_EXHAUSTED"));
}

}  // namespace
}  // namespace tagflow::reference
