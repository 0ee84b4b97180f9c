#include "graph/io/tensor_proto.h"

#include <bit>
#include <cstring>

#include "graph/io/element_wire.h"
#include "graph/io/handle_proto.h"
#include "graph/machine_memory.h"

namespace tagflow {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor_content is little-endian");

Status WrongContentSize(const TensorProto& proto, const Tensor& tensor) {
  return InvalidArgument("tensor_content has " + std::to_string(proto.tensor_content().size()) +
                         " bytes, where dtype " + DTypeName(tensor.dtype()) + " and shape " +
                         DimsString(tensor.dims()) + " need " + std::to_string(tensor.byte_size()));
}

Status FillFromContent(const TensorProto& proto, Tensor& tensor) {
  const std::string& content = proto.tensor_content();
  if (content.size() != tensor.byte_size()) return WrongContentSize(proto, tensor);
  if (tensor.dtype() == DType::kBool) {
    // Not memcpy: a byte that is neither 0 nor 1 is no bool.
    bool* out = tensor.mutable_data<bool>();
    for (char byte : content) *out++ = byte != 0;
  } else {
    std::memcpy(tensor.mutable_raw_data(), content.data(), content.size());
  }
  return Status();
}

template <typename T>
void FillFromField(const TensorProto& proto, Tensor& tensor) {
  const int64_t given = std::min(Wire<T>::Size(proto), tensor.num_elements());
  if (given == 0) return;  // zeros, as allocated
  T* out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < given; ++i) out[i] = Wire<T>::Get(proto, i);
  std::fill(out + given, out + tensor.num_elements(), out[given - 1]);
}

Result<Dims> DimsFromProto(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) return InvalidArgument("a tensor's shape must have a known rank");
  Dims dims;
  dims.reserve(static_cast<size_t>(proto.dim_size()));
  for (const TensorShapeProto::Dim& dim : proto.dim()) dims.push_back(dim.size());
  return dims;
}

// Elements from the first of the run of equal elements at the end, plus one: what a field must
// give.
template <typename T>
int64_t DistinctPrefix(const T* data, int64_t count) {
  int64_t prefix = count;
  while (prefix > 1 && std::memcmp(&data[prefix - 2], &data[count - 1], sizeof(T)) == 0) --prefix;
  return prefix;
}

template <typename T>
void WriteElements(const Tensor& tensor, TensorForm form, TensorProto& proto) {
  const T* data = tensor.data<T>();
  const int64_t count = tensor.num_elements();
  if (count == 0) return;
  const int64_t prefix = DistinctPrefix(data, count);
  // A number in a field takes up to ten bytes; two to one is a fair guess.
  if (form == TensorForm::kReadable || prefix * 2 <= count || count == 1) {
    Wire<T>::Reserve(proto, prefix);
    for (int64_t i = 0; i < prefix; ++i) Wire<T>::Add(proto, data[i]);
  } else {
    proto.set_tensor_content(data, tensor.byte_size());
  }
}

}  // namespace

TensorBudget::TensorBudget() : bytes_left_(static_cast<int64_t>(MachineMemoryBytes() / 2)) {}

Status TensorBudget::Take(int64_t elements, size_t element_size) {
  int64_t bytes;
  if (__builtin_mul_overflow(elements, static_cast<int64_t>(element_size), &bytes) ||
      bytes > bytes_left_) {
    return ResourceExhausted("a tensor of " + std::to_string(elements) + " elements of " +
                             std::to_string(element_size) + " bytes is more than the " +
                             std::to_string(bytes_left_) + " bytes that may still be used");
  }
  bytes_left_ -= bytes;
  return Status();
}

Result<Tensor> TensorFromProto(const TensorProto& proto) {
  TensorBudget budget;
  return TensorFromProto(proto, budget);
}

Result<Tensor> TensorFromProto(const TensorProto& proto, TensorBudget& budget) {
  const int number = proto.dtype();
  if (number == DT_INVALID) return InvalidArgument("the tensor has no dtype");
  if (!IsKnownDType(number) || !IsTensorDType(static_cast<DType>(number))) {
    return Unimplemented(
        "tensors of dtype " +
        (DataType_IsValid(number) ? DataType_Name(number) : "number " + std::to_string(number)) +
        " are not supported");
  }
  const DType dtype = static_cast<DType>(number);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, DimsFromProto(proto.tensor_shape()));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t elements, NumElements(dims));
  TAGFLOW_RETURN_IF_ERROR(budget.Take(elements, DTypeSize(dtype)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, dims));
  if (elements == 0) return tensor;
  if (!IsPlainDType(dtype)) {
    TAGFLOW_RETURN_IF_ERROR(HandlesFromProto(proto, tensor, budget));
  } else if (!proto.tensor_content().empty()) {
    TAGFLOW_RETURN_IF_ERROR(FillFromContent(proto, tensor));
  } else {
    VisitPlain(dtype, [&]<typename T>() { FillFromField<T>(proto, tensor); });
  }
  return tensor;
}

Status TensorToProto(const Tensor& tensor, TensorForm form, TensorProto& proto) {
  proto.Clear();
  if (!tensor.has_value()) return InvalidArgument("a tensor without value has no wire form");
  if (tensor.memory_kind() == MemoryKind::kDevice) {
    return FailedPrecondition("the tensor is in a device's memory: copy it to the host first");
  }
  proto.set_dtype(static_cast<DataType>(tensor.dtype()));
  TensorShapeProto* shape = proto.mutable_tensor_shape();
  for (int64_t dim : tensor.dims()) shape->add_dim()->set_size(dim);
  if (!IsPlainDType(tensor.dtype())) return HandlesToProto(tensor, form, proto);
  VisitPlain(tensor.dtype(), [&]<typename T>() { WriteElements<T>(tensor, form, proto); });
  return Status();
}

Result<TensorProto> TensorToProto(const Tensor& tensor, TensorForm form) {
  TensorProto proto;
  TAGFLOW_RETURN_IF_ERROR(TensorToProto(tensor, form, proto));
  return proto;
}

Result<PartialShape> ShapeFromProto(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() == 0) return PartialShape();
    return InvalidArgument("a shape of unknown rank has dimensions");
  }
  Dims dims;
  dims.reserve(static_cast<size_t>(proto.dim_size()));
  for (const TensorShapeProto::Dim& dim : proto.dim()) {
    if (dim.size() < PartialShape::kUnknownDim) {
      return InvalidArgument("dimension " + std::to_string(dim.size()) +
                             " of a shape: use -1 for an unknown one, else 0 or more");
    }
    dims.push_back(dim.size());
  }
  return PartialShape(std::move(dims));
}

void ShapeToProto(const PartialShape& shape, TensorShapeProto& proto) {
  proto.Clear();
  if (!shape.known_rank()) return proto.set_unknown_rank(true);
  for (int64_t dim : shape.dims()) proto.add_dim()->set_size(dim);
}

}  // namespace tagflow
