#ifndef TAGFLOW_FUZZ_PROGRAM_CHECK_H_
#define TAGFLOW_FUZZ_PROGRAM_CHECK_H_

// Whether a program is one: scopes, types, linear use of arrays and stacks, loops that end.

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// INVALID_ARGUMENT naming the statement (as the text form numbers values) and what is wrong. A
// program that passes can be lowered and ends; it may still fail when run (an array element read
// before it is written, written twice, a pop of an empty stack), which the direct evaluator tells.
Status Check(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_CHECK_H_
