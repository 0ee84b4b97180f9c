#ifndef TAGFLOW_FUZZ_PROGRAM_TEST_PROGRAM_H_
#define TAGFLOW_FUZZ_PROGRAM_TEST_PROGRAM_H_

// For tests: programs by hand.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// The program that the text is. A text that is none fails the test.
Program ProgramOf(std::string_view text);

// The names of the hand-written programs of fuzz/corpus, and the text of one.
std::vector<std::string> CorpusNames();
std::string CorpusText(const std::string& name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_TEST_PROGRAM_H_
