#ifndef TAGFLOW_GRAPH_SAVED_NEW_FILE_H_
#define TAGFLOW_GRAPH_SAVED_NEW_FILE_H_

// A file that is there whole or not at all: it is written beside its place under another name, and
// renamed when everything is on the disk.
//
// Tested by new_file_test.cc.

#include <memory>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow {

class NewFile {
 public:
  //   Errors: NOT_FOUND for a folder that is not there; FAILED_PRECONDITION, PERMISSION_DENIED;
  //   INVALID_ARGUMENT for a path with a zero byte, behind which the system would not look
  static Result<std::unique_ptr<NewFile>> Create(const std::string& path);
  // Removes what is not committed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  //   Errors: RESOURCE_EXHAUSTED for a disk that is full
  Status Append(std::string_view bytes);
  // Where it is until then, for others that write it.
  const std::string& temporary_path() const { return temporary_path_; }
  // Puts it into its place, where it takes that of an older one.
  Status Commit();

 private:
  NewFile(std::string path, std::string temporary_path, int descriptor)
      : path_(std::move(path)),
        temporary_path_(std::move(temporary_path)),
        descriptor_(descriptor) {}

  Status Write(std::string_view bytes);

  const std::string path_;
  const std::string temporary_path_;
  const int descriptor_;
  std::string waiting_;  // to be written, less than a write is worth
  bool is_committed_ = false;
};

// Makes the folder of the file of this path; not that folder's own.
//   Errors: as Create's
Status MakeFolderOf(const std::string& path);

// The error of the last call of the system, of this path.
Status SystemError(const std::string& path);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_NEW_FILE_H_
