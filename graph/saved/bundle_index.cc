// Tested by tensor_bundle_test.cc and bundle_writer_test.cc.

#include "graph/saved/bundle_index.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

#include <cstdio>
#include <string_view>

#include "graph/saved/sorted_table.h"

namespace tagflow {
namespace {

constexpr int kVersion = 1;  // of the format

// value: of the entry of this key
Status AddEntry(BundleIndex& index, std::string_view key, std::string_view value) {
  const int length = static_cast<int>(value.size());
  if (!key.empty()) {
    BundleEntryProto entry;
    if (!entry.ParseFromArray(value.data(), length)) {
      return DataLoss("'" + std::string(key) + "' is broken");
    }
    index.entries.emplace(key, std::move(entry));
    return Status();
  }
  BundleHeaderProto header;
  if (!header.ParseFromArray(value.data(), length)) return DataLoss("its header is broken");
  index.num_shards = header.num_shards();
  if (header.endianness() == BundleHeaderProto::LITTLE) return Status();
  return Unimplemented("the checkpoint is of a machine with another byte order");
}

Status Written(const leveldb::Status& status, const std::string& path) {
  return status.ok() ? Status() : Status(Code::kUnknown, path + ": " + status.ToString());
}

}  // namespace

std::string IndexPath(const std::string& prefix) { return prefix + ".index"; }

std::string DataPath(const std::string& prefix, int32_t shard, int32_t num_shards) {
  char ending[64];
  std::snprintf(ending, sizeof(ending), ".data-%05d-of-%05d", shard, num_shards);
  return prefix + ending;
}

Result<BundleIndex> BundleIndex::Read(const std::string& prefix) {
  const std::string path = IndexPath(prefix);
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, SortedTable::Open(path));
  BundleIndex index;
  bool has_header = false;
  TAGFLOW_RETURN_IF_ERROR(table->ForEach([&](std::string_view key, std::string_view value) {
    has_header |= key.empty();
    return AddEntry(index, key, value);
  }));
  if (has_header) return index;
  return DataLoss(path + " is not the index of a checkpoint: it has no header");
}

Result<std::unique_ptr<NewFile>> BundleIndex::Write(const std::string& prefix) const {
  const std::string path = IndexPath(prefix);
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<NewFile> file, NewFile::Create(path));
  leveldb::WritableFile* opened = nullptr;
  leveldb::Status status =
      leveldb::Env::Default()->NewWritableFile(file->temporary_path(), &opened);
  TAGFLOW_RETURN_IF_ERROR(Written(status, path));
  const std::unique_ptr<leveldb::WritableFile> target(opened);
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  leveldb::TableBuilder builder(options, target.get());
  BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(kVersion);
  builder.Add("", header.SerializeAsString());
  for (const auto& [key, entry] : entries) builder.Add(key, entry.SerializeAsString());
  status = builder.Finish();
  TAGFLOW_RETURN_IF_ERROR(Written(status, path));
  status = target->Close();
  TAGFLOW_RETURN_IF_ERROR(Written(status, path));
  return file;
}

}  // namespace tagflow
