#ifndef TAGFLOW_GRAPH_SAVED_CRC32C_H_
#define TAGFLOW_GRAPH_SAVED_CRC32C_H_

// The checksum of checkpoints: CRC-32C (Castagnoli), and the form in which one is stored.
//
// Tested by tensor_bundle_test.cc.

#include <cstddef>
#include <cstdint>

namespace tagflow {

// The sum of what had `sum`, and these bytes behind it; 0 is the sum of nothing.
uint32_t ExtendCrc32c(uint32_t sum, const void* bytes, size_t count);
// As stored, so that the sum of bytes which hold their own sum is nothing special.
uint32_t MaskedCrc32c(uint32_t sum);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_CRC32C_H_
