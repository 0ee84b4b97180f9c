#ifndef TAGFLOW_FUZZ_ENGINES_ANSWERS_H_
#define TAGFLOW_FUZZ_ENGINES_ANSWERS_H_

// The values that an engine gives for a program, and for the calls of a graph.
//
// Tested by engine_names_test.cc.

#include <cstdint>
#include <vector>

#include "fuzz/engines/engine.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/program/program.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

struct Answers {
  std::vector<std::vector<Tensor>> runs;  // per run: the results, then the variables
  int64_t firings = 0;                    // of the reference; else 0
};
// Whether all values are the same, bit for bit.
bool BitwiseEqual(const Answers& a, const Answers& b);

// A step of a program that is not known to fire less often ends by this limit: one that never ends
// would fill the memory before its time is up.
inline constexpr int64_t kProgramFiringsMost = 5'000'000;

// Runs all runs of the program in one session. engine: null: the direct evaluator
//   Errors: of EngineSession::Run; how the program failed there.
Result<Answers> RunProgram(const Engine* engine, const Program& program,
                           int64_t max_firings = kProgramFiringsMost);

// Calls of the sample's graph, in one session, one after the other whatever becomes of them; one
// error where there is no session.
//   Errors: of EngineSession::Run, where the engine is not in this process; how a call failed is
//   INTERNAL, and its message begins with "CODE: ".
std::vector<Result<std::vector<Tensor>>> RunCalls(const Engine& engine, const GraphSample& sample,
                                                  const std::vector<GraphCall>& calls);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_ANSWERS_H_
