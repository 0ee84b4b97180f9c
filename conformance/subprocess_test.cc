#include "conformance/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/frame_io.h"

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;

Clock::time_point InOneMinute() { return Clock::now() + std::chrono::minutes(1); }

std::unique_ptr<Subprocess> Shell(const std::string& script) {
  Result<std::unique_ptr<Subprocess>> process = Subprocess::Start({"/bin/sh", "-c", script});
  TAGFLOW_CHECK(process.ok());
  return *std::move(process);
}

TEST(SubprocessTest, FramesComeBack) {
  std::unique_ptr<Subprocess> process = *Subprocess::Start({"cat"});
  const std::string frame("\x03\0\0\0abc", 7);
  for (int i = 0; i < 3; ++i) {
    const Result<std::string> answer = process->Exchange(frame, InOneMinute());
    ASSERT_TRUE(answer.ok()) << answer.status().ToString();
    EXPECT_EQ(*answer, "abc");
  }
}

TEST(SubprocessTest, TheEndIsTold) {
  EXPECT_THAT(Shell("exit 7")->Exchange("", InOneMinute()).status().message(),
              HasSubstr("exit code 7"));
  EXPECT_THAT(Shell("kill -TERM $$")->Exchange("", InOneMinute()).status().message(),
              HasSubstr("SIGTERM"));
}

TEST(SubprocessTest, AChildOfTheChildDoesNotHideTheEnd) {
  EXPECT_THAT(Shell("sleep 100 & exit 4")->Exchange("", InOneMinute()).status().message(),
              HasSubstr("exit code 4"));
}

TEST(SubprocessTest, LastWordsAreKeptAndEndlessOnesCut) {
  std::unique_ptr<Subprocess> process =
      Shell("i=0; while [ $i -lt 5000 ]; do echo word $i >&2; i=$((i+1)); done; exit 1");
  EXPECT_FALSE(process->Exchange("", InOneMinute()).ok());
  EXPECT_THAT(process->ErrorTail(), HasSubstr("word 4999"));
  EXPECT_LT(process->ErrorTail().size(), 1000u);
}

TEST(SubprocessTest, AfterAnErrorThereIsNobody) {
  std::unique_ptr<Subprocess> process = Shell("exit 0");
  EXPECT_FALSE(process->Exchange("", InOneMinute()).ok());
  EXPECT_EQ(process->Exchange("", InOneMinute()).status().code(), Code::kAborted);
}

}  // namespace
}  // namespace tagflow::conformance
