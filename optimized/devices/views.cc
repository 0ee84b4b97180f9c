#include "optimized/devices/views.h"

#include <memory>
#include <new>
#include <utility>

#include "graph/tensor_list.h"

namespace tagflow::optimized {
namespace {

// Gives one tensor memory that is there already, and goes with it.
class ViewMemory : public Allocator {
 public:
  ViewMemory(void* address, Tensor kept) : address_(address), kept_(std::move(kept)) {}
  void* Allocate(size_t) override { return address_; }
  void Deallocate(void*, size_t) override { delete this; }

 private:
  void* const address_;
  const Tensor kept_;
};

Result<Variant> WithListed(const Variant& variant, const ChangeTensor& change) {
  const auto* const list = variant.Get<TensorList>();
  if (list == nullptr) return variant;
  Status status;
  TensorList changed = *list;
  list->Visit([&](int64_t i, const Tensor& element) {
    if (!status.ok()) return;
    Result<Tensor> made = WithTensors(element, change);
    if (!made.ok()) {
      status = made.status();
    } else {
      changed.Set(i, *std::move(made));
    }
  });
  if (!status.ok()) return status;
  return Variant(std::make_shared<TensorList>(std::move(changed)));
}

}  // namespace

Result<Tensor> WithTensors(const Tensor& tensor, const ChangeTensor& change) {
  if (!tensor.has_value() || tensor.is_inline()) return tensor;
  if (IsPlainDType(tensor.dtype())) return change(tensor);
  if (tensor.dtype() != DType::kVariant) return tensor;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor changed, Tensor::Allocate(DType::kVariant, tensor.dims()));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(changed.mutable_data<Variant>()[i],
                             WithListed(tensor.data<Variant>()[i], change));
  }
  return changed;
}

void VisitTensors(const Tensor& tensor, const std::function<void(const Tensor& tensor)>& visit) {
  if (!tensor.has_value() || tensor.is_inline()) return;
  if (IsPlainDType(tensor.dtype())) return visit(tensor);
  if (tensor.dtype() != DType::kVariant) return;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const auto* const list = tensor.data<Variant>()[i].Get<TensorList>();
    if (list == nullptr) continue;
    list->Visit([&](int64_t, const Tensor& element) { VisitTensors(element, visit); });
  }
}

Tensor ViewOf(const Tensor& tensor, const DeviceMemory& memory) {
  auto there = std::make_unique<ViewMemory>(memory.HostAddress(tensor), tensor);
  Result<Tensor> view = Tensor::AllocateUninitialized(tensor.dtype(), tensor.dims(), *there);
  if (!view.ok()) throw std::bad_alloc();
  there.release();  // it deletes itself with the tensor
  return *std::move(view);
}

Result<Tensor> DeviceCopyOf(const Tensor& tensor, DeviceMemory& memory) {
  if (tensor.is_inline()) return tensor;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor copy,
                           Tensor::AllocateUninitialized(tensor.dtype(), tensor.dims(), memory));
  TAGFLOW_RETURN_IF_ERROR(memory.Write(tensor.raw_data(), copy));
  return copy;
}

}  // namespace tagflow::optimized
