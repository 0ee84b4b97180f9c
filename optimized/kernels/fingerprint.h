#ifndef TAGFLOW_OPTIMIZED_KERNELS_FINGERPRINT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FINGERPRINT_H_

#include <cstdint>
#include <string_view>

namespace tagflow::optimized {

// TensorFlow's Fingerprint64, which is FarmHash's (farmhashna::Hash64 of
// https://github.com/google/farmhash) and does not change.
uint64_t Fingerprint64(std::string_view text);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FINGERPRINT_H_
