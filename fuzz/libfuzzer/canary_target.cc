// Must fail: the target `choices` on a reference whose Switch sends everything the other way. A
// fuzzer that finds nothing here would find nothing anywhere.

#include <cstddef>
#include <cstdint>

#include "fuzz/libfuzzer/program_of_bytes.h"
#include "fuzz/libfuzzer/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tagflow::fuzz::Mutant& mutant = *[] {
    auto* planted = new tagflow::fuzz::Mutant;
    planted->rules.switch_port = [](bool predicate) { return predicate ? 0 : 1; };
    return planted;
  }();
  const tagflow::fuzz::Finding finding = tagflow::fuzz::CheckProgramOfBytes(data, size, &mutant);
  tagflow::fuzz::Require(!finding.bad(), "the canary sang: " + finding.why);
  return 0;
}
