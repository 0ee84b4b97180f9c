#ifndef TAGFLOW_FUZZ_PROPERTIES_METAMORPHIC_H_
#define TAGFLOW_FUZZ_PROPERTIES_METAMORPHIC_H_

// Programs that must mean the same. Each change takes a program and choices, by which it decides
// where to work, and gives another; nothing where there is no place for it.

#include <optional>

#include "fuzz/generate/choices.h"
#include "fuzz/program/program.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {

struct Changed {
  Program program;
  bool twice = false;  // every result is there twice: all of them, then all again
};
using Change = std::optional<Changed> (*)(const Program&, Choices&);

// Loops (metamorphic_loops.cc). The counter of a changed loop becomes a variable like others.
//
// while c { body }  =  if c { body; while c { body } }
std::optional<Changed> Peel(const Program& program, Choices& choices);
// while c { body }  =  go = c; while go { body; go = c }
std::optional<Changed> Rotate(const Program& program, Choices& choices);
// As Rotate, with `if go { body; go = c }` up to three times more in each iteration.
std::optional<Changed> Unroll(const Program& program, Choices& choices);

// Loop variables (metamorphic_values.cc): in another order; one of them twice, with uses of either.
std::optional<Changed> PermuteVariables(const Program& program, Choices& choices);
std::optional<Changed> SplitVariable(const Program& program, Choices& choices);
// A Cond whose branches are pure and cannot fail, as Selects; or a Select of a scalar as a Cond.
std::optional<Changed> CondAgainstSelect(const Program& program, Choices& choices);
// The program twice, side by side, sharing nothing.
std::optional<Changed> TwoCopies(const Program& program, Choices& choices);

// The claim that the changed program passes Check and gives the same, bit for bit, by the evaluator
// and on the engine.
ProgramClaim SameAfter(Change change);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_METAMORPHIC_H_
