#include "conformance/frame_io.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace tagflow::conformance {
namespace {

// Reads until `size` bytes are there or the stream ends; the number read, or -1.
ssize_t ReadFully(int fd, char* out, size_t size) {
  size_t have = 0;
  while (have < size) {
    const ssize_t got = read(fd, out + have, size - have);
    if (got == 0) break;
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(have);
}

Status ReadFailed() { return DataLoss(std::string("cannot read: ") + std::strerror(errno)); }

}  // namespace

std::string Frame(const google::protobuf::MessageLite& message) {
  std::string frame(4, '\0');
  message.AppendToString(&frame);
  const auto length = static_cast<uint32_t>(frame.size() - 4);
  for (int i = 0; i < 4; ++i) frame[static_cast<size_t>(i)] = static_cast<char>(length >> (8 * i));
  return frame;
}

std::optional<uint32_t> FrameLength(std::string_view bytes) {
  if (bytes.size() < 4) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 4; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

Result<std::optional<std::string>> ReadFrame(int fd) {
  char header[4];
  const ssize_t got = ReadFully(fd, header, 4);
  if (got < 0) return ReadFailed();
  if (got == 0) return std::optional<std::string>();
  const std::optional<uint32_t> length =
      FrameLength(std::string_view(header, static_cast<size_t>(got)));
  if (!length.has_value()) return DataLoss("the stream ends inside the length of a frame");
  if (*length > kFrameBytesMax) {
    return DataLoss("a frame of " + std::to_string(*length) + " bytes: this is not the protocol");
  }
  std::string bytes(*length, '\0');
  const ssize_t body = ReadFully(fd, bytes.data(), bytes.size());
  if (body < 0) return ReadFailed();
  if (static_cast<size_t>(body) < bytes.size()) return DataLoss("the stream ends inside a frame");
  return std::optional<std::string>(std::move(bytes));
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
    } else if (errno != EINTR) {
      return Status(Code::kUnavailable, std::string("cannot write: ") + std::strerror(errno));
    }
  }
  return Status();
}

void IgnoreBrokenPipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace tagflow::conformance
