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

}  // namespace
}  // namespace tagflow::optimized
