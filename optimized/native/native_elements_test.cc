// Tests: loop_cells.cc, with elements that are tensors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/builder/stack.h"
#include "graph/builder/tensor_array.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeElementsTest = NativeTest;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// [1, 2, 3] * i
Output VectorOf(const Scope& scope, const Output& i) {
  return Mul(scope, Cast(scope, i, DType::kFloat), Const(scope, Tensor::Vector<float>({1, 2, 3})));
}
Output Zeros(const Scope& scope) { return Const(scope, Tensor::Vector<float>({0, 0, 0})); }
// What tells from a sum in which order its terms came.
Output Mixed(const Scope& scope, const Output& sum, const Output& value) {
  return Add(scope, Mul(scope, sum, Const(scope, 1.25f)), value);
}

// ---- Arrays ----

// Elements first, first + 1, … are written, and read from the last on.
Program WrittenAndRead(const TensorArrayOptions& options) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), first = FedInt(scope, "first"),
                 size = FedInt(scope, "size");
    const TensorArray array(scope.WithOpName("array"), size, DType::kFloat, options);
    const Output written =
        ForEach(scope, n, {array.flow()},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) {
                  const Output at = Add(s, first, i);
                  return OutputList{array.WithFlow(v[0]).Write(s, at, VectorOf(s, i)).flow()};
                })[0];
    return ForEach(
        scope, n, {Zeros(scope), written},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output at = Sub(s, Add(s, first, n), Add(s, i, 1));
          return {Mixed(s, v[0], array.WithFlow(v[1]).Read(s, at)), v[1]};
        });
  });
}

TEST_F(NativeElementsTest, Arrays) {
  for (const bool grows : {false, true}) {
    for (const bool clears : {false, true}) {
      const Program program = WrittenAndRead(
          {.element_shape = PartialShape({3}), .dynamic_size = grows, .clear_after_read = clears});
      for (const int32_t n : {0, 1, 40}) {
        // In an array as long, too short, and too long.
        for (const int32_t size : {n, n / 2, n + 3}) {
          ExpectSame(program, {{"n", Int(n)}, {"first", Int(0)}, {"size", Int(size)}});
        }
      }
      ExpectSame(program, {{"n", Int(4)}, {"first", Int(-2)}, {"size", Int(4)}});
      const NamedTensors feeds = {{"n", Int(9)}, {"first", Int(0)}, {"size", Int(9)}};
      EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*"))) << ListingOf(program, feeds);
    }
  }
}

TEST_F(NativeElementsTest, ArraysOfOtherShapes) {
  const NamedTensors feeds = {{"n", Int(9)}, {"first", Int(0)}, {"size", Int(9)}};
  ExpectSame(WrittenAndRead({.identical_element_shapes = true}), feeds);
  ExpectSame(WrittenAndRead({}), feeds);
  ExpectSame(WrittenAndRead({.element_shape = PartialShape({-1})}), feeds);
}

// Element (i * step) % 10 is written or read in iteration i.
Program Again(bool reads, bool clears) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), step = FedInt(scope, "step");
    const TensorArray array(scope.WithOpName("array"), Const(scope, 10), DType::kFloat,
                            {.element_shape = PartialShape({3}), .clear_after_read = clears});
    const Output all =
        Fill(scope, Const(scope, Tensor::Vector<int32_t>({10, 3})), Const(scope, 7.0f));
    const Output full = reads ? array.Unstack(scope, all).flow() : array.flow();
    return ForEach(
        scope, n, {Zeros(scope), full},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const TensorArray now = array.WithFlow(v[1]);
          const Output at = FloorMod(s, Mul(s, i, step), 10);
          if (!reads) return {v[0], now.Write(s.WithOpName("again"), at, VectorOf(s, i)).flow()};
          return {Mixed(s, v[0], now.Read(s.WithOpName("again"), at)), v[1]};
        });
  });
}

TEST_F(NativeElementsTest, WhatIsWrittenOrReadTwice) {
  for (const bool reads : {false, true}) {
    for (const bool clears : {false, true}) {
      for (const int32_t step : {0, 1, 3, 4}) {
        ExpectSame(Again(reads, clears), {{"n", Int(12)}, {"step", Int(step)}});
      }
    }
  }
}

// What is read from an array that keeps its elements is not written over.
TEST_F(NativeElementsTest, AnElementThatIsReadAndStays) {
  const Program program([](const Scope& scope) -> OutputList {
    const TensorArray array(scope, Const(scope, 1), DType::kFloat,
                            {.element_shape = PartialShape({3}), .clear_after_read = false});
    const Output full = array.Write(scope, 0, VectorOf(scope, Const(scope, 1))).flow();
    const std::vector<Output> ends = ForEach(
        scope, Const(scope, 6), {Zeros(scope), full},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output read = array.WithFlow(v[1]).Read(s, 0);
          const Output changed = Cond(
              s, Equal(s, FloorMod(s, i, 2), 0), [&](const Scope& b) { return Identity(b, read); },
              [&](const Scope& b) { return Neg(b, read); });
          return {Mixed(s, v[0], changed), v[1]};
        });
    return {ends[0], array.WithFlow(ends[1]).Read(scope, 0)};
  });
  ExpectSame(program, {});
}

// ---- Stacks ----

// Pushes a vector, or pops one where i % 3 is `pops`; what a push hands on is used, too.
Program PushesAndPops(int pops) {
  return Program([=](const Scope& scope) -> OutputList {
    const Stack stack(scope.WithOpName("stack"), FedInt(scope, "most"), DType::kFloat);
    return ForEach(
        scope, FedInt(scope, "n"), {Zeros(scope), Zeros(scope)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output value = Cond(
              s, NotEqual(s, FloorMod(s, Add(s, i, 1), 3), pops),
              [&](const Scope& b) { return stack.Push(b, VectorOf(b, i)); },
              [&](const Scope& b) { return stack.Pop(b.WithOpName("pop")); });
          return {value, Mixed(s, v[1], value)};
        });
  });
}

TEST_F(NativeElementsTest, Stacks) {
  for (const int32_t n : {0, 3, 500}) {
    for (const int32_t most : {-1, 0, 30}) {
      ExpectSame(PushesAndPops(2), {{"n", Int(n)}, {"most", Int(most)}});
    }
  }
  const NamedTensors feeds = {{"n", Int(5)}, {"most", Int(-1)}};
  ExpectSame(PushesAndPops(1), feeds);  // it is empty at first
  EXPECT_THAT(ListingOf(PushesAndPops(2), feeds), ContainsRegex("\n +[0-9]+     .*= StackPushV2"));
}

// ---- Lists ----

Output List(const Scope& scope, const Output& size) {
  return Op(scope, "TensorListReserve", {Const(scope, -1), size},
            {{"element_dtype", DType::kFloat}})[0];
}
Output Pushed(const Scope& scope, const Output& list, const Output& value) {
  return Op(scope, "TensorListPushBack", {list, value}, {{"element_dtype", value.dtype()}})[0];
}
Operation Popped(const Scope& scope, const Output& list) {
  return Op(scope, "TensorListPopBack", {list, Const(scope, -1)},
            {{"element_dtype", DType::kFloat}});
}
Output ItemSet(const Scope& scope, const Output& list, const Output& index, const Output& value) {
  return Op(scope, "TensorListSetItem", {list, index, value},
            {{"element_dtype", value.dtype()}})[0];
}
Output Item(const Scope& scope, const Output& list, const Output& index) {
  return Op(scope, "TensorListGetItem", {list, index, Const(scope, -1)},
            {{"element_dtype", DType::kFloat}})[0];
}

// n pushes, then `pops` pops; an element is a vector of i % lengths + 1.
Program PushesThenPops(int lengths) {
  return Program([=](const Scope& scope) -> OutputList {
    const auto value = [=](const Scope& s, const Output& i) {
      if (lengths == 1) return VectorOf(s, i);
      const Output size = Add(s, FloorMod(s, i, lengths), 1);
      return Neg(s, Fill(s, ExpandDims(s, size, 0), Cast(s, i, DType::kFloat)));
    };
    const Output full = ForEach(scope, FedInt(scope, "n"), {List(scope, Const(scope, 0))},
                                [&](const Scope& s, const Output& i, const std::vector<Output>& v) {
                                  return OutputList{Pushed(s, v[0], value(s, i))};
                                })[0];
    const OutputList rest =
        ForEach(scope, FedInt(scope, "pops"), {full, Const(scope, 0.0f)},
                [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                  const Operation popped = Popped(s.WithOpName("pop"), v[0]);
                  return {popped[0], Mixed(s, v[1], Sum(s, Neg(s, popped[1]), 0))};
                });
    return {rest[1]};
  });
}

TEST_F(NativeElementsTest, EndsOfLists) {
  const Program program = PushesThenPops(1);
  for (const int32_t n : {0, 1, 33, 150}) {
    for (const int32_t pops : {n, n / 2, n + 1}) {
      ExpectSame(program, {{"n", Int(n)}, {"pops", Int(pops)}});
    }
  }
  const std::string listing = ListingOf(program, {{"n", Int(9)}, {"pops", Int(9)}});
  EXPECT_THAT(listing, Not(ContainsRegex("\\*.*TensorList")));
  EXPECT_THAT(listing, HasSubstr("TensorListPushBack"));
}

TEST_F(NativeElementsTest, ElementsOfSeveralShapes) {
  for (const int lengths : {2, 3, 20}) {
    ExpectSame(PushesThenPops(lengths), {{"n", Int(40)}, {"pops", Int(40)}});
  }
}

// A list that changes in branches and places; one of another version is kept from iteration `kept`
// on, and so is an element.
TEST_F(NativeElementsTest, ListsThatAreShared) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), kept = FedInt(scope, "kept");
    const Output list = List(scope, Const(scope, 0));
    const Output begun = Pushed(scope, list, Zeros(scope));
    const OutputList last =
        ForEach(scope, n, {begun, begun, Zeros(scope), Zeros(scope)},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  const Output pushed = Pushed(s, Pushed(s, v[0], VectorOf(s, i)), v[3]);
                  const Output changed = Cond(
                      s, Equal(s, FloorMod(s, i, 3), 1),
                      [&](const Scope& b) { return Popped(b, pushed)[0]; },
                      [&](const Scope& b) { return Identity(b, pushed); });
                  const Output at = FloorMod(s, Mul(s, i, 7), Add(s, i, 2));
                  const Output set = ItemSet(s, changed, at, Neg(s, VectorOf(s, i)));
                  const Output keeps = Cond(
                      s, Equal(s, i, kept), [&](const Scope& b) { return Identity(b, set); },
                      [&](const Scope& b) { return Identity(b, v[1]); });
                  const Output item = Item(s, set, FloorMod(s, Mul(s, i, 5), Add(s, i, 2)));
                  return {set, keeps, Mixed(s, v[2], item), Mul(s, item, Const(s, 0.5f))};
                });
    const auto all = [&](const Output& of) {
      return Op(scope, "TensorListStack", {of, Const(scope, -1)},
                {{"element_dtype", DType::kFloat}})[0];
    };
    return {all(last[0]), all(last[1]), last[2], last[3]};
  });
  for (const int32_t n : {0, 1, 4, 40, 150}) {
    for (const int32_t kept : {-1, 0, 30}) {
      ExpectSame(program, {{"n", Int(n)}, {"kept", Int(kept)}});
    }
  }
}

// Scalars and vectors in one list.
TEST_F(NativeElementsTest, ListsOfBoth) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n");
    const Output full =
        ForEach(scope, n, {List(scope, Const(scope, 0))},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  return {Pushed(s, Pushed(s, v[0], VectorOf(s, i)), Cast(s, i, DType::kFloat))};
                })[0];
    return ForEach(scope, n, {full, Zeros(scope)},
                   [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                     const Operation scalar = Popped(s, v[0]), vector = Popped(s, scalar[0]);
                     return {vector[0], Mixed(s, v[1], Mul(s, vector[1], scalar[1]))};
                   })[1];
  });
  ExpectSame(program, {{"n", Int(30)}});
}

TEST_F(NativeElementsTest, LimitsOfFiringsAreExact) {
  const Program program = PushesThenPops(1);
  const NamedTensors feeds = {{"n", Int(5)}, {"pops", Int(6)}};
  ExpectSameLimits(program, feeds, 80);
}

}  // namespace
}  // namespace tagflow::optimized
