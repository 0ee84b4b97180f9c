#ifndef TAGFLOW_FUZZ_SHRINK_EDITS_H_
#define TAGFLOW_FUZZ_SHRINK_EDITS_H_

// Edits that may make a program smaller. An edit may leave types out of date (program/retype.h), or
// make something that is no program; Shrink finds out. Positions are of statements in order of the
// text, in the program that the edits were made for.

#include <functional>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

using Edit = std::function<void(Program&)>;
using Edits = std::vector<Edit>;

// Fewer results, fewer runs, no control edges, scalars everywhere.
Edits WholeEdits(const Program& program);

// For each cond, case and loop, the largest first: nothing of it; one branch of it, or one run of
// its body or its test.
Edits ControlEdits(const Program& program);

// Without stretches of statements, the longest first, and without single ones: zeros, ones,
// operands or the values that they had stand for what they gave.
Edits DeleteEdits(const Program& program);

// Without single loop variables, branches, tests, control edges, accesses to a variable; inputs
// that are constants.
Edits PartEdits(const Program& program);

// Loops that count more plainly, plainer literals, smaller shapes.
Edits NumberEdits(const Program& program);

// Other values of their type instead of single ones.
Edits SubstituteEdits(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_EDITS_H_
