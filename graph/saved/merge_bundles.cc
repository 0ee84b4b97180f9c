// Tested by bundle_writer_test.cc.

#include "graph/saved/merge_bundles.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "graph/saved/bundle_index.h"

namespace tagflow {
namespace {

// What a merge does.
struct Plan {
  BundleIndex index;
  std::vector<std::string> prefixes;  // that there are
  std::vector<std::string> data;      // files, in the order of their new numbers
};

Status AddEntry(Plan& plan, const std::string& key, BundleEntryProto entry,
                const std::string& prefix) {
  const auto [found, is_new] = plan.index.entries.try_emplace(key, entry);
  if (is_new) return Status();
  BundleEntryProto& there = found->second;
  if (there.slices_size() == 0 || entry.slices_size() == 0) {
    const std::string name = key[0] == '\0' ? "a piece of a tensor" : "tensor '" + key + "'";
    return InvalidArgument("Duplicate " + name + " encountered, when merging prefix: " + prefix);
  }
  if (there.dtype() != entry.dtype() ||
      there.shape().SerializeAsString() != entry.shape().SerializeAsString()) {
    return InvalidArgument("the pieces of '" + key +
                           "' differ in dtype or whole shape, when merging prefix: " + prefix);
  }
  there.MergeFrom([&] {  // its pieces alone
    BundleEntryProto pieces;
    *pieces.mutable_slices() = std::move(*entry.mutable_slices());
    return pieces;
  }());
  return Status();
}

Status AddBundle(Plan& plan, const std::string& prefix) {
  TAGFLOW_ASSIGN_OR_RETURN(BundleIndex added, BundleIndex::Read(prefix));
  const auto first = static_cast<int32_t>(plan.data.size());
  for (int32_t shard = 0; shard < added.num_shards; ++shard) {
    std::string path = DataPath(prefix, shard, added.num_shards);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return NotFound("there is no file " + path + ", of which a checkpoint would consist");
    }
    plan.data.push_back(std::move(path));
  }
  for (auto& [key, entry] : added.entries) {
    if (entry.shard_id() < 0 || (entry.shard_id() > 0 && entry.shard_id() >= added.num_shards)) {
      return DataLoss(IndexPath(prefix) + ": the index contradicts itself");
    }
    // The entry of a tensor in pieces is in no file.
    if (entry.slices_size() == 0) entry.set_shard_id(entry.shard_id() + first);
    TAGFLOW_RETURN_IF_ERROR(AddEntry(plan, key, std::move(entry), prefix));
  }
  plan.prefixes.push_back(prefix);
  return Status();
}

Result<Plan> MakePlan(const std::vector<std::string>& prefixes, bool allows_missing) {
  Plan plan;
  for (const std::string& prefix : prefixes) {
    std::error_code error;
    if (std::filesystem::exists(IndexPath(prefix), error)) {
      TAGFLOW_RETURN_IF_ERROR(AddBundle(plan, prefix));
    } else if (!allows_missing) {
      return InvalidArgument("allow_missing_files was set to false and " + prefix +
                             " did not exist.");
    }
  }
  if (plan.prefixes.empty()) {
    return InvalidArgument("At least one prefix checkpoint file must exist, but none existed.");
  }
  plan.index.num_shards = static_cast<int32_t>(plan.data.size());
  return plan;
}

// Renames the files of data; where one cannot be, all are as they were. No new name is that of a
// file which has still to be renamed: that would be one of as many files, and these keep their
// order.
Status MoveData(const Plan& plan, const std::string& destination) {
  const auto target = [&](size_t i) {
    return DataPath(destination, static_cast<int32_t>(i), plan.index.num_shards);
  };
  for (size_t i = 0; i < plan.data.size(); ++i) {
    if (std::rename(plan.data[i].c_str(), target(i).c_str()) == 0) continue;
    const Status status = SystemError(plan.data[i]);
    while (i-- > 0) std::rename(target(i).c_str(), plan.data[i].c_str());
    return status;
  }
  return Status();
}

std::string FolderOf(const std::string& prefix) {
  return std::filesystem::path(prefix).parent_path().string();
}

}  // namespace

Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination,
                    const MergeOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const Plan plan, MakePlan(prefixes, options.allows_missing));
  TAGFLOW_RETURN_IF_ERROR(MakeFolderOf(destination));
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<NewFile> index, plan.index.Write(destination));
  TAGFLOW_RETURN_IF_ERROR(MoveData(plan, destination));
  TAGFLOW_RETURN_IF_ERROR(index->Commit());
  // From here on everything is there, and what is left over does no harm.
  for (const std::string& prefix : plan.prefixes) {
    std::error_code error;
    const bool is_result =
        std::filesystem::equivalent(IndexPath(prefix), IndexPath(destination), error);
    if (!is_result) ::unlink(IndexPath(prefix).c_str());
  }
  for (const std::string& prefix : prefixes) {
    const std::string folder = FolderOf(prefix);
    if (options.deletes_folders && folder != FolderOf(destination)) ::rmdir(folder.c_str());
  }
  return Status();
}

}  // namespace tagflow
