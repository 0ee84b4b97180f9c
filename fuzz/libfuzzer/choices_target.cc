// Whatever the generator is told to choose, it makes a program, and the reference gives what the
// direct evaluator gives.

#include <cstddef>
#include <cstdint>

#include "fuzz/libfuzzer/program_of_bytes.h"
#include "fuzz/libfuzzer/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tagflow::fuzz::Finding finding = tagflow::fuzz::CheckProgramOfBytes(data, size);
  tagflow::fuzz::Require(!finding.bad(), finding.why);
  return 0;
}
