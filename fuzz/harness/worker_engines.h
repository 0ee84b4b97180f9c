#ifndef TAGFLOW_FUZZ_HARNESS_WORKER_ENGINES_H_
#define TAGFLOW_FUZZ_HARNESS_WORKER_ENGINES_H_

// The engines of one worker, started once and used for sample after sample.

#include <memory>
#include <string>

#include "fuzz/engines/engine_names.h"
#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// What --engine, --against and the like say.
struct EngineChoice {
  std::string engine = "reference";
  std::string against = kDirect;
  std::string mutant;              // what the reference under test is; "": right
  const Mutant* broken = nullptr;  // that mutant
  double timeout_s = 10;           // per sample
};

// The options of a command line that say the same; "" for the defaults.
std::string ToOptions(const EngineChoice& choice);

class WorkerEngines {
 public:
  //   Errors: of MakeEngine.
  static Result<std::unique_ptr<WorkerEngines>> Make(const EngineChoice& choice);
  Setting& setting() { return setting_; }

 private:
  WorkerEngines() = default;
  std::unique_ptr<Engine> engine_, against_, peer_;
  Setting setting_;
};

// A word as a shell reads it.
std::string ShellQuoted(const std::string& word);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_WORKER_ENGINES_H_
