#ifndef TAGFLOW_CONFORMANCE_FRAME_IO_H_
#define TAGFLOW_CONFORMANCE_FRAME_IO_H_

// Messages on a pipe: a 4-byte little-endian length, then the message.

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow::conformance {

constexpr uint32_t kFrameBytesMax = 1u << 30;  // a longer one is taken for noise

std::string Frame(const google::protobuf::MessageLite& message);

// The length of the frame that begins `bytes` (without its 4 length bytes); nothing while fewer
// than 4 bytes are there.
std::optional<uint32_t> FrameLength(std::string_view bytes);

// Blocking reads and writes, for an engine. ReadFrame gives nothing at the end of the stream;
// DATA_LOSS when it ends inside a frame or the length is absurd. WriteAll: UNAVAILABLE when nobody
// reads any more (SIGPIPE must be ignored).
Result<std::optional<std::string>> ReadFrame(int fd);
Status WriteAll(int fd, std::string_view bytes);

// A write to a pipe that nobody reads becomes an error and no longer ends the process.
void IgnoreBrokenPipes();

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_FRAME_IO_H_
