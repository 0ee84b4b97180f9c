#ifndef TAGFLOW_FUZZ_GRADIENT_GRAPH_GRADIENTS_H_
#define TAGFLOW_FUZZ_GRADIENT_GRAPH_GRADIENTS_H_

// Gradients that transform/gradients adds to a program's graph, held against what knows nothing of
// them: the tape over a run of the reference, and dual numbers through the program's tree.
//
// A program that fails when it runs, or has no real result or no real input, has nothing to
// compare; such properties hold of it.

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/engines/engine.h"
#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/choices.h"
#include "fuzz/program/program.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {

struct GraphGradientCheck {
  const Engine* engine = &StandardReference();  // what runs the graph with its gradient
  const GradientRegistry* registry = &GradientRegistry::Standard();
  // Counted, if there.
  struct Counts {
    int64_t gradients = 0;    // asked for, one per input
    int64_t none = 0;         // … of which no path led there
    int64_t derivatives = 0;  // compared, one per element of an input
    int64_t nonzero = 0;      // … of which not 0
    int64_t undecided = 0;    // programs with comparisons too close to call, which differed
    int64_t again = 0;        // programs whose loops, if they have any, ran again
    int64_t few = 0;          // programs with loops that ran again from few states
    int64_t exact = 0;        // programs of whole numbers, compared bit for bit
  };
  Counts* counts = nullptr;
};

// The gradient of one real result (chosen), or of the sum of all, by every real input is the
// tape's, within kTapeMultiple * eps * magnitude (on an engine: the root of eps), and there is none
// only where the tape's is 0 everywhere; with 1, 2 and 32 parallel iterations. Chosen, too: whether
// loops keep lists or stacks or run again, in blocks or with how many states, the order of ready
// nodes, and whether the program is made one of whole numbers first, of which the gradients must be
// equal bit for bit.
std::optional<std::string> GraphGradientsEqualTape(const Program& program, Choices& choices,
                                                   const GraphGradientCheck& check = {});

// Of order 2 and 3: the gradient of the sum of the elements of the gradient of the order below, of
// one double result by one double input, both chosen, is what nested duals say. In order 2,
// loops keep lists or run again.
std::optional<std::string> SecondOrder(const Program& program, Choices& choices,
                                       const GraphGradientCheck& check = {});
std::optional<std::string> ThirdOrder(const Program& program, Choices& choices,
                                      const GraphGradientCheck& check = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_GRAPH_GRADIENTS_H_
