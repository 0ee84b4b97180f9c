// Arrays, stacks and variables, in branches and loops: as lower_test.cc.
// Tests: lowering_state.cc, lowering_control.cc, origins.cc, access_order.cc

#include <gtest/gtest.h>

#include "fuzz/lower/origins.h"
#include "fuzz/lower/program_maker.h"
#include "fuzz/lower/test_run.h"

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar(value); }

std::vector<int32_t> Ints(const Program& program) {
  std::vector<int32_t> ints;
  for (const std::vector<Tensor>& run : RunInAllWays(program)) {
    for (const Tensor& value : run) {
      for (const int32_t element : value.flat<int32_t>()) ints.push_back(element);
    }
  }
  return ints;
}
using Numbers = std::vector<int32_t>;

class Objects : public ProgramMaker {
 public:
  const Type scalar{Kind::kTensor, DType::kInt32, {}};
  const Type array{Kind::kArray, DType::kInt32, {}};
  const Type stack{Kind::kStack, DType::kInt32, {}};

  ValueId Array(int size) { return Do(Op::kArrayNew, array, {}, {size}); }
  ValueId Write(ValueId a, ValueId i, ValueId value) {
    return Like(Op::kArrayWrite, {a, i, value});
  }
  ValueId ReadAt(ValueId a, ValueId i) { return Do(Op::kArrayRead, scalar, {a, i}); }
  ValueId Gather(ValueId a) {
    return Do(Op::kArrayGather, {Kind::kTensor, DType::kInt32, {-1}}, {a});
  }
  ValueId NewStack() { return Do(Op::kStackNew, stack, {}, {100}); }
  ValueId Push(ValueId s, ValueId value) { return Like(Op::kStackPush, {s, value}); }
  // The value, and what is left.
  Values Pop(ValueId s) { return DoAll(Op::kStackPop, {scalar, stack}, {s}); }
};

TEST(LowerStateTest, AnArrayIsWrittenInALoopAndReadAfter) {
  Objects m;
  const Values loop = m.While({.most = 4}, m.Int(4), {m.Array(4)}, nullptr, [&](const Values& v) {
    return Values{m.Write(v[1], v[0], m.Plus(v[0], v[0]))};
  });
  const ValueId all = m.Gather(loop[1]);
  EXPECT_EQ(Ints(m.Finish({all, m.ReadAt(loop[1], m.Int(3))})), (Numbers{0, 2, 4, 6, 6}));
}

TEST(LowerStateTest, AnArrayIsReadInALoopThatOnlyCapturesIt) {
  Objects m;
  ValueId a = m.Write(m.Write(m.Array(2), m.Int(0), m.Int(5)), m.Int(1), m.Int(7));
  const Values loop = m.While({.most = 2}, m.Int(2), {m.Int(0)}, nullptr, [&](const Values& v) {
    return Values{m.Plus(v[1], m.ReadAt(a, v[0]))};
  });
  EXPECT_EQ(Ints(m.Finish({loop[1]})), (Numbers{12}));
}

TEST(LowerStateTest, WhichArrayComesOutOfACondMayDepend) {
  Objects m;
  const ValueId x = m.Input({Int(1), Int(-1)});
  const ValueId positive = m.Compare(Op::kGreater, x, m.Int(0));
  const ValueId outer = m.Array(2);
  const Values r = m.Cond(
      positive, [&](const Values&) { return Values{m.Write(outer, m.Int(0), m.Int(10))}; },
      [&](const Values&) { return Values{m.Write(m.Array(2), m.Int(0), m.Int(20))}; });
  const ValueId done = m.Write(r[0], m.Int(1), x);
  EXPECT_EQ(Ints(m.Finish({m.Gather(done)})), (Numbers{10, 1, 20, -1}));
}

TEST(LowerStateTest, LoopsMaySwapArrays) {
  Objects m;
  const Values loop =
      m.While({.most = 3}, m.Int(3), {m.Array(3), m.Array(3)}, nullptr, [&](const Values& v) {
        return Values{v[2], m.Write(v[1], v[0], v[0])};
      });
  // 0 goes into a, which becomes the second; 1 into b; 2 into a.
  const ValueId b = m.Write(m.Write(loop[1], m.Int(0), m.Int(8)), m.Int(2), m.Int(9));
  const ValueId a = m.Write(loop[2], m.Int(1), m.Int(7));
  EXPECT_EQ(Ints(m.Finish({m.Gather(b), m.Gather(a)})), (Numbers{8, 1, 9, 0, 7, 2}));
}

TEST(LowerStateTest, HandlesTravelOnlyWhereTheyMust) {
  Objects m;
  const ValueId made = m.Array(2);
  const Values kept = m.While({.most = 2}, m.Int(2), {made}, nullptr,
                              [&](const Values& v) { return Values{m.Write(v[1], v[0], v[0])}; });
  const Values replaced = m.While({.most = 2}, m.Int(2), {kept[1]}, nullptr,
                                  [&](const Values&) { return Values{m.Array(1)}; });
  const std::vector<ValueId> origins = FindOrigins(m.program);
  EXPECT_EQ(origins[Index(kept[1])], made);
  EXPECT_EQ(origins[Index(replaced[1])], replaced[1]);
}

TEST(LowerStateTest, AStackKeepsItsOrderThroughLoopsAndBranches) {
  Objects m;
  const ValueId n = m.Input({Int(4), Int(0)});
  const Values pushed =
      m.While({.most = 9}, n, {m.Push(m.NewStack(), m.Int(-1))}, nullptr, [&](const Values& v) {
        const ValueId odd =
            m.Compare(Op::kEqual, m.Like(Op::kFloorMod, {v[0], m.Int(2)}), m.Int(1));
        return m.Cond(
            odd, [&](const Values&) { return Values{m.Push(v[1], v[0])}; },
            [&](const Values&) { return Values{m.Push(m.Push(v[1], v[0]), m.Int(50))}; });
      });
  const Values popped =
      m.While({.most = 9}, n, {pushed[1], m.Int(0)}, nullptr, [&](const Values& v) {
        const Values one = m.Pop(v[1]);
        const ValueId ten = m.Like(Op::kMul, {v[2], m.Int(10)});
        return Values{one[1], m.Plus(ten, one[0])};
      });
  // The stack: -1 0 50 1 2 50 3; popped: 3 50 2 1.
  EXPECT_EQ(Ints(m.Finish({popped[2], m.Pop(popped[1])[0]})), (Numbers{8021, 50, 0, -1}));
}

TEST(LowerStateTest, AccessesKeepTheOrderOfTheText) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(5), Int(6)});
  const int v = m.Variable(Int(1));
  const ValueId first = m.Read(v);
  m.Assign(v, x);
  const ValueId second = m.Read(v);
  m.Assign(v, m.Int(10), Op::kAssignAdd);
  const ValueId third = m.Read(v);
  EXPECT_EQ(Ints(m.Finish({first, second, third})), (Numbers{1, 5, 15, 15, 15, 6, 16, 16}));
}

TEST(LowerStateTest, VariablesAreToldApartByTheirSharedNames) {
  ProgramMaker m;
  m.Variable(Int(1));
  m.Variable(Tensor::Scalar(2.0));
  const Result<Lowered> lowered = Lower(m.Finish({}));
  ASSERT_TRUE(lowered.ok());
  std::vector<std::string> names;
  for (const NodeId id : lowered->graph.NodeIds()) {
    const Node& node = lowered->graph.node(id);
    if (node.op == "VarHandleOp") names.push_back(*StringAttr(node, "shared_name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"variable0", "variable1"}));
}

TEST(LowerStateTest, BranchesKeepTheOrderOfTheText) {
  ProgramMaker m;
  const ValueId x = m.Input({Int(5), Int(-6)});
  const int v = m.Variable(Int(1));
  const int w = m.Variable(Int(100));
  const ValueId positive = m.Compare(Op::kGreater, x, m.Int(0));
  const ValueId before = m.Read(v);
  const Values r = m.Cond(
      positive,
      [&](const Values&) {
        const ValueId old = m.Read(v);
        m.Assign(v, x, Op::kAssignAdd);
        m.Assign(w, m.Int(1), Op::kAssignAdd);
        return Values{old};
      },
      [&](const Values&) { return Values{m.Read(w)}; });
  m.Cond(
      positive, [&](const Values&) { return Values{}; },
      [&](const Values&) {
        m.Read(v);
        m.Assign(w, x, Op::kAssignAdd);
        return Values{};
      });
  m.Case(x, {[&](const Values&) {
               m.Assign(w, m.Int(0));
               return Values{};
             },
             [&](const Values&) {
               m.Assign(w, m.Int(2), Op::kAssignAdd);
               return Values{};
             }});
  m.Assign(v, m.Int(1000), Op::kAssignAdd);
  EXPECT_EQ(Ints(m.Finish({before, r[0], m.Read(v)})),
            (Numbers{1, 1, 1006, 1006, 103, 1006, 103, 2006, 2006, 99}));
}

TEST(LowerStateTest, LoopsKeepTheOrderOfTheText) {
  for (const int64_t parallel : {1, 2, 100}) {
    ProgramMaker m;
    const ValueId n = m.Input({Int(3), Int(0)});
    const int v = m.Variable(Int(1));
    const int seen = m.Variable(Int(0));
    const ValueId before = m.Read(v);
    const Values loop = m.While(
        {.most = 9, .parallel_iterations = parallel}, n, {m.Int(0)},
        [&](const Values&) {
          m.Assign(seen, m.Int(1), Op::kAssignAdd);
          return Values{m.Compare(Op::kLess, m.Read(v), m.Int(1000))};
        },
        [&](const Values& i) {
          const ValueId old = m.Read(v);
          m.Cond(
              m.Compare(Op::kEqual, i[0], m.Int(1)),
              [&](const Values&) {
                m.Read(seen);
                return Values{};
              },
              [&](const Values&) {
                m.Assign(v, old, Op::kAssignAdd);
                return Values{};
              });
          m.While({.most = 2}, m.Int(2), {old}, nullptr, [&](const Values& j) {
            m.Assign(v, j[0], Op::kAssignAdd);
            return Values{m.Read(v)};
          });
          m.Read(v);
          return Values{m.Plus(i[1], old)};
        });
    const ValueId after = m.Read(v);
    m.Assign(v, m.Int(7), Op::kAssignAdd);
    // v: 1 -> 2, 3 -> 4 -> 8, 9; the sum of the old ones: 1 + 3 + 4.
    EXPECT_EQ(Ints(m.Finish({before, loop[1], after})),
              (Numbers{1, 8, 9, 16, 4, 16, 0, 16, 23, 5}));
  }
}

}  // namespace
}  // namespace tagflow::fuzz
