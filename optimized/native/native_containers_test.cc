// Tests: loop_cells.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeContainersTest = NativeTest;
using testing::HasSubstr;

// What is written at `first` and each index after it, and read again from the last on.
Program WrittenAndRead(DType dtype, const TensorArrayOptions& options) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), first = FedInt(scope, "first"),
                 size = FedInt(scope, "size");
    const TensorArray array(scope.WithOpName("array"), size, dtype, options);
    const Output written =
        ForEach(scope, n, {array.flow()},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) {
                  const Output value = Cast(s, Mul(s, i, i), dtype);
                  return OutputList{array.WithFlow(v[0]).Write(s, Add(s, first, i), value).flow()};
                })[0];
    return ForEach(
        scope, n, {Const(scope, 0.0), written},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output value = array.WithFlow(v[1]).Read(s, Sub(s, Add(s, first, n), Add(s, i, 1)));
          return {Add(s, Mul(s, v[0], Const(s, 1.5)), Cast(s, value, DType::kDouble)), v[1]};
        });
  });
}

TEST_F(NativeContainersTest, ElementsOfArrays) {
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt64, DType::kBool}) {
    for (const bool grows : {false, true}) {
      const Program program =
          WrittenAndRead(dtype, {.element_shape = PartialShape(Dims{}), .dynamic_size = grows});
      for (const int32_t n : {0, 1, 100}) {
        // In an array as long, too short, and too long.
        for (const int32_t size : {n, n / 2, n + 3}) {
          ExpectSame(program, {{"n", Int(n)}, {"first", Int(0)}, {"size", Int(size)}});
        }
      }
      ExpectSame(program, {{"n", Int(4)}, {"first", Int(-2)}, {"size", Int(4)}});
      ExpectCompiled(program, {{"n", Int(9)}, {"first", Int(0)}, {"size", Int(9)}});
    }
  }
}

TEST_F(NativeContainersTest, ArraysThatLearnTheShapeOfTheirElements) {
  const Program program = WrittenAndRead(DType::kFloat, {.identical_element_shapes = true});
  ExpectSame(program, {{"n", Int(40)}, {"first", Int(0)}, {"size", Int(40)}});
}

// Element (i * step) % 10 is written or read in iteration i.
Program Again(bool reads, bool clears) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), step = FedInt(scope, "step");
    const TensorArray array(scope.WithOpName("array"), Const(scope, 10), DType::kInt32,
                            {.clear_after_read = clears});
    const Output all = Fill(scope, Const(scope, Tensor::Vector<int32_t>({10})), 7);
    const Output full = reads ? array.Unstack(scope, all).flow() : array.flow();
    return ForEach(
        scope, n, {Const(scope, 0), full},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const TensorArray now = array.WithFlow(v[1]);
          const Output at = FloorMod(s, Mul(s, i, step), 10);
          if (!reads) {
            return {v[0], now.Write(s.WithOpName("again"), at, i).flow()};
          }
          return {Add(s, v[0], now.Read(s.WithOpName("again"), at)), v[1]};
        });
  });
}

TEST_F(NativeContainersTest, WhatIsWrittenOrReadTwice) {
  for (const bool reads : {false, true}) {
    for (const bool clears : {false, true}) {
      const Program program = Again(reads, clears);
      for (const int32_t step : {0, 1, 3, 4}) {
        ExpectSame(program, {{"n", Int(12)}, {"step", Int(step)}});
      }
    }
  }
  EXPECT_THAT(
      OutcomeOf(Again(false, true), {{"n", Int(12)}, {"step", Int(3)}}, {NativeChoice::kAlways}),
      testing::AllOf(HasSubstr("again"), HasSubstr("[10]"), HasSubstr("already")));
}

// Pushes i, or pops where i % 3 is `pops`.
Program PushesAndPops(DType dtype, int pops) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n");
    const Stack stack(scope.WithOpName("stack"), FedInt(scope, "most"), dtype);
    return ForEach(scope, n, {Cast(scope, Const(scope, 1), dtype)},
                   [&](const Scope& s, const Output& i, const std::vector<Output>&) -> OutputList {
                     return {Cond(
                         s, NotEqual(s, FloorMod(s, Add(s, i, 1), 3), pops),
                         [&](const Scope& b) { return stack.Push(b, Cast(b, i, dtype)); },
                         [&](const Scope& b) { return stack.Pop(b.WithOpName("pop")); })};
                   });
  });
}

TEST_F(NativeContainersTest, Stacks) {
  for (const DType dtype : {DType::kFloat, DType::kInt64, DType::kBool}) {
    const Program program = PushesAndPops(dtype, 2);
    // Long enough for several of the parts that a stack is made of.
    for (const int32_t n : {0, 3, 2'000}) {
      for (const int32_t most : {-1, 0, 300}) {
        ExpectSame(program, {{"n", Int(n)}, {"most", Int(most)}});
      }
    }
    ExpectCompiled(program, {{"n", Int(50)}, {"most", Int(-1)}});
  }
  // It is empty at first.
  const NamedTensors feeds = {{"n", Int(5)}, {"most", Int(-1)}};
  ExpectSame(PushesAndPops(DType::kFloat, 1), feeds);
  EXPECT_THAT(OutcomeOf(PushesAndPops(DType::kFloat, 1), feeds, {NativeChoice::kAlways}),
              testing::AllOf(HasSubstr("pop"), HasSubstr("is empty")));
}

Output List(const Scope& scope, const Output& size, DType dtype) {
  return Op(scope, "TensorListReserve", {Const(scope, -1), size}, {{"element_dtype", dtype}})[0];
}
Output Pushed(const Scope& scope, const Output& list, const Output& value) {
  return Op(scope, "TensorListPushBack", {list, value}, {{"element_dtype", value.dtype()}})[0];
}
// The list, and what was its last element.
Operation Popped(const Scope& scope, const Output& list, DType dtype) {
  return Op(scope, "TensorListPopBack", {list, Const(scope, Tensor::Vector<int32_t>({}))},
            {{"element_dtype", dtype}});
}
Output ItemSet(const Scope& scope, const Output& list, const Output& index, const Output& value) {
  return Op(scope, "TensorListSetItem", {list, index, value},
            {{"element_dtype", value.dtype()}})[0];
}
Output Item(const Scope& scope, const Output& list, const Output& index, DType dtype) {
  return Op(scope, "TensorListGetItem", {list, index, Const(scope, Tensor::Vector<int32_t>({}))},
            {{"element_dtype", dtype}})[0];
}
Output Length(const Scope& scope, const Output& list) {
  return Op(scope, "TensorListLength", {list})[0];
}

// n pushes, then `pops` pops.
Program PushesThenPops(DType dtype) {
  return Program([dtype](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), pops = FedInt(scope, "pops");
    const Output list = List(scope, Const(scope, 0), dtype);
    const Output full = ForEach(scope, n, {list},
                                [&](const Scope& s, const Output& i, const std::vector<Output>& v) {
                                  return OutputList{Pushed(s, v[0], Cast(s, Mul(s, i, i), dtype))};
                                })[0];
    const OutputList rest =
        ForEach(scope, pops, {full, Const(scope, 0.0)},
                [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                  const Operation popped = Popped(s.WithOpName("pop"), v[0], dtype);
                  const Output value = Cast(s, popped[1], DType::kDouble);
                  return {popped[0], Add(s, Mul(s, v[1], Const(s, 1.5)), value)};
                });
    return {Length(scope, full), Length(scope, rest[0]), rest[1]};
  });
}

TEST_F(NativeContainersTest, EndsOfLists) {
  const Program floats = PushesThenPops(DType::kFloat);
  for (const int32_t n : {0, 1, 32, 33, 64, 1'100}) {
    for (const int32_t pops : {n, n / 2, n + 1}) {
      ExpectSame(floats, {{"n", Int(n)}, {"pops", Int(pops)}});
    }
  }
  for (const DType dtype : {DType::kDouble, DType::kInt32, DType::kBool}) {
    const NamedTensors feeds = {{"n", Int(40)}, {"pops", Int(40)}};
    ExpectSame(PushesThenPops(dtype), feeds);
    ExpectCompiled(PushesThenPops(dtype), feeds);
  }
}

// A list that changes in branches and places; one of another version is kept from iteration `kept`
// on.
TEST_F(NativeContainersTest, ListsThatAreShared) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), kept = FedInt(scope, "kept");
    const Output list = List(scope, Const(scope, 3), DType::kInt32);
    const OutputList last =
        ForEach(scope, n, {list, list, Const(scope, 0)},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  const Output changed = Cond(
                      s, Equal(s, FloorMod(s, i, 5), 3),
                      [&](const Scope& b) { return Popped(b, v[0], DType::kInt32)[0]; },
                      [&](const Scope& b) { return Pushed(b, v[0], i); });
                  const Output at = FloorMod(s, Mul(s, i, 7), Length(s, changed));
                  const Output set = Cond(
                      s, Equal(s, FloorMod(s, i, 4), 1),
                      [&](const Scope& b) { return ItemSet(b, changed, at, Sub(b, 0, i)); },
                      [&](const Scope& b) { return Identity(b, changed); });
                  const Output keeps = Cond(
                      s, Equal(s, i, kept), [&](const Scope& b) { return Identity(b, set); },
                      [&](const Scope& b) { return Identity(b, v[1]); });
                  const Output sum = Add(s, Mul(s, v[2], 3), Item(s, set, at, DType::kInt32));
                  return {set, keeps, sum};
                });
    const auto all = [&](const Output& of) {
      return Op(scope, "TensorListStack", {of, Const(scope, Tensor::Vector<int32_t>({}))},
                {{"element_dtype", DType::kInt32}})[0];
    };
    return {all(last[0]), all(last[1]), last[2]};
  });
  for (const int32_t n : {0, 1, 4, 5, 40, 150}) {
    for (const int32_t kept : {-1, 0, 1, 30}) {
      ExpectSame(program, {{"n", Int(n)}, {"kept", Int(kept)}});
    }
  }
  ExpectCompiled(program, {{"n", Int(40)}, {"kept", Int(3)}});
}

// Elements that were never set, and an index beyond the end.
TEST_F(NativeContainersTest, ItemsOfAReservedList) {
  const Program sums([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), size = FedInt(scope, "size");
    const Output list = List(scope, size, DType::kFloat);
    const OutputList last = ForEach(
        scope, n, {list, Const(scope, 0.0f)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output set = ItemSet(s.WithOpName("set"), v[0], i, Cast(s, i, DType::kFloat));
          const Output next = FloorMod(s, Add(s, i, 20), size);
          return {set, Add(s, v[1], Item(s, set, next, DType::kFloat))};
        });
    return {last[1]};
  });
  for (const int32_t n : {1, 10, 60}) {
    for (const int32_t size : {1, 10, 60, 1'000'000}) {
      ExpectSame(sums, {{"n", Int(n)}, {"size", Int(size)}});
    }
  }
}

// Elements that are scalars or vectors by turns, in each kind of container.
TEST_F(NativeContainersTest, ElementsThatAreNoScalars) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), odd = FedInt(scope, "odd");
    const TensorArray array(scope, n, DType::kFloat, {});
    const Stack stack(scope, -1, DType::kFloat);
    const Output list = List(scope, Const(scope, 0), DType::kFloat);
    const auto value = [&](const Scope& s, const Output& i) {
      // Of no dimensions, but where i is `odd`.
      const Output rank = Cast(s, Equal(s, i, odd), DType::kInt32);
      return Fill(s, Fill(s, ExpandDims(s, rank, 0), 2), Cast(s, i, DType::kFloat));
    };
    const OutputList full = ForEach(
        scope, n, {array.flow(), list, Const(scope, 0.0f)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output element = value(s, i);
          const Output pushed = stack.Push(s, element);
          return {array.WithFlow(v[0]).Write(s, i, element).flow(), Pushed(s, v[1], element),
                  Add(s, v[2], Sum(s, pushed, Range(s, 0, Rank(s, pushed), 1)))};
        });
    const OutputList sums = ForEach(
        scope, n, {full[0], full[1], full[2]},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const auto sum = [&](const Output& x) { return Sum(s, x, Range(s, 0, Rank(s, x), 1)); };
          const Output read = sum(array.WithFlow(v[0]).Read(s, i));
          const Operation popped =
              Op(s, "TensorListPopBack", {v[1], Const(s, -1)}, {{"element_dtype", DType::kFloat}});
          return {v[0], popped[0],
                  Add(s, Mul(s, v[2], Const(s, 1.25f)), Add(s, read, sum(popped[1])))};
        });
    return {sums[2], stack.Pop(scope.WithControlDependencies({sums[2]}))};
  });
  for (const int32_t odd : {-1, 0, 1, 2, 8, 19}) {
    ExpectSame(program, {{"n", Int(20)}, {"odd", Int(odd)}});
  }
}

}  // namespace
}  // namespace tagflow::optimized
