#include "conformance/command/rewritten_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace tagflow {
namespace {

// The text on the stream after two updates, with a pause before each, and the end.
std::string Written(bool is_terminal, std::chrono::milliseconds pause) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  {
    RewrittenLine line(stream, is_terminal);
    for (const char* word : {"one", "two"}) {
      std::this_thread::sleep_for(pause);
      line.Update([&] { return std::string(word); }, " more");
    }
  }
  std::fclose(stream);
  const std::string written(text, size);
  std::free(text);
  return written;
}

TEST(RewrittenLineTest, ATerminalGetsALineThatIsRewrittenAndCleared) {
  EXPECT_EQ(Written(true, std::chrono::milliseconds(120)),
            "\r\033[Kone more\r\033[Ktwo more\r\033[K");
}

TEST(RewrittenLineTest, WhatIsQuickSaysNothing) {
  EXPECT_EQ(Written(false, std::chrono::milliseconds(0)), "");
  EXPECT_EQ(Written(true, std::chrono::milliseconds(0)), "");
}

TEST(RewrittenLineTest, NoStreamIsSilence) {
  RewrittenLine line(nullptr, true);
  line.Update([]() -> std::string { return "never"; });
}

}  // namespace
}  // namespace tagflow
