#ifndef TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_
#define TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_

#include <string>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// A statement of the program by what it binds, with values numbered as the text form does:
// "v3, v4 = StackPop(v1)".
std::string Describe(const Program& program, const Statement& statement);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_
