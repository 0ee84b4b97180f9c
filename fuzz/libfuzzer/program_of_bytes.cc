#include "fuzz/libfuzzer/program_of_bytes.h"

#include <memory>
#include <string_view>

#include "fuzz/generate/generate.h"
#include "fuzz/harness/equal.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/worker_engines.h"

namespace tagflow::fuzz {

Finding CheckProgramOfBytes(const uint8_t* data, size_t size, const Mutant* mutant) {
  EngineChoice choice;
  choice.broken = mutant;
  const Result<std::unique_ptr<WorkerEngines>> engines = WorkerEngines::Make(choice);
  const Result<Profile> tiny = ProfileOf("tiny");
  TAGFLOW_CHECK(engines.ok() && tiny.ok());
  Choices choices = Choices::FromBytes(std::string_view(reinterpret_cast<const char*>(data), size));
  Sample sample;
  sample.program = GenerateProgram(choices, *tiny);
  return CheckSample(EqualProperty(), sample, (*engines)->setting());
}

}  // namespace tagflow::fuzz
