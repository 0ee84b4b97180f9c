#include "graph/io/unpack.h"

#include <zlib.h>

#include <algorithm>
#include <climits>

namespace tagflow {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's: the largest window, in a gzip wrapper
constexpr int kRaw = -15;       // the same, bare

Status Damaged(const char* why) {
  return Status(Code::kDataLoss, std::string("what is compressed is damaged or cut off") +
                                     (why == nullptr ? "" : std::string(": ") + why));
}

// zlib's state for one stream after another.
class Inflater {
 public:
  explicit Inflater(int window) : is_good_(inflateInit2(&stream_, window) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_good_) inflateEnd(&stream_);
  }

  // Appends what one stream at the front of `bytes` holds, and takes it off. More than `size_max`
  // in all is too much.
  Status Append(std::string_view& bytes, size_t size_max, std::string& out) {
    if (!is_good_ || inflateReset(&stream_) != Z_OK) return ResourceExhausted("no memory for zlib");
    int state = Z_OK;
    while (state != Z_STREAM_END) {
      char block[1 << 16];
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), INT_MAX));
      stream_.next_out = reinterpret_cast<Bytef*>(block);
      stream_.avail_out = sizeof(block);
      const size_t given = stream_.avail_in;
      state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END) return Damaged(stream_.msg);
      bytes.remove_prefix(given - stream_.avail_in);
      out.append(block, sizeof(block) - stream_.avail_out);
      if (out.size() > size_max) return UnpacksToTooMuch(static_cast<int64_t>(size_max));
    }
    return Status();
  }

 private:
  z_stream stream_ = {};
  const bool is_good_;
};

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

Result<std::string> Gunzip(std::string_view bytes, int64_t bytes_max) {
  Inflater inflater(kGzip);
  std::string out;
  do {
    TAGFLOW_RETURN_IF_ERROR(inflater.Append(bytes, static_cast<size_t>(bytes_max), out));
  } while (IsGzip(bytes));
  // Tapes and block devices pad with zeros, which gzip itself lets pass.
  if (bytes.find_first_not_of('\0') != bytes.npos) return Damaged("something follows its end");
  return out;
}

Result<std::string> Inflate(std::string_view bytes, size_t size, uint32_t crc) {
  std::string out;
  out.reserve(std::min<size_t>(size, size_t{1} << 20));
  TAGFLOW_RETURN_IF_ERROR(Inflater(kRaw).Append(bytes, size, out));
  if (out.size() != size || !bytes.empty()) return Damaged("its size is not what was noted");
  if (Crc32(out) != crc) return Damaged("its check sum is not what was noted");
  return out;
}

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Status UnpacksToTooMuch(int64_t bytes_max) {
  return ResourceExhausted("it unpacks to more than " + std::to_string(bytes_max) + " bytes");
}

}  // namespace tagflow
