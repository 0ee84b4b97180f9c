#ifndef TAGFLOW_FUZZ_HARNESS_PROPERTY_H_
#define TAGFLOW_FUZZ_HARNESS_PROPERTY_H_

// The plug: what can be claimed about a sample. A property has a name and a function that holds it
// to one sample; everything else (drawing samples, processes, crashes, shrinking, saving,
// replaying, reporting) is done for it. docs/fuzzing.md says how to add one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "conformance/case.pb.h"
#include "fuzz/engines/answers.h"
#include "fuzz/engines/engine.h"
#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/choices.h"
#include "fuzz/program/program.h"
#include "graph/status.h"
#include "reference/rules.h"

namespace tagflow::fuzz {

// What became of one sample.
struct Finding {
  enum class Kind : uint8_t {
    kHolds,
    kFails,
    kCrashed,      // what is under test ended its process
    kHung,         // … or did not answer in time
    kInvalid,      // the sample is none: a mistake of the generator
    kUnsupported,  // the engine says that it lacks something
  };
  Kind kind = Kind::kHolds;
  std::string why;      // of all but kHolds; its first line says it in short
  int64_t firings = 0;  // of the reference, while at it

  bool bad() const { return kind != Kind::kHolds && kind != Kind::kUnsupported; }
  static Finding Holds(int64_t firings = 0) { return {Kind::kHolds, "", firings}; }
  // Of what a property says: the problem, or nothing.
  static Finding Of(const std::optional<std::string>& problem) {
    return problem.has_value() ? Fails(*problem) : Holds();
  }
  static Finding Fails(std::string why) { return {Kind::kFails, std::move(why), 0}; }
};

// "holds", "fails", "crashed", …
std::string KindName(Finding::Kind kind);

// What there is to check with.
struct Setting {
  // Of --engine and --against; null: the direct evaluator of programs.
  const Engine* engine = &StandardReference();
  const Engine* against = nullptr;
  // Another engine, for a second opinion where the reference in this process is under test; else
  // null.
  const Engine* peer = nullptr;
  // What a property chooses for itself, beside a program, is drawn from this: one number for each
  // sample, which stays while the program is shrunk.
  uint64_t seed = 0;
  // What the reference runs by, for properties of graphs: a mutant's, or the standard.
  const reference::Rules* rules = &reference::StandardRules();
};

// Whether --engine is the reference in this process; and whether it is one that is in this process.
bool IsOfReference(const Setting& setting);
bool IsInProcess(const Setting& setting);

// One of check and check_choices is there.
struct Property {
  bool is_of_programs() const { return check != nullptr; }

  std::string name;
  std::string about;                // one line, for --list
  std::string profile = "default";  // of the programs it is given, unless --profile says
  // Whether it opens sessions side by side: any engine that is not in this process is unsupported.
  bool opens_sessions = false;
  // Of programs, which are generated, shrunk and written as text.
  std::function<Finding(const Program&, Setting&)> check;
  // Of anything that can be drawn from choices; it is shrunk by its choices.
  std::function<Finding(Choices&, Setting&)> check_choices;
  // Of check_choices: what is drawn, as a case to save beside the choices; draws no more than
  // check_choices does.
  std::function<Result<conformance::Case>(Choices&)> to_case;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_PROPERTY_H_
