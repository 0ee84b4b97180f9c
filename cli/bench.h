#ifndef TAGFLOW_CLI_BENCH_H_
#define TAGFLOW_CLI_BENCH_H_

// What `tagflow bench` measures: a step's time, of one engine or of two in turn.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/status.h"

namespace tagflow::cli {

// How long a step took: the least, the median and the mean of samples, each the mean of a few steps
// in a row, so that the clock is not what is measured.
struct StepTimes {
  int64_t steps = 0;  // all samples together
  double min_ns = 0;
  double median_ns = 0;
  double mean_ns = 0;

  double steps_per_s() const { return mean_ns > 0 ? 1e9 / mean_ns : 0; }
};

// samples: the mean time of a step in each, ns, of `steps_each` steps
// REQUIRES: there is one
StepTimes TimesOf(std::vector<double> samples, int64_t steps_each);

// A step made ready.
using TimedStep = std::function<Status()>;

// Runs the steps in turn for `seconds`, each after a warm-up of its own, so that what else the
// machine does falls on all of them.
//   stopped: asked between samples; ends the measurement early
//   returns: by step
//   Errors: the first of any step
Result<std::vector<StepTimes>> TimeInTurn(const std::vector<TimedStep>& steps, double seconds,
                                          const std::function<bool()>& stopped);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_BENCH_H_
