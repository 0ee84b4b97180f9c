// Tests: loop_rows.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "optimized/native/loop_types.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeRowsTest = NativeTest;
using testing::HasSubstr;
using testing::Not;

// x[i], as TensorFlow's Python writes it.
Output Sliced(const Scope& scope, const Output& x, const Output& i, int32_t stride) {
  const Output end = Add(scope, i, 1);
  return Op(
      scope, "StridedSlice",
      {x, Pack(scope, {i}), Pack(scope, {end}), Const(scope, Tensor::Vector<int32_t>({stride}))},
      {{"shrink_axis_mask", int64_t{1}}});
}

enum class How { kGather, kSlice, kBackwards, kSliceOfStride0 };

Output RowOf(const Scope& scope, const Output& x, const Output& i, How how) {
  const Scope named = scope.WithOpName("row");
  switch (how) {
    case How::kGather:
      return ElementAt(named, x, i);
    case How::kSlice:
      return Sliced(named, x, i, 1);
    case How::kBackwards:
      return Sliced(named, x, Sub(scope, -1, i), 1);
    case How::kSliceOfStride0:
      return Sliced(named, x, i, 0);
  }
  return x;
}

// sum = sum * 1.25 + x[i], for i in [0, n).
Program Sums(How how) {
  return Program([how](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const Output zero = ZerosLike(scope, ElementAt(scope, x, 0));
    return WhileLoop(
        scope, {Const(scope, 0), zero},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output row = RowOf(s, x, v[0], how);
          return {Add(s, v[0], 1), Add(s, Mul(s, v[1], Const(s, 1.25f)), row)};
        },
        {.back_prop = false});
  });
}

Tensor Numbers(const Dims& dims) {
  std::vector<float> values(static_cast<size_t>(*NumElements(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 23) - 7.5f;
  return Tensor::Of<float>(dims, values);
}

TEST_F(NativeRowsTest, ScalarsAndRows) {
  for (const How how : {How::kGather, How::kSlice, How::kBackwards}) {
    const Program program = Sums(how);
    // Of a large tensor a row is taken where it lies.
    for (const Dims& dims : {Dims{7}, Dims{2 * kMostElements}, Dims{9, 3}, Dims{5, 2, 3},
                             Dims{2, kMostElements}, Dims{3, 1}}) {
      const NamedTensors feeds = {{"x", Numbers(dims)},
                                  {"n", Int(static_cast<int32_t>(std::min<int64_t>(dims[0], 50)))}};
      ExpectSame(program, feeds);
      EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*"))) << ListingOf(program, feeds);
    }
  }
}

TEST_F(NativeRowsTest, RowsThatAreNotThere) {
  for (const How how : {How::kGather, How::kSlice, How::kBackwards}) {
    for (const Dims& dims : {Dims{7}, Dims{7, 2}}) {
      const NamedTensors feeds = {{"x", Numbers(dims)}, {"n", Int(20)}};
      ExpectSame(Sums(how), feeds);
      const std::string outcome = OutcomeOf(Sums(how), feeds, {NativeChoice::kAlways});
      EXPECT_THAT(outcome, HasSubstr("row"));
      EXPECT_THAT(outcome, HasSubstr("[7]"));
    }
  }
  ExpectSame(Sums(How::kSliceOfStride0), {{"x", Numbers({7})}, {"n", Int(5)}});
}

TEST_F(NativeRowsTest, LargeRowsAreForKernels) {
  const NamedTensors feeds = {{"x", Numbers({3, kMostElements + 1})}, {"n", Int(3)}};
  ExpectSame(Sums(How::kGather), feeds);
  EXPECT_THAT(ListingOf(Sums(How::kGather), feeds), HasSubstr("*"));
}

// x[i, j], as TensorFlow's Python writes it, and by GatherNd.
Output ItemOf(const Scope& scope, const Output& x, const OutputList& at, bool is_sliced) {
  const Scope named = scope.WithOpName("item");
  if (!is_sliced) return Op(named, "GatherNd", {x, Pack(scope, at)})[0];
  OutputList ends;
  for (const Output& i : at) ends.push_back(Add(scope, i, 1));
  const auto count = static_cast<int64_t>(at.size());
  return Op(named, "StridedSlice",
            {x, Pack(scope, at), Pack(scope, ends),
             Const(scope, Tensor::Vector<int32_t>(std::vector<int32_t>(at.size(), 1)))},
            {{"shrink_axis_mask", (int64_t{1} << count) - 1}})[0];
}

// sum = sum * 1.25 + x[i, 2 i - 1] or x[i, 2 i - 1, i], for i in [0, n); the first is x[0, -1].
Program SumsOfItems(int indices, bool is_sliced) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const auto item_at = [=](const Scope& s, const Output& i) {
      std::vector<Output> at = {i, Sub(s, Add(s, i, i), 1), i};
      at.resize(static_cast<size_t>(indices));
      return ItemOf(s, x, at, is_sliced);
    };
    const Output zero = ZerosLike(scope, item_at(scope, Const(scope, 1)));
    return WhileLoop(
        scope, {Const(scope, 0), zero},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output sum = Mul(s, v[1], Const(s, 1.25f));
          return {Add(s, v[0], 1), Add(s, sum, item_at(s, v[0]))};
        },
        {.back_prop = false});
  });
}

TEST_F(NativeRowsTest, ItemsOfSeveralIndices) {
  for (const int indices : {1, 2, 3}) {
    const Program program = SumsOfItems(indices, /*is_sliced=*/true);
    for (const Dims& dims : {Dims{4, 7, 4}, Dims{4, 9, 5, 3}}) {
      const NamedTensors feeds = {{"x", Numbers(dims)}, {"n", Int(4)}};
      ExpectSame(program, feeds);
      EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*"))) << ListingOf(program, feeds);
      ExpectSameLimits(program, feeds, 60);
    }
  }
}

// GatherNd counts from the beginning alone.
TEST_F(NativeRowsTest, ItemsThatAreNotThere) {
  for (const bool is_sliced : {true, false}) {
    const Program program = SumsOfItems(2, is_sliced);
    const NamedTensors feeds = {{"x", Numbers({9, 7})}, {"n", Int(9)}};
    ExpectSame(program, feeds);
    EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*"))) << ListingOf(program, feeds);
    const std::string outcome = OutcomeOf(program, feeds, {NativeChoice::kAlways});
    EXPECT_THAT(outcome, HasSubstr("item"));
    EXPECT_THAT(outcome, HasSubstr(is_sliced ? "[4]" : "[0]"));
  }
}

// The table changes, and so do the axis and the index's dtype.
TEST_F(NativeRowsTest, TablesOfTheLoop) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const auto gathered = [](const Scope& s, const Output& from, const Output& i, int32_t axis) {
      return Op(s, "GatherV2", {from, i, axis})[0];
    };
    return WhileLoop(
        scope, {Const(scope, int64_t{0}), x, Const(scope, true)},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], int64_t{4}); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output row = gathered(s, v[1], v[0], 0), column = gathered(s, v[1], v[0], 1);
          const Output next = Add(s, Mul(s, v[1], row), column);
          const Output positive = gathered(s, Greater(s, row, Const(s, 0.0f)), v[0], 0);
          return {Add(s, v[0], int64_t{1}), Tanh(s, next), LogicalAnd(s, v[2], positive)};
        },
        {.back_prop = false});
  });
  ExpectSame(program, {{"x", Numbers({4, 4})}});
  EXPECT_THAT(ListingOf(program, {{"x", Numbers({4, 4})}}), HasSubstr("*"));  // the column
}

// A vector of loop variables.
TEST_F(NativeRowsTest, VectorsOfScalars) {
  for (const DType dtype : {DType::kFloat, DType::kInt64, DType::kBool}) {
    for (const int64_t axis : {0, -1}) {
      const Program program([=](const Scope& scope) -> OutputList {
        return WhileLoop(
            scope,
            {Const(scope, 0), Cast(scope, Const(scope, Tensor::Vector<int32_t>({0, 0})), dtype)},
            [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
            [&](const Scope& s, const OutputList& v) -> OutputList {
              const Output first = ElementAt(s, v[1], 1);
              const Output both =
                  Op(s, "Pack", {{Cast(s, v[0], dtype), first}}, {{"axis", axis}})[0];
              return {Add(s, v[0], 1), both};
            },
            {.back_prop = false});
      });
      ExpectSame(program, {});
    }
  }
}

TEST_F(NativeRowsTest, LimitsOfFiringsAreExact) {
  const NamedTensors feeds = {{"x", Numbers({9, 3})}, {"n", Int(9)}};
  const Program program = Sums(How::kSlice);
  ExpectSameLimits(program, feeds, 80);
}

}  // namespace
}  // namespace tagflow::optimized
