#ifndef TAGFLOW_GRAPH_IO_UNPACK_H_
#define TAGFLOW_GRAPH_IO_UNPACK_H_

// Compressed bytes, with a bound on what they unpack to.

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/limits.h"
#include "graph/status.h"

namespace tagflow {

// Whether the bytes begin as a gzip file.
bool IsGzip(std::string_view bytes);

// What a gzip file (RFC 1952) holds: all of its members, one after another.
//   Errors: DATA_LOSS for one that is cut off or damaged; RESOURCE_EXHAUSTED, naming the limit, for
//   one that unpacks to more than `bytes_max`.
Result<std::string> Gunzip(std::string_view bytes, int64_t bytes_max = kMostUnpackedBytes);

// What a deflate stream (RFC 1951) holds.
//   size: of what it unpacks to, at most kMostUnpackedBytes
//   crc: of what it unpacks to, as zip files keep it
//   Errors: DATA_LOSS for a damaged stream, or one that holds more, less or something else.
Result<std::string> Inflate(std::string_view bytes, size_t size, uint32_t crc);

// The sum that zip and gzip check contents by (CRC-32 of RFC 1952).
uint32_t Crc32(std::string_view bytes);

// RESOURCE_EXHAUSTED: "it unpacks to more than 2147483648 bytes".
Status UnpacksToTooMuch(int64_t bytes_max);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_UNPACK_H_
