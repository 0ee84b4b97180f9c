#ifndef TAGFLOW_FUZZ_HARNESS_SAMPLE_H_
#define TAGFLOW_FUZZ_HARNESS_SAMPLE_H_

// One thing that a property is held to: a program, or the choices that something else is drawn
// from. Sample `index` of seed S is the same in every run, whatever ran before it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/profile.h"
#include "fuzz/harness/property.h"
#include "fuzz/harness/worker_engines.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Which sample: of which seed, and of which programs.
struct SampleName {
  uint64_t seed = 1;
  uint64_t index = 0;
  Profile profile;
};

struct Sample {
  std::optional<Program> program;  // of properties of programs
  uint64_t seed = 0;               // Setting::seed, beside a program
  std::vector<uint32_t> choices;   // of the others
};

// The seed of the choices of one sample.
uint64_t ChoiceSeed(uint64_t seed, uint64_t index);

// Draws a sample and holds the property to it. A property of programs is only held to what passes
// Check: anything else is kInvalid. `sample`: where to put it; may be null.
Finding DrawAndCheck(const Property& property, const SampleName& name, Setting& setting,
                     Sample* sample = nullptr);
Finding CheckSample(const Property& property, const Sample& sample, Setting& setting);

// Draws a sample without checking anything.
//   Errors: UNIMPLEMENTED for a property that draws while it checks and has no to_case.
Result<Sample> Draw(const Property& property, const SampleName& name);

// CheckSample in a child process, with engines of its own.
Finding CheckIsolated(const Property& property, const Sample& sample, const EngineChoice& engines,
                      double timeout_s);
// What becomes of whatever `check` does in a child process.
Finding Isolated(const std::function<Finding()>& check, double timeout_s);

// Tree nodes of a program; else the number of choices.
int64_t SizeOf(const Sample& sample);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SAMPLE_H_
