#ifndef TAGFLOW_FUZZ_DIRECT_DIRECT_H_
#define TAGFLOW_FUZZ_DIRECT_DIRECT_H_

// The direct evaluator: what a program means, read off its tree with ordinary C++ control flow. It
// shares nothing with any engine: no graph, no tags, no kernels, its own arithmetic. The evaluator
// proper (evaluator.h) is templated on its real numbers.

#include <cstdint>
#include <vector>

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// What was done on the way, for reports and for the choice of tests.
struct Activity {
  int64_t operations = 0;         // statements executed
  int64_t skipped = 0;            // statements in branches not taken, and in bodies never run
  std::vector<int64_t> trips;     // of every execution of every loop, in order of their ends
  std::vector<uint8_t> branches;  // a bit per branch taken, by cond or case in order of the text:
                                  // 1 for the first (then), 2 for the second, …, 128 for the rest
  int deepest = 0;                // of nested conds and loops that were entered
};

struct RunResult {
  std::vector<Tensor> values;  // the program's results, then every variable's last value
  // Per value, for the reals: a bound of the rounding error that an engine with other sums and
  // transcendental functions may show, element by element (doubles, the value's shape); no value
  // where everything on the way is rounded alike everywhere.
  std::vector<Tensor> tolerances;
  // With tolerances: some comparison or conversion, in this run or an earlier one, was closer than
  // the error of what it looked at. Another engine may have gone another way, and its values may be
  // anything.
  bool undecided = false;
};

struct DirectOptions {
  int64_t max_operations = 10'000'000;  // of all runs; 64 elements of tensors count as one more
  bool tolerances = false;
  Activity* activity = nullptr;  // may be null
};

// One RunResult per run.
//   REQUIRES: Check(program) is OK.
//   Errors: FAILED_PRECONDITION for a program that fails when run (double write, read of what was
//   never written, index outside an array, empty pop, full stack, integer divided by zero, operands
//   whose shapes do not fit), naming the statement; RESOURCE_EXHAUSTED; UNIMPLEMENTED for half,
//   bfloat16, uint64, complex and strings.
Result<std::vector<RunResult>> Evaluate(const Program& program, const DirectOptions& options = {});

// d result[output] / d input[input] in run 0, elements summed over the output where it has several:
// doubles of the input's shape, by dual numbers (evaluator.h says what derivatives flow through,
// dual.h which one corners have), one pass per element of the input. Order 2 and 3: of the sum of
// the elements of the gradient of the order below (nested duals).
//   Errors: INVALID_ARGUMENT when input or output is not of doubles or floats or is none of the
//   program's, or order is not 1 to 3; Evaluate's.
Result<Tensor> Derivative(const Program& program, int output, int input, int order = 1);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_DIRECT_H_
