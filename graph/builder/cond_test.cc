#include "graph/builder/cond.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

OutputList None(const Scope&) { return OutputList(); }

class CondTest : public testing::Test {
 protected:
  Scope scope_ = Scope::Root();
  Output pred_ = Placeholder(scope_.WithOpName("p"), DType::kBool, Dims{});
  Output x_ = Placeholder(scope_.WithOpName("x"), DType::kFloat, Dims{});
};

TEST_F(CondTest, OneSwitchPerCaptureSharedByBothBranches) {
  const Output y = Cond(
      scope_, pred_, [&](const Scope&) { return x_ * x_; }, [&](const Scope&) { return -x_; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/x/Switch"), "Switch(x, p)");
  EXPECT_EQ(Line(graph, "cond/Mul"), "Mul(cond/x/Switch:1, cond/x/Switch:1)");
  EXPECT_EQ(Line(graph, "cond/Neg"), "Neg(cond/x/Switch)");
  EXPECT_EQ(Line(graph, "cond/Merge"), "Merge(cond/Neg, cond/Mul)");
  EXPECT_EQ(y.name(), "cond/Merge");
  EXPECT_EQ(graph.num_nodes(), 6u);
}

TEST_F(CondTest, SourcelessOpsHangOnTheirBranch) {
  Cond(
      scope_, pred_, [](const Scope& s) { return Const(s, 1); },
      [](const Scope& s) { return Const(s, 2); });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/Const"), "Const(^cond/switch_t)");
  EXPECT_EQ(Line(graph, "cond/Const_1"), "Const(^cond/switch_f)");
  EXPECT_EQ(Line(graph, "cond/switch_t"), "Identity(cond/p/Switch:1)");
  EXPECT_EQ(Line(graph, "cond/switch_f"), "Identity(cond/p/Switch)");
}

TEST_F(CondTest, BareAndDuplicatedCaptures) {
  const CondResult r = Cond(
      scope_, pred_,
      [&](const Scope&) {
        return OutputList{x_, x_};
      },
      [&](const Scope& s) {
        return OutputList{x_, Const(s, 0.0f)};
      });
  ASSERT_EQ(r.size(), 2u);
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/Merge"), "Merge(cond/x/Switch, cond/x/Switch:1)");
  EXPECT_EQ(Line(graph, "cond/Merge_1"), "Merge(cond/Const, cond/x/Switch:1)");
}

TEST_F(CondTest, EveryLevelHasItsOwnSwitch) {
  const Output q = Placeholder(scope_.WithOpName("q"), DType::kBool, Dims{});
  Cond(
      scope_, pred_,
      [&](const Scope& s) -> OutputList {
        return Cond(
            s, q, [&](const Scope&) { return x_ + 1; }, [&](const Scope&) { return x_; }, "inner");
      },
      [&](const Scope&) { return x_; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/x/Switch"), "Switch(x, p)");
  EXPECT_EQ(Line(graph, "cond/q/Switch"), "Switch(q, p)");
  EXPECT_EQ(Line(graph, "cond/inner/x/Switch"), "Switch(cond/x/Switch:1, cond/q/Switch:1)");
}

TEST_F(CondTest, ThePredicateItselfMayBeCaptured) {
  Cond(
      scope_, pred_, [&](const Scope&) { return pred_; },
      [&](const Scope& s) { return LogicalNot(s, pred_); });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/p/Switch"), "Switch(p, p)");
  EXPECT_EQ(CountOps(graph, "Switch"), 1);
}

TEST_F(CondTest, OnlyEffects) {
  const Variable variable(scope_, DType::kFloat, PartialShape::Scalar(), {.name = "v"});
  const CondResult r = Cond(
      scope_, pred_,
      [&](const Scope& s) {
        variable.AssignAdd(s, x_);
        return OutputList();
      },
      None);
  EXPECT_EQ(r.size(), 0u);
  const Graph graph = Finished(scope_);
  EXPECT_EQ(r.done().name(), "cond/done");
  EXPECT_EQ(Line(graph, "cond/done"), "Merge(cond/done_f, cond/done_t)");
  EXPECT_EQ(Line(graph, "cond/done_t"), "Identity(cond/switch_t, ^cond/AssignAddVariableOp)");
  EXPECT_EQ(Line(graph, "cond/done_f"), "Identity(cond/switch_f)");
}

TEST_F(CondTest, EffectsOfNestedCondsReachTheOuterDone) {
  const RefVariable variable(scope_, DType::kFloat, PartialShape::Scalar(), {.name = "v"});
  const CondResult r = Cond(
      scope_, pred_,
      [&](const Scope& s) {
        Cond(
            s, pred_,
            [&](const Scope& inner) {
              variable.Assign(inner, 1.0f);
              return OutputList();
            },
            None, "inner");
        return x_;
      },
      [&](const Scope&) { return x_; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(r.done().name(), "cond/done");
  EXPECT_EQ(Line(graph, "cond/done_t"), "Identity(cond/switch_t, ^cond/inner/done)");
  EXPECT_EQ(Line(graph, "cond/v/Switch"), "RefSwitch(v, p)");
  EXPECT_EQ(Line(graph, "cond/inner/v/Switch"), "RefSwitch(cond/v/Switch:1, cond/p/Switch:1)");
}

TEST_F(CondTest, WithoutEffectsDoneIsTheFirstMerge) {
  const CondResult r = Cond(
      scope_, pred_, [&](const Scope&) { return x_; }, [&](const Scope&) { return -x_; });
  EXPECT_EQ(r.done().name(), "cond/Merge");
}

TEST_F(CondTest, TheWholeCondWaitsForItsScope) {
  const Operation first = NoOp(scope_.WithOpName("first"));
  Cond(
      scope_.WithControlDependencies({first}), pred_, [&](const Scope&) { return x_; },
      [&](const Scope& s) { return Const(s, 1.0f); });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/x/Switch"), "Switch(x, p, ^first)");
  EXPECT_EQ(Line(graph, "cond/p/Switch"), "Switch(p, p, ^first)");
  EXPECT_EQ(Line(graph, "cond/Const"), "Const(^cond/switch_f)");
}

TEST_F(CondTest, ControlDependencyOnAnOuterNode) {
  const Operation outside = NoOp(scope_.WithOpName("outside"));
  Cond(
      scope_, pred_, [&](const Scope& s) { return Const(s.WithControlDependencies({outside}), 1); },
      [&](const Scope& s) { return Const(s, 2); });
  EXPECT_EQ(Line(Finished(scope_), "cond/Const"), "Const(^outside, ^cond/switch_t)");
}

TEST_F(CondTest, ABranchTensorOutsideIsAnError) {
  Output leaked;
  Cond(
      scope_, pred_,
      [&](const Scope& s) {
        leaked = Const(s, 1);
        return leaked;
      },
      [](const Scope& s) { return Const(s, 2); });
  Neg(scope_, leaked);
  ExpectError(scope_, Code::kInvalidArgument,
              {"'cond/Const' belongs to the true branch of cond 'cond'", "'Neg'",
               "return it from both branches"});
}

TEST_F(CondTest, ABranchTensorInTheOtherBranchIsAnError) {
  Output leaked;
  Cond(
      scope_, pred_,
      [&](const Scope& s) {
        leaked = Const(s, 1);
        return leaked;
      },
      [&](const Scope&) { return leaked; });
  ExpectError(scope_, Code::kInvalidArgument, {"true branch", "false branch"});
}

TEST_F(CondTest, TheOuterScopeInsideABranchIsAnErrorForBranchTensors) {
  Cond(
      scope_, pred_, [&](const Scope& s) { return Neg(scope_, Const(s, 1)); },
      [](const Scope& s) { return Const(s, 2); });
  ExpectError(scope_, Code::kInvalidArgument, {"with the Scope that the function is given"});
}

TEST_F(CondTest, BranchesMustAgree) {
  Cond(
      scope_, pred_, [&](const Scope&) { return x_; }, None);
  ExpectError(scope_, Code::kInvalidArgument, {"true branch", "1 outputs", "false branch 0"});
  Scope other = Scope::Root();
  const Output p = Const(other, true);
  Cond(
      other, p, [](const Scope& s) { return Const(s, 1); },
      [](const Scope& s) { return Const(s, 1.0f); });
  ExpectError(other, Code::kInvalidArgument, {"output 0 of cond 'cond'", "int32", "float"});
}

TEST_F(CondTest, PredicateMustBeABoolScalar) {
  Cond(scope_, x_, None, None);
  ExpectError(scope_, Code::kInvalidArgument, {"predicate of cond 'cond'", "'x'", "bool scalar"});
}

TEST_F(CondTest, ResultsAfterAnErrorAreEmptyAndHarmless) {
  const Output y = Cond(scope_, x_, None, None);
  EXPECT_FALSE(y.valid());
  EXPECT_FALSE((y + 1).valid());
}

}  // namespace
}  // namespace tagflow
