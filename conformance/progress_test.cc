#include "conformance/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

// What is written for cases that come with a pause between them.
std::string Written(bool live, int milliseconds) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  Progress progress(stream, live, 3);
  CaseResult result;
  result.name = "some/case";
  result.verdict = Verdict::kCrash;
  const timespec pause{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  for (int i = 0; i < 2; ++i) {
    nanosleep(&pause, nullptr);
    progress.Add(result);
  }
  progress.End();
  std::fclose(stream);
  const std::string written(text, size);
  std::free(text);
  return written;
}

TEST(Progress, ATerminalGetsALineThatIsRewrittenAndCleared) {
  const std::string written = Written(true, 120);
  EXPECT_THAT(written, ::testing::HasSubstr("\r\033[K2 of 3 cases, 2 bad  some/case"));
  EXPECT_TRUE(written.ends_with("\r\033[K"));
}

TEST(Progress, AQuickRunSaysNothing) { EXPECT_EQ(Written(false, 0), ""); }

TEST(Progress, NoStreamIsSilence) {
  Progress progress(nullptr, true, 1);
  progress.Add(CaseResult());
  progress.End();
}

}  // namespace
}  // namespace tagflow::conformance
