// Tests: evaluator_plain.cc direct.cc describe.cc control_impl.h collections_impl.h

#include <gtest/gtest.h>

#include <limits>

#include "fuzz/direct/describe.h"
#include "fuzz/direct/test_results.h"

namespace tagflow::fuzz {
namespace {

using Ids = ProgramWriter::Ids;
const Type kBool = TensorType(DType::kBool);

// A loop that only counts, with the given bound: {the counter at its end, trips}.
template <typename T>
std::pair<T, int32_t> Count(Loop loop, T bound) {
  loop.counter = DTypeOf<T>::value;
  ProgramWriter w;
  const ValueId limit = w.Const(bound);
  const Ids out = w.While(loop, limit, {w.Const(0)}, [&](const Ids& v) -> Ids {
    return {w.Do(Op::kAdd, {v[1], w.Const(1)})};
  });
  const std::vector<Tensor> values = ResultsOf(w.Finish(out));
  return {values[0].scalar<T>(), values[1].scalar<int32_t>()};
}

TEST(Control, CollatzCountsItsSteps) {
  ProgramWriter w;
  const ValueId n = w.Input(int64_t{27});
  const ValueId zero = w.Const(0);
  const ValueId bound = w.Const(1000);
  const auto step = [&](const Ids& v) -> Ids {
    const ValueId rest = w.Do(Op::kFloorMod, {v[1], w.Const(int64_t{2})});
    const ValueId is_even = w.DoAs(kBool, Op::kEqual, {rest, w.Const(int64_t{0})});
    const Ids next = w.Branch(Op::kCond, is_even,
                              {[&]() -> Ids {
                                 return {w.Do(Op::kFloorDiv, {v[1], w.Const(int64_t{2})})};
                               },
                               [&]() -> Ids {
                                 const ValueId triple = w.Do(Op::kMul, {v[1], w.Const(int64_t{3})});
                                 return {w.Do(Op::kAdd, {triple, w.Const(int64_t{1})})};
                               }});
    return {next[0], w.Do(Op::kAdd, {v[2], w.Const(1)})};
  };
  const Ids out = w.While({.most = 1000}, bound, {n, zero}, step, [&](const Ids& v) {
    return w.DoAs(kBool, Op::kNotEqual, {v[1], w.Const(int64_t{1})});
  });
  Activity activity;
  const std::vector<Tensor> values = ResultsOf(w.Finish(out), {.activity = &activity});
  EXPECT_EQ(values[0].scalar<int32_t>(), 111);
  EXPECT_EQ(values[1].scalar<int64_t>(), 1);
  EXPECT_EQ(values[2].scalar<int32_t>(), 111);
  EXPECT_EQ(activity.trips, std::vector<int64_t>{111});
  EXPECT_EQ(activity.branches, std::vector<uint8_t>{3});
  EXPECT_EQ(activity.deepest, 2);
  // 70 halvings of 2 statements and 41 other steps of 4 skip the other branch.
  EXPECT_EQ(activity.skipped, 70 * 4 + 41 * 2);
  EXPECT_EQ(activity.operations, 3 + 112 * 2 + 111 * 7 + 70 * 2 + 41 * 4);
}

TEST(Control, ACounterStopsAtItsBoundOrJumpsIt) {
  EXPECT_EQ(Count<int32_t>({.most = 10}, 4), (std::pair{4, 4}));
  EXPECT_EQ(Count<int32_t>({.step = 3, .most = 10}, 10), (std::pair{12, 4}));
  EXPECT_EQ(Count<int64_t>({.start = 2, .compare = Op::kLessEqual, .most = 10}, 4),
            (std::pair{int64_t{5}, 3}));
  EXPECT_EQ(Count<int32_t>({.start = 5, .step = -2, .compare = Op::kGreater, .most = 10}, 0),
            (std::pair{-1, 3}));
  EXPECT_EQ(Count<int32_t>({.step = -1, .compare = Op::kGreaterEqual, .most = 10}, -2),
            (std::pair{-3, 3}));
  EXPECT_EQ(Count<int32_t>({.compare = Op::kNotEqual, .most = 10}, 7), (std::pair{7, 7}));
  EXPECT_EQ(Count<int32_t>({.step = -1, .compare = Op::kNotEqual, .most = 10}, -3),
            (std::pair{-3, 3}));
}

TEST(Control, TheBoundIsBroughtIntoItsRange) {
  EXPECT_EQ(Count<int32_t>({.most = 5}, 1000), (std::pair{5, 5}));
  EXPECT_EQ(Count<int32_t>({.start = 3, .most = 5}, -1000), (std::pair{3, 0}));
  EXPECT_EQ(Count<int32_t>({.step = -1, .compare = Op::kGreater, .most = 5}, -1000),
            (std::pair{-5, 5}));
  EXPECT_EQ(Count<int32_t>({.compare = Op::kNotEqual, .most = 5}, -1), (std::pair{0, 0}));
  EXPECT_EQ(Count<int32_t>({.start = 3, .compare = Op::kLessEqual, .most = 0}, 9),
            (std::pair{4, 1}));
}

TEST(Control, FloatsCountInTheirOwnArithmetic) {
  EXPECT_EQ(Count<float>({.step = 0.5, .most = 10}, 1.75f), (std::pair{2.0f, 4}));
  // Ten tenths are less than 1 in double, and more than 1 in float.
  EXPECT_EQ(Count<double>({.step = 0.1, .most = 10}, 1.0).second, 11);
  EXPECT_EQ(Count<float>({.step = 0.1, .most = 10}, 1.0f).second, 10);
  EXPECT_EQ(Count<double>({.most = 10}, std::numeric_limits<double>::quiet_NaN()).second, 0);
}

TEST(Control, MaximumIterationsEndALoop) {
  EXPECT_EQ(Count<int32_t>({.most = 10, .maximum_iterations = 3}, 9), (std::pair{3, 3}));
  EXPECT_EQ(Count<int32_t>({.most = 10, .maximum_iterations = 0}, 9), (std::pair{0, 0}));
  EXPECT_EQ(Count<int32_t>({.most = 10, .maximum_iterations = 30}, 9), (std::pair{9, 9}));
}

TEST(Control, LoopVariablesAreReplacedAllAtOnce) {
  ProgramWriter w;
  const ValueId a = w.Const(1);
  const ValueId b = w.Const(2);
  const ValueId bound = w.Const(5);
  // Two are swapped, the third takes what the second had before.
  const Ids out = w.While({.most = 5}, bound, {a, b, a}, [&](const Ids& v) -> Ids {
    return {v[2], v[1], v[2]};
  });
  const std::vector<Tensor> values = ResultsOf(w.Finish(out));
  EXPECT_EQ(values[1].scalar<int32_t>(), 2);
  EXPECT_EQ(values[2].scalar<int32_t>(), 1);
  EXPECT_EQ(values[3].scalar<int32_t>(), 2);
}

TEST(Control, InnerLoopsSeeTheOuterCounter) {
  ProgramWriter w;
  const ValueId bound = w.Const(4);
  const ValueId zero = w.Const(0);
  const Ids out = w.While({.most = 4}, bound, {zero}, [&](const Ids& v) -> Ids {
    const Ids inner = w.While({.most = 10}, v[0], {v[1]}, [&](const Ids& u) -> Ids {
      return {w.Do(Op::kAdd, {u[1], w.Do(Op::kMul, {v[0], u[0]})})};
    });
    return {inner[1]};
  });
  Activity activity;
  // sum over i < 4 of i * (0 + … + i-1) = 1*0 + 2*1 + 3*3
  EXPECT_EQ(ResultsOf(w.Finish({out[1]}), {.activity = &activity})[0].scalar<int32_t>(), 11);
  EXPECT_EQ(activity.trips, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(activity.skipped, 2);  // the inner body, once
}

TEST(Control, AnIndexWithoutABranchTakesTheLast) {
  for (const auto& [index, taken] : {std::pair{-1, 2}, {0, 0}, {1, 1}, {2, 2}, {3, 2}}) {
    ProgramWriter w;
    const ValueId chooser = w.Input(index);
    const auto branch = [&](int32_t number) {
      return [&w, number]() -> Ids { return {w.Const(number)}; };
    };
    Activity activity;
    const Ids out = w.Branch(Op::kCase, chooser, {branch(0), branch(1), branch(2)});
    EXPECT_EQ(ResultsOf(w.Finish(out), {.activity = &activity})[0].scalar<int32_t>(), taken);
    EXPECT_EQ(activity.branches, std::vector<uint8_t>{static_cast<uint8_t>(1 << taken)});
  }
}

TEST(Control, ALoopVariableMayGrow) {
  ProgramWriter w;
  const ValueId bound = w.Const(4);
  const ValueId none = w.Const(*Tensor::Allocate(DType::kInt32, Dims{0}));
  const Ids out = w.While({.most = 9}, bound, {none}, [&](const Ids& v) -> Ids {
    const Type one = TensorType(DType::kInt32, {1});
    return {w.Do(Op::kConcat, {v[1], w.DoAs(one, Op::kExpandDims, {v[0]}, {0})}, {0})};
  });
  EXPECT_EQ(Text(ResultsOf(w.Finish(out))[1]), Text(Tensor::Vector<int32_t>({0, 1, 2, 3})));
}

TEST(Control, WhatDoesNotEndInTimeIsStopped) {
  ProgramWriter w;
  const ValueId bound = w.Const(1000000);
  const Program program =
      w.Finish(w.While({.most = 1e6}, bound, {}, [](const Ids&) -> Ids { return {}; }));
  EXPECT_TRUE(Evaluate(program).ok());
  EXPECT_EQ(Evaluate(program, {.max_operations = 1000}).status().code(), Code::kResourceExhausted);
}

TEST(Collections, AnArrayIsWrittenInALoopAndGathered) {
  ProgramWriter w;
  const Type element = TensorType(DType::kInt32);
  const ValueId bound = w.Const(3);
  const ValueId array = w.NewArray(element, 3);
  const Ids out = w.While({.most = 3}, bound, {array}, [&](const Ids& v) -> Ids {
    return {w.Do(Op::kArrayWrite, {v[1], v[0], w.Do(Op::kSquare, {v[0]})})};
  });
  const ValueId last = w.ReadArray(out[1], w.Const(2));
  const ValueId all = w.DoAs(TensorType(DType::kInt32, {3}), Op::kArrayGather, {out[1]});
  const std::vector<Tensor> values = ResultsOf(w.Finish({last, all}));
  EXPECT_EQ(values[0].scalar<int32_t>(), 4);
  EXPECT_EQ(Text(values[1]), Text(Tensor::Vector<int32_t>({0, 1, 4})));
}

TEST(Collections, AStackReversesOrder) {
  ProgramWriter w;
  const Type element = TensorType(DType::kInt32);
  const ValueId bound = w.Const(4);
  const ValueId zero = w.Const(0);
  const Loop loop{.most = 4};
  const Ids pushed = w.While(loop, bound, {w.NewStack(element, 4)}, [&](const Ids& v) -> Ids {
    return {w.Do(Op::kStackPush, {v[1], v[0]})};
  });
  // 3, 2, 1, 0 as digits
  const Ids popped = w.While(loop, bound, {pushed[1], zero}, [&](const Ids& v) -> Ids {
    const Ids top = w.Pop(v[1]);
    const ValueId tenfold = w.Do(Op::kMul, {v[2], w.Const(10)});
    return {top[1], w.Do(Op::kAdd, {tenfold, top[0]})};
  });
  EXPECT_EQ(ResultsOf(w.Finish({popped[2]}))[0].scalar<int32_t>(), 3210);
}

// The error of a program whose one result `write` gives.
std::string ErrorOfProgram(const std::function<ValueId(ProgramWriter&)>& write) {
  ProgramWriter w;
  const ValueId result = write(w);
  return Evaluate(w.Finish({result})).status().ToString();
}

TEST(Collections, MisuseFailsAndNamesTheStatement) {
  const Type element = TensorType(DType::kInt32);
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) {
              const ValueId i = w.Const(1);
              const ValueId array = w.Do(Op::kArrayWrite, {w.NewArray(element, 2), i, i});
              return w.ReadArray(w.Do(Op::kArrayWrite, {array, i, i}), i);
            }),
            "FAILED_PRECONDITION: v3 = ArrayWrite(v2, v0, v0): element 1 has been written before");
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) {
              const ValueId array = w.NewArray(element, 2);
              return w.ReadArray(array, w.Const(1));
            }),
            "FAILED_PRECONDITION: v2 = ArrayRead(v0, v1): element 1 has not been written");
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) {
              const ValueId array = w.NewArray(element, 2);
              return w.ReadArray(array, w.Const(2));
            }),
            "FAILED_PRECONDITION: v2 = ArrayRead(v0, v1): index 2 is not in the array");
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) {
              return w.DoAs(TensorType(DType::kInt32, {1}), Op::kArrayGather,
                            {w.NewArray(element, 1)});
            }),
            "FAILED_PRECONDITION: v1 = ArrayGather(v0): element 0 has not been written");
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) { return w.Pop(w.NewStack(element, 1))[0]; }),
            "FAILED_PRECONDITION: v1, v2 = StackPop(v0): the stack is empty");
  EXPECT_EQ(ErrorOfProgram([&](ProgramWriter& w) {
              const ValueId stack = w.NewStack(element, 0);
              return w.Pop(w.Do(Op::kStackPush, {stack, w.Const(1)}))[0];
            }),
            "FAILED_PRECONDITION: v2 = StackPush(v0, v1): the stack is full");
}

TEST(Variables, OutliveARunAndChangeInOrderOfTheText) {
  ProgramWriter w;
  const int variable = w.Variable(Tensor::Scalar(10));
  const ValueId x = w.Input({Tensor::Scalar(1), Tensor::Scalar(2), Tensor::Scalar(3)});
  const ValueId before = w.Read(variable);
  w.Assign(variable, x, Op::kAssignAdd);
  const ValueId between = w.Read(variable);
  w.Assign(variable, w.Do(Op::kMul, {between, between}));
  const Result<std::vector<RunResult>> runs = Evaluate(w.Finish({before, between}));
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 3u);
  const auto number = [&](size_t run, size_t i) {
    return (*runs)[run].values[i].scalar<int32_t>();
  };
  EXPECT_EQ(number(0, 0), 10);
  EXPECT_EQ(number(0, 1), 11);
  EXPECT_EQ(number(0, 2), 121);
  EXPECT_EQ(number(1, 1), 123);
  EXPECT_EQ(number(2, 0), 123 * 123);
  EXPECT_EQ(number(2, 2), (123 * 123 + 3) * (123 * 123 + 3));
}

TEST(Variables, AConditionsEffectsHappenOnceMoreThanTheBodys) {
  ProgramWriter w;
  const int conditions = w.Variable(Tensor::Scalar(0));
  const int bodies = w.Variable(Tensor::Scalar(0));
  const ValueId bound = w.Const(3);
  const ValueId one = w.Const(1);
  w.While(
      {.most = 3}, bound, {},
      [&](const Ids&) -> Ids {
        w.Assign(bodies, one, Op::kAssignAdd);
        return {};
      },
      [&](const Ids&) {
        w.Assign(conditions, one, Op::kAssignAdd);
        return w.Const(true);
      });
  const std::vector<Tensor> values = ResultsOf(w.Finish({}));
  EXPECT_EQ(values[0].scalar<int32_t>(), 4);
  EXPECT_EQ(values[1].scalar<int32_t>(), 3);
}

TEST(Describe, NumbersValuesInOrderOfTheText) {
  ProgramWriter w;
  const ValueId x = w.Input(1);
  const Ids out = w.While({.most = 1}, x, {x}, [&](const Ids& v) -> Ids { return {v[1]}; });
  const Program program = w.Finish(out);
  EXPECT_EQ(Describe(program, program.body.statements[0]), "v1, v2 = While(v0, v0)");
  EXPECT_EQ(ValueName(program, program.body.statements[0].blocks[0].parameters[0]), "v3");
  EXPECT_EQ(ValueName(program, ValueId::kNone), "v?");
}

}  // namespace
}  // namespace tagflow::fuzz
