#include "graph/saved/bundle_writer.h"

#include <cstring>
#include <limits>
#include <utility>

#include "graph/io/tensor_proto.h"
#include "graph/io/varint.h"
#include "graph/saved/bundle_index.h"
#include "graph/saved/crc32c.h"
#include "graph/saved/new_file.h"
#include "graph/saved/tensor_slice.h"

namespace tagflow {
namespace {

template <typename T>
uint32_t ExtendByNumber(uint32_t sum, T value) {
  return ExtendCrc32c(sum, &value, sizeof(value));
}

// Of texts: their lengths, the sum of these, and the texts one behind the other.
struct TextHead {
  std::string bytes;
  uint32_t sum = 0;  // of what is summed so far
};
TextHead HeadOf(const Tensor& texts) {
  TextHead head;
  for (const std::string& text : texts.flat<std::string>()) {
    AppendVarint(head.bytes, text.size());
    head.sum = text.size() <= std::numeric_limits<uint32_t>::max()
                   ? ExtendByNumber(head.sum, static_cast<uint32_t>(text.size()))
                   : ExtendByNumber(head.sum, uint64_t{text.size()});
  }
  const uint32_t masked = MaskedCrc32c(head.sum);
  head.bytes.append(reinterpret_cast<const char*>(&masked), sizeof(masked));
  head.sum = ExtendByNumber(head.sum, masked);
  return head;
}

bool AreEqual(const TensorShapeProto& a, const TensorShapeProto& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

void SetSlice(const TensorSlice& slice, TensorSliceProto& proto) {
  for (const TensorSlice::Extent& from : slice.extents) {
    TensorSliceProto::Extent& extent = *proto.add_extent();
    if (from.length == TensorSlice::kAll) continue;
    extent.set_start(from.start);
    extent.set_length(from.length);
  }
}

}  // namespace

BundleWriter::BundleWriter(std::string prefix, std::unique_ptr<NewFile> data)
    : prefix_(std::move(prefix)), data_(std::move(data)), index_(std::make_unique<BundleIndex>()) {
  index_->num_shards = 1;
}

BundleWriter::~BundleWriter() = default;

Result<std::unique_ptr<BundleWriter>> BundleWriter::Create(const std::string& prefix) {
  TAGFLOW_RETURN_IF_ERROR(MakeFolderOf(prefix));
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<NewFile> data, NewFile::Create(DataPath(prefix, 0, 1)));
  return std::unique_ptr<BundleWriter>(new BundleWriter(prefix, std::move(data)));
}

Status BundleWriter::Add(const std::string& name, const Tensor& tensor,
                         const std::string& shape_and_slice) {
  if (name.empty() || name[0] == '\0') {
    return InvalidArgument(
        "the name of a tensor in a checkpoint is not empty, and begins with no "
        "zero byte");
  }
  if (tensor.dtype() == DType::kResource || tensor.dtype() == DType::kVariant) {
    return Unimplemented("tensor '" + name + "' is of dtype " + DTypeName(tensor.dtype()) +
                         ", which no checkpoint holds here");
  }
  return shape_and_slice.empty() ? AddWhole(name, tensor) : AddPiece(name, tensor, shape_and_slice);
}

Status BundleWriter::AddPiece(const std::string& name, const Tensor& tensor,
                              const std::string& piece) {
  TAGFLOW_ASSIGN_OR_RETURN(const ShapeAndSlice parsed, ParseShapeAndSlice(piece));
  TAGFLOW_ASSIGN_OR_RETURN(const TensorSlice bounded, Bounded(parsed.slice, parsed.dims));
  if (LengthsOf(bounded) != Dims(tensor.dims().begin(), tensor.dims().end())) {
    return InvalidArgument(
        "Slice in shape_and_slice specification does not match the shape of the tensor to save: " +
        piece + ", tensor: " + DimsString(tensor.dims()));
  }
  if (LengthsOf(bounded) == parsed.dims) return AddWhole(name, tensor);
  TensorShapeProto shape;
  ShapeToProto(PartialShape(parsed.dims), shape);
  const auto [found, is_new] = index_->entries.try_emplace(name);
  BundleEntryProto& whole = found->second;
  if (is_new) {
    whole.set_dtype(static_cast<DataType>(tensor.dtype()));
    *whole.mutable_shape() = shape;
  } else if (whole.slices_size() == 0) {
    return InvalidArgument("Adding duplicate key: " + name);
  } else if (whole.dtype() != static_cast<DataType>(tensor.dtype()) ||
             !AreEqual(whole.shape(), shape)) {
    return InvalidArgument("the pieces of '" + name + "' differ in dtype or whole shape: " + piece);
  }
  SetSlice(parsed.slice, *whole.add_slices());
  return AddWhole(SliceKey(name, parsed.slice), tensor);
}

Status BundleWriter::AddWhole(const std::string& key, const Tensor& tensor) {
  const auto [found, is_new] = index_->entries.try_emplace(key);
  if (!is_new) return InvalidArgument("Adding duplicate key: " + key);
  BundleEntryProto& entry = found->second;
  entry.set_dtype(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(PartialShape(Dims(tensor.dims().begin(), tensor.dims().end())),
               *entry.mutable_shape());
  entry.set_offset(size_);
  uint32_t sum = 0;
  const auto append = [&](std::string_view bytes) {
    sum = ExtendCrc32c(sum, bytes.data(), bytes.size());
    size_ += static_cast<int64_t>(bytes.size());
    return data_->Append(bytes);
  };
  if (tensor.dtype() == DType::kString) {
    const TextHead head = HeadOf(tensor);
    TAGFLOW_RETURN_IF_ERROR(append(head.bytes));
    sum = head.sum;  // of the lengths as numbers, not as they are written
    for (const std::string& text : tensor.flat<std::string>()) {
      TAGFLOW_RETURN_IF_ERROR(append(text));
    }
  } else if (tensor.byte_size() > 0) {
    TAGFLOW_RETURN_IF_ERROR(
        append({static_cast<const char*>(tensor.raw_data()), tensor.byte_size()}));
  }
  entry.set_size(size_ - entry.offset());
  entry.set_crc32c(MaskedCrc32c(sum));
  return Status();
}

Status BundleWriter::Finish() {
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<NewFile> index, index_->Write(prefix_));
  TAGFLOW_RETURN_IF_ERROR(data_->Commit());
  return index->Commit();
}

}  // namespace tagflow
