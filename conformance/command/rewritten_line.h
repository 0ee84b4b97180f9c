#ifndef TAGFLOW_CONFORMANCE_COMMAND_REWRITTEN_LINE_H_
#define TAGFLOW_CONFORMANCE_COMMAND_REWRITTEN_LINE_H_

// How far a long command has come, on a stream: one line that is rewritten on a terminal a few
// times a second, else a line every five seconds.   Tested by rewritten_line_test.cc.

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

namespace tagflow {

class RewrittenLine {
 public:
  // Null: silent. is_terminal: the stream is one
  RewrittenLine(std::FILE* stream, bool is_terminal) : stream_(stream), is_terminal_(is_terminal) {}
  ~RewrittenLine() { Wipe(); }
  RewrittenLine(const RewrittenLine&) = delete;
  RewrittenLine& operator=(const RewrittenLine&) = delete;

  // Asks for the text where it is time for it. extra: what a terminal is told besides
  void Update(const std::function<std::string()>& text, const std::string& extra = "");
  // Clears the line, so that something else can be printed.
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* const stream_;
  const bool is_terminal_;
  Clock::time_point last_ = Clock::now();
  bool is_shown_ = false;
};

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_COMMAND_REWRITTEN_LINE_H_
