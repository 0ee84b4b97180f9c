// Derivatives through lists, against calculus by hand.

#include "reference/tape/list_cells.h"

#include <gtest/gtest.h>

#include "graph/builder/builder.h"
#include "reference/tape/test_tape.h"

namespace tagflow::reference {
namespace {

using Doubles = std::vector<double>;

const AttrMap kOfDoubles = {{"element_dtype", kDouble}};

Output Empty(const Scope& scope, DType dtype = kDouble) {
  return Op(scope, "EmptyTensorList", {-1, -1}, {{"element_dtype", dtype}});
}
Output Push(const Scope& scope, const Output& list, const Output& element) {
  return Op(scope, "TensorListPushBack", {list, element});
}
Operation Pop(const Scope& scope, const Output& list, DType dtype = kDouble) {
  return Op(scope, "TensorListPopBack", {list, -1}, {{"element_dtype", dtype}});
}
Output Rows(const Scope& scope, const Output& tensor) {
  return Op(scope, "TensorListFromTensor", {tensor, -1});
}
Output Stack(const Scope& scope, const Output& list) {
  return Op(scope, "TensorListStack", {list, -1}, kOfDoubles);
}
Output Ints(const Scope& scope, const std::vector<int32_t>& values) { return Const(scope, values); }
// Weighs element k of the output by k + 1.
Output Weighed(const Scope& scope, const Output& y, int count) {
  Doubles weights;
  for (int k = 1; k <= count; ++k) weights.push_back(k);
  const Output flat = Reshape(scope, y, Ints(scope, {-1}));
  return Sum(scope, flat * Const(scope, weights), 0);
}

Doubles GradientOf(Scope& scope, const Output& y, const Doubles& x, Dims dims) {
  auto session = MakeSession(scope);
  return Numbers(Gradients(*session, y, {{"x", Tensor::Of<double>(dims, x)}})[0]);
}

TEST(ListCells, WhatIsPushedInOneLoopIsPoppedInAnother) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const OutputList pushed = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0), Empty(scope)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x, Push(s, v[2], v[1])};
      });
  const Output y = WhileLoop(
      scope, {pushed[0], Const(scope, 0.0), pushed[2]},
      [](const Scope& s, const OutputList& v) { return Greater(s, v[0], 0); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Operation popped = Pop(s, v[2]);
        return {v[0] - 1, v[1] + popped[1] * popped[1], popped[0]};
      })[1];
  // 1 + x^2 + x^4 + x^6
  EXPECT_EQ(GradientOf(scope, y, {2}, {}), Doubles{4 + 32 + 192});
}

TEST(ListCells, AnOldVersionKeepsItsElements) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output old = Rows(scope, x);
  const Output changed = Op(scope, "TensorListSetItem", {old, 0, Const(scope, 5.0)});
  const auto item = [&](const Output& list, int i) {
    return Output(Op(scope, "TensorListGetItem", {list, i, -1}, kOfDoubles));
  };
  const Output y = item(old, 0) * 2 + item(changed, 0) * 3 + item(changed, 1) * 4;
  EXPECT_EQ(GradientOf(scope, y, {1, 1}, {2}), (Doubles{2, 4}));
}

TEST(ListCells, RowsAreStackedGatheredAndScattered) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {3});
  const Output list = Rows(scope, x);
  const Output twice =
      Op(scope, "TensorListGather", {list, Ints(scope, {2, 2, 0}), -1}, kOfDoubles);
  // Two rows for one place: the last stays.
  const Output scattered = Op(scope, "TensorListScatter", {twice * 10, Ints(scope, {1, 1, 0}), -1});
  const Output more =
      Op(scope, "TensorListScatterIntoExistingList", {scattered, x, Ints(scope, {0, 2, 3})});
  const Output y = Weighed(scope, Stack(scope, list), 3) + Weighed(scope, twice, 3) +
                   Weighed(scope, Stack(scope, more), 4);
  EXPECT_EQ(GradientOf(scope, y, {1, 1, 1}, {3}),
            (Doubles{1 + 3 + 1, 2 + 3, 3 + (1 + 2) + 20 + 4}));
}

TEST(ListCells, PiecesAreCutAndJoined) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {3, 2});
  const Output pieces =
      Op(scope, "TensorListSplit", {x, -1, Const(scope, std::vector<int64_t>{1, 0, 2})});
  const Output both = Op(scope, "TensorListConcatLists", {pieces, pieces}, kOfDoubles);
  const Output first = Op(scope, "TensorListResize", {both, 4});
  const Output joined = Op(scope, "TensorListConcat", {first}, kOfDoubles);
  const Output y = Weighed(scope, joined, 8);
  EXPECT_EQ(GradientOf(scope, y, {1, 1, 1, 1, 1, 1}, {3, 2}), (Doubles{1 + 7, 2 + 8, 3, 4, 5, 6}));
}

TEST(ListCells, SumsOfListsGiveToEach) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output reserved = Op(scope, "TensorListReserve", {-1, 2}, kOfDoubles);
  const Output one = Op(scope, "TensorListSetItem", {reserved, 1, ElementAt(scope, x, 0)});
  const Output sum = AddN(scope, {Rows(scope, x), one, Rows(scope, x)});
  const Output y = Weighed(scope, Stack(scope, sum), 2);
  EXPECT_EQ(GradientOf(scope, y, {1, 1}, {2}), (Doubles{1 + 1 + 2, 2 + 2}));
}

TEST(ListCells, ListsInListsHaveCellsOfTheirOwn) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output inner = Rows(scope, x);
  const Output outer = Push(scope, Push(scope, Empty(scope, DType::kVariant), inner),
                            Push(scope, inner, ElementAt(scope, x, 0)));
  const Operation last = Pop(scope, AddN(scope, {outer, outer}), DType::kVariant);
  const Operation first = Pop(scope, last[0], DType::kVariant);
  const Output y =
      Weighed(scope, Stack(scope, last[1]), 3) + Weighed(scope, Stack(scope, first[1]), 2) * 10;
  EXPECT_EQ(GradientOf(scope, y, {1, 1}, {2}), (Doubles{2 * (1 + 3 + 10), 2 * (2 + 20)}));
}

TEST(ListCells, SeveralListsArePushedToAtOnce) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output lists = Pack(scope, {Empty(scope), Rows(scope, x)});
  const OutputList pushed = Unpack(scope, Op(scope, "TensorListPushBackBatch", {lists, x * 2}), 2);
  const Output y =
      Weighed(scope, Stack(scope, pushed[0]), 1) + Weighed(scope, Stack(scope, pushed[1]), 3);
  EXPECT_EQ(GradientOf(scope, y, {1, 1}, {2}), (Doubles{2 + 1, 2 + 6}));
}

TEST(ListCells, AnOptionalHandsOnItsComponents) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output optional = Op(scope, "OptionalFromValue", {{x * x, Const(scope, 4), x * 3}});
  AttrList types, shapes;
  for (const DType dtype : {kDouble, DType::kInt32, kDouble}) {
    types.types.push_back({.dtype = dtype});
    shapes.shapes.push_back(PartialShape::Scalar());
  }
  const Operation values = Op(scope, "OptionalGetValue", {optional},
                              {{"output_types", types}, {"output_shapes", shapes}});
  EXPECT_EQ(GradientOf(scope, values[0] * values[2], {2}, {}), Doubles{9 * 4});
}

TEST(ListCells, AMapHandsOnItsValues) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const auto insert = [&](const Output& map, int key, const Output& value) -> Output {
    return Op(scope, "TensorMapInsert", {map, key, value});
  };
  const auto lookup = [&](const Output& map, int key) -> Output {
    return Op(scope, "TensorMapLookup", {map, key}, {{"value_dtype", kDouble}});
  };
  const Output first = insert(insert(Op(scope, "EmptyTensorMap", {}), 7, x), 1, x * 3);
  const Output second = insert(first, 7, x * 5);
  const Output third = Op(scope, "TensorMapErase", {first, 1}, {{"value_dtype", kDouble}});
  const Output sum = AddN(scope, {second, insert(third, 2, x * 7)});
  const Output y = lookup(first, 7) + lookup(sum, 7) * 10 + lookup(sum, 1) + lookup(sum, 2);
  EXPECT_EQ(GradientOf(scope, y, {2}, {}), Doubles{1 + 10 * (5 + 1) + 3 + 7});
}

TEST(ListCells, ARaggedTensorHandsOnItsValues) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {3});
  const Output splits = Const(scope, std::vector<int64_t>{0, 2, 3});
  const Output rows =
      Op(scope, "RaggedTensorToVariant", {OutputList{splits}, x}, {{"batched_input", true}});
  const OutputList row = Unpack(scope, rows, 2);
  const Output turned = Pack(scope, {row[1], row[0], row[0]});
  const Operation joined = Op(scope, "RaggedTensorFromVariant", {turned},
                              {{"input_ragged_rank", -1},
                               {"output_ragged_rank", 1},
                               {"Tvalues", kDouble},
                               {"Tsplits", DType::kInt64}});
  EXPECT_EQ(GradientOf(scope, Weighed(scope, joined[1], 5), {1, 1, 1}, {3}),
            (Doubles{2 + 4, 3 + 5, 1}));
}

TEST(ListCells, AStoppedListHasNoGradient) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output stopped = StopGradient(scope, Rows(scope, x));
  const Output y = Sum(scope, Stack(scope, stopped), 0);
  auto session = MakeSession(scope);
  EXPECT_FALSE(Gradients(*session, y, {{"x", Tensor::Vector<double>({1, 2})}})[0].connected);
}

}  // namespace
}  // namespace tagflow::reference
