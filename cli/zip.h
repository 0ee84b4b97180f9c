#ifndef TAGFLOW_CLI_ZIP_H_
#define TAGFLOW_CLI_ZIP_H_

// Zip archives, as NumPy writes .npz files: members stored or deflated, sizes of 4 GiB and more in
// the fields of ZIP64. Nothing is written to disk, and names of members are names and no paths.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow::cli {

bool IsZip(std::string_view bytes);

// A member as the archive's directory has it.
struct ZipMember {
  std::string name;
  uint64_t flags = 0;
  uint64_t method = 0;
  uint64_t crc = 0;
  uint64_t packed_size = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // of its header, from the archive's begin
};

// The members, in the order of the directory.
//   Errors: DATA_LOSS for what is not a whole archive
Result<std::vector<ZipMember>> ZipMembers(std::string_view bytes);

// What a member holds.
//   Errors: DATA_LOSS for a damaged one; UNIMPLEMENTED for one that is encrypted, or compressed by
//   something else than deflate; RESOURCE_EXHAUSTED, naming the limit, for a compressed one of more
//   than kMostUnpackedBytes (graph/limits.h)
Result<std::string> ReadZipMember(std::string_view bytes, const ZipMember& member);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_ZIP_H_
