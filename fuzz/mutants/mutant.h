#ifndef TAGFLOW_FUZZ_MUTANTS_MUTANT_H_
#define TAGFLOW_FUZZ_MUTANTS_MUTANT_H_

// A mutant: the reference with one rule of docs/semantics.md made wrong in a plausible way. What
// the cases and the fuzzing are worth is how many of them they tell from the standard.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "reference/history.h"
#include "reference/kernel.h"
#include "reference/rules.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// One step that is asked of a session.
struct Call {
  reference::NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

// What a session has seen before a step.
struct Past {
  const Call* first_call = nullptr;  // null before the first
  int steps = 0;
  int failures = 0;
};

// A kernel in place of the standard one, which it may call.
using Forgery = std::function<Status(const reference::Kernel& standard, reference::KernelContext&)>;

// Most mutants replace one entry of the table of rules. The rules that are not in it, because
// something other than the interpreter keeps them, are broken from outside: each hook may be null.
struct Mutant {
  std::string name;   // unique: the label, then words
  std::string rule;   // the label in docs/semantics.md
  std::string about;  // what it does wrong
  std::string bug;    // what engines had that was like it; may be empty
  reference::Rules rules = reference::StandardRules();
  std::vector<std::pair<std::string, Forgery>> kernels;  // by op
  // What is run in place of what was asked. An error is the step's.
  std::function<Status(Graph&, Call&, const Past&)> rewrite;
  std::function<void(const Graph&, reference::RunOptions&)> options;
  std::function<Status(const Status&)> report;  // how an error is reported
  std::function<void(reference::Session&)> after_step;
  std::function<void(reference::History&)> history;  // what the race detector is shown
};

// Adds a mutant of the rule and returns it, to be filled in.
inline Mutant& Add(std::vector<Mutant>& mutants, const std::string& rule, const std::string& words,
                   std::string about, std::string bug = "") {
  Mutant& mutant = mutants.emplace_back();
  mutant.name = rule + "-" + words;
  mutant.rule = rule;
  mutant.about = std::move(about);
  mutant.bug = std::move(bug);
  return mutant;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_MUTANT_H_
