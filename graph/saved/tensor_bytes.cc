#include "graph/saved/tensor_bytes.h"

#include <utility>

#include "graph/io/parse.h"
#include "graph/io/protobuf_call.h"
#include "graph/io/tensor_proto.h"
#include "graph/io/varint.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

Status TooLarge() {
  return ResourceExhausted("the tensor has more than the " + std::to_string(kMostMessageBytes) +
                           " bytes of a message");
}

// Every length, and then every text.   Errors: RESOURCE_EXHAUSTED
Result<std::string> ContentOfTexts(const Tensor& tensor) {
  std::string content;
  size_t size = 0;
  for (const std::string& text : tensor.flat<std::string>()) {
    size += text.size();
    AppendVarint(content, text.size());
    if (size + content.size() > kMostMessageBytes) return TooLarge();
  }
  content.reserve(content.size() + size);
  for (const std::string& text : tensor.flat<std::string>()) content += text;
  return content;
}

Result<std::string> ContentOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return ContentOfTexts(tensor);
  if (!IsPlainDType(tensor.dtype())) {
    return Unimplemented("elements of dtype " + DTypeName(tensor.dtype()) +
                         " cannot be written into a string");
  }
  if (tensor.byte_size() > kMostMessageBytes) return TooLarge();
  return std::string(static_cast<const char*>(tensor.raw_data()), tensor.byte_size());
}

// What a message has besides the elements: its dtype and up to kMostDimensions dims.
constexpr size_t kMostBytesOfHead = size_t{1} << 14;

Result<Tensor> TensorFromBytes(const std::string& bytes, TensorBudget& budget) {
  TensorProto proto;
  if (!ParseBinary(bytes, "a tensor", proto).ok()) {
    return InvalidArgument("Could not parse serialized proto");
  }
  Result<Tensor> tensor = TensorFromProto(proto, budget);
  if (tensor.ok() || tensor.status().code() != Code::kInvalidArgument) return tensor;
  return InvalidArgument("Could not construct tensor from proto: " + tensor.status().message());
}

}  // namespace

Result<std::string> TensorToBytes(const Tensor& tensor) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string content, ContentOf(tensor));
  if (content.size() > kMostMessageBytes - kMostBytesOfHead) return TooLarge();
  const ProtobufCall call;
  TensorProto proto;
  proto.set_dtype(static_cast<DataType>(tensor.dtype()));
  TensorShapeProto* shape = proto.mutable_tensor_shape();
  for (const int64_t dim : tensor.dims()) shape->add_dim()->set_size(dim);
  proto.set_tensor_content(std::move(content));
  return proto.SerializeAsString();
}

Result<std::vector<Tensor>> TensorsFromBytes(std::span<const std::string> messages) {
  TensorBudget budget;
  std::vector<Tensor> tensors;
  tensors.reserve(messages.size());
  for (const std::string& bytes : messages) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, TensorFromBytes(bytes, budget));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace tagflow
