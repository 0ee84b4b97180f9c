#ifndef TAGFLOW_FUZZ_GRADIENT_GRADIENT_PROPERTIES_H_
#define TAGFLOW_FUZZ_GRADIENT_GRADIENT_PROPERTIES_H_

// Three ways to a derivative, held against each other: the tape over the lowered program's run on
// the reference, dual numbers through the program's tree, and finite differences.
//
// A program that fails when it runs, or has no real result or no real input, has nothing to
// compare; such properties hold of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "reference/rules.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/tape.h"

namespace tagflow::fuzz {

struct GradientCheck {
  // What the reference runs by, and what the tape differentiates by: mutants of either.
  const reference::Rules* rules = &reference::StandardRules();
  const reference::AdjointTable* adjoints = &reference::AdjointTable::Standard();
  // Counted, if there.
  struct Counts {
    int64_t derivatives = 0;      // compared, one per element of an input
    int64_t nonzero = 0;          // … of which not 0
    int64_t incomparable = 0;     // finite differences where near by the program goes another way
    int64_t undecided = 0;        // comparisons too close to call
    double largest_multiple = 0;  // of eps * magnitude by which tape and duals differed
  };
  Counts* counts = nullptr;
};

// The tape's gradients of one result of the program's graph, by inputs, in the first run.
//   order: of ready nodes (RunOptions::seed)
Result<std::vector<reference::TapeGradient>> TapeOf(const Program& program, const Lowered& lowered,
                                                    int output, const std::vector<int>& inputs,
                                                    uint64_t order = 0,
                                                    const GradientCheck& check = {});

// The tape says what duals say, of one real result (chosen; the first is the simplest choice) by
// every real input, within kTapeMultiple * eps * magnitude; the reference runs in an order that is
// chosen, too. What is wrong, or nothing.
constexpr double kTapeMultiple = 64;
std::optional<std::string> TapeEqualsDuals(const Program& program, Choices& choices,
                                           const GradientCheck& check = {});

// Duals say what finite differences say, of one result and one input, both of doubles and chosen,
// where the latter can be compared. StopGradients are taken out first, and a program with variables
// holds.
std::optional<std::string> DualsEqualFiniteDifferences(const Program& program, Choices& choices,
                                                       const GradientCheck& check = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_GRADIENT_PROPERTIES_H_
