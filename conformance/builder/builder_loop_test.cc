// Loops of every shape, at several parallel_iterations, against the same loop in C++.

#include "conformance/builder/builder_run.h"

namespace tagflow {
namespace {

PredicateFunction Below(const Input& limit) {
  return [limit](const Scope& s, const OutputList& v) { return Less(s, v[0], limit); };
}

class LoopTest : public testing::TestWithParam<int64_t> {
 protected:
  WhileOptions Options(const std::string& name = "while") const {
    return {.name = name, .parallel_iterations = GetParam()};
  }
  Output Int(int value) { return Const(scope_, value); }

  Scope scope_ = Scope::Root();
};

TEST_P(LoopTest, TripCountsFromZero) {
  const Output n = Placeholder(scope_, DType::kInt32, Dims{});
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(1)}, Below(n),
      [](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * 2};
      },
      Options());
  for (const int trips : {0, 1, 2, 3, 10, 31}) {
    const auto values = Fetch(scope_, {r[0], r[1]}, {{n, Tensor::Scalar(trips)}});
    EXPECT_EQ(Elements<int32_t>(values[0]), std::vector<int32_t>{trips});
    EXPECT_EQ(Elements<int32_t>(values[1]), std::vector<int32_t>{int32_t{1} << (trips % 32)});
  }
}

TEST_P(LoopTest, VariablesSwapPassThroughDuplicateAndReset) {
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(1), Int(1), Int(7), Int(5), Int(6)}, Below(9),
      [](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[2], v[1] + v[2], v[3], v[0], Const(s, 40)};
      },
      Options());
  int a = 1, b = 1, last = 5;
  for (int i = 0; i < 9; ++i) {
    const int next = a + b;
    a = b;
    b = next;
    last = i;
  }
  const auto values = Fetch(scope_, {r[1], r[2], r[3], r[4], r[5]});
  EXPECT_EQ(Only<int32_t>(values[0]), a);
  EXPECT_EQ(Only<int32_t>(values[1]), b);
  EXPECT_EQ(Only<int32_t>(values[2]), 7);
  EXPECT_EQ(Only<int32_t>(values[3]), last);
  EXPECT_EQ(Only<int32_t>(values[4]), 40);
}

TEST_P(LoopTest, OneTensorAsSeveralVariablesAndAsACapture) {
  const Output one = Int(1);
  const OutputList r = WhileLoop(
      scope_, {one, one, one}, Below(6),
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + one, v[1] * 2, v[2] + v[1] + one};
      },
      Options());
  int b = 1, c = 1;
  for (int i = 1; i < 6; ++i) {
    c = c + b + 1;
    b *= 2;
  }
  EXPECT_EQ(Value<int32_t>(scope_, r[1]), b);
  EXPECT_EQ(Value<int32_t>(scope_, r[2]), c);
}

TEST_P(LoopTest, ABareCaptureIsTheNextValue) {
  const Output x = Int(42);
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(1)}, Below(3),
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, x};
      },
      Options());
  EXPECT_EQ(Value<int32_t>(scope_, r[1]), 42);
}

TEST_P(LoopTest, ThreeDeepWithCapturesFromEveryLevel) {
  const Output x = Placeholder(scope_, DType::kInt32, Dims{});
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(0)}, Below(3),
      [&](const Scope& s1, const OutputList& a) -> OutputList {
        const Output once = a[0] * 10 + x;
        const OutputList r1 = WhileLoop(
            s1, {Const(s1, 0), a[1]}, Below(a[0] + 1),
            [&](const Scope& s2, const OutputList& b) -> OutputList {
              const Output twice = once + b[0];
              const OutputList r2 = WhileLoop(
                  s2, {Const(s2, 0), b[1]}, Below(b[0] + a[0]),
                  [&](const Scope&, const OutputList& c) -> OutputList {
                    return {c[0] + 1, c[1] + twice * once + c[0] * x - a[1]};
                  },
                  Options("third"));
              return {b[0] + 1, r2[1]};
            },
            Options("second"));
        return {a[0] + 1, r1[1]};
      },
      Options());
  for (const int given : {0, 1, -3}) {
    int sum = 0;
    for (int a = 0; a < 3; ++a) {
      const int before = sum, once = a * 10 + given;
      for (int b = 0; b < a + 1; ++b) {
        const int twice = once + b;
        for (int c = 0; c < b + a; ++c) sum += twice * once + c * given - before;
      }
    }
    EXPECT_EQ(Value<int32_t>(scope_, r[1], {{x, Tensor::Scalar(given)}}), sum);
  }
}

TEST_P(LoopTest, InnerLoopOfInvariantsOnly) {
  // Every initial value and the limit of the inner loop come from outside the outer one.
  const Output n = Int(4), zero = Int(0);
  const OutputList r = WhileLoop(
      scope_, {zero, zero}, Below(3),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const OutputList inner = WhileLoop(
            s, {zero, zero}, Below(n),
            [&](const Scope&, const OutputList& w) -> OutputList {
              return {w[0] + 1, w[1] + n};
            },
            Options("inner"));
        return {v[0] + 1, v[1] + inner[1]};
      },
      Options());
  EXPECT_EQ(Value<int32_t>(scope_, r[1]), 3 * 4 * 4);
}

TEST_P(LoopTest, LoopInThePredicate) {
  // Goes on while the sum of the first v[0] numbers is below 20.
  const OutputList r = WhileLoop(
      scope_, {Int(0)},
      [&](const Scope& s, const OutputList& v) -> Output {
        const OutputList sum = WhileLoop(
            s, {Const(s, 0), Const(s, 0)}, Below(v[0]),
            [](const Scope&, const OutputList& w) -> OutputList {
              return {w[0] + 1, w[1] + w[0] + 1};
            },
            Options("sum"));
        return Less(s, sum[1], 20);
      },
      [](const Scope&, const OutputList& v) -> OutputList { return v[0] + 1; }, Options());
  EXPECT_EQ(Value<int32_t>(scope_, r[0]), 6);  // 1 + … + 6 = 21
}

TEST_P(LoopTest, CondInALoopWithCapturesFromInsideAndOutside) {
  const Output x = Placeholder(scope_, DType::kInt32, Dims{});
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(1)}, Below(8),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output odd = Equal(s, v[0] % 2, 1);
        const Output y = Cond(
            s, odd, [&](const Scope&) { return v[1] * x + v[0]; },
            [&](const Scope& f) { return v[1] + Const(f, 5); });
        return {v[0] + 1, y};
      },
      Options());
  for (const int given : {0, 2, -1}) {
    int y = 1;
    for (int i = 0; i < 8; ++i) y = i % 2 == 1 ? y * given + i : y + 5;
    EXPECT_EQ(Value<int32_t>(scope_, r[1], {{x, Tensor::Scalar(given)}}), y);
  }
}

TEST_P(LoopTest, CondOnInvariantsInALoop) {
  const Output p = Placeholder(scope_, DType::kBool, Dims{});
  const Output x = Int(3), y = Int(4);
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(0)}, Below(5),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output z = Cond(
            s, p, [&](const Scope&) { return x; }, [&](const Scope& f) { return Neg(f, y); });
        return {v[0] + 1, v[1] + z};
      },
      Options());
  EXPECT_EQ(Value<int32_t>(scope_, r[1], {{p, Tensor::Scalar(true)}}), 15);
  EXPECT_EQ(Value<int32_t>(scope_, r[1], {{p, Tensor::Scalar(false)}}), -20);
}

TEST_P(LoopTest, ALoopInABranchIsDeadWhenTheBranchIsNotTaken) {
  const Output p = Placeholder(scope_, DType::kBool, Dims{});
  const Output x = Int(3);
  const Output y = Cond(
      scope_, p,
      [&](const Scope& s) {
        return WhileLoop(
            s, {Const(s, 0), x}, Below(4),
            [&](const Scope&, const OutputList& v) -> OutputList {
              return {v[0] + 1, v[1] * x};
            },
            Options())[1];
      },
      [&](const Scope&) { return -x; });
  EXPECT_EQ(Value<int32_t>(scope_, y, {{p, Tensor::Scalar(true)}}), 243);
  EXPECT_EQ(Value<int32_t>(scope_, y, {{p, Tensor::Scalar(false)}}), -3);
}

TEST_P(LoopTest, ALoopInABranchInALoop) {
  const Output x = Int(2);
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(1)}, Below(5),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output y = Cond(
            s, Greater(s, v[0], 1),
            [&](const Scope& t) {
              return WhileLoop(
                  t, {Const(t, 0), v[1]}, Below(v[0]),
                  [&](const Scope&, const OutputList& w) -> OutputList {
                    return {w[0] + 1, w[1] + x * v[0]};
                  },
                  Options("inner"))[1];
            },
            [&](const Scope&) { return v[1] * x; });
        return {v[0] + 1, y};
      },
      Options());
  int y = 1;
  for (int i = 0; i < 5; ++i) {
    if (i > 1) {
      for (int j = 0; j < i; ++j) y += 2 * i;
    } else {
      y *= 2;
    }
  }
  EXPECT_EQ(Value<int32_t>(scope_, r[1]), y);
}

TEST_P(LoopTest, MaximumIterations) {
  auto build = [&](const Input& limit) {
    WhileOptions options = Options();
    options.maximum_iterations = limit;
    return WhileLoop(
        scope_, {Int(0), Int(0)}, Below(6),
        [](const Scope&, const OutputList& v) -> OutputList {
          return {v[0] + 1, v[1] + v[0]};
        },
        options);
  };
  const Output fed = Placeholder(scope_, DType::kInt64, Dims{});
  const OutputList three = build(3), hundred = build(100), none = build(0), of_fed = build(fed);
  EXPECT_EQ(Value<int32_t>(scope_, three[0]), 3);
  EXPECT_EQ(Value<int32_t>(scope_, three[1]), 0 + 1 + 2);
  EXPECT_EQ(Value<int32_t>(scope_, hundred[0]), 6);
  EXPECT_EQ(Value<int32_t>(scope_, none[0]), 0);
  EXPECT_EQ(Value<int32_t>(scope_, of_fed[0], {{fed, Tensor::Scalar(int64_t{2})}}), 2);
}

TEST_P(LoopTest, AVariableMayGrow) {
  WhileOptions options = Options();
  options.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(1)};
  const OutputList r = WhileLoop(
      scope_, {Int(0), Const(scope_, std::vector<int32_t>{9})}, Below(3),
      [](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, Concat(s, {v[1], ExpandDims(s, v[0], 0)}, 0)};
      },
      options);
  EXPECT_EQ(Values<int32_t>(scope_, r[1]), (std::vector<int32_t>{9, 0, 1, 2}));
}

TEST_P(LoopTest, TensorArrayInALoop) {
  const TensorArray squares(scope_, 5, DType::kInt32);
  const OutputList r = WhileLoop(
      scope_, {Int(0), squares.flow()}, Below(5),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, squares.WithFlow(v[1]).Write(s, v[0], v[0] * v[0]).flow()};
      },
      Options());
  const Output all = squares.WithFlow(r[1]).Gather(scope_);
  EXPECT_EQ(Values<int32_t>(scope_, all), (std::vector<int32_t>{0, 1, 4, 9, 16}));
}

TEST_P(LoopTest, ATensorArrayOfItsOwnInEveryIteration) {
  const OutputList r = WhileLoop(
      scope_, {Int(0), Int(0)}, Below(4),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const TensorArray array =
            TensorArray(s, 2, DType::kInt32).Write(s, 0, v[0]).Write(s, 1, v[0] * 10);
        return {v[0] + 1, v[1] + Sum(s, array.Gather(s), 0)};
      },
      Options());
  EXPECT_EQ(Value<int32_t>(scope_, r[1]), 11 * (0 + 1 + 2 + 3));
}

TEST_P(LoopTest, StackCarriesHistoryFromOneLoopToAnother) {
  const Stack stack(scope_, -1, DType::kInt32);
  const OutputList pushed = WhileLoop(
      scope_, {Int(0), Int(1)}, Below(4),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output kept = stack.Push(s, v[1]);
        return {Add(s.WithControlDependencies({kept}), v[0], 1), kept * 3};
      },
      Options());
  const Scope after = scope_.WithControlDependencies({pushed[0]});
  const OutputList popped = WhileLoop(
      after, {Int(0), Int(0)}, Below(4),
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output last = stack.Pop(s.WithControlDependencies({v[0]}));
        return {Add(s.WithControlDependencies({last}), v[0], 1), v[1] * 10 + last};
      },
      Options("back"));
  EXPECT_EQ(Value<int32_t>(scope_, popped[1]), ((27 * 10 + 9) * 10 + 3) * 10 + 1);
}

INSTANTIATE_TEST_SUITE_P(ParallelIterations, LoopTest, testing::Values(1, 2, 32));

}  // namespace
}  // namespace tagflow
