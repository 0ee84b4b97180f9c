#include "graph/saved/sorted_table.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace tagflow {
namespace {

// The last bytes of each such file.
constexpr uint64_t kMagic = 0xdb4775248b80fb57;

leveldb::ReadOptions Checked() {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  return options;
}

}  // namespace

struct SortedTable::Opened {
  std::unique_ptr<leveldb::RandomAccessFile> file;  // outlives the table
  std::unique_ptr<leveldb::Table> table;
};

SortedTable::SortedTable(std::string path, std::unique_ptr<Opened> opened)
    : path_(std::move(path)), opened_(std::move(opened)) {}
SortedTable::~SortedTable() = default;

bool SortedTable::IsOne(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t last = 0;
  file.seekg(-static_cast<std::streamoff>(sizeof(last)), std::ios::end);
  char bytes[sizeof(last)];
  if (!file.read(bytes, sizeof(bytes))) return false;
  std::memcpy(&last, bytes, sizeof(last));
  return last == kMagic;
}

Status SortedTable::Broken(const std::string& why) const {
  return DataLoss(path_ + " is not the index of a checkpoint: " + why);
}

Result<std::unique_ptr<SortedTable>> SortedTable::Open(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return NotFound("there is no file " + path + ", of which a checkpoint would consist");
  std::unique_ptr<SortedTable> made(new SortedTable(path, std::make_unique<Opened>()));
  leveldb::RandomAccessFile* file = nullptr;
  leveldb::Status status = leveldb::Env::Default()->NewRandomAccessFile(path, &file);
  made->opened_->file.reset(file);
  if (!status.ok()) return made->Broken(status.ToString());
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* table = nullptr;
  status = leveldb::Table::Open(options, file, static_cast<uint64_t>(size), &table);
  made->opened_->table.reset(table);
  if (!status.ok()) return made->Broken(status.ToString());
  return made;
}

Status SortedTable::ForEach(
    const std::function<Status(std::string_view, std::string_view)>& visit) const {
  const std::unique_ptr<leveldb::Iterator> at(opened_->table->NewIterator(Checked()));
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const Status visited =
        visit({at->key().data(), at->key().size()}, {at->value().data(), at->value().size()});
    if (!visited.ok()) {
      return Status(visited.code(), path_ + ": " + std::string(visited.message()));
    }
  }
  return at->status().ok() ? Status() : Broken(at->status().ToString());
}

Result<std::string> SortedTable::Get(std::string_view key) const {
  const std::unique_ptr<leveldb::Iterator> at(opened_->table->NewIterator(Checked()));
  const leveldb::Slice wanted(key.data(), key.size());
  at->Seek(wanted);
  if (!at->status().ok()) return Broken(at->status().ToString());
  if (!at->Valid() || at->key() != wanted) return Broken("an entry that it names is missing");
  return at->value().ToString();
}

}  // namespace tagflow
