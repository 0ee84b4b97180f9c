#ifndef TAGFLOW_FUZZ_HARNESS_WORKBENCH_H_
#define TAGFLOW_FUZZ_HARNESS_WORKBENCH_H_

// The engines of one worker, started once and used for sample after sample.

#include <cstdint>
#include <memory>
#include <string>

#include "fuzz/harness/property.h"
#include "fuzz/harness/subject.h"

namespace tagflow::fuzz {

// What --engine, --against and the like say.
struct EngineChoice {
  std::string engine = "reference";
  std::string against = "direct";
  std::string mutant;              // what the reference under test is; "": right
  const Mutant* broken = nullptr;  // that mutant
  double timeout_s = 10;           // per sample
};

// What runs sample `index`. "optimized" stands for the engine in all the ways it has of running a
// step: some samples run on it as it is, others by tokens alone, simplified, or both; and most on
// one thread.
EngineChoice EngineFor(EngineChoice choice, uint64_t index);

// The options of a command line that say the same; "" for the defaults.
std::string ToOptions(const EngineChoice& choice);

class Workbench {
 public:
  //   Errors: of MakeSubject.
  static Result<std::unique_ptr<Workbench>> Make(const EngineChoice& choice);
  Setting& setting() { return setting_; }

 private:
  Workbench() = default;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Subject> against_;
  std::unique_ptr<Subject> peer_;
  std::unique_ptr<Runner> runner_;
  Setting setting_;
};

// A word as a shell reads it.
std::string ShellQuoted(const std::string& word);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_WORKBENCH_H_
