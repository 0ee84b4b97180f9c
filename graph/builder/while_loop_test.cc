#include "graph/builder/while_loop.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

class WhileLoopTest : public testing::Test {
 protected:
  static PredicateFunction Below(int limit) {
    return [limit](const Scope& s, const OutputList& v) { return Less(s, v[0], limit); };
  }

  Scope scope_ = Scope::Root();
  Output zero_ = Const(scope_.WithOpName("zero"), 0);
  Output x_ = Placeholder(scope_.WithOpName("x"), DType::kFloat, Dims{});
};

TEST_F(WhileLoopTest, ThePrimitives) {
  WhileLoop(scope_, zero_, Below(5),
            [](const Scope&, const OutputList& v) -> OutputList { return v[0] + 1; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/Enter"), "Enter(zero)");
  EXPECT_EQ(Line(graph, "while/Merge"), "Merge(while/Enter, while/NextIteration)");
  EXPECT_EQ(Line(graph, "while/Less"), "Less(while/Merge, while/Less/y)");
  EXPECT_EQ(Line(graph, "while/Less/y"), "Const(^while/Merge)");
  EXPECT_EQ(Line(graph, "while/LoopCond"), "LoopCond(while/Less)");
  EXPECT_EQ(Line(graph, "while/Switch"), "Switch(while/Merge, while/LoopCond)");
  EXPECT_EQ(Line(graph, "while/Identity"), "Identity(while/Switch:1)");
  EXPECT_EQ(Line(graph, "while/AddV2"), "AddV2(while/Identity, while/AddV2/y)");
  EXPECT_EQ(Line(graph, "while/AddV2/y"), "Const(^while/Identity)");
  EXPECT_EQ(Line(graph, "while/NextIteration"), "NextIteration(while/AddV2)");
  EXPECT_EQ(Line(graph, "while/Exit"), "Exit(while/Switch)");
  EXPECT_EQ(graph.num_nodes(), 13u);  // and zero, x
}

TEST_F(WhileLoopTest, OptionsAreRecordedOnTheNodes) {
  WhileLoop(scope_, zero_, Below(5),
            [](const Scope&, const OutputList& v) -> OutputList { return v[0] + 1; },
            {.name = "w",
             .frame_name = "my_frame",
             .parallel_iterations = 3,
             .maximum_iterations = 7,
             .back_prop = false,
             .swap_memory = true});
  const Graph graph = Finished(scope_);
  const Node& enter = graph.node(graph.Find("w/Enter"));
  EXPECT_EQ(*StringAttr(enter, "frame_name"), "my_frame");
  EXPECT_EQ(*IntAttr(enter, "parallel_iterations"), 3);
  EXPECT_FALSE(*BoolAttr(enter, "_back_prop"));
  EXPECT_TRUE(*BoolAttr(enter, "_swap_memory"));
  const Node& loop_cond = graph.node(graph.Find("w/LoopCond"));
  EXPECT_FALSE(*BoolAttr(loop_cond, "_back_prop"));
  EXPECT_EQ(*IntAttr(loop_cond, "_maximum_iterations"), 7);
}

TEST_F(WhileLoopTest, ACaptureIsOneConstantEnter) {
  WhileLoop(scope_, {zero_, x_}, Below(5), [&](const Scope&, const OutputList& v) -> OutputList {
    return {v[0] + 1, (v[1] + x_) * x_};
  });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/x/Enter"), "Enter(x)");
  EXPECT_TRUE(*BoolAttr(graph.node(graph.Find("while/x/Enter")), "is_constant"));
  EXPECT_EQ(Line(graph, "while/Mul"), "Mul(while/AddV2_1, while/x/Enter)");
  EXPECT_EQ(CountOps(graph, "Enter"), 3);
}

TEST_F(WhileLoopTest, PredicateAndBodyShareACapture) {
  const Output n = Placeholder(scope_.WithOpName("n"), DType::kInt32, Dims{});
  WhileLoop(
      scope_, zero_, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope&, const OutputList& v) -> OutputList { return v[0] + n; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(CountOps(graph, "Enter"), 2);
  EXPECT_EQ(Line(graph, "while/Less"), "Less(while/Merge, while/n/Enter)");
}

TEST_F(WhileLoopTest, OpsOnInvariantsHangOnThePivot) {
  WhileLoop(scope_, {zero_, x_}, Below(5), [&](const Scope&, const OutputList& v) -> OutputList {
    return {v[0] + 1, x_ * x_};
  });
  EXPECT_EQ(Line(Finished(scope_), "while/Mul"),
            "Mul(while/x/Enter, while/x/Enter, ^while/Identity)");
}

TEST_F(WhileLoopTest, ABareCaptureAsNextValueHangsOnThePivot) {
  WhileLoop(scope_, {zero_, Const(scope_, 1.0f)}, Below(5),
            [&](const Scope&, const OutputList& v) -> OutputList {
              return {v[0] + 1, x_};
            });
  EXPECT_EQ(Line(Finished(scope_), "while/NextIteration_1"),
            "NextIteration(while/x/Enter, ^while/Identity)");
}

TEST_F(WhileLoopTest, InvariantPredicateHangsOnTheMerge) {
  const Output p = Placeholder(scope_.WithOpName("p"), DType::kBool, Dims{});
  WhileLoop(
      scope_, zero_, [&](const Scope&, const OutputList&) { return p; },
      [](const Scope&, const OutputList& v) { return v; });
  EXPECT_EQ(Line(Finished(scope_), "while/LoopCond"), "LoopCond(while/p/Enter, ^while/Merge)");
}

TEST_F(WhileLoopTest, NestedLoopsChainTheirEnters) {
  WhileLoop(scope_, {zero_, x_}, Below(3), [&](const Scope& s, const OutputList& v) -> OutputList {
    const OutputList inner = WhileLoop(s, {Const(s, 0), v[1]}, Below(4),
                                       [&](const Scope&, const OutputList& w) -> OutputList {
                                         return {w[0] + 1, w[1] + x_ * v[1]};
                                       },
                                       {.name = "inner"});
    return {v[0] + 1, inner[1]};
  });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/x/Enter"), "Enter(x)");
  // Without the pivot the inner frame would be made once too often.
  EXPECT_EQ(Line(graph, "while/inner/x/Enter"), "Enter(while/x/Enter, ^while/Identity)");
  EXPECT_EQ(Line(graph, "while/inner/Identity_1/Enter"), "Enter(while/Identity_1)");
  EXPECT_EQ(*StringAttr(graph.node(graph.Find("while/inner/x/Enter")), "frame_name"),
            "while/inner");
}

TEST_F(WhileLoopTest, CondInABodyOnInvariantsOnly) {
  const Output p = Placeholder(scope_.WithOpName("p"), DType::kBool, Dims{});
  WhileLoop(scope_, {zero_, x_}, Below(3), [&](const Scope& s, const OutputList& v) -> OutputList {
    const Output y = Cond(
        s, p, [&](const Scope&) { return x_; }, [&](const Scope& f) { return Const(f, 1.0f); });
    return {v[0] + 1, y};
  });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/cond/x/Switch"),
            "Switch(while/x/Enter, while/p/Enter, ^while/Identity)");
  EXPECT_EQ(Line(graph, "while/cond/Const"), "Const(^while/cond/switch_f)");
}

TEST_F(WhileLoopTest, LoopInABranchTakesSwitchedTensors) {
  const Output p = Placeholder(scope_.WithOpName("p"), DType::kBool, Dims{});
  Cond(
      scope_, p,
      [&](const Scope& s) {
        return WhileLoop(s, {Const(s, 0), x_}, Below(3),
                         [&](const Scope&, const OutputList& v) -> OutputList {
                           return {v[0] + 1, v[1] * x_};
                         })[1];
      },
      [&](const Scope&) { return x_; });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "cond/while/Enter"), "Enter(cond/Const)");
  EXPECT_EQ(Line(graph, "cond/Const"), "Const(^cond/switch_t)");
  EXPECT_EQ(Line(graph, "cond/while/Enter_1"), "Enter(cond/x/Switch:1)");
  EXPECT_EQ(Line(graph, "cond/while/x/Enter"), "Enter(cond/x/Switch:1)");
  EXPECT_EQ(Line(graph, "cond/Merge"), "Merge(cond/x/Switch, cond/while/Exit_1)");
}

TEST_F(WhileLoopTest, ControlDependencyFromOutsideComesInByAnEnter) {
  const Operation outside = NoOp(scope_.WithOpName("outside"));
  WhileLoop(scope_, zero_, Below(3), [&](const Scope& s, const OutputList& v) -> OutputList {
    const Scope after = s.WithControlDependencies({outside});
    return Add(after, v[0], Const(after, 1));
  });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/outside/token"), "Const(^outside)");
  EXPECT_EQ(Line(graph, "while/outside/control/Enter"), "Enter(while/outside/token)");
  EXPECT_EQ(Line(graph, "while/AddV2"),
            "AddV2(while/Identity, while/Const, ^while/outside/control/Enter)");
  EXPECT_EQ(Line(graph, "while/Const"), "Const(^while/Identity, ^while/outside/control/Enter)");
}

TEST_F(WhileLoopTest, TheWholeLoopWaitsForItsScope) {
  const Operation first = NoOp(scope_.WithOpName("first"));
  WhileLoop(scope_.WithControlDependencies({first}), {zero_, x_}, Below(3),
            [&](const Scope&, const OutputList& v) -> OutputList {
              return {v[0] + 1, v[1] * x_};
            });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/Enter"), "Enter(zero, ^first)");
  EXPECT_EQ(Line(graph, "while/x/Enter"), "Enter(x, ^first)");
  EXPECT_EQ(Line(graph, "while/AddV2"), "AddV2(while/Identity, while/AddV2/y)");
}

TEST_F(WhileLoopTest, EffectsHoldUpTheNextIteration) {
  const Variable variable(scope_, DType::kInt32, PartialShape::Scalar(), {.name = "v"});
  WhileLoop(scope_, {zero_, x_}, Below(3), [&](const Scope& s, const OutputList& v) -> OutputList {
    variable.AssignAdd(s, v[0]);
    variable.AssignSub(s, 1);
    return {v[0] + 1, v[1]};
  });
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "while/NoOp"),
            "NoOp(^while/AssignAddVariableOp, ^while/AssignSubVariableOp)");
  EXPECT_EQ(Line(graph, "while/NextIteration"), "NextIteration(while/AddV2, ^while/NoOp)");
  EXPECT_EQ(Line(graph, "while/NextIteration_1"), "NextIteration(while/Identity_1, ^while/NoOp)");
}

TEST_F(WhileLoopTest, EffectsAreLeftAloneOnRequest) {
  const Variable variable(scope_, DType::kInt32, PartialShape::Scalar(), {.name = "v"});
  WhileLoop(scope_, zero_, Below(3),
            [&](const Scope& s, const OutputList& v) -> OutputList {
              variable.AssignAdd(s, v[0]);
              return v[0] + 1;
            },
            {.run_effects = false});
  EXPECT_EQ(Line(Finished(scope_), "while/NextIteration"), "NextIteration(while/AddV2)");
}

TEST_F(WhileLoopTest, ContextIsKept) {
  WhileLoop(scope_, {zero_, x_}, Below(3), [&](const Scope& s, const OutputList& v) -> OutputList {
    const OutputList inner =
        WhileLoop(s, zero_, Below(2),
                  [](const Scope&, const OutputList& w) -> OutputList { return w[0] + 1; },
                  {.name = "inner"});
    return {v[0] + inner[0], v[1] * x_};
  });
  const Graph graph = Finished(scope_);
  const std::vector<WhileContext> contexts = scope_.while_contexts();
  ASSERT_EQ(contexts.size(), 2u);
  const WhileContext& outer = contexts[0];
  EXPECT_EQ(outer.name, "while");
  EXPECT_EQ(outer.parent, -1);
  EXPECT_EQ(contexts[1].name, "while/inner");
  EXPECT_EQ(contexts[1].parent, 0);
  ASSERT_EQ(outer.enters.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(graph.node(outer.merges[i]).inputs[0].node, outer.enters[i]);
    EXPECT_EQ(graph.node(outer.merges[i]).inputs[1].node, outer.next_iterations[i]);
    EXPECT_EQ(graph.node(outer.switches[i]).inputs[0].node, outer.merges[i]);
    EXPECT_EQ(graph.node(outer.switches[i]).inputs[1].node, outer.loop_cond);
    EXPECT_EQ(graph.node(outer.exits[i]).inputs[0].node, outer.switches[i]);
    EXPECT_EQ(graph.node(outer.next_iterations[i]).inputs[0], outer.body_outputs[i]);
  }
  EXPECT_EQ(outer.pivot, outer.body_inputs[0].node);
  ASSERT_EQ(outer.captures.size(), 2u);  // zero for the inner loop, x
  EXPECT_EQ(OutputName(graph, outer.captures[1].first), "x");
}

TEST_F(WhileLoopTest, BodyTensorOutsideIsAnError) {
  Output leaked;
  WhileLoop(scope_, zero_, Below(3), [&](const Scope&, const OutputList& v) -> OutputList {
    leaked = v[0] + 1;
    return leaked;
  });
  Neg(scope_, leaked);
  ExpectError(
      scope_, Code::kInvalidArgument,
      {"'while/AddV2' belongs to the body of loop 'while'", "'Neg'", "use the output of the loop"});
}

TEST_F(WhileLoopTest, PredicateTensorInTheBodyIsAnError) {
  Output leaked;
  WhileLoop(
      scope_, zero_,
      [&](const Scope& s, const OutputList& v) {
        leaked = v[0];
        return Less(s, v[0], 1);
      },
      [&](const Scope&, const OutputList&) -> OutputList { return leaked; });
  ExpectError(scope_, Code::kInvalidArgument, {"the predicate of loop 'while'"});
}

TEST_F(WhileLoopTest, NoVariableIsAnError) {
  WhileLoop(scope_, OutputList(), Below(3), [](const Scope&, const OutputList& v) { return v; });
  ExpectError(scope_, Code::kInvalidArgument, {"no loop variable"});
}

TEST_F(WhileLoopTest, BodyMustGiveEveryVariable) {
  WhileLoop(scope_, {zero_, x_}, Below(3),
            [](const Scope&, const OutputList& v) -> OutputList { return v[0]; });
  ExpectError(scope_, Code::kInvalidArgument, {"gives 1 tensors", "2 loop variables"});
}

TEST_F(WhileLoopTest, AVariableKeepsItsType) {
  WhileLoop(scope_, {zero_, x_}, Below(3),
            [](const Scope&, const OutputList& v) -> OutputList {
              return {v[0] + 1, v[0]};
            },
            {.maximum_iterations = 3});
  ExpectError(scope_, Code::kInvalidArgument,
              {"variable 1 of loop 'while' (initially 'x')", "int32", "float"});
}

OutputList Doubled(const Scope& s, const OutputList& v) {
  return {v[0] + 1, Concat(s, {v[1], v[1]}, 0)};
}

TEST_F(WhileLoopTest, AVariableKeepsItsShape) {
  const Output row = Const(scope_.WithOpName("row"), std::vector<float>{1, 2});
  WhileLoop(scope_, {zero_, row}, Below(3), Doubled);
  ExpectError(scope_, Code::kInvalidArgument,
              {"variable 1 of loop 'while' (initially 'row')", "[4]", "[2]", "shape_invariants"});
}

TEST_F(WhileLoopTest, UnlessAnInvariantSaysOtherwise) {
  const Output row = Const(scope_.WithOpName("row"), std::vector<float>{1, 2});
  const OutputList r =
      WhileLoop(scope_, {zero_, row}, Below(3), Doubled,
                {.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(1)}});
  Finished(scope_);
  EXPECT_EQ(r[1].shape(), PartialShape::UnknownOfRank(1));
}

TEST_F(WhileLoopTest, AnInvariantMustFitTheInitialValue) {
  WhileLoop(scope_, {zero_, x_}, Below(3), [](const Scope&, const OutputList& v) { return v; },
            {.shape_invariants = {PartialShape::Scalar(), PartialShape(Dims{2})}});
  ExpectError(scope_, Code::kInvalidArgument, {"variable 1", "[2]", "does not fit"});
}

TEST_F(WhileLoopTest, ParallelIterationsBelowOne) {
  WhileLoop(scope_, zero_, Below(3), [](const Scope&, const OutputList& v) { return v; },
            {.parallel_iterations = 0});
  ExpectError(scope_, Code::kInvalidArgument, {"parallel_iterations 0"});
}

TEST_F(WhileLoopTest, FrameNamesAreUnique) {
  auto same = [](const Scope&, const OutputList& v) { return v; };
  WhileLoop(scope_, zero_, Below(0), same, {.frame_name = "f"});
  WhileLoop(scope_, zero_, Below(0), same, {.frame_name = "f"});
  ExpectError(scope_, Code::kAlreadyExists, {"frame_name 'f'"});
}

TEST_F(WhileLoopTest, PredicateMustBeABoolScalar) {
  WhileLoop(
      scope_, zero_, [](const Scope&, const OutputList& v) { return v[0]; },
      [](const Scope&, const OutputList& v) { return v; });
  ExpectError(scope_, Code::kInvalidArgument, {"predicate of loop 'while'", "int32"});
}

TEST_F(WhileLoopTest, MaximumIterationsMustBeAnInteger) {
  WhileLoop(scope_, zero_, Below(3), [](const Scope&, const OutputList& v) { return v; },
            {.maximum_iterations = 2.5});
  ExpectError(scope_, Code::kInvalidArgument, {"maximum_iterations", "double"});
}

}  // namespace
}  // namespace tagflow
