// Loops that an idle thread makes machine code of.
//
// Tests: code_beside.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/native/code_beside.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeBesideTest = NativeTest;
using State = CodeBeside::State;

// Keeps what it is to do, or has nobody to do it.
class OneThread : public IdleThreads {
 public:
  bool HasIdle() const override { return is_idle; }
  bool Start(std::function<void()> work) override {
    if (is_idle) errand = std::move(work);
    return is_idle;
  }

  bool is_idle = true;
  std::function<void()> errand;
};

WrittenLoop Returning(int number) {
  WrittenLoop written;
  written.function = "f";
  written.source = "define i32 @f(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e) { ret i32 " +
                   std::to_string(number) + " }";
  return written;
}

TEST_F(NativeBesideTest, CodeIsThereOnceTheErrandIsDone) {
  OneThread thread;
  CodeBeside beside;
  EXPECT_EQ(beside.state(), State::kNone);
  ASSERT_TRUE(beside.Start(Returning(7), thread));
  EXPECT_EQ(beside.state(), State::kMaking);
  thread.errand();
  ASSERT_EQ(beside.state(), State::kMade);
  const auto [written, code] = beside.Take();
  EXPECT_EQ(beside.state(), State::kNone);
  EXPECT_EQ(written.function, "f");
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  EXPECT_EQ(code->loop()(nullptr, nullptr, nullptr, nullptr, nullptr), 7);
}

TEST_F(NativeBesideTest, WhyThereIsNoneIsTaken) {
  OneThread thread;
  CodeBeside beside;
  WrittenLoop written = Returning(7);
  written.source = "no module";
  ASSERT_TRUE(beside.Start(written, thread));
  thread.errand();
  ASSERT_EQ(beside.state(), State::kMade);
  EXPECT_EQ(beside.Take().second.status().code(), tagflow::Code::kInternal);
  EXPECT_EQ(beside.state(), State::kNone);
}

TEST_F(NativeBesideTest, WithoutAThreadNothingIsBeingMade) {
  OneThread thread;
  thread.is_idle = false;
  CodeBeside beside;
  EXPECT_FALSE(beside.Start(Returning(7), thread));
  EXPECT_FALSE(beside.StartOpening(thread));
  EXPECT_EQ(beside.state(), State::kNone);
}

TEST_F(NativeBesideTest, WhoeverAskedMayBeGone) {
  OneThread thread;
  {
    CodeBeside beside;
    ASSERT_TRUE(beside.Start(Returning(7), thread));
  }
  thread.errand();
}

// while i != n: x = x * 3 + i / d: an error in the last iterations where d is 0 then.
Program Series() {
  return Program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), zero_at = FedInt(scope, "zero_at");
    return WhileLoop(
        scope, {Const(scope, 0), Const(scope, 1)},
        [&](const Scope& s, const OutputList& v) { return NotEqual(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output part = FloorDiv(s, v[0], Sub(s, v[0], zero_at));
          return {Add(s, v[0], 1), Add(s, Mul(s, v[1], 3), part)};
        },
        {.back_prop = false});
  });
}
NamedTensors Feeds(int32_t n, int32_t zero_at = -1) {
  return {{"n", Int(n)}, {"zero_at", Int(zero_at)}};
}
bool IsCompiled(Session& session, const Program& program) {
  return NotesOf(session, program, {"n", "zero_at"}).find("is machine code") != std::string::npos;
}
// How many short steps are run until there is machine code.
int StepsUntilCompiled(const Program& program, int threads) {
  constexpr int kMostSteps = 1'000'000;
  const std::unique_ptr<Session> session = program.Open({}, threads);
  const auto callable = *session->MakeCallable({"n", "zero_at"}, program.fetches);
  for (int step = 1; step < kMostSteps; ++step) {
    EXPECT_TRUE(callable->Run({Int(1'000), Int(-1)}).ok());
    if (!callable->Notes().empty()) return step;
  }
  return kMostSteps;
}

TEST_F(NativeBesideTest, ShortStepsGetCodeMuchSooner) {
  const Program program = Series();
  EXPECT_LT(StepsUntilCompiled(program, 2), StepsUntilCompiled(program, 1) / 2);
}

TEST_F(NativeBesideTest, ALongStepTakesCodeOverThatWasMadeBesideIt) {
  const Program program = Series();
  const std::unique_ptr<Session> session = program.Open({}, 2);
  constexpr int32_t kLong = 20'000'000;
  EXPECT_EQ(Outcome(session->Run(Feeds(kLong), program.fetches)),
            OutcomeOf(program, Feeds(kLong), {NativeChoice::kAlways}));
  EXPECT_THAT(NotesOf(*session, program, {"n", "zero_at"}),
              testing::HasSubstr("by an idle thread"));
  // What it gives from the beginning on, and its errors and limits.
  for (const int32_t zero_at : {-1, 3, 999}) {
    EXPECT_EQ(Outcome(session->Run(Feeds(1'000, zero_at), program.fetches)),
              OutcomeOf(program, Feeds(1'000, zero_at), kInterpreted));
  }
  RunOptions limited;
  limited.max_firings = 500;
  EXPECT_EQ(Outcome(session->Run(Feeds(1'000), program.fetches, {}, limited)),
            OutcomeOf(program, Feeds(1'000), kInterpreted, limited));
}

// Whatever the idle threads are at.
TEST_F(NativeBesideTest, ASessionMayEndAtAnyTime) {
  const Program program = Series();
  const std::string expected = OutcomeOf(program, Feeds(1'000), kInterpreted);
  for (int steps = 1; steps < 2'000; steps += steps / 8 + 1) {
    const std::unique_ptr<Session> session = program.Open({}, 3);
    for (int i = 0; i < steps; ++i) {
      ASSERT_EQ(Outcome(session->Run(Feeds(1'000), program.fetches)), expected);
    }
  }
}

TEST_F(NativeBesideTest, StepsOfSeveralThreads) {
  const Program program = Series();
  const std::string expected = OutcomeOf(program, Feeds(1'000), kInterpreted);
  const std::unique_ptr<Session> session = program.Open({}, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000 && (k < 100 || !IsCompiled(*session, program)); ++k) {
        EXPECT_EQ(Outcome(session->Run(Feeds(1'000), program.fetches)), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(IsCompiled(*session, program));
}

}  // namespace
}  // namespace tagflow::optimized
