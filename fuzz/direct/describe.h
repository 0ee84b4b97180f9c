#ifndef TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_
#define TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_

// Values and statements in messages, numbered as the text form numbers them.

#include <string>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// "v3"; "v?" for what nothing binds.
std::string ValueName(const Program& program, ValueId id);
// "v3, v4 = StackPop(v1)".
std::string Describe(const Program& program, const Statement& statement);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_DESCRIBE_H_
