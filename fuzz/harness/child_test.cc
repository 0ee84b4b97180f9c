#include "fuzz/harness/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "conformance/frame_io.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

TEST(ChildTest, GivesBackWhatTheBodyReturns) {
  const std::string large(1'000'000, 'x');
  const Result<std::string> answer = CallInChild([&] { return large; }, 30);
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(*answer, large);
}

TEST(ChildTest, ADeathIsAnErrorThatSaysHow) {
  const Result<std::string> answer = CallInChild(
      []() -> std::string {
        std::fprintf(stderr, "one\ntwo\n");
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
        return "";
      },
      30);
  EXPECT_EQ(answer.status().code(), Code::kAborted);
  EXPECT_EQ(answer.status().message(), "killed by SIGSEGV; it said: one two");
}

TEST(ChildTest, AnExitIsADeathToo) {
  const Result<std::string> answer = CallInChild([]() -> std::string { std::_Exit(3); }, 30);
  EXPECT_EQ(answer.status().message(), "ended with exit code 3");
}

TEST(ChildTest, TimeIsUp) {
  const Result<std::string> answer = CallInChild(
      []() -> std::string {
        while (true) pause();
      },
      0.1);
  EXPECT_EQ(answer.status().code(), Code::kDeadlineExceeded);
}

TEST(ChildTest, InterruptsAndItsOutputDoNotReachUs) {
  const Result<std::string> answer = CallInChild(
      [] {
        std::raise(SIGINT);
        std::printf("this would be in the middle of ours\n");
        std::fflush(stdout);
        return std::string("still here");
      },
      30);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(*answer, "still here");
}

TEST(ChildTest, TalksOverPipes) {
  const auto child = Child::Fork([](int in, int out) {
    char byte = 0;
    while (read(in, &byte, 1) == 1) {
      ++byte;
      (void)conformance::WriteAll(out, {&byte, 1});
    }
  });
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(conformance::WriteAll((*child)->in(), "a").ok());
  char byte = 0;
  ASSERT_EQ(read((*child)->out(), &byte, 1), 1);
  EXPECT_EQ(byte, 'b');
  (*child)->Kill();
  EXPECT_THAT((*child)->Reap(), HasSubstr("SIGKILL"));
}

}  // namespace
}  // namespace tagflow::fuzz
