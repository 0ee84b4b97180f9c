// Tested by conformance/ops/list.ops.
#include "optimized/kernels/lists.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {

Result<const TensorList*> ListIn(const Variant& variant, const std::string& what) {
  const auto* list = variant.Get<TensorList>();
  if (list != nullptr) return list;
  return InvalidArgument(what + " is not a list: it holds " +
                         (variant.empty() ? "nothing" : variant.value()->DebugString()));
}

Result<const TensorList*> AnyListInput(const KernelContext& context, int i) {
  const Tensor& input = context.input(i);
  if (input.rank() != 0) {
    return InvalidArgument("a list must be a scalar, but the input has shape " +
                           DimsString(input.dims()));
  }
  if (const TensorList* const list = TensorList::In(input)) return list;
  return ListIn(*input.data<Variant>(), "input " + std::to_string(i));
}

TensorList* OwnedList(Tensor& tensor) {
  if (!tensor.unique()) return nullptr;
  const std::shared_ptr<const VariantValue>& value = tensor.scalar<Variant>().value();
  if (value.use_count() != 1) return nullptr;
    // Pairs with the release by which the last other owner let go.
#ifdef __SANITIZE_THREAD__
  const std::shared_ptr<const VariantValue> acquires = value;  // it knows no fences
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return const_cast<TensorList*>(static_cast<const TensorList*>(value.get()));
}

Status CheckElementDType(const TensorList& list, DType element_dtype) {
  if (list.dtype() == element_dtype) return Status();
  return InvalidArgument("the list holds elements of dtype " + DTypeName(list.dtype()) +
                         ", but the op is for " + DTypeName(element_dtype));
}

Result<const TensorList*> ListInput(const KernelContext& context, int i, DType element_dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, AnyListInput(context, i));
  TAGFLOW_RETURN_IF_ERROR(CheckElementDType(*list, element_dtype));
  return list;
}

Result<PartialShape> ShapeOf(const Tensor& input) {
  if (input.rank() > 1) {
    return InvalidArgument("an element shape must be a vector, or the scalar -1, but has shape " +
                           DimsString(input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView dims, IntView::Of(input));
  if (input.rank() == 0) {
    if (dims[0] == -1) return PartialShape();
    return InvalidArgument("a scalar element shape must be -1, which says nothing, and not " +
                           std::to_string(dims[0]));
  }
  for (int64_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < -1) {
      return InvalidArgument("an element shape holds " + std::to_string(dims[i]));
    }
  }
  return PartialShape(dims.values());
}

Result<PartialShape> MergedElementShape(const TensorList& list, const Tensor& input) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape asked, ShapeOf(input));
  return MergeShapes(list.element_shape(), asked);
}

Status MergeInto(PartialShape& shape, DimsView dims) {
  // Mostly all elements are alike.
  if (shape.known_rank() && std::ranges::equal(shape.dims(), dims)) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, PartialShape(Dims(dims.begin(), dims.end()))));
  return Status();
}

Result<MergedElements> MergeElements(const TensorList& list, PartialShape shape) {
  MergedElements merged{std::move(shape)};
  Status status;
  list.Visit([&](int64_t, const Tensor& element) {
    ++merged.count;
    if (status.ok()) status = MergeInto(merged.shape, element.dims());
  });
  if (!status.ok()) return status;
  return merged;
}

Status CheckElementShape(const TensorList& list, const Tensor& value) {
  if (list.element_shape().Accepts(value.dims())) return Status();
  return InvalidArgument("a list of elements of shape " + list.element_shape().ToString() +
                         " cannot hold one of shape " + DimsString(value.dims()));
}

Status OutOfList(int64_t index, int64_t size) {
  return InvalidArgument("there is no element " + std::to_string(index) + " in a list of " +
                         std::to_string(size));
}

Tensor RowOf(const Tensor& tensor, int64_t i) {
  return tensor.SliceOuter(i, 1).Reshaped(tensor.dims().subspan(1));
}

}  // namespace tagflow::optimized
