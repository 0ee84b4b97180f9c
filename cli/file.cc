#include "cli/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tagflow::cli {
namespace {

Status FromErrno(int error, const std::string& message) {
  const std::string text = message + ": " + std::strerror(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotFound(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return Status(Code::kPermissionDenied, text);
    case ENOSPC:
    case EDQUOT:
      return ResourceExhausted(text);
    default:
      return InvalidArgument(text);
  }
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const std::string cannot = "cannot read '" + path + "'";
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return FromErrno(errno, cannot);
  std::string bytes;
  char block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof(block), file)) > 0) bytes.append(block, got);
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (error != 0) return FromErrno(error, cannot);
  return bytes;
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".partial." + std::to_string(getpid())) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      file_(std::exchange(other.file_, nullptr)) {}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  unlink(temporary_.c_str());
}

Status AtomicFile::Failed(std::string_view doing) const {
  return FromErrno(errno, "cannot " + std::string(doing) + " '" + path_ + "'");
}

Status AtomicFile::Open() {
  struct stat found;
  if (stat(path_.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    errno = EISDIR;
    return Failed("write");
  }
  file_ = std::fopen(temporary_.c_str(), "wb");
  return file_ == nullptr ? Failed("write") : Status();
}

Status AtomicFile::Write(std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() ? Status()
                                                                           : Failed("write");
}

Status AtomicFile::Flush() {
  return std::fflush(file_) == 0 && std::ferror(file_) == 0 ? Status() : Failed("write");
}

Status AtomicFile::Commit() {
  TAGFLOW_RETURN_IF_ERROR(Flush());
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Failed("write");
  std::fclose(std::exchange(file_, nullptr));
  return Status();
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  TAGFLOW_RETURN_IF_ERROR(file.Open());
  TAGFLOW_RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

bool IsTextGraphName(std::string_view path) {
  constexpr std::array<std::string_view, 4> kEndings = {".pbtxt", ".textproto", ".prototxt",
                                                        ".txt"};
  return std::ranges::any_of(kEndings,
                             [path](std::string_view end) { return path.ends_with(end); });
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return FromErrno(error.value(), "cannot make the folder '" + path + "'");
  if (!std::filesystem::is_directory(path, error)) {
    return FromErrno(ENOTDIR, "cannot make the folder '" + path + "'");
  }
  return Status();
}

}  // namespace tagflow::cli
