#include "conformance/subprocess_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/judge.h"
#include "conformance/test_cases.h"

namespace tagflow::conformance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SubprocessEngineTest : public ::testing::Test {
 protected:
  CaseResult RunOp(const std::string& op, double timeout_s = 60) {
    return RunCase(CaseOf(op), *engine_, timeout_s);
  }
  // The engine broke in the case before: the next one must run on a fresh process.
  void ExpectStillUsable() { EXPECT_EQ(RunOp("Echo").verdict, Verdict::kPass); }

  std::unique_ptr<SubprocessEngine> engine_ = StartFakeEngine();
};

TEST_F(SubprocessEngineTest, SaysHello) { EXPECT_EQ(engine_->hello().name(), "fake"); }

TEST_F(SubprocessEngineTest, ManyCasesRunOnOneProcess) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(RunOp("Echo").why, "");
}

TEST_F(SubprocessEngineTest, ACrashNamesTheSignalAndTheLastWords) {
  const CaseResult result = RunOp("Crash");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_THAT(result.why, AllOf(HasSubstr("SIG"), HasSubstr("about to crash")));
  ExpectStillUsable();
}

TEST_F(SubprocessEngineTest, AnExitNamesItsCode) {
  const CaseResult result = RunOp("Exit");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_THAT(result.why, HasSubstr("exit code 3"));
  ExpectStillUsable();
}

TEST_F(SubprocessEngineTest, AHangIsKilledAndATimeout) {
  const CaseResult result = RunOp("Hang", 0.3);
  EXPECT_EQ(result.verdict, Verdict::kTimeout);
  EXPECT_GE(result.seconds, 0);
  ExpectStillUsable();
}

TEST_F(SubprocessEngineTest, PrintingDoesNotBreakTheFraming) {
  EXPECT_EQ(RunOp("Print").verdict, Verdict::kPass);
}

TEST_F(SubprocessEngineTest, NoiseInTheFramesIsACrash) {
  const CaseResult result = RunOp("Noise");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_THAT(result.why, HasSubstr("no frame"));
  ExpectStillUsable();
}

TEST_F(SubprocessEngineTest, MuchOnStandardErrorDoesNotBlock) {
  EXPECT_EQ(RunOp("Chatter").verdict, Verdict::kPass);
}

TEST_F(SubprocessEngineTest, ALargeMessageGoesThroughBothWays) {
  const std::string big(5'000'000, 'x');
  Case test = CaseOf("Echo");
  TensorProto value;
  value.set_dtype(DT_STRING);
  value.add_string_val(big);
  *test.mutable_steps(0)->mutable_feeds(0)->mutable_value() = value;
  *test.mutable_steps(0)->mutable_expect(0)->mutable_any_of(0) = value;
  EXPECT_EQ(RunCase(test, *engine_, 60).why, "");
}

TEST(SubprocessEngineStart, AProgramThatIsNotThereIsNamed) {
  const Status status = SubprocessEngine::Start({"./no-such-engine"}, 5).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("no-such-engine"));
}

TEST(SubprocessEngineStart, AProgramThatEndsSaysWhy) {
  const Status status = SubprocessEngine::Start(FakeEngine("--refuse"), 60).status();
  EXPECT_THAT(status.message(), AllOf(HasSubstr("exit code 5"), HasSubstr("no engine today")));
}

TEST(SubprocessEngineStart, AProgramThatIsNoEngineIsRefused) {
  EXPECT_FALSE(SubprocessEngine::Start({"echo", "hello, I print and end"}, 60).ok());
  EXPECT_EQ(SubprocessEngine::Start({"cat"}, 0.2).status().code(), Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace tagflow::conformance
