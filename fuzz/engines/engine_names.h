#ifndef TAGFLOW_FUZZ_ENGINES_ENGINE_NAMES_H_
#define TAGFLOW_FUZZ_ENGINES_ENGINE_NAMES_H_

// Engines under test by the names that a command line has for them.
//
// Tested by engine_names_test.cc.

#include <cstdint>
#include <memory>
#include <string>

#include "fuzz/engines/engine.h"
#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

// The name of what is no engine, but evaluates programs (fuzz/direct).
inline constexpr const char* kDirect = "direct";

struct EngineOptions {
  // "reference", or "reference:SEED" for a random order of ready nodes; or what
  // conformance/engines.h understands: a built-in engine or a command line.
  std::string name = "reference";
  double timeout_s = 10;  // per session, where the engine is not in this process
  // Whether the optimized engine has a process of its own. Else it runs in this one: the fuzzer's
  // workers may crash, and pipes take time.
  bool has_own_process = false;
  const Mutant* mutant = nullptr;  // what the reference in this process is; null: right
};

// Null for kDirect.
//   Errors: the engine cannot be started; INVALID_ARGUMENT for a seed that is no number.
Result<std::unique_ptr<Engine>> MakeEngine(const EngineOptions& options);

// Whether the name stands for the reference in this process, and the seed of its order (0: none).
//   Errors: INVALID_ARGUMENT for a seed that is no number.
struct ReferenceName {
  bool is_reference = false;
  uint64_t seed = 0;
};
Result<ReferenceName> ParseReferenceName(const std::string& name);

// The name for sample `index`. "optimized" stands for the engine in all the ways it has of running
// a step: some samples run on it as it is, others by tokens alone, simplified, or both; and most on
// one thread. "optimized:THREADS" does so on that many; any other name is returned as it is.
std::string EngineNameFor(const std::string& name, uint64_t index);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_ENGINE_NAMES_H_
