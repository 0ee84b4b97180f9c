#include "graph/io/variant_proto.h"

#include <algorithm>
#include <optional>

#include "graph/held_ragged.h"
#include "graph/held_tensor.h"
#include "graph/io/parse.h"
#include "graph/io/varint.h"
#include "graph/limits.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"

namespace tagflow {
namespace {

// A list's metadata: how many elements have no value and which, the dtype, the limit of elements
// (all as varints), then the element shape as a message. The tensors are the elements with a value,
// in order.

// How many variants, each within the one before, this thread is writing.
thread_local int depth = 0;

constexpr const char* kListType = "tensorflow::TensorList";
constexpr const char* kMapType = "tensorflow::TensorMap";
constexpr const char* kTensorType = "tensorflow::Tensor";
constexpr const char* kRaggedType = "RaggedTensorVariant";

struct ListHeader {
  std::vector<uint64_t> missing;  // ascending
  DType dtype = DType::kInvalid;
  int64_t max_num_elements = -1;
  PartialShape element_shape;
};

// Nothing for metadata that no list has.
std::optional<ListHeader> ParseHeader(const std::string& metadata) {
  ListHeader header;
  VarintReader reader(metadata);
  uint64_t count, number;
  // Each index takes a byte at least.
  if (!reader.Read(count) || count > metadata.size()) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    if (!reader.Read(number)) return std::nullopt;
    if (!header.missing.empty() && number <= header.missing.back()) return std::nullopt;
    header.missing.push_back(number);
  }
  if (!reader.Read(number) || number > 0xff) return std::nullopt;
  if (number != 0 && !IsKnownDType(static_cast<int>(number))) return std::nullopt;
  header.dtype = static_cast<DType>(number);
  if (!reader.Read(number)) return std::nullopt;
  header.max_num_elements = static_cast<int64_t>(number);
  TensorShapeProto shape;
  if (!ParseBinary(reader.rest(), "shape", shape).ok()) return std::nullopt;
  Result<PartialShape> native = ShapeFromProto(shape);
  if (!native.ok()) return std::nullopt;
  header.element_shape = *std::move(native);
  return header;
}

Result<Variant> ListFromProto(const VariantTensorDataProto& proto, TensorBudget& budget) {
  const std::optional<ListHeader> header = ParseHeader(proto.metadata());
  const Status bad = InvalidArgument("a TensorList whose metadata contradict themselves");
  if (!header.has_value()) return bad;
  TensorList list(header->dtype, header->element_shape, header->max_num_elements);
  const uint64_t size = header->missing.size() + static_cast<uint64_t>(proto.tensors_size());
  if (!header->missing.empty() && header->missing.back() >= size) return bad;
  int next_tensor = 0;
  for (uint64_t i = 0; i < size; ++i) {
    if (std::binary_search(header->missing.begin(), header->missing.end(), i)) {
      list.Push(Tensor());
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor element,
                               TensorFromProto(proto.tensors(next_tensor++), budget));
      if (element.dtype() != header->dtype) return bad;
      list.Push(std::move(element));
    }
  }
  return Variant(std::make_shared<const TensorList>(std::move(list)));
}

Status ListToProto(const TensorList& list, TensorForm form, VariantTensorDataProto& proto) {
  if (depth > kMostNestedLists || list.size() > kMostListElements) {
    return ResourceExhausted("a list of more than " + std::to_string(kMostListElements) +
                             " elements, or in more than " + std::to_string(kMostNestedLists) +
                             " lists, has no wire form");
  }
  proto.set_type_name(kListType);
  std::vector<uint64_t> missing;
  for (int64_t i = 0; i < list.size(); ++i) {
    if (!list.Get(i).has_value()) {
      missing.push_back(static_cast<uint64_t>(i));
    } else {
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(list.Get(i), form, *proto.add_tensors()));
    }
  }
  std::string& metadata = *proto.mutable_metadata();
  AppendVarint(metadata, missing.size());
  for (uint64_t index : missing) AppendVarint(metadata, index);
  AppendVarint(metadata, static_cast<uint64_t>(list.dtype()));
  AppendVarint(metadata, static_cast<uint64_t>(list.max_num_elements()));
  TensorShapeProto shape;
  ShapeToProto(list.element_shape(), shape);
  metadata += SerializeDeterministic(shape);
  return Status();
}

Status CheckDepth() {
  if (depth <= kMostNestedLists) return Status();
  return ResourceExhausted("a tensor in more than " + std::to_string(kMostNestedLists) +
                           " variants has no wire form");
}

// The tensors of a map are a key and its value in turn.
Result<Variant> MapFromProto(const VariantTensorDataProto& proto, TensorBudget& budget) {
  if (proto.tensors_size() % 2 != 0) return InvalidArgument("a TensorMap with a key but no value");
  TensorMap map;
  for (int i = 0; i < proto.tensors_size(); i += 2) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor key, TensorFromProto(proto.tensors(i), budget));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(proto.tensors(i + 1), budget));
    if (!TensorMap::IsKeyDType(key.dtype())) {
      return InvalidArgument("a TensorMap with a key of dtype " + DTypeName(key.dtype()));
    }
    map.Insert(std::move(key), std::move(value));
  }
  return Variant(std::make_shared<const TensorMap>(std::move(map)));
}

Status MapToProto(const TensorMap& map, TensorForm form, VariantTensorDataProto& proto) {
  TAGFLOW_RETURN_IF_ERROR(CheckDepth());
  proto.set_type_name(kMapType);
  Status status;
  map.Visit([&](const Tensor& key, const Tensor& value) {
    if (status.ok()) status = TensorToProto(key, form, *proto.add_tensors());
    if (status.ok()) status = TensorToProto(value, form, *proto.add_tensors());
  });
  return status;
}

Result<Variant> TensorOf(const VariantTensorDataProto& proto, TensorBudget& budget) {
  if (proto.tensors_size() != 1) return InvalidArgument("a variant that should hold one tensor");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(proto.tensors(0), budget));
  return HeldTensor::Wrap(std::move(tensor));
}

Status HeldToProto(const HeldTensor& held, TensorForm form, VariantTensorDataProto& proto) {
  TAGFLOW_RETURN_IF_ERROR(CheckDepth());
  proto.set_type_name(kTensorType);
  return TensorToProto(held.tensor(), form, *proto.add_tensors());
}

Result<Variant> RaggedFromProto(const VariantTensorDataProto& proto, TensorBudget& budget) {
  if (proto.tensors_size() == 0) return InvalidArgument("a ragged tensor without values");
  std::vector<Tensor> tensors;
  for (const TensorProto& tensor : proto.tensors()) {
    TAGFLOW_ASSIGN_OR_RETURN(tensors.emplace_back(), TensorFromProto(tensor, budget));
  }
  return HeldRagged::Wrap(std::move(tensors));
}

Status RaggedToProto(const HeldRagged& ragged, TensorForm form, VariantTensorDataProto& proto) {
  TAGFLOW_RETURN_IF_ERROR(CheckDepth());
  proto.set_type_name(kRaggedType);
  for (const Tensor& tensor : ragged.tensors()) {
    TAGFLOW_RETURN_IF_ERROR(TensorToProto(tensor, form, *proto.add_tensors()));
  }
  return Status();
}

// The message of a variant of a type that the engines know.
Status KnownToProto(const Variant& variant, TensorForm form, VariantTensorDataProto& proto) {
  if (const auto* list = variant.Get<TensorList>()) return ListToProto(*list, form, proto);
  if (const auto* map = variant.Get<TensorMap>()) return MapToProto(*map, form, proto);
  if (const auto* held = variant.Get<HeldTensor>()) return HeldToProto(*held, form, proto);
  if (const auto* ragged = variant.Get<HeldRagged>()) return RaggedToProto(*ragged, form, proto);
  return Unimplemented("a variant of type " + variant.value()->TypeName() + " has no wire form");
}

}  // namespace

Result<Variant> VariantFromProto(const VariantTensorDataProto& proto, TensorBudget& budget) {
  if (proto.type_name().empty()) return Variant();
  if (proto.type_name() == kListType) return ListFromProto(proto, budget);
  if (proto.type_name() == kMapType) return MapFromProto(proto, budget);
  if (proto.type_name() == kTensorType) return TensorOf(proto, budget);
  if (proto.type_name() == kRaggedType) return RaggedFromProto(proto, budget);
  std::string bytes = SerializeDeterministic(proto);
  TAGFLOW_RETURN_IF_ERROR(budget.Take(static_cast<int64_t>(bytes.size()), 1));
  return Variant(std::make_shared<const OpaqueVariant>(proto.type_name(), std::move(bytes)));
}

Status VariantToProto(const Variant& variant, TensorForm form, VariantTensorDataProto& proto) {
  if (variant.empty()) return Status();
  if (const auto* opaque = variant.Get<OpaqueVariant>()) {
    return ParseBinary(opaque->bytes(), "a variant of type " + opaque->TypeName(), proto);
  }
  ++depth;
  Status status = KnownToProto(variant, form, proto);
  --depth;
  return status;
}

}  // namespace tagflow
