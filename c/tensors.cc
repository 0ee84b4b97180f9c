#include <span>

#include "c/handles.h"

namespace tagflow::c {
namespace {

Result<DType> CheckDType(int number) {
  const auto dtype = static_cast<DType>(number);
  if (IsKnownDType(number) && IsTensorDType(dtype)) return dtype;
  return InvalidArgument(std::to_string(number) + " is no dtype of tensors");
}

// Tells the lender, by `release`, that nobody needs its memory any more.
struct Lender {
  void (*release)(void*);
  void* context;
  bool is_lent = false;
  ~Lender() {
    if (is_lent && release != nullptr) release(context);
  }
};

DimsView DimsOf(int rank, const int64_t* dims) {
  return DimsView(dims, static_cast<size_t>(rank < 0 ? 0 : rank));
}

std::string* StringAt(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() != DType::kString || i < 0 || i >= tensor.num_elements()) return nullptr;
  return const_cast<std::string*>(tensor.data<std::string>()) + i;
}

}  // namespace
}  // namespace tagflow::c

using tagflow::DType;
using tagflow::InvalidArgument;
using tagflow::Result;
using tagflow::Status;
using tagflow::Tensor;
using tagflow::c::DimsOf;
using tagflow::c::Guard;

tagflow_error* tagflow_tensor_new(int dtype, int rank, const int64_t* dims,
                                  tagflow_tensor** tensor) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const DType checked, tagflow::c::CheckDType(dtype));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(checked, DimsOf(rank, dims)));
    *tensor = new tagflow_tensor{std::move(made)};
    return Status();
  });
}

tagflow_error* tagflow_tensor_borrow(int dtype, int rank, const int64_t* dims, const void* data,
                                     void (*release)(void* context), void* context,
                                     tagflow_tensor** tensor) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const DType checked, tagflow::c::CheckDType(dtype));
    if (!tagflow::IsPlainDType(checked)) {
      return InvalidArgument("a tensor of " + tagflow::DTypeName(checked) + " cannot be borrowed");
    }
    auto lender = std::make_shared<tagflow::c::Lender>(release, context);
    auto handle = std::make_unique<tagflow_tensor>();
    TAGFLOW_ASSIGN_OR_RETURN(handle->tensor,
                             Tensor::Borrow(checked, DimsOf(rank, dims), data, lender));
    lender->is_lent = true;
    *tensor = handle.release();
    return Status();
  });
}

void tagflow_tensor_free(tagflow_tensor* tensor) { delete tensor; }

tagflow_tensor* tagflow_tensor_share(const tagflow_tensor* tensor) {
  return new (std::nothrow) tagflow_tensor{tensor->tensor};
}

int tagflow_tensor_dtype(const tagflow_tensor* tensor) {
  return static_cast<int>(tensor->tensor.dtype());
}
int tagflow_tensor_rank(const tagflow_tensor* tensor) { return tensor->tensor.rank(); }
const int64_t* tagflow_tensor_dims(const tagflow_tensor* tensor) {
  return tensor->tensor.dims().data();
}
int64_t tagflow_tensor_elements(const tagflow_tensor* tensor) {
  return tensor->tensor.num_elements();
}

const void* tagflow_tensor_data(const tagflow_tensor* tensor) {
  return tagflow::IsPlainDType(tensor->tensor.dtype()) ? tensor->tensor.raw_data() : nullptr;
}

void* tagflow_tensor_mutable_data(tagflow_tensor* tensor) {
  Tensor& held = tensor->tensor;
  return tagflow::IsPlainDType(held.dtype()) && held.unique() ? held.mutable_raw_data() : nullptr;
}

const char* tagflow_tensor_string(const tagflow_tensor* tensor, int64_t i, size_t* size) {
  const std::string* const text = tagflow::c::StringAt(tensor->tensor, i);
  *size = text == nullptr ? 0 : text->size();
  return text == nullptr ? nullptr : text->data();
}

tagflow_error* tagflow_tensor_set_string(tagflow_tensor* tensor, int64_t i, const char* bytes,
                                         size_t size) {
  return Guard([&]() -> Status {
    std::string* const text = tagflow::c::StringAt(tensor->tensor, i);
    if (text == nullptr) return InvalidArgument("there is no string " + std::to_string(i));
    if (!tensor->tensor.unique()) {
      return tagflow::FailedPrecondition("others have this tensor's elements, too");
    }
    text->assign(bytes, size);
    return Status();
  });
}
