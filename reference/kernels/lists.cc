#include "reference/kernels/lists.h"

#include <utility>

#include "reference/kernels/array_util.h"

namespace tagflow::reference {

Result<const TensorList*> ListIn(const Variant& variant, const std::string& what) {
  const auto* list = variant.Get<TensorList>();
  if (list != nullptr) return list;
  return InvalidArgument(what + " is not a list: it holds " +
                         (variant.empty() ? "nothing" : variant.value()->DebugString()));
}

Result<TensorList> TakeAnyList(KernelContext& context, size_t i) {
  Tensor& input = context.inputs[i];
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(input, "a list"));
  TAGFLOW_RETURN_IF_ERROR(ListIn(input.scalar<Variant>(), "input " + std::to_string(i)).status());
  return TensorList::Take(std::move(input));
}

Status CheckElementDType(const KernelContext& context, const TensorList& list) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(context.node, "element_dtype"));
  if (dtype == list.dtype()) return Status();
  return InvalidArgument("the list holds elements of dtype " + DTypeName(list.dtype()) +
                         ", but the op is for " + DTypeName(dtype));
}

Result<TensorList> TakeList(KernelContext& context, size_t i) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeAnyList(context, i));
  TAGFLOW_RETURN_IF_ERROR(CheckElementDType(context, list));
  return list;
}

Result<PartialShape> ShapeOf(const Tensor& input) {
  if (input.rank() > 1) {
    return InvalidArgument("an element shape must be a vector, or the scalar -1, but has shape " +
                           DimsString(input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, IndexValues(input));
  if (input.rank() == 0) {
    if (dims[0] == -1) return PartialShape();
    return InvalidArgument("a scalar element shape must be -1, which says nothing, and not " +
                           std::to_string(dims[0]));
  }
  for (int64_t dim : dims) {
    if (dim < -1) return InvalidArgument("an element shape holds " + std::to_string(dim));
  }
  return PartialShape(std::move(dims));
}

Result<PartialShape> MergedElementShape(const TensorList& list, const Tensor& input) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape asked, ShapeOf(input));
  return MergeShapes(list.element_shape(), asked);
}

Result<PartialShape> WithShapesOfElements(const PartialShape& shape, const TensorList& list) {
  Result<PartialShape> merged = shape;
  list.Visit([&](int64_t, const Tensor& element) {
    if (merged.ok()) merged = MergeShapes(*merged, PartialShape(ToDims(element.dims())));
  });
  return merged;
}

Status CheckElementShape(const TensorList& list, const Tensor& value) {
  if (list.element_shape().Accepts(value.dims())) return Status();
  return InvalidArgument("a list of elements of shape " + list.element_shape().ToString() +
                         " cannot hold one of shape " + DimsString(value.dims()));
}

Result<int64_t> ScalarInput(const KernelContext& context, size_t i, const std::string& what) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[i], what));
  return SingleIndex(context.inputs[i], what);
}

}  // namespace tagflow::reference
