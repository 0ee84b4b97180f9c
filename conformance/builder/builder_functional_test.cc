// Map, Scan and the folds against the same loops over std::vector.

#include "conformance/builder/builder_run.h"

namespace tagflow {
namespace {

class FunctionalTest : public testing::TestWithParam<int64_t> {
 protected:
  MapOptions Options() const { return {.parallel_iterations = GetParam()}; }

  Scope scope_ = Scope::Root();
  Output xs_ = Placeholder(scope_.WithOpName("xs"), DType::kInt32, PartialShape::UnknownOfRank(1));
  const std::vector<std::vector<int32_t>> inputs_ = {{5}, {3, -1, 4, 1, -5}, {2, 7}};
};

TEST_P(FunctionalTest, MapOverSeveralElementsWithACapture) {
  const Output ys = Placeholder(scope_, DType::kFloat, PartialShape({-1, 2}));
  const Output k = Const(scope_, 10);
  const OutputList out = Map(
      scope_,
      [&](const Scope& s, const OutputList& row) -> OutputList {
        return {row[0] * k + 1, Sum(s, row[1], 0), Greater(s, row[0], 2)};
      },
      {xs_, ys}, Options());
  for (const auto& xs : inputs_) {
    std::vector<float> ys_values;
    std::vector<int32_t> first;
    std::vector<float> second;
    for (const int32_t x : xs) {
      ys_values.push_back(static_cast<float>(x));
      ys_values.push_back(0.5f);
      first.push_back(x * 10 + 1);
      second.push_back(static_cast<float>(x) + 0.5f);
    }
    const auto rows = static_cast<int64_t>(xs.size());
    const Feeds feeds = {{xs_, Tensor::Vector(xs)},
                         {ys, Tensor::Vector(ys_values).Reshaped(Dims{rows, 2})}};
    const auto values = Fetch(scope_, {out[0], out[1], out[2]}, feeds);
    EXPECT_EQ(Elements<int32_t>(values[0]), first);
    EXPECT_EQ(Elements<float>(values[1]), second);
    ASSERT_EQ(values[2].num_elements(), rows);
    for (size_t i = 0; i < xs.size(); ++i) EXPECT_EQ(values[2].flat<bool>()[i], xs[i] > 2);
  }
}

TEST_P(FunctionalTest, MapOfNothing) {
  const Output empty = Const(scope_, Dims{0, 3}, std::vector<float>());
  const OutputList out = Map(
      scope_, [](const Scope&, const OutputList& row) -> OutputList { return row[0] * 2; }, empty,
      Options());
  const auto values = Fetch(scope_, {out[0]});
  EXPECT_EQ(Dims(values[0].dims().begin(), values[0].dims().end()), (Dims{0, 3}));
}

TEST_P(FunctionalTest, MapInAMap) {
  const Output table = Const(scope_, Dims{2, 3}, std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  const OutputList out = Map(
      scope_,
      [&](const Scope& s, const OutputList& row) -> OutputList {
        const Output sum = Sum(s, row[0], 0);
        return Map(
            s, [&](const Scope&, const OutputList& x) -> OutputList { return x[0] * sum; }, row[0],
            Options())[0];
      },
      table, Options());
  EXPECT_EQ(Values<int32_t>(scope_, out[0]), (std::vector<int32_t>{6, 12, 18, 60, 75, 90}));
}

TEST_P(FunctionalTest, Folds) {
  // a * 3 + x tells the order.
  const FoldFunction step = [](const Scope&, const OutputList& a,
                               const OutputList& row) -> OutputList { return a[0] * 3 + row[0]; };
  const Output two = Const(scope_, 2);
  const Output left = FoldL(scope_, step, xs_, two, Options())[0];
  const Output right = FoldR(scope_, step, xs_, two, Options())[0];
  const Output left_bare = FoldL(scope_, step, xs_, {}, Options())[0];
  const Output right_bare = FoldR(scope_, step, xs_, {}, Options())[0];
  for (const auto& xs : inputs_) {
    auto fold = [](int a, auto from, auto to) {
      for (; from != to; ++from) a = a * 3 + *from;
      return a;
    };
    const auto values =
        Fetch(scope_, {left, right, left_bare, right_bare}, {{xs_, Tensor::Vector(xs)}});
    EXPECT_EQ(Only<int32_t>(values[0]), fold(2, xs.begin(), xs.end()));
    EXPECT_EQ(Only<int32_t>(values[1]), fold(2, xs.rbegin(), xs.rend()));
    EXPECT_EQ(Only<int32_t>(values[2]), fold(xs.front(), xs.begin() + 1, xs.end()));
    EXPECT_EQ(Only<int32_t>(values[3]), fold(xs.back(), xs.rbegin() + 1, xs.rend()));
  }
}

TEST_P(FunctionalTest, Scans) {
  const FoldFunction step = [](const Scope&, const OutputList& a,
                               const OutputList& row) -> OutputList { return a[0] * 3 + row[0]; };
  MapOptions reverse = Options();
  reverse.reverse = true;
  const Output two = Const(scope_, 2);
  const Output forth = Scan(scope_, step, xs_, two, Options())[0];
  const Output back = Scan(scope_, step, xs_, two, reverse)[0];
  const Output forth_bare = Scan(scope_, step, xs_, {}, Options())[0];
  const Output back_bare = Scan(scope_, step, xs_, {}, reverse)[0];
  for (const auto& xs : inputs_) {
    // Element i is the accumulator after row i; without a start the first row is taken as it is.
    auto scan = [&xs](std::optional<int> a, bool backwards) {
      std::vector<int32_t> out(xs.size());
      for (size_t k = 0; k < xs.size(); ++k) {
        const size_t i = backwards ? xs.size() - 1 - k : k;
        a = a.has_value() ? *a * 3 + xs[i] : xs[i];
        out[i] = *a;
      }
      return out;
    };
    const auto values =
        Fetch(scope_, {forth, back, forth_bare, back_bare}, {{xs_, Tensor::Vector(xs)}});
    EXPECT_EQ(Elements<int32_t>(values[0]), scan(2, false));
    EXPECT_EQ(Elements<int32_t>(values[1]), scan(2, true));
    EXPECT_EQ(Elements<int32_t>(values[2]), scan(std::nullopt, false));
    EXPECT_EQ(Elements<int32_t>(values[3]), scan(std::nullopt, true));
  }
}

TEST_P(FunctionalTest, FoldOfSeveralAccumulators) {
  // Fibonacci: the rows only count.
  const OutputList r = FoldL(
      scope_,
      [](const Scope&, const OutputList& a, const OutputList&) -> OutputList {
        return {a[1], a[0] + a[1]};
      },
      xs_, {Const(scope_, 0), Const(scope_, 1)}, Options());
  const auto values = Fetch(scope_, {r[0], r[1]}, {{xs_, Tensor::Vector(inputs_[1])}});
  EXPECT_EQ(Only<int32_t>(values[0]), 5);
  EXPECT_EQ(Only<int32_t>(values[1]), 8);
}

TEST_P(FunctionalTest, MapInABranchAndInALoop) {
  const Output p = Placeholder(scope_, DType::kBool, Dims{});
  auto twice = [](const Scope&, const OutputList& row) -> OutputList { return row[0] * 2; };
  const Output y = Cond(
      scope_, p, [&](const Scope& s) { return Map(s, twice, xs_, Options())[0]; },
      [&](const Scope&) { return xs_; });
  const OutputList r = WhileLoop(
      scope_, {Const(scope_, 0), xs_},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, Map(s, twice, v[1], Options())[0]};
      });
  for (const bool taken : {false, true}) {
    const Feeds feeds = {{xs_, Tensor::Vector(inputs_[2])}, {p, Tensor::Scalar(taken)}};
    EXPECT_EQ(Values<int32_t>(scope_, y, feeds),
              taken ? (std::vector<int32_t>{4, 14}) : inputs_[2]);
  }
  EXPECT_EQ(Values<int32_t>(scope_, r[1], {{xs_, Tensor::Vector(inputs_[2])}}),
            (std::vector<int32_t>{16, 56}));
}

TEST_P(FunctionalTest, ElementsOfDifferentLengthFailTheStep) {
  const Output ys = Placeholder(scope_, DType::kInt32, PartialShape::UnknownOfRank(1));
  const OutputList out = Map(
      scope_, [](const Scope&, const OutputList& row) -> OutputList { return row[0] + row[1]; },
      {xs_, ys}, Options());
  const Feeds feeds = {{xs_, Tensor::Vector<int32_t>({1, 2})},
                       {ys, Tensor::Vector<int32_t>({1, 2, 3})}};
  EXPECT_FALSE(RunError(scope_, {out[0]}, feeds).ok());
}

INSTANTIATE_TEST_SUITE_P(ParallelIterations, FunctionalTest, testing::Values(1, 2, 32));

}  // namespace
}  // namespace tagflow
