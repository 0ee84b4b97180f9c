#ifndef TAGFLOW_FUZZ_DIRECT_COMPARE_H_
#define TAGFLOW_FUZZ_DIRECT_COMPARE_H_

// Whether what an engine gave is what the direct evaluator expects.

#include <string>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/program/program.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// Tolerances are first-order bounds; an engine may be off by this many times as much.
constexpr double kToleranceFactor = 4;

// The first difference in words ("result 0 (v7) [1,0]: 2.5 instead of 2.25, …"); empty when there
// is none. Bit for bit, any NaN equal to any other, except where `expected` has a tolerance for the
// element. `actual`: a tensor per value of `expected`, in the same order.
std::string Difference(const Program& program, const RunResult& expected,
                       const std::vector<Tensor>& actual);

struct Verdict {
  std::string difference;  // empty: none; begins with the run where there are several
  bool undecided = false;  // no telling: RunResult::undecided; `difference` is empty
};

// Compares all runs: bit for bit with `plain`, what Evaluate gave without tolerances; only when
// that differs the program is evaluated again, with tolerances. `actual`: one list per run.
//   Errors: Evaluate's; `options.tolerances` and `options.activity` are not used
Result<Verdict> Judge(const Program& program, const std::vector<RunResult>& plain,
                      const std::vector<std::vector<Tensor>>& actual,
                      const DirectOptions& options = {});

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_COMPARE_H_
