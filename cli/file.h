#ifndef TAGFLOW_CLI_FILE_H_
#define TAGFLOW_CLI_FILE_H_

// Files read and written whole: what a reader finds under a name is never half of something.

#include <cstdio>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow::cli {

// Errors: NOT_FOUND or PERMISSION_DENIED naming the file; INVALID_ARGUMENT for a folder.
Result<std::string> ReadFile(const std::string& path);

// A file that appears under its name when Commit is called. Until then, and for ever if it is not
// called, only a temporary neighbour exists, which the destructor removes.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  ~AtomicFile();

  const std::string& path() const { return path_; }
  // Errors: what the operating system says, naming the file.
  Status Open();
  Status Write(std::string_view bytes);
  // What can fail for want of room has happened when this is OK.
  Status Flush();
  Status Commit();

 private:
  Status Failed(std::string_view doing) const;

  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

// All of a file, which appears under its name when it is whole.
//   Errors: what the operating system says, naming the file.
Status WriteFile(const std::string& path, std::string_view bytes);

// Whether a graph written under this name is text, by its ending: .pbtxt, .textproto, .prototxt,
// .txt. (What is read is told apart by content.)
bool IsTextGraphName(std::string_view path);

// Makes a folder and those above it; fine if it is there already.
Status MakeFolder(const std::string& path);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_FILE_H_
