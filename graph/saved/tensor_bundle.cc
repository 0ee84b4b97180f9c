#include "graph/saved/tensor_bundle.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#include "graph/io/tensor_proto.h"
#include "graph/saved/crc32c.h"
#include "graph/saved/saved_model.pb.h"

namespace tagflow {
namespace {

constexpr size_t kSumBytes = sizeof(uint32_t);

std::string SizeText(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

Result<int64_t> SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) return static_cast<int64_t>(size);
  return NotFound("there is no file " + path + ", of which a checkpoint would consist");
}

// Reads one varint; false where the bytes end.
bool ReadVarint(const unsigned char*& at, const unsigned char* end, uint64_t& value) {
  constexpr int kBits = 7, kBitsMax = 64;
  constexpr unsigned char kMore = 0x80;
  value = 0;
  for (int shift = 0; shift < kBitsMax && at < end; shift += kBits) {
    const unsigned char byte = *at++;
    value |= static_cast<uint64_t>(byte & ~kMore) << shift;
    if ((byte & kMore) == 0) return true;
  }
  return false;
}

// Of texts: their lengths, the sum of these, and the texts one behind the other.
Result<Tensor> ReadTexts(const TensorBundle::Entry& entry, const std::vector<char>& bytes) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.dims));
  const auto count = static_cast<size_t>(tensor.num_elements());
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  std::vector<uint64_t> lengths(count);
  uint32_t sum = 0;
  for (uint64_t& length : lengths) {
    if (!ReadVarint(at, end, length)) return DataLoss("the lengths of texts are cut off");
    if (length <= std::numeric_limits<uint32_t>::max()) {
      const auto narrow = static_cast<uint32_t>(length);
      sum = ExtendCrc32c(sum, &narrow, sizeof(narrow));
    } else {
      sum = ExtendCrc32c(sum, &length, sizeof(length));
    }
  }
  uint32_t stored = 0;
  if (static_cast<size_t>(end - at) < kSumBytes)
    return DataLoss("the lengths of texts are cut off");
  std::memcpy(&stored, at, kSumBytes);
  at += kSumBytes;
  if (stored != MaskedCrc32c(sum)) return DataLoss("the lengths of texts have another checksum");
  sum = ExtendCrc32c(sum, &stored, kSumBytes);
  sum = ExtendCrc32c(sum, at, static_cast<size_t>(end - at));
  if (entry.sum != MaskedCrc32c(sum)) return DataLoss("the texts have another checksum");
  std::string* const texts = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<uint64_t>(end - at) < lengths[i]) return DataLoss("a text is cut off");
    texts[i].assign(reinterpret_cast<const char*>(at), lengths[i]);
    at += lengths[i];
  }
  return tensor;
}

// The elements of a tensor of numbers, straight into its memory.  REQUIRES: HasItsBytes(entry)
Result<Tensor> ReadNumbers(const TensorBundle::Entry& entry, std::ifstream& file) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::AllocateUninitialized(entry.dtype, entry.dims));
  if (entry.bytes == 0) return tensor;
  void* const to = tensor.mutable_raw_data();
  if (!file.read(static_cast<char*>(to), entry.bytes)) return DataLoss("its bytes cannot be read");
  const uint32_t sum = ExtendCrc32c(0, to, static_cast<size_t>(entry.bytes));
  if (entry.sum != MaskedCrc32c(sum)) return DataLoss("its bytes have another checksum");
  return tensor;
}

// Whether a tensor of numbers has as many bytes as the index says.
bool HasItsBytes(const TensorBundle::Entry& entry) {
  const Result<int64_t> count = NumElements(entry.dims);
  const auto size = static_cast<int64_t>(DTypeSize(entry.dtype));
  return count.ok() && entry.bytes % size == 0 && *count == entry.bytes / size;
}

}  // namespace

Result<std::unique_ptr<TensorBundle>> TensorBundle::Open(const std::string& prefix) {
  std::unique_ptr<TensorBundle> bundle(new TensorBundle(prefix));
  TAGFLOW_RETURN_IF_ERROR(bundle->ReadIndex());
  return bundle;
}

Status TensorBundle::ReadIndex() {
  const std::string path = prefix_ + ".index";
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, SizeOf(path));
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
  bool has_header = false;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const std::string_view key(at->key().data(), at->key().size());
    has_header |= key.empty();
    const Status added = AddEntry(key, {at->value().data(), at->value().size()});
    if (!added.ok()) return Status(added.code(), path + ": " + std::string(added.message()));
  }
  if (!at->status().ok()) return broken(at->status().ToString());
  return has_header ? Status() : broken("it has no header");
}

Status TensorBundle::AddEntry(std::string_view key, std::string_view value) {
  const int length = static_cast<int>(value.size());
  if (key.empty()) {
    BundleHeaderProto header;
    if (!header.ParseFromArray(value.data(), length)) return DataLoss("its header is broken");
    num_shards_ = header.num_shards();
    if (header.endianness() == BundleHeaderProto::LITTLE) return Status();
    return Unimplemented("the checkpoint is of a machine with another byte order");
  }
  BundleEntryProto from;
  // Pieces of tensors have keys that are no text.
  if (key[0] == '\0') return Status();
  const std::string name(key);
  if (!from.ParseFromArray(value.data(), length)) return DataLoss("'" + name + "' is broken");
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeFromProto(from.shape()));
  Entry entry;
  const bool is_known =
      IsKnownDType(from.dtype()) && IsTensorDType(static_cast<DType>(from.dtype()));
  if (is_known) entry.dtype = static_cast<DType>(from.dtype());
  entry.is_in_pieces = from.slices_size() > 0;
  if (!shape.known_rank()) return DataLoss("'" + name + "' has no shape");
  entry.dims = shape.dims();
  for (const int64_t dim : entry.dims) {
    if (dim < 0) return DataLoss("'" + name + "' has no whole shape");
  }
  entry.shard = from.shard_id();
  entry.offset = from.offset();
  entry.bytes = from.size();
  entry.sum = from.crc32c();
  entries_.emplace(name, std::move(entry));
  return Status();
}

std::string TensorBundle::PathOf(int32_t shard) const {
  char ending[64];
  std::snprintf(ending, sizeof(ending), ".data-%05d-of-%05d", shard, num_shards_);
  return prefix_ + ending;
}

Result<Tensor> TensorBundle::Read(std::string_view name) const {
  const auto found = entries_.find(name);
  const std::string title = "tensor '" + std::string(name) + "' of " + prefix_;
  if (found == entries_.end()) {
    return NotFound("the checkpoint " + prefix_ + " has no tensor '" + std::string(name) + "'");
  }
  const Entry& entry = found->second;
  if (entry.is_in_pieces) return Unimplemented(title + " was saved in pieces");
  if (entry.dtype == DType::kInvalid || entry.dtype == DType::kVariant ||
      entry.dtype == DType::kResource) {
    return Unimplemented(title + " is of a dtype that is not read");
  }
  const bool is_text = entry.dtype == DType::kString;
  if (entry.shard < 0 || entry.shard >= num_shards_ || entry.offset < 0 || entry.bytes < 0 ||
      (!is_text && !HasItsBytes(entry))) {
    return DataLoss(title + ": the index contradicts itself");
  }
  const std::string path = PathOf(entry.shard);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, SizeOf(path));
  if (entry.bytes > size || entry.offset > size - entry.bytes) {
    return DataLoss(title + ": " + path + " ends before it, at " + SizeText(size));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(entry.offset)) return DataLoss(title + ": " + path + " cannot be read");
  Result<Tensor> tensor = Tensor();
  if (is_text) {
    std::vector<char> bytes(static_cast<size_t>(entry.bytes));
    const bool is_read = entry.bytes == 0 || file.read(bytes.data(), entry.bytes);
    tensor = is_read ? ReadTexts(entry, bytes) : DataLoss("its bytes cannot be read");
  } else {
    tensor = ReadNumbers(entry, file);
  }
  if (tensor.ok()) return tensor;
  return Status(tensor.status().code(), title + ": " + std::string(tensor.status().message()));
}

}  // namespace tagflow
