#include "graph/io/handle_proto.h"

#include <algorithm>

#include "graph/io/parse.h"
#include "graph/io/variant_proto.h"
#include "graph/io/varint.h"

namespace tagflow {
namespace {

Result<ResourceHandle> HandleFromProto(const ResourceHandleProto& proto) {
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.type_name = proto.maybe_type_name();
  handle.hash_code = proto.hash_code();
  return handle;
}

Status HandleToProto(const ResourceHandle& handle, ResourceHandleProto& proto) {
  if (handle.object != nullptr) {
    return Unimplemented("the handle of '" + handle.name +
                         "' names an object of one step and has no wire form");
  }
  proto.set_device(handle.device);
  proto.set_container(handle.container);
  proto.set_name(handle.name);
  proto.set_maybe_type_name(handle.type_name);
  proto.set_hash_code(handle.hash_code);
  return Status();
}

// The raw form of strings: every length as a varint, then every string.
Status StringsFromContent(const std::string& content, Tensor& tensor) {
  const Status bad = InvalidArgument("tensor_content does not hold " +
                                     std::to_string(tensor.num_elements()) + " strings");
  VarintReader reader(content);
  std::vector<uint64_t> lengths;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    uint64_t length;
    if (!reader.Read(length)) return bad;
    lengths.push_back(length);
  }
  std::string_view rest = reader.rest();
  std::string* out = tensor.mutable_data<std::string>();
  for (uint64_t length : lengths) {
    if (length > rest.size()) return bad;
    *out++ = rest.substr(0, static_cast<size_t>(length));
    rest.remove_prefix(static_cast<size_t>(length));
  }
  return rest.empty() ? Status() : bad;
}

// Calls `convert` on the given elements; the last stands for the missing ones.
template <typename T>
Status FillWith(Tensor& tensor, int given, auto&& convert) {
  T* out = tensor.mutable_data<T>();
  const int64_t count = tensor.num_elements();
  const int64_t filled = std::min<int64_t>(given, count);
  for (int64_t i = 0; i < filled; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(out[i], convert(static_cast<int>(i)));
  }
  if (filled > 0) std::fill(out + filled, out + count, out[filled - 1]);
  return Status();
}

Status StringsFromProto(const TensorProto& proto, Tensor& tensor, TensorBudget& budget) {
  if (!proto.tensor_content().empty()) return StringsFromContent(proto.tensor_content(), tensor);
  const int64_t missing = tensor.num_elements() - proto.string_val_size();
  if (missing > 0 && proto.string_val_size() > 0) {
    const std::string& last = proto.string_val(proto.string_val_size() - 1);
    TAGFLOW_RETURN_IF_ERROR(budget.Take(missing, last.size()));
  }
  return FillWith<std::string>(tensor, proto.string_val_size(),
                               [&](int i) -> Result<std::string> { return proto.string_val(i); });
}

}  // namespace

Status HandlesFromProto(const TensorProto& proto, Tensor& tensor, TensorBudget& budget) {
  if (tensor.dtype() == DType::kString) return StringsFromProto(proto, tensor, budget);
  if (!proto.tensor_content().empty()) {
    return InvalidArgument("tensor_content cannot hold elements of dtype " +
                           DTypeName(tensor.dtype()));
  }
  if (tensor.dtype() == DType::kResource) {
    return FillWith<ResourceHandle>(tensor, proto.resource_handle_val_size(), [&](int i) {
      return HandleFromProto(proto.resource_handle_val(i));
    });
  }
  return FillWith<Variant>(tensor, proto.variant_val_size(),
                           [&](int i) { return VariantFromProto(proto.variant_val(i), budget); });
}

Status HandlesToProto(const Tensor& tensor, TensorForm form, TensorProto& proto) {
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.flat<std::string>()) proto.add_string_val(text);
    return Status();
  }
  if (tensor.dtype() == DType::kResource) {
    for (const ResourceHandle& handle : tensor.flat<ResourceHandle>()) {
      TAGFLOW_RETURN_IF_ERROR(HandleToProto(handle, *proto.add_resource_handle_val()));
    }
    return Status();
  }
  for (const Variant& variant : tensor.flat<Variant>()) {
    TAGFLOW_RETURN_IF_ERROR(VariantToProto(variant, form, *proto.add_variant_val()));
  }
  return Status();
}

}  // namespace tagflow
