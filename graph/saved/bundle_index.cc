// Tested by tensor_bundle_test.cc and bundle_writer_test.cc.

#include "graph/saved/bundle_index.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

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
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return NotFound("there is no file " + path + ", of which a checkpoint would consist");
  const auto broken = [&](const std::string& why) {
    return DataLoss(path + " is not the index of a checkpoint: " + why);
  };
  leveldb::RandomAccessFile* opened = nullptr;
  leveldb::Status status = leveldb::Env::Default()->NewRandomAccessFile(path, &opened);
  if (!status.ok()) return broken(status.ToString());
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* made = nullptr;
  status = leveldb::Table::Open(options, file.get(), static_cast<uint64_t>(size), &made);
  if (!status.ok()) return broken(status.ToString());
  const std::unique_ptr<leveldb::Table> table(made);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> at(table->NewIterator(read));
  BundleIndex index;
  bool has_header = false;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const std::string_view key(at->key().data(), at->key().size());
    has_header |= key.empty();
    const Status added = AddEntry(index, key, {at->value().data(), at->value().size()});
    if (!added.ok()) return Status(added.code(), path + ": " + std::string(added.message()));
  }
  if (!at->status().ok()) return broken(at->status().ToString());
  if (!has_header) return broken("it has no header");
  return index;
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
