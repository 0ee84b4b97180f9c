// Conds, Cases and SwitchCases, and effects in branches and bodies, against plain C++.

#include "conformance/builder/builder_run.h"

namespace tagflow {
namespace {

OutputList None(const Scope&) { return OutputList(); }

class BranchTest : public testing::Test {
 protected:
  Tensor Bool(bool value) { return Tensor::Scalar(value); }

  Scope scope_ = Scope::Root();
  Output p_ = Placeholder(scope_.WithOpName("p"), DType::kBool, Dims{});
  Output q_ = Placeholder(scope_.WithOpName("q"), DType::kBool, Dims{});
  Output x_ = Const(scope_.WithOpName("x"), 7);
};

TEST_F(BranchTest, OneBranchRuns) {
  // The branch not taken would divide by zero.
  const Output zero = Const(scope_, 0);
  const Output y = Cond(
      scope_, p_, [&](const Scope&) { return x_ * 2; }, [&](const Scope&) { return x_ / zero; });
  EXPECT_EQ(Value<int32_t>(scope_, y, {{p_, Bool(true)}}), 14);
  EXPECT_FALSE(RunError(scope_, {y}, {{p_, Bool(false)}}).ok());
}

TEST_F(BranchTest, BareConstantAndDuplicatedOutputs) {
  const CondResult r = Cond(
      scope_, p_,
      [&](const Scope& s) {
        return OutputList{x_, x_, Const(s, 1)};
      },
      [&](const Scope& s) {
        return OutputList{Const(s, 2), x_, x_};
      });
  for (const bool p : {false, true}) {
    const auto values = Fetch(scope_, {r[0], r[1], r[2]}, {{p_, Bool(p)}});
    EXPECT_EQ(Only<int32_t>(values[0]), p ? 7 : 2);
    EXPECT_EQ(Only<int32_t>(values[1]), 7);
    EXPECT_EQ(Only<int32_t>(values[2]), p ? 1 : 7);
  }
}

TEST_F(BranchTest, ThreeDeep) {
  const Output y = Cond(
      scope_, p_,
      [&](const Scope& s) -> OutputList {
        const Output twice = x_ * 2;
        return Cond(
            s, q_,
            [&](const Scope& t) -> OutputList {
              return Cond(
                  t, Greater(t, twice, 10), [&](const Scope&) { return twice + x_; },
                  [&](const Scope&) { return x_; });
            },
            [&](const Scope&) { return twice; });
      },
      [&](const Scope&) { return -x_; });
  for (const bool p : {false, true}) {
    for (const bool q : {false, true}) {
      const int want = !p ? -7 : !q ? 14 : 21;
      EXPECT_EQ(Value<int32_t>(scope_, y, {{p_, Bool(p)}, {q_, Bool(q)}}), want);
    }
  }
}

TEST_F(BranchTest, Case) {
  auto give = [&](int value) {
    return [this, value](const Scope& s) { return Add(s, x_, value); };
  };
  const Output y = Case(scope_, {{p_, give(1)}, {q_, give(2)}}, give(3));
  const Output z = Case(scope_, {{p_, give(1)}, {q_, give(2)}});
  const Output e = Case(scope_, {{p_, give(1)}, {q_, give(2)}}, give(3), {.exclusive = true});
  for (const bool p : {false, true}) {
    for (const bool q : {false, true}) {
      const Feeds feeds = {{p_, Bool(p)}, {q_, Bool(q)}};
      const int want = p ? 8 : q ? 9 : 10;
      EXPECT_EQ(Value<int32_t>(scope_, y, feeds), want);
      if (p || q) {
        EXPECT_EQ(Value<int32_t>(scope_, z, feeds), want);
      } else {
        EXPECT_EQ(RunError(scope_, {z}, feeds).code(), Code::kInvalidArgument);
      }
      if (p && q) {
        EXPECT_EQ(RunError(scope_, {e}, feeds).code(), Code::kInvalidArgument);
      } else {
        EXPECT_EQ(Value<int32_t>(scope_, e, feeds), want);
      }
    }
  }
}

TEST_F(BranchTest, SwitchCaseOfEverySize) {
  const Output index = Placeholder(scope_, DType::kInt32, Dims{});
  for (int n = 1; n <= 5; ++n) {
    std::vector<BranchFunction> branches;
    for (int i = 0; i < n; ++i) branches.push_back([this, i](const Scope&) { return x_ + i; });
    const Output last = SwitchCase(scope_, index, branches);
    const Output other =
        SwitchCase(scope_, index, branches, [](const Scope& s) { return Const(s, -1); });
    for (int i = -2; i < n + 2; ++i) {
      const bool inside = 0 <= i && i < n;
      const Feeds feeds = {{index, Tensor::Scalar(i)}};
      EXPECT_EQ(Value<int32_t>(scope_, last, feeds), 7 + (inside ? i : n - 1)) << n << " " << i;
      EXPECT_EQ(Value<int32_t>(scope_, other, feeds), inside ? 7 + i : -1) << n << " " << i;
    }
  }
}

class EffectTest : public BranchTest {
 protected:
  // The counter after running `targets` once.
  int CountAfter(const std::vector<Operation>& targets, const Feeds& feeds = {}) {
    const Output value =
        counter_.Read(scope_.WithControlDependencies(targets).WithOpName("counted"));
    const auto values = Fetch(scope_, {value}, feeds, {}, {init_});
    return Only<int32_t>(values[0]);
  }

  Variable counter_ = Variable(scope_, DType::kInt32, PartialShape::Scalar(), {.name = "counter"});
  Operation init_ = counter_.Assign(scope_.WithOpName("init"), 0);
};

TEST_F(EffectTest, OnlyTheTakenBranchHasEffects) {
  const CondResult r = Cond(
      scope_, p_,
      [&](const Scope& s) {
        counter_.AssignAdd(s, 1);
        return OutputList();
      },
      [&](const Scope& s) {
        counter_.AssignAdd(s, 100);
        return OutputList();
      });
  EXPECT_EQ(CountAfter({r.done()}, {{p_, Bool(true)}}), 1);
  EXPECT_EQ(CountAfter({r.done()}, {{p_, Bool(false)}}), 100);
}

TEST_F(EffectTest, AnEmptyBranchHasNone) {
  const CondResult r = Cond(scope_, p_, None, [&](const Scope& s) {
    counter_.AssignAdd(s, 100);
    return OutputList();
  });
  EXPECT_EQ(CountAfter({r.done()}, {{p_, Bool(true)}}), 0);
  EXPECT_EQ(CountAfter({r.done()}, {{p_, Bool(false)}}), 100);
}

TEST_F(EffectTest, OncePerIteration) {
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        counter_.AssignAdd(s, 1);
        return v[0] + 1;
      });
  EXPECT_EQ(CountAfter({r[0].op()}), 5);
}

TEST_F(EffectTest, InAZeroTripLoopNever) {
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 9),
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        counter_.AssignAdd(s, 1);
        return v[0] + 1;
      });
  EXPECT_EQ(CountAfter({r[0].op()}), 0);
}

TEST_F(EffectTest, InThePredicateOnceMore) {
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [&](const Scope& s, const OutputList& v) {
        counter_.AssignAdd(s, 1);
        return Less(s, v[0], 5);
      },
      [](const Scope&, const OutputList& v) -> OutputList { return v[0] + 1; });
  EXPECT_EQ(CountAfter({r[0].op()}), 6);
}

TEST_F(EffectTest, IterationsSeeEachOthersEffectsInOrder) {
  // counter = 3 * counter + i, for i = 0 … 4, starting from 0.
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output now = counter_.Read(s.WithControlDependencies({v[0]}));
        counter_.Assign(s, now * 3 + v[0]);
        return v[0] + 1;
      });
  int want = 0;
  for (int i = 0; i < 5; ++i) want = want * 3 + i;
  EXPECT_EQ(CountAfter({r[0].op()}), want);
}

TEST_F(EffectTest, InALoopInABranchInALoop) {
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        Cond(
            s, Equal(s, v[0] % 2, 1),
            [&](const Scope& t) {
              WhileLoop(
                  t, Const(t, 0),
                  [&](const Scope& c, const OutputList& w) { return Less(c, w[0], v[0]); },
                  [&](const Scope& b, const OutputList& w) -> OutputList {
                    counter_.AssignAdd(b, 1);
                    return w[0] + 1;
                  },
                  {.name = "inner"});
              return OutputList();
            },
            None);
        return v[0] + 1;
      });
  EXPECT_EQ(CountAfter({r[0].op()}), 1 + 3);
}

TEST_F(EffectTest, ControlDependencyOnAnOuterEffectInsideALoop) {
  // The body reads what was written before the loop, at two depths.
  const Operation written = counter_.Assign(scope_.WithOpName("written"), 5);
  const OutputList r = WhileLoop(
      scope_, {Const(scope_, 0), Const(scope_, 0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const OutputList inner = WhileLoop(
            s, {Const(s, 0), v[1]},
            [](const Scope& c, const OutputList& w) { return Less(c, w[0], 2); },
            [&](const Scope& b, const OutputList& w) -> OutputList {
              return {w[0] + 1, w[1] + counter_.Read(b.WithControlDependencies({written}))};
            },
            {.name = "inner"});
        return {v[0] + 1, inner[1]};
      });
  const auto values = Fetch(scope_, {r[1]}, {}, {}, {init_});
  EXPECT_EQ(Only<int32_t>(values[0]), 3 * 2 * 5);
}

TEST_F(EffectTest, AConstructWaitsForItsScope) {
  const Operation written = counter_.Assign(scope_.WithOpName("written"), 5);
  const Scope after = scope_.WithControlDependencies({written});
  const Output y = Cond(
      after, p_, [&](const Scope& s) { return counter_.Read(s); },
      [&](const Scope& s) { return Neg(s, counter_.Read(s)); });
  EXPECT_EQ(Only<int32_t>(Fetch(scope_, {y}, {{p_, Bool(true)}}, {}, {init_})[0]), 5);
  EXPECT_EQ(Only<int32_t>(Fetch(scope_, {y}, {{p_, Bool(false)}}, {}, {init_})[0]), -5);
}

TEST_F(EffectTest, ReferenceVariablesAreCapturedAsReferences) {
  const RefVariable v(scope_, DType::kInt32, PartialShape::Scalar(), {.name = "ref"});
  const Operation init = v.Assign(scope_.WithOpName("ref_init"), 1);
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [](const Scope& s, const OutputList& i) { return Less(s, i[0], 4); },
      [&](const Scope& s, const OutputList& i) -> OutputList {
        Cond(
            s, Equal(s, i[0] % 2, 0),
            [&](const Scope& t) {
              v.AssignAdd(t, i[0] + 10);
              return OutputList();
            },
            None);
        return i[0] + 1;
      });
  const Output value = v.Read(scope_.WithControlDependencies({r[0]}));
  EXPECT_EQ(Only<int32_t>(Fetch(scope_, {value}, {}, {}, {init})[0]), 1 + 10 + 12);
}

TEST_F(EffectTest, AnAssertInABodyFailsTheStepWithoutBeingFetched) {
  const OutputList r = WhileLoop(
      scope_, Const(scope_, 0),
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        Assert(s, Less(s, v[0], 3), {v[0]});
        return v[0] + 1;
      });
  const Status error = RunError(scope_, {r[0]});
  EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.ToString();
}

}  // namespace
}  // namespace tagflow
