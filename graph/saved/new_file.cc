#include "graph/saved/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace tagflow {
namespace {

Code CodeOf(int error) {
  switch (error) {
    case ENOENT:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return Code::kResourceExhausted;
    case EINVAL:
    case ENAMETOOLONG:
      return Code::kInvalidArgument;
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
      return Code::kFailedPrecondition;
    default:
      return Code::kUnknown;
  }
}

// A name that no other file of this process or another one has now.
std::string TemporaryName(const std::string& path) {
  static std::atomic<uint64_t> count{0};  // relaxed: a counter alone
  return path + ".tempstate" + std::to_string(::getpid()) + "-" +
         std::to_string(count.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

Status SystemError(const std::string& path) {
  const int error = errno;
  return Status(CodeOf(error), path + ": " + std::generic_category().message(error));
}

Result<std::unique_ptr<NewFile>> NewFile::Create(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument("a path with a zero byte names no file: " +
                           path.substr(0, path.find('\0')));
  }
  for (;;) {
    std::string temporary = TemporaryName(path);
    constexpr int kForAll = 0666;  // less what the user's mask takes away
    const int descriptor =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kForAll);
    if (descriptor >= 0) {
      return std::unique_ptr<NewFile>(new NewFile(path, std::move(temporary), descriptor));
    }
    // One that a process which died has left: the next name is free.
    if (errno != EEXIST && errno != EINTR) return SystemError(path);
  }
}

NewFile::~NewFile() {
  ::close(descriptor_);
  if (!is_committed_) ::unlink(temporary_path_.c_str());
}

Status NewFile::Append(std::string_view bytes) {
  constexpr size_t kWorthWriting = 65536;
  if (waiting_.size() + bytes.size() < kWorthWriting) {
    waiting_ += bytes;
    return Status();
  }
  TAGFLOW_RETURN_IF_ERROR(Write(std::exchange(waiting_, {})));
  return Write(bytes);
}

Status NewFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return SystemError(path_);
    }
  }
  return Status();
}

Status NewFile::Commit() {
  TAGFLOW_RETURN_IF_ERROR(Write(std::exchange(waiting_, {})));
  if (::fsync(descriptor_) != 0) return SystemError(path_);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) return SystemError(path_);
  is_committed_ = true;
  return Status();
}

Status MakeFolderOf(const std::string& path) {
  const std::string folder = path.substr(0, std::min(path.rfind('/'), path.size()));
  constexpr int kForAll = 0777;  // less what the user's mask takes away
  if (folder.size() == path.size() || folder.empty()) return Status();
  if (::mkdir(folder.c_str(), kForAll) == 0 || errno == EEXIST) return Status();
  return SystemError(folder);
}

}  // namespace tagflow
