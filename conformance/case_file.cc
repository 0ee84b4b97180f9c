#include "conformance/case_file.h"

#include <filesystem>
#include <set>

#include "graph/io/parse.h"

namespace tagflow::conformance {
namespace {

namespace fs = std::filesystem;

bool HasCaseEnding(const fs::path& path) {
  return path.extension() == ".textproto" || path.extension() == ".case";
}

class Finder {
 public:
  Status Add(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error))
      return NotFound(path.string() + ": there is no such file or folder");
    if (!fs::is_directory(path, error)) {
      found_.insert(path.string());
      return Status();
    }
    return AddFolder(path);
  }

  std::vector<std::string> Found() const { return {found_.begin(), found_.end()}; }

 private:
  Status AddFolder(const fs::path& folder) {
    std::error_code error;
    // A link may lead back to a folder that holds it.
    const fs::path real = fs::canonical(folder, error);
    if (error || !open_.insert(real.string()).second) return Status();
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      std::error_code broken_link;  // it is neither: listed if its ending says so, then an error
      if (entry->is_directory(broken_link)) {
        TAGFLOW_RETURN_IF_ERROR(AddFolder(entry->path()));
      } else if (HasCaseEnding(entry->path())) {
        found_.insert(entry->path().string());
      }
    }
    open_.erase(real.string());
    if (!error) return Status();
    return Status(Code::kPermissionDenied, folder.string() + ": " + error.message());
  }

  std::set<std::string> found_;
  std::set<std::string> open_;  // folders being read, by their real paths
};

}  // namespace

Result<Case> ReadCase(const std::string& path) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  if (bytes.empty()) return Status(Code::kDataLoss, path + ": the file is empty");
  Case test;
  TAGFLOW_RETURN_IF_ERROR(ParseMessage(bytes, path, test));
  return test;
}

Result<std::vector<std::string>> FindCases(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) TAGFLOW_RETURN_IF_ERROR(finder.Add(path));
  return finder.Found();
}

}  // namespace tagflow::conformance
