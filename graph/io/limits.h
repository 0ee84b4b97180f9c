#ifndef TAGFLOW_GRAPH_IO_LIMITS_H_
#define TAGFLOW_GRAPH_IO_LIMITS_H_

// How much a file may stand for.

#include <cstdint>

namespace tagflow {

// Bytes that a compressed file, or a member of an archive, may unpack to: a few KB can stand for
// any amount of memory. A GraphDef is smaller, for the format ends at 2 GiB. Errors name it.
inline constexpr int64_t kUnpackedBytesMax = int64_t{1} << 31;

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_LIMITS_H_
