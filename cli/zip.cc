// An archive ends with its directory, and that with a record that says where the directory begins
// (APPNOTE.TXT of PKWARE, 4.3). A member's bytes come after a short header of its own, of which
// only the length matters: the directory says the rest again, and is what others read too.

#include "cli/zip.h"

#include <algorithm>

#include "graph/io/unpack.h"
#include "graph/limits.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kMember = "PK\x03\x04";
constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kLocator64 = "PK\x06\x07";
constexpr size_t kMemberSize = 30;
constexpr size_t kEntrySize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kEnd64Size = 56;
constexpr size_t kLocator64Size = 20;
constexpr size_t kCommentMax = 65535;
constexpr uint64_t kElsewhere32 = 0xffffffff;  // the value stands in a field of ZIP64

Status Corrupt(const std::string& why) {
  return Status(Code::kDataLoss, "not a whole .zip or .npz file: " + why);
}

// A little-endian number; the caller has checked that it is there.
uint64_t Number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

bool IsThere(std::string_view bytes, uint64_t at, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

struct Directory {
  uint64_t count = 0;
  uint64_t offset = 0;
};

Result<Directory> FindDirectory(std::string_view bytes) {
  const size_t from = bytes.size() - std::min(bytes.size(), kEndSize + kCommentMax);
  const size_t end = bytes.rfind(kEnd);
  if (end == bytes.npos || end < from || !IsThere(bytes, end, kEndSize)) {
    return Corrupt("its directory is not there");
  }
  const Directory found = {Number(bytes, end + 10, 2), Number(bytes, end + 16, 4)};
  if (end < kLocator64Size || !bytes.substr(end - kLocator64Size).starts_with(kLocator64)) {
    return found;
  }
  const uint64_t end64 = Number(bytes, end - kLocator64Size + 8, 8);
  if (!IsThere(bytes, end64, kEnd64Size) || !bytes.substr(end64).starts_with(kEnd64)) {
    return Corrupt("its directory is not where it is said to be");
  }
  return Directory{Number(bytes, end64 + 32, 8), Number(bytes, end64 + 48, 8)};
}

// Puts the sizes in place that stand in an entry's field of ZIP64, in this order, where the entry
// itself says "elsewhere".
Status ReadZip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const uint64_t id = Number(extra, 0, 2);
    const size_t size = Number(extra, 2, 2);
    if (size > extra.size() - 4) break;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (uint64_t* value : {&member.size, &member.packed_size, &member.offset}) {
      if (*value != kElsewhere32) continue;
      if (field.size() < 8) return Corrupt("a size is missing");
      *value = Number(field, 0, 8);
      field.remove_prefix(8);
    }
  }
  return Status();
}

std::string_view MethodName(uint64_t method) {
  switch (method) {
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "zstd";
    case 95:
      return "xz";
    default:
      return "a method";
  }
}

}  // namespace

bool IsZip(std::string_view bytes) { return bytes.starts_with(kMember) || bytes.starts_with(kEnd); }

Result<std::vector<ZipMember>> ZipMembers(std::string_view bytes) {
  TAGFLOW_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  std::vector<ZipMember> members;
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (!IsThere(bytes, at, kEntrySize) || !bytes.substr(at).starts_with(kEntry)) {
      return Corrupt("its directory is damaged");
    }
    ZipMember member = {"",
                        Number(bytes, at + 8, 2),
                        Number(bytes, at + 10, 2),
                        Number(bytes, at + 16, 4),
                        Number(bytes, at + 20, 4),
                        Number(bytes, at + 24, 4),
                        Number(bytes, at + 42, 4)};
    const uint64_t name_size = Number(bytes, at + 28, 2);
    const uint64_t extra_size = Number(bytes, at + 30, 2);
    const uint64_t comment_size = Number(bytes, at + 32, 2);
    at += kEntrySize;
    if (!IsThere(bytes, at, name_size + extra_size + comment_size)) {
      return Corrupt("its directory is damaged");
    }
    member.name = bytes.substr(at, name_size);
    TAGFLOW_RETURN_IF_ERROR(ReadZip64(bytes.substr(at + name_size, extra_size), member));
    members.push_back(std::move(member));
    at += name_size + extra_size + comment_size;
  }
  return members;
}

Result<std::string> ReadZipMember(std::string_view bytes, const ZipMember& member) {
  constexpr uint64_t kEncrypted = 1;
  if ((member.flags & kEncrypted) != 0) {
    return Unimplemented("'" + member.name + "' is encrypted: save it without a password");
  }
  if (!IsThere(bytes, member.offset, kMemberSize) ||
      !bytes.substr(member.offset).starts_with(kMember)) {
    return Corrupt("'" + member.name + "' is not where it is said to be");
  }
  const uint64_t at = member.offset + kMemberSize + Number(bytes, member.offset + 26, 2) +
                      Number(bytes, member.offset + 28, 2);
  if (!IsThere(bytes, at, member.packed_size)) return Corrupt("'" + member.name + "' is cut off");
  const std::string_view packed = bytes.substr(at, member.packed_size);
  if (member.method == 0) {
    if (packed.size() != member.size || Crc32(packed) != member.crc) {
      return Corrupt("'" + member.name + "' is damaged");
    }
    return std::string(packed);
  }
  if (member.method != 8) {
    return Unimplemented("'" + member.name + "' is compressed by " +
                         std::string(MethodName(member.method)) + " (" +
                         std::to_string(member.method) +
                         "), which is not read: save it by numpy.savez or numpy.savez_compressed");
  }
  Result<std::string> unpacked =
      member.size > static_cast<uint64_t>(kMostUnpackedBytes)
          ? UnpacksToTooMuch(kMostUnpackedBytes)
          : Inflate(packed, member.size, static_cast<uint32_t>(member.crc));
  if (unpacked.ok()) return unpacked;
  return Status(unpacked.status().code(), "'" + member.name + "': " + unpacked.status().message());
}

}  // namespace tagflow::cli
