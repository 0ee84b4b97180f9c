#ifndef TAGFLOW_FUZZ_PROGRAM_STATEMENT_TEXT_H_
#define TAGFLOW_FUZZ_PROGRAM_STATEMENT_TEXT_H_

#include <string>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// The line of ToText(program) with which the statement begins, without its blocks; the program need
// not pass Check ("v?": a value that nothing binds). For messages.
// REQUIRES: the statement is one of the program's.
std::string StatementText(const Program& program, const Statement& statement);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_STATEMENT_TEXT_H_
