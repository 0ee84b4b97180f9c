#include "graph/saved/tensor_bundle.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/io/tensor_proto.h"
#include "graph/io/varint.h"
#include "graph/saved/bundle_index.h"
#include "graph/saved/crc32c.h"
#include "graph/saved/old_checkpoint.h"
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

// Of texts: their lengths, the sum of these, and the texts one behind the other.
//   REQUIRES: HasItsBytes(entry)
Result<Tensor> ReadTexts(const TensorBundle::Entry& entry, std::ifstream& file) {
  std::string bytes(static_cast<size_t>(entry.bytes), '\0');
  if (!file.read(bytes.data(), entry.bytes)) return DataLoss("its bytes cannot be read");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.dims));
  const auto count = static_cast<size_t>(tensor.num_elements());
  VarintReader reader(bytes);
  std::vector<uint64_t> lengths(count);
  uint32_t sum = 0;
  for (uint64_t& length : lengths) {
    if (!reader.Read(length)) return DataLoss("the lengths of texts are cut off");
    if (length <= std::numeric_limits<uint32_t>::max()) {
      const auto narrow = static_cast<uint32_t>(length);
      sum = ExtendCrc32c(sum, &narrow, sizeof(narrow));
    } else {
      sum = ExtendCrc32c(sum, &length, sizeof(length));
    }
  }
  std::string_view rest = reader.rest();
  uint32_t stored = 0;
  if (rest.size() < kSumBytes) return DataLoss("the lengths of texts are cut off");
  std::memcpy(&stored, rest.data(), kSumBytes);
  rest.remove_prefix(kSumBytes);
  if (stored != MaskedCrc32c(sum)) return DataLoss("the lengths of texts have another checksum");
  sum = ExtendCrc32c(sum, &stored, kSumBytes);
  sum = ExtendCrc32c(sum, rest.data(), rest.size());
  if (entry.sum != MaskedCrc32c(sum)) return DataLoss("the texts have another checksum");
  std::string* const texts = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < count; ++i) {
    if (rest.size() < lengths[i]) return DataLoss("a text is cut off");
    texts[i] = rest.substr(0, lengths[i]);
    rest.remove_prefix(lengths[i]);
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

// Whether a tensor has as many bytes as the index says; texts may have more.
bool HasItsBytes(const TensorBundle::Entry& entry) {
  const Result<int64_t> count = NumElements(entry.dims);
  if (!count.ok() || entry.bytes < 0) return false;
  if (entry.dtype == DType::kString) {
    return entry.bytes >= static_cast<int64_t>(kSumBytes) &&
           *count <= entry.bytes - static_cast<int64_t>(kSumBytes);
  }
  const auto size = static_cast<int64_t>(DTypeSize(entry.dtype));
  return entry.bytes % size == 0 && *count == entry.bytes / size;
}

}  // namespace

Result<std::unique_ptr<TensorBundle>> TensorBundle::Open(const std::string& prefix) {
  std::error_code error;
  if (!std::filesystem::exists(IndexPath(prefix), error) && SortedTable::IsOne(prefix)) {
    return OpenOld(prefix);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const BundleIndex index, BundleIndex::Read(prefix));
  std::unique_ptr<TensorBundle> bundle(new TensorBundle(prefix));
  bundle->num_shards_ = index.num_shards;
  for (const auto& [key, entry] : index.entries) {
    const Status added = bundle->AddEntry(key, entry);
    if (added.ok()) continue;
    return Status(added.code(), IndexPath(prefix) + ": " + std::string(added.message()));
  }
  return bundle;
}

Result<std::unique_ptr<TensorBundle>> TensorBundle::OpenOld(const std::string& path) {
  std::unique_ptr<TensorBundle> bundle(new TensorBundle(path));
  TAGFLOW_ASSIGN_OR_RETURN(bundle->table_, SortedTable::Open(path));
  TAGFLOW_ASSIGN_OR_RETURN(const SavedTensorSliceMeta index, ReadOldIndex(*bundle->table_));
  for (const SavedSliceMeta& tensor : index.tensor()) {
    const Status added = bundle->AddOld(tensor);
    if (!added.ok()) return Status(added.code(), path + ": " + std::string(added.message()));
  }
  return bundle;
}

Status TensorBundle::AddOld(const SavedSliceMeta& from) {
  BundleEntryProto whole;
  whole.set_dtype(from.type());
  *whole.mutable_shape() = from.shape();
  *whole.mutable_slices() = from.slice();
  TAGFLOW_RETURN_IF_ERROR(AddEntry(from.name(), whole));
  const auto added = entries_.find(from.name());
  if (added == entries_.end()) return DataLoss("a tensor has no name");
  for (const TensorSlice& slice : added->second.pieces) {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorSlice bounded, Bounded(slice, added->second.dims));
    Entry piece;
    piece.dtype = added->second.dtype;
    piece.dims = LengthsOf(bounded);
    piece.key = SliceKey(from.name(), slice);
    pieces_.emplace(piece.key, piece);
  }
  return Status();
}

Status TensorBundle::AddEntry(const std::string& key, const BundleEntryProto& from) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeFromProto(from.shape()));
  Entry entry;
  const bool is_known =
      IsKnownDType(from.dtype()) && IsTensorDType(static_cast<DType>(from.dtype()));
  if (is_known) entry.dtype = static_cast<DType>(from.dtype());
  if (!shape.known_rank()) return DataLoss("'" + key + "' has no shape");
  entry.dims = shape.dims();
  for (const int64_t dim : entry.dims) {
    if (dim < 0) return DataLoss("'" + key + "' has no whole shape");
  }
  entry.shard = from.shard_id();
  entry.offset = from.offset();
  entry.bytes = from.size();
  entry.sum = from.crc32c();
  for (const TensorSliceProto& slice : from.slices()) {
    TensorSlice& piece = entry.pieces.emplace_back();
    for (const auto& extent : slice.extent()) {
      piece.extents.push_back({extent.start(), extent.has_length() ? extent.length() : -1});
    }
  }
  (key[0] == '\0' ? pieces_ : entries_).emplace(key, std::move(entry));
  return Status();
}

Result<Tensor> TensorBundle::Read(std::string_view name, const std::string& shape_and_slice) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return NotFound("the checkpoint " + prefix_ + " has no tensor '" + std::string(name) + "'");
  }
  const Entry& entry = found->second;
  Result<Tensor> tensor = Tensor();
  if (shape_and_slice.empty() && entry.pieces.empty()) {
    tensor = ReadWhole(entry);
  } else if (shape_and_slice.empty()) {
    tensor = ReadBlock(name, entry, TensorSlice::Whole(entry.dims.size()));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(const ShapeAndSlice wanted, ParseShapeAndSlice(shape_and_slice));
    if (wanted.dims != entry.dims) {
      return InvalidArgument(
          "tensor_name = " + std::string(name) + "; shape in shape_and_slice spec " +
          DimsString(wanted.dims) +
          " does not match the shape stored in checkpoint: " + DimsString(entry.dims));
    }
    tensor = ReadBlock(name, entry, wanted.slice);
  }
  if (tensor.ok()) return tensor;
  return Status(tensor.status().code(), "tensor '" + std::string(name) + "' of " + prefix_ + ": " +
                                            std::string(tensor.status().message()));
}

Status TensorBundle::CheckFile(const Entry& entry) const {
  if (entry.dtype == DType::kInvalid || entry.dtype == DType::kVariant ||
      entry.dtype == DType::kResource) {
    return Unimplemented("it is of a dtype that is not read");
  }
  if (table_ != nullptr) return Status();
  if (!entry.pieces.empty() || entry.shard < 0 || entry.shard >= num_shards_ || entry.offset < 0 ||
      !HasItsBytes(entry)) {
    return DataLoss("the index contradicts itself");
  }
  const std::string path = DataPath(prefix_, entry.shard, num_shards_);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, SizeOf(path));
  if (entry.bytes <= size && entry.offset <= size - entry.bytes) return Status();
  return DataLoss(path + " ends before it, at " + SizeText(size));
}

Result<Tensor> TensorBundle::ReadWhole(const Entry& entry) const {
  TAGFLOW_RETURN_IF_ERROR(CheckFile(entry));
  if (table_ != nullptr) return ReadOldPiece(*table_, entry.key, entry.dtype, entry.dims);
  const std::string path = DataPath(prefix_, entry.shard, num_shards_);
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(entry.offset)) return DataLoss(path + " cannot be read");
  return entry.dtype == DType::kString ? ReadTexts(entry, file) : ReadNumbers(entry, file);
}

Result<std::vector<TensorBundle::Piece>> TensorBundle::PiecesOf(std::string_view name,
                                                                const Entry& entry,
                                                                const TensorSlice& block) const {
  std::vector<Piece> pieces;
  if (entry.pieces.empty()) {
    pieces.push_back({*Bounded(TensorSlice::Whole(entry.dims.size()), entry.dims), &entry});
  }
  for (const TensorSlice& slice : entry.pieces) {
    TAGFLOW_ASSIGN_OR_RETURN(TensorSlice bounded, Bounded(slice, entry.dims));
    if (!Overlap(bounded, block)) continue;
    const auto found = pieces_.find(SliceKey(name, slice));
    if (found == pieces_.end() || found->second.dtype != entry.dtype ||
        found->second.dims != LengthsOf(bounded)) {
      return DataLoss("the index contradicts itself about piece " + slice.ToString());
    }
    pieces.push_back({std::move(bounded), &found->second});
  }
  for (const Piece& piece : pieces) TAGFLOW_RETURN_IF_ERROR(CheckFile(*piece.entry));
  return pieces;
}

// Piece by piece, of which there is one where it was saved whole; only those that are in it are
// read.
Result<Tensor> TensorBundle::ReadBlock(std::string_view name, const Entry& entry,
                                       const TensorSlice& wanted) const {
  Block block;
  TAGFLOW_ASSIGN_OR_RETURN(block.slice, Bounded(wanted, entry.dims));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Piece> pieces, PiecesOf(name, entry, block.slice));
  const Dims dims = LengthsOf(block.slice);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  int64_t there = 0;
  for (const Piece& piece : pieces)
    there += *NumElements(LengthsOf(Shared(piece.slice, block.slice)));
  if (there < count) {
    return InvalidArgument("Does not have sufficient slices for partitioned tensor " +
                           std::string(name) + " to restore in slice_spec: " + wanted.ToString());
  }
  std::vector<bool> filled(static_cast<size_t>(count));
  TAGFLOW_ASSIGN_OR_RETURN(block.values, Tensor::Allocate(entry.dtype, dims));
  for (const Piece& piece : pieces) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor values, ReadWhole(*piece.entry));
    TAGFLOW_RETURN_IF_ERROR(CopyShared({piece.slice, std::move(values)}, block, filled));
  }
  return block.values;
}

}  // namespace tagflow
