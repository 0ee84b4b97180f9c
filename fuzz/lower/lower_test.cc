// Programs by hand, lowered and run on the reference, against what plain C++ gives; every one on
// several orders of ready nodes, and free of races.
// Tests: lower.cc, lowering.cc, lowering_state.cc, lowering_control.cc

#include "fuzz/lower/lower.h"

#include <gtest/gtest.h>

#include "fuzz/lower/program_maker.h"
#include "fuzz/lower/test_run.h"

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// The results of every run, flattened: all of them int32 scalars.
std::vector<int32_t> Ints(const Program& program) {
  std::vector<int32_t> ints;
  for (const std::vector<Tensor>& run : RunInAllWays(program)) {
    for (const Tensor& value : run) ints.push_back(value.scalar<int32_t>());
  }
  return ints;
}
using Numbers = std::vector<int32_t>;

TEST(LowerTest, AStraightProgramGivesItsResultsInEveryRun) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(2), Int(5)});
  const ValueId y = m.Plus(x, m.Int(1));
  EXPECT_EQ(Ints(m.Finish({m.Like(Op::kMul, {x, y}), x, x})), (Numbers{6, 2, 2, 30, 5, 5}));
}

TEST(LowerTest, ACondRunsOneBranchAndPassesOnWhatItCaptures) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(2), Int(-2)});
  const ValueId p = m.Compare(Op::kGreater, x, m.Int(0));
  const Values r = m.Cond(
      p,
      [&](const Values&) {
        return Values{x, m.Int(7)};
      },
      [&](const Values&) {
        return Values{m.Like(Op::kNeg, {x}), x};
      });
  EXPECT_EQ(Ints(m.Finish(r)), (Numbers{2, 7, 2, -2}));
}

TEST(LowerTest, TheLastBlockOfACaseStandsForEveryOtherIndex) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(0), Int(1), Int(2), Int(3), Int(-1)});
  auto give = [&](int32_t value) {
    return [&m, value](const Values&) { return Values{m.Int(value)}; };
  };
  const Values three = m.Case(x, {give(10), give(11), give(12)});
  const Values one = m.Case(x, {give(5)});
  EXPECT_EQ(Ints(m.Finish({three[0], one[0]})), (Numbers{10, 5, 11, 5, 12, 5, 12, 5, 12, 5}));
}

// The number of trips and the last counter of a loop, by bound.
Values Trips(ProgramMaker& m, const Loop& loop, ValueId bound) {
  return m.While(loop, bound, {m.Int(0)}, nullptr,
                 [&](const Values& v) { return Values{m.Plus(v[1], m.Int(1))}; });
}

TEST(LowerTest, ABoundIsBroughtIntoItsRange) {
  ProgramMaker m;
  const ValueId bound = m.Input({Int(3), Int(100), Int(-100)});
  const Values up = Trips(m, {.start = 0, .step = 1, .most = 5}, bound);
  const Values down =
      Trips(m, {.start = 2, .step = -2, .compare = Op::kGreaterEqual, .most = 6}, bound);
  EXPECT_EQ(Ints(m.Finish({up[0], up[1], down[0], down[1]})),
            (Numbers{3, 3, 0, 1, 5, 5, 0, 1, 0, 0, -6, 4}));
}

TEST(LowerTest, AConstantBoundMayBeMadeInTheCondition) {
  for (const bool inside : {false, true}) {
    ProgramMaker m;
    const Values loop = Trips(m, {.most = 5, .bound_inside = inside}, m.Int(4));
    const Values clamped = Trips(m, {.most = 5, .bound_inside = inside}, m.Int(9));
    const Program program = m.Finish({loop[1], clamped[1]});
    EXPECT_EQ(Ints(program), (Numbers{4, 5}));
    const Result<Lowered> lowered = Lower(program);
    ASSERT_TRUE(lowered.ok());
    bool made_inside = false;
    for (const NodeId id : lowered->graph.NodeIds()) {
      made_inside = made_inside || lowered->graph.node(id).name.ends_with("/compare/y");
    }
    EXPECT_EQ(made_inside, inside);
  }
}

TEST(LowerTest, CountersOfEveryTypeCount) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble}) {
    ProgramMaker m;
    const ValueId bound = m.Do(Op::kCast, {Kind::kTensor, dtype, {}}, {m.Int(3)});
    const Values loop = Trips(m, {.counter = dtype, .compare = Op::kNotEqual, .most = 5}, bound);
    const ValueId last = m.Do(Op::kCast, {Kind::kTensor, DType::kInt32, {}}, {loop[0]});
    EXPECT_EQ(Ints(m.Finish({last, loop[1]})), (Numbers{3, 3})) << DTypeName(dtype);
  }
}

TEST(LowerTest, AConditionAndALimitEndALoopEarly) {
  ProgramMaker m;
  const ValueId stop = m.Int(3);
  const Values early = m.While(
      {.most = 10}, m.Int(10), {m.Int(0)},
      [&](const Values& v) { return Values{m.Compare(Op::kLess, v[1], stop)}; },
      [&](const Values& v) { return Values{m.Plus(v[1], m.Int(1))}; });
  const Values limited = Trips(m, {.most = 10, .maximum_iterations = 4}, m.Int(10));
  const Values none = Trips(m, {.most = 10, .maximum_iterations = 0}, m.Int(10));
  EXPECT_EQ(Ints(m.Finish({early[1], limited[0], limited[1], none[1]})), (Numbers{3, 4, 4, 0}));
}

TEST(LowerTest, LoopVariablesMaySwapAndLoopsMayNest) {
  ProgramMaker m;
  const ValueId n = m.Input({Int(3), Int(0)});
  const Values outer =
      m.While({.most = 9}, n, {m.Int(1), m.Int(100)}, nullptr, [&](const Values& v) {
        const Values inner = m.While({.most = 9, .parallel_iterations = 1}, v[0], {v[1]}, nullptr,
                                     [&](const Values& w) { return Values{m.Plus(w[1], n)}; });
        return Values{v[2], inner[1]};
      });
  // 1, 100 -> 100, 1 -> 1, 100 + 3 -> 103, 1 + 2 * 3
  EXPECT_EQ(Ints(m.Finish({outer[1], outer[2]})), (Numbers{103, 7, 1, 100}));
}

TEST(LowerTest, ALoopVariableMayChangeItsShape) {
  ProgramMaker m;
  const Type list{Kind::kTensor, DType::kInt32, {-1}};
  const Values loop = m.While(
      {.most = 3}, m.Int(3), {m.Const(Tensor::Vector<int32_t>({7}))}, nullptr,
      [&](const Values& v) {
        const ValueId row = m.Do(Op::kExpandDims, {Kind::kTensor, DType::kInt32, {1}}, {v[0]}, {0});
        return Values{m.Do(Op::kConcat, list, {v[1], row}, {0})};
      },
      {list});
  const ValueId last =
      m.Do(Op::kElementAt, {Kind::kTensor, DType::kInt32, {}}, {loop[1], m.Int(-1)});
  const ValueId size = m.Do(Op::kSize, {Kind::kTensor, DType::kInt32, {}}, {loop[1]});
  const ValueId sum = m.Do(Op::kSum, {Kind::kTensor, DType::kInt32, {}}, {loop[1]});
  EXPECT_EQ(Ints(m.Finish({last, size, sum})), (Numbers{2, 4, 10}));
}

TEST(LowerTest, ControlEdgesWaitAndChangeNothing) {
  ProgramMaker m;
  const ValueId x = m.Input(Int(4));
  const ValueId y = m.Plus(x, x);
  const Values loop = Trips(m, {.most = 5}, x);
  Statement& made = m.program.body.statements.back();
  made.after = {y};
  made.blocks[1].statements[0].after = {x, y, made.blocks[1].parameters[1]};
  EXPECT_EQ(Ints(m.Finish({loop[1], y})), (Numbers{4, 8}));
}

TEST(LowerTest, WaitsForWhatComesAfter) {
  ProgramMaker m;
  const ValueId x = m.Input(Int(4));
  const ValueId y = m.Plus(x, x);
  const ValueId z = m.Do(Op::kNeg, m.TypeOf(Int(0)), {x}, {}, {y});
  const Result<Lowered> lowered = Lower(m.Finish({z}));
  ASSERT_TRUE(lowered.ok());
  const Node& node = lowered->graph.node(lowered->result_outputs[0].node);
  ASSERT_EQ(node.control_inputs.size(), 1u);
  EXPECT_EQ(lowered->graph.node(node.control_inputs[0]).op, "AddV2");
}

}  // namespace
}  // namespace tagflow::fuzz
