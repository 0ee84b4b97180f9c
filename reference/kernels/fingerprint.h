#ifndef TAGFLOW_REFERENCE_KERNELS_FINGERPRINT_H_
#define TAGFLOW_REFERENCE_KERNELS_FINGERPRINT_H_

#include <cstdint>
#include <string_view>

namespace tagflow::reference {

// The 64-bit fingerprint of FarmHash (Hash64 of its namespace farmhashna), by Pike and others,
// https://github.com/google/farmhash: what TensorFlow's Fingerprint64 is, the same for ever.
uint64_t Fingerprint(std::string_view text);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_FINGERPRINT_H_
