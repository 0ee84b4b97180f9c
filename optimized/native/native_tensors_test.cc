// Tests: element_loops.cc, loop_tensors.cc, loop_types.cc, scout.cc, tensor_calls.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/native/loop_types.h"
#include "optimized/native/test_program.h"
#include "transform/gradients/gradients.h"

namespace tagflow::optimized {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

using NativeTensorsTest = NativeTest;

// Numbers around 0.
template <typename T>
Tensor Numbers(const Dims& dims) {
  std::vector<T> values(static_cast<size_t>(*NumElements(dims)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<double>(i % 17) * 0.75 - 5.0);
  }
  return Tensor::Of<T>(dims, values);
}

// The same as interpreted, and nothing but what is at the ends of the loop is the machine's.
void ExpectNoKernels(const Program& program, const NamedTensors& feeds) {
  EXPECT_THAT(ListingOf(program, feeds), HasSubstr("machine code, compiled in"));
  EXPECT_THAT(ListingOf(program, feeds), Not(HasSubstr("*")));
}

using Body = std::function<Output(const Scope&, const Output&)>;

// x = f(x), five times.
Program Repeated(DType dtype, const Body& f) {
  return Program([&](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), dtype);
    return WhileLoop(
        scope, {Const(scope, 0), x},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          return {Add(s, v[0], 1), f(s, v[1])};
        },
        {.back_prop = false});
  });
}

template <typename T>
Tensor Specials() {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = {0,
                                 -T(0),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN(),
                                 Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 T(88.5),
                                 T(-103.9),
                                 T(0.7)};
  return Tensor::Vector(values);
}

TEST_F(NativeTensorsTest, TheBitsOfFunctions) {
  const std::vector<Body> functions = {
      [](const Scope& s, const Output& x) { return Tanh(s, x); },
      [](const Scope& s, const Output& x) { return Exp(s, Neg(s, x)); },
      [](const Scope& s, const Output& x) { return Sigmoid(s, x); },
      [](const Scope& s, const Output& x) { return Sqrt(s, Abs(s, x)); },
      [](const Scope& s, const Output& x) { return Log(s, Add(s, Square(s, x), x)); },
      [](const Scope& s, const Output& x) { return Sin(s, Mul(s, x, x)); }};
  for (const Body& function : functions) {
    const Program floats = Repeated(DType::kFloat, function);
    const Program doubles = Repeated(DType::kDouble, function);
    for (const int64_t n : {1, 3, 8, 129}) {
      ExpectSame(floats, {{"x", Numbers<float>({n})}});
      ExpectSame(doubles, {{"x", Numbers<double>({n})}});
    }
    ExpectSame(floats, {{"x", Specials<float>()}});
    ExpectSame(doubles, {{"x", Specials<double>()}});
    ExpectNoKernels(floats, {{"x", Numbers<float>({3})}});
  }
}

TEST_F(NativeTensorsTest, Integers) {
  const Body body = [](const Scope& s, const Output& x) {
    return Sub(s, Mul(s, x, x), Maximum(s, x, Mul(s, x, x)));
  };
  ExpectSame(Repeated(DType::kInt8, body), {{"x", Numbers<int8_t>({40})}});
  ExpectSame(Repeated(DType::kUInt16, body), {{"x", Numbers<uint16_t>({40})}});
  ExpectSame(Repeated(DType::kInt32, body), {{"x", Numbers<int32_t>({40})}});
  ExpectSame(Repeated(DType::kInt64, body), {{"x", Numbers<int64_t>({40})}});
  ExpectNoKernels(Repeated(DType::kInt32, body), {{"x", Numbers<int32_t>({40})}});
}

// What a kernel refuses shows when the kernel runs.
TEST_F(NativeTensorsTest, DivisionByZero) {
  const Program program = Repeated(DType::kInt32, [](const Scope& s, const Output& x) {
    return FloorDiv(s, Const(s, 7), Sub(s, x, 1));
  });
  ExpectSame(program, {{"x", Tensor::Vector<int32_t>({3, 4, 100})}});
  const NamedTensors bad = {{"x", Tensor::Vector<int32_t>({3, 1, 100})}};
  ExpectSame(program, bad);
  EXPECT_THAT(OutcomeOf(program, bad, {NativeChoice::kAlways}), HasSubstr("division by zero"));
}

TEST_F(NativeTensorsTest, BoolsAndChoices) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    const Output small = LogicalAnd(s, Less(s, x, Const(s, 2.0f)), LogicalNot(s, Equal(s, x, x)));
    const Output either = LogicalOr(s, small, Greater(s, x, Const(s, -3.0f)));
    const Output whole = Cast(s, Cast(s, x, DType::kInt32), DType::kFloat);
    return Select(s, either, Add(s, x, Const(s, 0.5f)), Sub(s, whole, OnesLike(s, x)));
  });
  for (const Dims& dims : {Dims{30}, Dims{3, 5}}) {
    ExpectSame(program, {{"x", Numbers<float>(dims)}});
    ExpectNoKernels(program, {{"x", Numbers<float>(dims)}});
  }
}

// The condition of Select is for rows, too, which the kernel does.
TEST_F(NativeTensorsTest, AConditionForRows) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    const Output rows = Const(s, Tensor::Vector<bool>({true, false, true}));
    return Select(s, rows, Add(s, x, Const(s, 0.5f)), Neg(s, x));
  });
  ExpectSame(program, {{"x", Numbers<float>({3, 3})}});
  ExpectSame(program, {{"x", Numbers<float>({3, 4})}});
  ExpectSame(program, {{"x", Numbers<float>({4, 3})}});  // an error
}

TEST_F(NativeTensorsTest, Broadcasting) {
  const std::vector<std::pair<Dims, bool>> others = {
      {{}, true},     {{1}, true},       {{4}, true},       {{3, 1}, false},   {{3, 4}, true},
      {{1, 4}, true}, {{2, 1, 1}, true}, {{2, 3, 1}, true}, {{2, 1, 4}, false}};
  for (const auto& [dims, is_native] : others) {
    const Program program = Repeated(DType::kFloat, [&](const Scope& s, const Output& x) {
      return Mul(s, Add(s, x, Const(s, Numbers<float>(dims))), Const(s, 0.75f));
    });
    const NamedTensors feeds = {{"x", Numbers<float>({2, 3, 4})}};
    ExpectSame(program, feeds);
    SCOPED_TRACE(DimsString(dims));
    if (is_native) ExpectNoKernels(program, feeds);
    ExpectSame(program, {{"x", Numbers<float>({3, 3})}});  // mostly an error
  }
}

// One loop cannot go over rows of four and of twelve columns at once.
TEST_F(NativeTensorsTest, RowsOfSeveralLengths) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    const Output a = Add(s, x, Const(s, Numbers<float>({4})));
    const Output b = Mul(s, a, Const(s, Numbers<float>({2, 1, 1})));
    const Output c = Mul(s, b, Const(s, Numbers<float>({2, 3, 1})));
    return Mul(s, c, Const(s, 0.03f));
  });
  const NamedTensors feeds = {{"x", Numbers<float>({2, 3, 4})}};
  ExpectSame(program, feeds);
  ExpectNoKernels(program, feeds);
}

// A vector that is computed beside the matrix it is added to.
TEST_F(NativeTensorsTest, ShapesSideBySide) {
  const Program program([](const Scope& scope) -> OutputList {
    return WhileLoop(
        scope,
        {Const(scope, 0), Const(scope, Numbers<float>({3, 4})), Const(scope, Numbers<float>({4})),
         Const(scope, Numbers<float>({1}))},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 6); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output bias = Tanh(s, Add(s, v[2], v[3]));
          const Output value = Sigmoid(s, Add(s, v[1], bias));
          return {Add(s, v[0], 1), value, bias, Mul(s, v[3], Const(s, 0.5f))};
        },
        {.back_prop = false});
  });
  ExpectSame(program, {});
  ExpectNoKernels(program, {});
}

// An LSTM cell without its product: a BiasAdd, a Split and functions of the pieces.
Program Gates(int64_t axis) {
  return Program([axis](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const Output bias = Const(scope, Numbers<float>({8}));
    return WhileLoop(
        scope, {Const(scope, 0), x},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output sum = Op(s, "BiasAdd", {v[1], bias});
          const Operation pieces =
              Op(s, "Split", {static_cast<int32_t>(axis), sum}, {{"num_split", int64_t{2}}});
          const Output gate = Mul(s, Sigmoid(s, pieces[0]), Tanh(s, pieces[1]));
          return {Add(s, v[0], 1), Concat(s, {gate, pieces[1]}, static_cast<int32_t>(axis))};
        },
        {.back_prop = false});
  });
}

TEST_F(NativeTensorsTest, PiecesOfASplit) {
  for (const int64_t axis : {1, -1, 0, -2}) {
    const NamedTensors feeds = {{"x", Numbers<float>({4, 8})}};
    ExpectSame(Gates(axis), feeds);
    const std::string listing = ListingOf(Gates(axis), feeds);
    EXPECT_THAT(listing, ContainsRegex("    .*float\\[[24],[48]\\] = Split"));
    EXPECT_THAT(listing, ContainsRegex("    .*float\\[4,8\\] = ConcatV2"));
  }
  ExpectSame(Gates(1), {{"x", Numbers<float>({4, 7})}});  // an error
  ExpectSame(Gates(3), {{"x", Numbers<float>({4, 8})}});  // another
}

// A Split reads elsewhere than at the place that is written, even where it gives one piece.
TEST_F(NativeTensorsTest, OnePieceOfASplit) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    const Output sum = Add(s, x, Const(s, 0.5f));
    return Mul(s, Op(s, "Split", {0, sum}, {{"num_split", int64_t{1}}})[0], sum);
  });
  ExpectSame(program, {{"x", Numbers<float>({3, 4})}});
  ExpectNoKernels(program, {{"x", Numbers<float>({3, 4})}});
}

TEST_F(NativeTensorsTest, SumsOfMany) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    return AddN(s, {x, Neg(s, x), Mul(s, x, Const(s, 1e7f)), x, Const(s, Numbers<float>({5}))});
  });
  ExpectSame(program, {{"x", Numbers<float>({5})}});
  ExpectNoKernels(program, {{"x", Numbers<float>({5})}});
}

// What others have is not written over: a feed, a constant, what is fetched, and two variables that
// begin as the same.
TEST_F(NativeTensorsTest, MemoryThatOthersHave) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    OutputList ends = WhileLoop(
        scope, {Const(scope, 0), x, x, x, Const(scope, Numbers<float>({6}))},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 7); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = Add(s, v[1], v[2]);
          return {Add(s, v[0], 1), v[2], next, v[4], Mul(s, v[3], next)};
        },
        {.back_prop = false});
    ends.push_back(Identity(scope, x));
    return ends;
  });
  const Tensor x = Numbers<float>({6});
  const Tensor copy = *x.Clone();
  ExpectSame(program, {{"x", x}});
  EXPECT_TRUE(BitwiseEqual(x, copy));
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  const auto first = session->Run({{"x", x}}, program.fetches);
  const std::string before = Outcome(first);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Outcome(session->Run({{"x", x}}, program.fetches)), before);
    EXPECT_EQ(Outcome(first), before);
  }
}

// A list keeps each iteration's tensor, of which the loop then needs another.
TEST_F(NativeTensorsTest, HistoriesAndGradients) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat, Dims{5});
    const OutputList ends = WhileLoop(
        scope, {Const(scope, 0), x},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 9); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          return {Add(s, v[0], 1), Tanh(s, Mul(s, v[1], Add(s, v[1], Const(s, 0.25f))))};
        });
    const Output loss = Sum(scope, ends[1], 0);
    return {loss, (*Gradients(scope, {loss}, {x}))[0]};
  });
  ExpectSame(program, {{"x", Numbers<float>({5})}});
}

TEST_F(NativeTensorsTest, LoopsInLoopsAndConds) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    return WhileLoop(
        scope, {Const(scope, 0), x},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 6); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const OutputList inner = WhileLoop(
              s, {Const(s, 0), v[1]},
              [&](const Scope& t, const OutputList& w) { return Less(t, w[0], v[0]); },
              [](const Scope& t, const OutputList& w) -> OutputList {
                return {Add(t, w[0], 1), Mul(t, w[1], Const(t, 0.9f))};
              },
              {.back_prop = false});
          // The first way is not seen in the first iterations.
          const Output next = Cond(
              s, Greater(s, v[0], 3), [&](const Scope& t) { return Tanh(t, inner[1]); },
              [&](const Scope& t) { return Add(t, inner[1], v[1]); });
          return {Add(s, v[0], 1), next};
        },
        {.back_prop = false});
  });
  ExpectSame(program, {{"x", Numbers<float>({7})}});
  ExpectNoKernels(program, {{"x", Numbers<float>({7})}});
}

// A tensor that becomes longer, in one step; shorter ones would do.
TEST_F(NativeTensorsTest, AShapeThatChangesInAStep) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    return WhileLoop(
        scope, {Const(scope, 0), x, Const(scope, 0.0f)},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 400); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output longer = Concat(s, {v[1], Const(s, Numbers<float>({1}))}, 0);
          const Output next = Mul(s, longer, Const(s, 0.5f));
          return {Add(s, v[0], 1), next, Add(s, v[2], Sum(s, next, 0))};
        },
        {.back_prop = false,
         .shape_invariants = {PartialShape(Dims{}), PartialShape(), PartialShape(Dims{})}});
  });
  const NamedTensors feeds = {{"x", Numbers<float>({2})}};
  ExpectSame(program, feeds);
  EXPECT_THAT(ListingOf(program, feeds), ContainsRegex("\\*  .* = Mul"));
}

// Steps of other shapes have code of their own, and beyond a few kinds there is code for all.
TEST_F(NativeTensorsTest, AShapeOfEachStep) {
  const Program program = Repeated(DType::kFloat, [](const Scope& s, const Output& x) {
    return Add(s, MatMul(s, x, x), Tanh(s, x));
  });
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways, 0, true});
  for (int round = 0; round < 2; ++round) {
    for (const int64_t n : {2, 3, 5, 1, 7, 4}) {
      const NamedTensors feeds = {{"x", Numbers<float>({n, n})}};
      EXPECT_EQ(Outcome(session->Run(feeds, program.fetches)),
                OutcomeOf(program, feeds, kInterpreted));
    }
  }
  const std::string notes = NotesOf(*session, program, {"x"});
  EXPECT_THAT(notes, HasSubstr("float[2,2] = Tanh"));
  EXPECT_THAT(notes, HasSubstr("float[3,3] = Tanh"));
  EXPECT_THAT(notes, HasSubstr("float[5,5] = Tanh"));
  EXPECT_THAT(notes, ContainsRegex("\\*  .* = Tanh"));
}

// Large tensors, and empty ones, are for kernels.
TEST_F(NativeTensorsTest, SizesForKernels) {
  const Program program =
      Repeated(DType::kFloat, [](const Scope& s, const Output& x) { return Tanh(s, x); });
  for (const int64_t n : {int64_t{0}, kMostElements + 1}) {
    const NamedTensors feeds = {{"x", Numbers<float>({n})}};
    ExpectSame(program, feeds);
    EXPECT_THAT(ListingOf(program, feeds), ContainsRegex("\\*  .* = Tanh"));
  }
  ExpectNoKernels(program, {{"x", Numbers<float>({kMostElements})}});
}

TEST_F(NativeTensorsTest, LimitsOfFiringsAreExact) {
  const Program program = Gates(1);
  const NamedTensors feeds = {{"x", Numbers<float>({4, 8})}};
  ExpectSameLimits(program, feeds, 60);
}

TEST_F(NativeTensorsTest, ACancelledStepEnds) {
  const Program program([](const Scope& scope) -> OutputList {
    return WhileLoop(
        scope, {Const(scope, true), Const(scope, Numbers<float>({3000}))},
        [](const Scope&, const OutputList& v) { return v[0]; },
        [](const Scope& s, const OutputList& v) -> OutputList {
          return {Identity(s, v[0]), Tanh(s, v[1])};
        },
        {.back_prop = false});
  });
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  for (int i = 0; i < 10; ++i) ExpectCancelled(*session, program);
}

}  // namespace
}  // namespace tagflow::optimized
