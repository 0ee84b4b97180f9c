#ifndef TAGFLOW_BENCH_ENGINES_H_
#define TAGFLOW_BENCH_ENGINES_H_

// A program made ready on one of our engines, to be run again and again.

#include <functional>
#include <string>
#include <vector>

#include "bench/programs.h"

namespace tagflow::bench {

struct EngineChoice {
  // "engine", or "engine-fresh"; "engine-native", with machine code at once; "engine-interpreted",
  // without any; "engine-straight" or "engine-tokens", by that executor and interpreted;
  // "reference"
  std::string name = "engine";
  int threads = 1;  // of the engine; the reference has one
};

// Runs a step; the outputs are those of the fetches.
//   Errors: those of the step
using Step = std::function<Result<std::vector<Tensor>>()>;

//   Errors: INVALID_ARGUMENT for an engine of another name, or a graph or call that is wrong
Result<Step> Prepare(Program program, const EngineChoice& engine);

// CheckValue of each.
std::vector<double> CheckValues(const std::vector<Tensor>& outputs);

}  // namespace tagflow::bench

#endif  // TAGFLOW_BENCH_ENGINES_H_
