#ifndef TAGFLOW_FUZZ_PROPERTIES_PROPERTIES_H_
#define TAGFLOW_FUZZ_PROPERTIES_PROPERTIES_H_

// What is claimed of every program. Each property is a function of a program and of choices, by
// which it decides what to try; and of what runs the graphs: the reference, a mutant of it, or the
// engine (engine.h).

#include <optional>
#include <string>
#include <vector>

#include "fuzz/engines/engine.h"
#include "fuzz/generate/choices.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Nothing: it holds, or there was nothing to try. Else the first line says what differs.
using Violation = std::optional<std::string>;
using ProgramClaim = Violation (*)(const Program&, Choices&, const Engine&);

struct ProgramProperty {
  std::string name;
  std::string about;                // one line
  std::string profile = "default";  // of the programs it is best held to
  ProgramClaim check;
  // Whether it opens one session after the other, and no two side by side: what is not in this
  // process can run it too.
  bool in_turn = false;
};

// REQUIRES, of each check: the program passes Check, and Evaluate gives values for it.
const std::vector<ProgramProperty>& ProgramProperties();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_PROPERTIES_H_
