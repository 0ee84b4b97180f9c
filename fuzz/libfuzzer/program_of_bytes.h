#ifndef TAGFLOW_FUZZ_LIBFUZZER_PROGRAM_OF_BYTES_H_
#define TAGFLOW_FUZZ_LIBFUZZER_PROGRAM_OF_BYTES_H_

// Bytes as the choices of the program generator, and the property `equal` of what comes out.

#include <cstddef>
#include <cstdint>

#include "fuzz/harness/property.h"
#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

// The reference, or what a mutant has made of it, against the direct evaluator.
Finding CheckProgramOfBytes(const uint8_t* data, size_t size, const Mutant* mutant = nullptr);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LIBFUZZER_PROGRAM_OF_BYTES_H_
