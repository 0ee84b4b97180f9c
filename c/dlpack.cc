// Tensors from and to other libraries, by DLPack.

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "c/handles.h"

namespace tagflow::c {
namespace {

constexpr uint8_t kBool = 6;  // kDLBool of later versions

struct Pair {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};
constexpr Pair kPairs[] = {
    {DType::kFloat, kDLFloat, 32},
    {DType::kDouble, kDLFloat, 64},
    {DType::kHalf, kDLFloat, 16},
    {DType::kBFloat16, kDLBfloat, 16},
    {DType::kInt8, kDLInt, 8},
    {DType::kInt16, kDLInt, 16},
    {DType::kInt32, kDLInt, 32},
    {DType::kInt64, kDLInt, 64},
    {DType::kUInt8, kDLUInt, 8},
    {DType::kUInt16, kDLUInt, 16},
    {DType::kUInt32, kDLUInt, 32},
    {DType::kUInt64, kDLUInt, 64},
    {DType::kComplex64, kDLComplex, 64},
    {DType::kComplex128, kDLComplex, 128},
    {DType::kBool, kBool, 8},
};

std::optional<DType> DTypeOf(const DLDataType& type) {
  for (const Pair& pair : kPairs) {
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) return pair.dtype;
  }
  return std::nullopt;
}

bool IsRowMajor(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0) return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

// The elements one by one, wherever they lie.
Result<Tensor> Gathered(const DLTensor& from, const char* elements, DType dtype) {
  const DimsView dims(from.shape, static_cast<size_t>(from.ndim));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(dtype, dims));
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  char* to = static_cast<char*>(made.mutable_raw_data());
  Dims at(dims.size(), 0);
  for (int64_t left = made.num_elements(); left > 0; --left, to += size) {
    int64_t place = 0;
    for (size_t i = 0; i < at.size(); ++i) place += at[i] * from.strides[i];
    std::memcpy(to, elements + place * size, static_cast<size_t>(size));
    for (size_t i = at.size(); i-- > 0 && ++at[i] == dims[i];) at[i] = 0;
  }
  return made;
}

void Delete(DLManagedTensor* managed) {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// Give hands this out; its deleter finds it by manager_ctx.
struct Given {
  DLManagedTensor managed;
  Tensor tensor;
  Dims dims;
};

Result<Tensor> Take(DLManagedTensor* foreign) {
  const DLTensor& from = foreign->dl_tensor;
  if (from.device.device_type != kDLCPU) {
    return InvalidArgument("the tensor is in the memory of a device: copy it to the host's first");
  }
  const std::optional<DType> dtype = DTypeOf(from.dtype);
  if (!dtype) {
    return InvalidArgument("no tensor of ours has elements of DLPack's code " +
                           std::to_string(from.dtype.code) + " with " +
                           std::to_string(from.dtype.bits) + " bits and " +
                           std::to_string(from.dtype.lanes) + " lanes");
  }
  const char* const elements = static_cast<const char*>(from.data) + from.byte_offset;
  const DimsView dims(from.shape, static_cast<size_t>(from.ndim));
  const bool is_aligned = reinterpret_cast<uintptr_t>(elements) % DTypeSize(*dtype) == 0;
  if (IsRowMajor(from) && is_aligned) {
    auto lent = std::make_shared<DLManagedTensor*>(nullptr);
    std::shared_ptr<DLManagedTensor> owner(foreign, [lent](DLManagedTensor*) {
      if (*lent != nullptr) Delete(*lent);
    });
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Borrow(*dtype, dims, elements, owner));
    *lent = foreign;  // from here on it is ours
    return tensor;
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor copy, Gathered(from, elements, *dtype));
  Delete(foreign);
  return copy;
}

// Shares the elements with `held`, unless somebody else has them, too: who is given them may write.
Result<DLManagedTensor*> Give(const Tensor& held) {
  const auto pair = std::ranges::find(kPairs, held.dtype(), &Pair::dtype);
  if (pair == std::end(kPairs)) {
    return InvalidArgument("DLPack has no tensors of " + DTypeName(held.dtype()));
  }
  Tensor tensor;
  if (held.unique()) {
    tensor = held;
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(tensor, held.Clone());
  }
  auto given = std::make_unique<Given>();
  given->dims.assign(tensor.dims().begin(), tensor.dims().end());
  given->tensor = std::move(tensor);
  DLTensor& out = given->managed.dl_tensor;
  out.data = given->tensor.mutable_raw_data();
  out.device = {kDLCPU, 0};
  out.ndim = static_cast<int>(given->dims.size());
  out.dtype = {pair->code, pair->bits, 1};
  out.shape = given->dims.data();
  out.strides = nullptr;
  out.byte_offset = 0;
  given->managed.manager_ctx = given.get();
  given->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Given*>(self->manager_ctx);
  };
  return &given.release()->managed;
}

}  // namespace
}  // namespace tagflow::c

tagflow_error* tagflow_tensor_from_dlpack(DLManagedTensor* foreign, tagflow_tensor** tensor) {
  return tagflow::c::Guard([&]() -> tagflow::Status {
    auto handle = std::make_unique<tagflow_tensor>();
    TAGFLOW_ASSIGN_OR_RETURN(handle->tensor, tagflow::c::Take(foreign));
    *tensor = handle.release();
    return tagflow::Status();
  });
}

tagflow_error* tagflow_tensor_to_dlpack(const tagflow_tensor* tensor, DLManagedTensor** managed) {
  return tagflow::c::Guard([&]() -> tagflow::Status {
    TAGFLOW_ASSIGN_OR_RETURN(*managed, tagflow::c::Give(tensor->tensor));
    return tagflow::Status();
  });
}
