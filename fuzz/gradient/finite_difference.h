#ifndef TAGFLOW_FUZZ_GRADIENT_FINITE_DIFFERENCE_H_
#define TAGFLOW_FUZZ_GRADIENT_FINITE_DIFFERENCE_H_

// Derivatives of a program by moving its inputs a little: nothing is differentiated, so nothing is
// shared with the tape, the duals or the gradients of graphs.

#include <vector>

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

struct FiniteDifference {
  // Whether the program did the same near by: took the same branches, as often, and as many trips.
  // Where it did not, there is nothing to say.
  bool comparable = false;
  double derivative = 0;
  // How far off the derivative may be: by what the difference of two step sizes and of the two
  // sides says, and by rounding. A corner or a jump near by makes it large.
  double error = 0;
};

// d result[output] / d input[input] in run 0, by element of the input; the elements of the result
// are summed. StopGradient does not stop it, and a variable is no constant.
//   Errors: INVALID_ARGUMENT unless input and output are of doubles and there; Evaluate's, at the
//   inputs as they are.
Result<std::vector<FiniteDifference>> FiniteDifferences(const Program& program, int output,
                                                        int input);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_FINITE_DIFFERENCE_H_
