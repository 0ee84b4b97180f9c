// Tests: compiled_loop.cc, loop_trips.cc, native_library.cc, native_loops.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/limits.h"
#include "optimized/native/compile_costs.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeLoopsTest = NativeTest;

OutputList CollatzSteps(const Scope& scope, const Output& k) {
  return WhileLoop(
      scope, {k, Const(scope, 0)},
      [](const Scope& s, const OutputList& v) { return NotEqual(s, v[0], 1); },
      [](const Scope& s, const OutputList& v) -> OutputList {
        const Output next = Cond(
            s, Equal(s, FloorMod(s, v[0], 2), 0),
            [&](const Scope& b) { return FloorDiv(b, v[0], 2); },
            [&](const Scope& b) { return Add(b, Mul(b, v[0], 3), 1); });
        return {next, Add(s, v[1], 1)};
      },
      {.back_prop = false});
}

// The longest Collatz sequence below n, and its length: a loop in a loop, a cond in each.
Program Collatz() {
  return Program([](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const OutputList best = WhileLoop(
        scope, {Const(scope, 1), Const(scope, 0), Const(scope, 0)},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output length = CollatzSteps(s, v[0])[1];
          const CondResult longer = Cond(
              s, Greater(s, length, v[1]),
              [&](const Scope& b) -> OutputList {
                return {Identity(b, length), Identity(b, v[0])};
              },
              [&](const Scope& b) -> OutputList {
                return {Identity(b, v[1]), Identity(b, v[2])};
              });
          return {Add(s, v[0], 1), longer[0], longer[1]};
        },
        {.back_prop = false});
    return {best[1], best[2]};
  });
}

TEST_F(NativeLoopsTest, LoopsInLoops) {
  const Program program = Collatz();
  for (const int32_t n : {0, 1, 2, 3, 60}) {
    ExpectSame(program, {{"n", Tensor::Scalar<int32_t>(n)}});
  }
  ExpectCompiled(program, {{"n", Tensor::Scalar<int32_t>(60)}});
}

// x = tanh(x) / y - exp(-x), five times, with what comes of it in other dtypes.
Program Numbers(DType dtype) {
  return Program([dtype](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), dtype, Dims{});
    const Output y = Placeholder(scope.WithOpName("y"), dtype, Dims{});
    return WhileLoop(
        scope, {Const(scope, 0), x, y, Const(scope, int64_t{0}), Const(scope, true)},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = Sub(s, Div(s, Tanh(s, v[1]), v[2]), Exp(s, Neg(s, v[1])));
          const Output whole = Cast(s, Mul(s, next, next), DType::kInt64);
          return {Add(s, v[0], 1), next, v[1], Add(s, v[3], whole),
                  LogicalAnd(s, v[4], LessEqual(s, next, v[2]))};
        },
        {.back_prop = false});
  });
}

template <typename T>
std::vector<T> SpecialNumbers() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-2.5),
          Limits::max(),
          Limits::min(),
          Limits::denorm_min(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN()};
}

TEST_F(NativeLoopsTest, TheBitsOfFloats) {
  const Program program = Numbers(DType::kFloat);
  for (const float x : SpecialNumbers<float>()) {
    for (const float y : SpecialNumbers<float>()) {
      const NamedTensors feeds = {{"x", Tensor::Scalar(x)}, {"y", Tensor::Scalar(y)}};
      EXPECT_EQ(OutcomeOf(program, feeds, {NativeChoice::kAlways}),
                OutcomeOf(program, feeds, kInterpreted))
          << x << " " << y;
    }
  }
  ExpectCompiled(program, {{"x", Tensor::Scalar(0.5f)}, {"y", Tensor::Scalar(2.0f)}});
}

TEST_F(NativeLoopsTest, TheBitsOfDoubles) {
  const Program program = Numbers(DType::kDouble);
  for (const double x : SpecialNumbers<double>()) {
    const NamedTensors feeds = {{"x", Tensor::Scalar(x)}, {"y", Tensor::Scalar(0.3)}};
    EXPECT_EQ(OutcomeOf(program, feeds, {NativeChoice::kAlways}),
              OutcomeOf(program, feeds, kInterpreted))
        << x;
  }
}

// Variables of different dtypes that change places: each cycle of moves has a slot of its own.
TEST_F(NativeLoopsTest, VariablesThatChangePlaces) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    return WhileLoop(
        scope,
        {Const(scope, 0), Const(scope, 1), Const(scope, 2), Const(scope, 1.5f), Const(scope, 2.5f)},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          return {Add(s, v[0], 1), v[2], v[1], v[4], v[3]};
        },
        {.back_prop = false});
  });
  for (const int32_t n : {0, 1, 2, 9}) ExpectSame(program, {{"n", Tensor::Scalar<int32_t>(n)}});
  ExpectCompiled(program, {{"n", Tensor::Scalar<int32_t>(9)}});
}

// i from 0 on, and 1000 / (bad - i).
Program Division() {
  return Program([](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output bad = Placeholder(scope.WithOpName("bad"), DType::kInt32, Dims{});
    return WhileLoop(
        scope, {Const(scope, 0), Const(scope, 0)},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output quotient = FloorDiv(s.WithOpName("quotient"), 1000, Sub(s, bad, v[0]));
          return {Add(s, v[0], 1), Add(s, v[1], quotient)};
        },
        {.back_prop = false});
  });
}

TEST_F(NativeLoopsTest, AnErrorIsThatOfTheKernel) {
  const Program program = Division();
  const NamedTensors feeds = {{"n", Tensor::Scalar<int32_t>(20'000)},
                              {"bad", Tensor::Scalar<int32_t>(12'345)}};
  ExpectSame(program, feeds);
  const std::string outcome = OutcomeOf(program, feeds, {NativeChoice::kAlways});
  EXPECT_NE(outcome.find("[12345]"), std::string::npos) << outcome;
  EXPECT_NE(outcome.find("Integer division by zero"), std::string::npos) << outcome;
}

TEST_F(NativeLoopsTest, LimitsOfFiringsAreExact) {
  const Program collatz = Collatz(), division = Division();
  for (int64_t limit = 1; limit < 400; ++limit) {
    RunOptions options;
    options.max_firings = limit;
    const NamedTensors n = {{"n", Tensor::Scalar<int32_t>(12)}};
    ASSERT_EQ(OutcomeOf(collatz, n, {NativeChoice::kAlways, 1}, options),
              OutcomeOf(collatz, n, kInterpreted, options))
        << limit;
    if (limit % 10 != 0) continue;
    const NamedTensors feeds = {{"n", Tensor::Scalar<int32_t>(50)},
                                {"bad", Tensor::Scalar<int32_t>(30)}};
    ASSERT_EQ(OutcomeOf(division, feeds, {NativeChoice::kAlways}, options),
              OutcomeOf(division, feeds, kInterpreted, options))
        << limit;
  }
}

TEST_F(NativeLoopsTest, ACancelledStepEnds) {
  const Program program([](const Scope& scope) -> OutputList {
    return WhileLoop(
        scope.WithOpName("forever"), {Const(scope, 0)},
        [](const Scope& s, const OutputList& v) { return NotEqual(s, v[0], -1); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          return {FloorMod(s, Add(s, v[0], 1), 1000)};
        },
        {.back_prop = false});
  });
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  for (int i = 0; i < 20; ++i) ExpectCancelled(*session, program);
  RunOptions options;
  options.deadline_s = 0.01;
  EXPECT_EQ(session->Run({}, program.fetches, {}, options).status().code(),
            Code::kDeadlineExceeded);
}

// A call whose feed may have any shape: there is code for each kind of values.
TEST_F(NativeLoopsTest, ScalarsAndVectorsByTurns) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    return WhileLoop(
        scope, {Const(scope, 0), x},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 500); },
        [](const Scope& s, const OutputList& v) -> OutputList {
          return {Add(s, v[0], 1), Add(s, Mul(s, v[1], Const(s, 1.01f)), Const(s, 0.5f))};
        },
        {.back_prop = false});
  });
  const Tensor scalar = Tensor::Scalar(1.0f), vector = Tensor::Vector<float>({1, 2, 3});
  const Tensor empty = Tensor::Vector<float>({});
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  for (const Tensor& x : {scalar, vector, empty, scalar, vector}) {
    EXPECT_EQ(Outcome(session->Run({{"x", x}}, program.fetches)),
              OutcomeOf(program, {{"x", x}}, kInterpreted));
  }
  ExpectCompiled(program, {{"x", vector}});
}

// What the machine runs gives a scalar, then a vector, then a scalar again.
TEST_F(NativeLoopsTest, AScalarThatBecomesATensor) {
  for (const DType dtype : {DType::kFloat, DType::kBool, DType::kInt64}) {
    const Program program([dtype](const Scope& scope) -> OutputList {
      const OutputList ends = WhileLoop(
          scope, {Const(scope, 0), Cast(scope, Const(scope, 1), dtype)},
          [](const Scope& s, const OutputList& v) { return Less(s, v[0], 40); },
          [](const Scope& s, const OutputList& v) -> OutputList {
            // A shape of no dimensions, but in every seventh iteration.
            const Output odd = Cast(s, Equal(s, FloorMod(s, v[0], 7), 5), DType::kInt32);
            const Output shape = Fill(s, ExpandDims(s, odd, 0), 2);
            const Output some = Fill(s, shape, Const(s, 1.0f));
            return {Add(s, v[0], 1), Cast(s, some, v[1].dtype())};
          },
          {.back_prop = false, .shape_invariants = {PartialShape(Dims{}), PartialShape()}});
      return ends;
    });
    ExpectSame(program, {});
  }
}

// Values that kernels keep or take: a list of scalars, and the scalar itself.
TEST_F(NativeLoopsTest, KernelsBetweenScalars) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    const Output table = Const(scope, Tensor::Vector<float>({0.5f, -1.5f, 2.25f, 8}));
    return WhileLoop(
        scope, {Const(scope, 0), Const(scope, 0.0f), table},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output element = ElementAt(s, table, FloorMod(s, v[0], 4));
          const Output sum = Add(s, v[1], Mul(s, element, element));
          return {Add(s, v[0], 1), sum, Mul(s, v[2], sum)};
        },
        {.back_prop = false});
  });
  for (const int32_t n : {0, 1, 2, 3, 50}) ExpectSame(program, {{"n", Tensor::Scalar<int32_t>(n)}});
  ExpectCompiled(program, {{"n", Tensor::Scalar<int32_t>(50)}});
}

// The error of a kernel that the machine runs for machine code.
TEST_F(NativeLoopsTest, AnErrorOfTheMachinesKernel) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output table = Const(scope, Tensor::Vector<float>({1, 2, 3, 4, 5}));
    return WhileLoop(
        scope, {Const(scope, 0), Const(scope, 0.0f)},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 100); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          return {Add(s, v[0], 1), Add(s, v[1], ElementAt(s.WithOpName("beyond"), table, v[0]))};
        },
        {.back_prop = false});
  });
  ExpectSame(program, {});
  EXPECT_THAT(OutcomeOf(program, {}, {NativeChoice::kAlways}),
              testing::AllOf(testing::HasSubstr("beyond"), testing::HasSubstr("[5]")));
}

TEST_F(NativeLoopsTest, ALoopThatRunsLongIsCompiled) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    return WhileLoop(
        scope, {Const(scope, 0)},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [](const Scope& s, const OutputList& v) -> OutputList { return {Add(s, v[0], 1)}; },
        {.back_prop = false});
  });
  const auto run = [&](Session& session, int32_t n) {
    return Outcome(session.Run({{"n", Tensor::Scalar(n)}}, program.fetches));
  };
  const std::unique_ptr<Session> once = program.Open({});
  constexpr int32_t kLong = 1'000'000'000;
  EXPECT_EQ(run(*once, kLong), Outcome(std::vector<Tensor>{Tensor::Scalar(kLong)}));
  EXPECT_NE(NotesOf(*once, program, {"n"}).find("machine code"), std::string::npos);
  // In steps that are all short, too.
  const std::unique_ptr<Session> often = program.Open({});
  EXPECT_EQ(NotesOf(*often, program, {"n"}), "");
  const auto is_compiled = [&] {
    return NotesOf(*often, program, {"n"}).find("machine code") != std::string::npos;
  };
  constexpr int kMostSteps = 1'000'000;
  for (int i = 0; i < kMostSteps && !(i % 1'000 == 0 && is_compiled()); ++i) {
    (void)run(*often, 1'000);
  }
  EXPECT_TRUE(is_compiled());
}

TEST(CompilePaceTest, TheFirstPaysForTheLibraryAndOthersTakeAsLongAsTheLast) {
  CompilePace pace;
  EXPECT_EQ(pace.Expected(5e6, 0), 5e6 + kFirstNs + kOpenNs);
  // Opened quicker than expected, or three times as slow.
  EXPECT_EQ(pace.Expected(5e6, kOpenNs / 2), 5e6 + kFirstNs + kOpenNs / 2);
  EXPECT_EQ(pace.Expected(5e6, 3 * kOpenNs), 3 * (5e6 + kFirstNs) + 3 * kOpenNs);
  pace.Note(5e6, 4 * (5e6 + kFirstNs));
  EXPECT_EQ(pace.Expected(5e6, 3 * kOpenNs), 4 * 5e6);
  pace.Note(5e6, 2 * 5e6);
  EXPECT_EQ(pace.Expected(5e6, 3 * kOpenNs), 3 * 5e6);
  for (int i = 0; i < 20; ++i) pace.Note(5e6, 1e6);
  EXPECT_EQ(pace.Expected(5e6, 3 * kOpenNs), 5e6);
}

// for (i = first; i < last or i > last; i = i + step) sum = sum * 3 + i
Program CountingLoop(const char* compare, int step) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output first = FedInt(scope, "first"), last = FedInt(scope, "last");
    return WhileLoop(
        scope, {first, Const(scope, 0)},
        [&](const Scope& s, const OutputList& v) {
          return Op(s, compare, {v[0], last})[0];
        },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = step > 0 ? Add(s, v[0], step) : Sub(s, v[0], -step);
          return {next, Add(s, Mul(s, v[1], 3), v[0])};
        },
        {.back_prop = false});
  });
}
// How long it takes as a session's first step, in seconds.
double FirstStep(const Program& program, int32_t first, int32_t last) {
  const std::unique_ptr<Session> session = program.Open({});
  const NamedTensors feeds = {{"first", Int(first)}, {"last", Int(last)}};
  const auto begin = std::chrono::steady_clock::now();
  const std::string outcome = Outcome(session->Run(feeds, program.fetches));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(outcome, OutcomeOf(program, feeds, {NativeChoice::kAlways}));
  return seconds.count();
}

// Those whose iterations are not known run interpreted for a tenth of a second; longer where the
// tests before have shown that compiling takes longer here, which these are long enough for.
TEST_F(NativeLoopsTest, ALoopThatIsGoingToRunLongIsCompiledAtOnce) {
  constexpr int32_t kLong = 60'000'000;
  const double unknown = FirstStep(CountingLoop("NotEqual", 1), -5, kLong);
  EXPECT_LT(FirstStep(CountingLoop("Less", 1), -5, kLong), unknown / 1.5);
  EXPECT_LT(FirstStep(CountingLoop("Greater", -1), kLong, 7), unknown / 1.5);
}

// A loop of a chain of additions; a dead one, but in iteration 3.
Program LongLoop(int additions) {
  return Program([additions](const Scope& scope) -> OutputList {
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    return WhileLoop(
        scope, {Const(scope, 0), Const(scope, 1.5f)},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = Cond(
              s, Equal(s, v[0], 3),
              [&](const Scope& b) {
                Output sum = v[1];
                for (int i = 0; i < additions; ++i) sum = Add(b, sum, v[1]);
                return sum;
              },
              [&](const Scope& b) { return Mul(b, v[1], 0.5f); });
          return {Add(s, v[0], 1), next};
        },
        {.back_prop = false});
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need room themselves
// In a process that has little left.
bool RunsWithoutRoom() {
  const Program program = LongLoop(3);
  const NamedTensors feeds = {{"n", Tensor::Scalar<int32_t>(50)}};
  const std::string expected = OutcomeOf(program, feeds, kInterpreted);
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
  NativeLibrary::Get();
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<size_t>(getpagesize()) + (size_t{8} << 20);
  const rlimit little = {limit, limit};
  if (setrlimit(RLIMIT_AS, &little) != 0) return false;
  const bool is_same = Outcome(session->Run(feeds, program.fetches)) == expected;
  const std::string notes = NotesOf(*session, program, {"n"});
  return is_same && notes.find("there is no memory to compile in") != std::string::npos;
}

TEST_F(NativeLoopsTest, WithoutMemoryToCompileInItIsInterpreted) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(std::exit(RunsWithoutRoom() ? 0 : 1), testing::ExitedWithCode(0), "");
}
#endif

TEST_F(NativeLoopsTest, ALongLoopIsCompiledWithLittleEffort) {
  const Program program = LongLoop(1'000);
  for (const int32_t n : {0, 3, 4, 50}) ExpectSame(program, {{"n", Tensor::Scalar(n)}});
  ExpectCompiled(program, {{"n", Tensor::Scalar<int32_t>(5)}});
}

TEST_F(NativeLoopsTest, ALoopBeyondTheLimitIsInterpreted) {
  // There are some instructions besides the additions.
  constexpr auto kMost = static_cast<int>(kMostNativeInstructions);
  for (const int additions : {kMost - kMost / 10, kMost}) {
    const Program program = LongLoop(additions);
    const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
    const NamedTensors feeds = {{"n", Tensor::Scalar<int32_t>(5)}};
    EXPECT_EQ(Outcome(session->Run(feeds, program.fetches)),
              OutcomeOf(program, feeds, kInterpreted));
    const std::string notes = NotesOf(*session, program, {"n"});
    EXPECT_EQ(notes.find("more than 20000 instructions") == std::string::npos, additions < kMost)
        << notes;
  }
}

// Code without a loop, in several pieces: sums of what came before, some of it in other dtypes, an
// integer division, a cond and a vector.
Program ManyScalars(int count) {
  return Program([count](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
    std::vector<Output> floats = {x}, ints = {n};
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i);
      const Output& some = floats[k * 7 % floats.size()];
      if (i % 50 == 49) {
        ints.push_back(FloorDiv(scope, 1000, Sub(scope, i, n)));
        floats.push_back(Add(scope, some, Cast(scope, ints.back(), DType::kFloat)));
      } else if (i % 50 == 20) {
        const Output& other = floats[k * 5 % floats.size()];
        floats.push_back(Cond(
            scope, Less(scope, n, i), [&](const Scope& b) { return Mul(b, some, 0.5f); },
            [&](const Scope& b) { return Identity(b, other); }));
      } else {
        floats.push_back(Sub(scope, floats[k * 3 % floats.size()], Mul(scope, some, 0.25f)));
      }
    }
    return {floats.back(), Op(scope, "AddN", std::vector<Input>(floats.begin(), floats.end()))};
  });
}

TEST_F(NativeLoopsTest, CodeOutsideOfLoops) {
  const Program program = ManyScalars(1'500);
  const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways, 1});
  const auto expect_same = [&](const Tensor& x, int32_t n, int64_t max_firings = 0) {
    RunOptions options;
    options.max_firings = max_firings;
    const NamedTensors feeds = {{"x", x}, {"n", Tensor::Scalar(n)}};
    EXPECT_EQ(Outcome(session->Run(feeds, program.fetches, {}, options)),
              OutcomeOf(program, feeds, kInterpreted, options))
        << n << " " << max_firings;
  };
  const Tensor scalar = Tensor::Scalar(1.5f), vector = Tensor::Vector<float>({1, 2, 3});
  // By turns, so that slots hold what other steps have left.
  for (const Tensor& x : {scalar, scalar, scalar, vector, scalar, vector, vector, scalar}) {
    expect_same(x, 7);
    expect_same(x, 1'001);
    expect_same(x, 999);  // a division by zero
  }
  for (const int64_t limit : {1, 10, 500, 1'000, 2'000, 4'000}) expect_same(scalar, 7, limit);
  EXPECT_NE(NotesOf(*session, program, {"x", "n"}).find("the code from '"), std::string::npos);
}

TEST_F(NativeLoopsTest, StepsOfSeveralThreads) {
  const Program collatz = Collatz(), pieces = ManyScalars(1'500);
  const Tensor n = Tensor::Scalar<int32_t>(30), x = Tensor::Scalar(1.5f);
  const auto run = [&](const Program& program, const NamedTensors& feeds, int64_t after) {
    const std::string expected = OutcomeOf(program, feeds, kInterpreted);
    const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways, after});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 20; ++k) {
          EXPECT_EQ(Outcome(session->Run(feeds, program.fetches)), expected);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  for (int64_t after = 0; after < 10; ++after) {
    run(collatz, {{"n", n}}, after);
    run(pieces, {{"x", x}, {"n", n}}, after);
  }
}

}  // namespace
}  // namespace tagflow::optimized
