#include "graph/saved/old_checkpoint.h"

#include "graph/io/tensor_proto.h"

namespace tagflow {
namespace {

// A complex number is two.
int64_t ElementsIn(const TensorProto& proto) {
  const int64_t halves = proto.scomplex_val_size() + proto.dcomplex_val_size();
  return halves / 2 + proto.half_val_size() + proto.float_val_size() + proto.double_val_size() +
         proto.int_val_size() + proto.string_val_size() + proto.int64_val_size() +
         proto.bool_val_size() + proto.uint32_val_size() + proto.uint64_val_size();
}

Result<SavedTensorSlices> Parsed(const SortedTable& table, const std::string& key) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, table.Get(key));
  SavedTensorSlices parsed;
  if (parsed.ParseFromString(bytes)) return parsed;
  return DataLoss("an entry of the checkpoint is broken");
}

}  // namespace

Result<SavedTensorSliceMeta> ReadOldIndex(const SortedTable& table) {
  TAGFLOW_ASSIGN_OR_RETURN(const SavedTensorSlices index, Parsed(table, ""));
  return index.meta();
}

Result<Tensor> ReadOldPiece(const SortedTable& table, const std::string& key, DType dtype,
                            const Dims& dims) {
  TAGFLOW_ASSIGN_OR_RETURN(SavedTensorSlices piece, Parsed(table, key));
  TensorProto& values = *piece.mutable_data()->mutable_data();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  if (values.tensor_content().empty() && ElementsIn(values) != count) {
    return DataLoss("it has " + std::to_string(ElementsIn(values)) + " elements, of " +
                    std::to_string(count));
  }
  values.set_dtype(static_cast<DataType>(dtype));
  ShapeToProto(PartialShape(dims), *values.mutable_tensor_shape());
  return TensorFromProto(values);
}

}  // namespace tagflow
