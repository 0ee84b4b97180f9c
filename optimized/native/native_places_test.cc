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

using NativePlacesTest = NativeTest;
using testing::HasSubstr;
using testing::Not;

Tensor Numbers(const Dims& dims) {
  std::vector<float> values(static_cast<size_t>(*NumElements(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 23) - 7.5f;
  return Tensor::Of<float>(dims, values);
}

Output ElementOf(const Scope& scope, const Output& x, const OutputList& at) {
  return Op(scope, "GatherNd", {x, Pack(scope, at)})[0];
}
// x with `slice` at [i, j], as TensorFlow's Python writes it.
Output Placed(const Scope& scope, const Output& x, const OutputList& at, const Output& slice) {
  return Op(scope.WithOpName("placed"), "TensorScatterUpdate",
            {x, Pack(scope, {Pack(scope, at)}), Pack(scope, {slice})})[0];
}

// for (i = 1; i < n; ++i) x[i] = x[i - 1] * 1.25 + 1, or x[i, 0]; x is fed.
Program Recurrence(size_t num_indices) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const auto at = [=](const Scope& s, const Output& i) {
      std::vector<Output> indices = {i, Const(s, 0)};
      indices.resize(num_indices, i);
      return indices;
    };
    return WhileLoop(
        scope, {Const(scope, 1), x},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output before = ElementOf(s, v[1], at(s, Sub(s, v[0], 1)));
          const Output next = Add(s, Mul(s, before, Const(s, 1.25f)), Const(s, 1.0f));
          return {Add(s, v[0], 1), Placed(s, v[1], at(s, v[0]), next)};
        },
        {.back_prop = false});
  });
}
NamedTensors Feeds(const Dims& dims, int32_t n) { return {{"x", Numbers(dims)}, {"n", Int(n)}}; }

TEST_F(NativePlacesTest, ElementsAndRows) {
  for (const Dims& dims : {Dims{7}, Dims{2 * kMostElements}, Dims{9, 3}, Dims{5, 2, 3},
                           Dims{300, kMostPacked}, Dims{9, 1}}) {
    const NamedTensors feeds = Feeds(dims, static_cast<int32_t>(std::min<int64_t>(dims[0], 50)));
    for (size_t indices = 1; indices <= std::min<size_t>(2, dims.size()); ++indices) {
      const Program program = Recurrence(indices);
      ExpectSame(program, feeds);
      EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*"))) << ListingOf(program, feeds);
    }
  }
}

// A kernel makes a matrix of the row, and sets those that are too large.
TEST_F(NativePlacesTest, LongRows) {
  for (const int64_t length : {kMostPacked + 1, kMostElements, kMostElements + 1}) {
    ExpectSame(Recurrence(1), Feeds({3, length}, 3));
    EXPECT_THAT(ListingOf(Recurrence(1), Feeds({3, length}, 3)), HasSubstr("*"));
  }
}

TEST_F(NativePlacesTest, PlacesThatAreNotThere) {
  for (const size_t indices : {1, 2}) {
    const Program program = Recurrence(indices);
    ExpectSame(program, Feeds({7, 2}, 20));
    const std::string outcome = OutcomeOf(program, Feeds({7, 2}, 20), {NativeChoice::kAlways});
    EXPECT_THAT(outcome, HasSubstr("placed"));
    EXPECT_THAT(outcome, HasSubstr("[6]"));
  }
}

// What is fed is the caller's, in each of several steps.
TEST_F(NativePlacesTest, WhatOthersHaveIsNotChanged) {
  const Program program = Recurrence(1);
  const Tensor x = Numbers({100});
  const NamedTensors feeds = {{"x", x}, {"n", Int(100)}};
  const std::string expected = OutcomeOf(program, feeds, kInterpreted);
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(Outcome(session->Run(feeds, program.fetches)), expected);
    EXPECT_EQ(x.flat<float>()[99], Numbers({100}).flat<float>()[99]);
  }
}

// sums = sums + x, as a list of all that x has been, or x itself read once more.
enum class Reader { kAddition, kStack };
Program ReadAgain(Reader reader) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat, Dims{5});
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output list =
        Op(scope, "EmptyTensorList", {Const(scope, Tensor::Vector<int32_t>({5})), Const(scope, -1)},
           {{"element_dtype", DType::kFloat}})[0];
    const OutputList results = WhileLoop(
        scope, {Const(scope, 0), x, x, list},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = Placed(s, v[1], {v[0]}, Cast(s, Add(s, v[0], 3), DType::kFloat));
          const Output sums = reader == Reader::kAddition ? Add(s, v[2], v[1]) : v[2];
          const Output all =
              reader == Reader::kStack ? Op(s, "TensorListPushBack", {v[3], v[1]})[0] : v[3];
          return {Add(s, v[0], 1), next, sums, all};
        },
        {.back_prop = false});
    const Output stacked =
        Op(scope, "TensorListStack", {results[3], Const(scope, Tensor::Vector<int32_t>({5}))},
           {{"element_dtype", DType::kFloat}})[0];
    return {results[1], results[2], stacked};
  });
}

TEST_F(NativePlacesTest, WhatIsReadAgainIsKept) {
  for (const Reader reader : {Reader::kAddition, Reader::kStack}) {
    ExpectSame(ReadAgain(reader), Feeds({5}, 5));
    ExpectSame(ReadAgain(reader), Feeds({5}, 9));
  }
}

// if (x[i] > 0) x[i + 1] = -x[i]
TEST_F(NativePlacesTest, InABranch) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    return WhileLoop(
        scope, {Const(scope, 0), x},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output now = ElementOf(s, v[1], {v[0]});
          const Output next = Cond(
              s, Greater(s, now, Const(s, 0.0f)),
              [&](const Scope& b) { return Placed(b, v[1], {Add(b, v[0], 1)}, Neg(b, now)); },
              [&](const Scope& b) { return Identity(b, v[1]); });
          return {Add(s, v[0], 1), next};
        },
        {.back_prop = false});
  });
  ExpectSame(program, Feeds({30}, 20));
  ExpectSame(program, Feeds({30}, 40));
}

TEST_F(NativePlacesTest, LimitsOfFiringsAreExact) {
  ExpectSameLimits(Recurrence(1), Feeds({9}, 9), 130);
  ExpectSameLimits(Recurrence(2), Feeds({4, 2}, 4), 70);
}

}  // namespace
}  // namespace tagflow::optimized
