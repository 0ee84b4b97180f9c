#include "cli/outputs.h"

#include <set>
#include <string_view>
#include <utility>

#include "cli/file.h"
#include "cli/npy.h"

namespace tagflow::cli {

std::vector<std::string> FileNames(const std::vector<std::string>& fetches) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (std::string stem : fetches) {
    if (stem.ends_with(":0")) stem.resize(stem.size() - 2);
    for (char& c : stem) {
      if (std::string_view("/:\\>").find(c) != std::string_view::npos) c = '_';
    }
    std::string name = stem + ".npy";
    for (int i = 2; !taken.insert(name).second; ++i) name = stem + "_" + std::to_string(i) + ".npy";
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<std::string>> WriteOutputs(const std::string& folder,
                                              const std::vector<std::string>& fetches,
                                              const std::vector<Tensor>& values) {
  const std::vector<std::string> names = FileNames(fetches);
  std::vector<std::string> contents;
  for (size_t i = 0; i < values.size(); ++i) {
    Result<std::string> bytes = NpyToBytes(values[i]);
    if (!bytes.ok()) {
      return Status(bytes.status().code(),
                    "fetch '" + fetches[i] + "': " + bytes.status().message());
    }
    contents.push_back(*std::move(bytes));
  }
  TAGFLOW_RETURN_IF_ERROR(MakeFolder(folder));
  std::vector<AtomicFile> files;
  std::vector<std::string> paths;
  for (size_t i = 0; i < values.size(); ++i) {
    AtomicFile& file = files.emplace_back(folder + "/" + names[i]);
    TAGFLOW_RETURN_IF_ERROR(file.Open());
    TAGFLOW_RETURN_IF_ERROR(file.Write(contents[i]));
    TAGFLOW_RETURN_IF_ERROR(file.Flush());
    paths.push_back(file.path());
  }
  for (AtomicFile& file : files) TAGFLOW_RETURN_IF_ERROR(file.Commit());
  return paths;
}

}  // namespace tagflow::cli
