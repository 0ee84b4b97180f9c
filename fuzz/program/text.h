#ifndef TAGFLOW_FUZZ_PROGRAM_TEXT_H_
#define TAGFLOW_FUZZ_PROGRAM_TEXT_H_

// Programs as text that people read and `tagflow fuzz --replay` reads back.

#include <string>
#include <string_view>

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// Values are numbered in order of the text: v0, v1, … The round trip loses nothing but the numbers.
std::string ToText(const Program& program);

// '#' begins a comment. INVALID_ARGUMENT with line and column; the result has passed Check.
Result<Program> ParseProgram(std::string_view text);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_TEXT_H_
