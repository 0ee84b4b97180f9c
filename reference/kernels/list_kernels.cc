// Lists of tensors, element by element: TensorListPushBack, TensorListGetItem, ….

#include <limits>
#include <utility>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/lists.h"

namespace tagflow::reference {
namespace {

void Give(KernelContext& context, TensorList list) {
  context.outputs[0] = TensorList::Wrap(std::move(list));
}

//   element_shape: see ShapeOf
Result<TensorList> NewList(const KernelContext& context, int64_t max_num_elements) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(context.node, "element_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(context.inputs[0]));
  return TensorList(dtype, std::move(shape), max_num_elements);
}

//   element_shape, max_num_elements: int32 scalar, negative for no limit
Status Empty(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t most, ScalarInput(context, 1, "max_num_elements"));
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, NewList(context, most));
  Give(context, std::move(list));
  return Status();
}

//   element_shape, num_elements: int32 scalar >= 0
Status Reserve(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInput(context, 1, "num_elements"));
  if (size < 0) {
    return InvalidArgument("num_elements must not be negative, but is " + std::to_string(size));
  }
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, NewList(context, -1));
  list.Resize(size);
  Give(context, std::move(list));
  return Status();
}

//   list, tensor
Status PushBack(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeList(context, 0));
  TAGFLOW_RETURN_IF_ERROR(CheckElementShape(list, context.inputs[1]));
  if (list.max_num_elements() >= 0 && list.size() >= list.max_num_elements()) {
    return InvalidArgument("the list is full: it has " + std::to_string(list.size()) +
                           " elements, and at most " + std::to_string(list.max_num_elements()));
  }
  list.Push(std::move(context.inputs[1]));
  Give(context, std::move(list));
  return Status();
}

//   lists: a vector of lists; tensor: a row for each. Their max_num_elements are not looked at.
Status PushBackBatch(KernelContext& context) {
  const Tensor& handles = context.inputs[0];
  const Tensor& tensor = context.inputs[1];
  if (handles.rank() != 1 || tensor.rank() == 0 || handles.dim(0) != tensor.dim(0)) {
    return InvalidArgument("input_handles of shape " + DimsString(handles.dims()) +
                           " and tensor of shape " + DimsString(tensor.dims()) +
                           " must be a vector of lists, and a row for each");
  }
  const Dims row = WithoutDim(tensor.dims(), 0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kVariant, handles.dims()));
  for (int64_t i = 0; i < handles.dim(0); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const TensorList* old,
        ListIn(handles.data<Variant>()[i], "input_handles[" + std::to_string(i) + "]"));
    TAGFLOW_RETURN_IF_ERROR(CheckElementDType(context, *old));
    const Tensor element = tensor.SliceOuter(i, 1).Reshaped(row);
    TAGFLOW_RETURN_IF_ERROR(CheckElementShape(*old, element));
    TensorList list = *old;
    list.Push(element);
    CopyElements(TensorList::Wrap(std::move(list)), 0, output, i, 1);
  }
  context.outputs[0] = std::move(output);
  return Status();
}

Status NoShape(const PartialShape& shape) {
  return InvalidArgument("the element was never set, and reads as zeros, but of what shape? " +
                         shape.ToString() + " does not say: give the full element_shape");
}

Result<Tensor> ZerosOf(DType dtype, const PartialShape& shape) {
  if (!shape.fully_known()) return NoShape(shape);
  if (dtype == DType::kResource) {
    return InvalidArgument("the element was never set, and there is no zero of dtype resource");
  }
  TAGFLOW_RETURN_IF_ERROR(RequireTensorDType(dtype));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(shape.dims()));
  return Tensor::Allocate(dtype, shape.dims());
}

//   list, element_shape; outputs: the list without its last element, that element
Status PopBack(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeList(context, 0));
  if (list.size() == 0) return InvalidArgument("the list has no element to take from it");
  Tensor last = list.Pop();
  if (!last.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(list, context.inputs[1]));
    TAGFLOW_ASSIGN_OR_RETURN(last, ZerosOf(list.dtype(), shape));
  }
  context.outputs[1] = std::move(last);
  Give(context, std::move(list));
  return Status();
}

Status OutOfList(int64_t index, int64_t size) {
  return InvalidArgument("there is no element " + std::to_string(index) + " in a list of " +
                         std::to_string(size));
}

//   list, index: one int32, element_shape
Status GetItem(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, SingleIndex(context.inputs[1], "index"));
  if (index < 0 || index >= list.size()) return OutOfList(index, list.size());
  context.outputs[0] = list.Get(index);
  if (context.outputs[0].has_value()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(list, context.inputs[2]));
  if (!shape.fully_known()) {
    TAGFLOW_ASSIGN_OR_RETURN(shape, WithShapesOfElements(shape, list));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ZerosOf(list.dtype(), shape));
  return Status();
}

//   list, index: int32 scalar, item
Status SetItem(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInput(context, 1, "index"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool resize,
                           BoolAttr(context.node, "resize_if_index_out_of_bounds"));
  if (index < 0 || (index >= list.size() && !resize)) return OutOfList(index, list.size());
  TAGFLOW_RETURN_IF_ERROR(CheckElementShape(list, context.inputs[2]));
  if (index >= list.size()) list.Resize(index + 1);
  list.Set(index, std::move(context.inputs[2]));
  Give(context, std::move(list));
  return Status();
}

//   list, size: int32 scalar >= 0
Status Resize(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeAnyList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInput(context, 1, "size"));
  if (size < 0) return InvalidArgument("size must not be negative, but is " + std::to_string(size));
  list.Resize(size);
  Give(context, std::move(list));
  return Status();
}

Status Length(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeAnyList(context, 0));
  if (list.size() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("the list has " + std::to_string(list.size()) +
                           " elements, which is no int32");
  }
  context.outputs[0] = Tensor::Scalar(static_cast<int32_t>(list.size()));
  return Status();
}

//   output: the dimensions, -1 for those not known; the scalar -1 when none is
Status ElementShape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeAnyList(context, 0));
  const PartialShape& shape = list.element_shape();
  const Dims dims = shape.known_rank() ? shape.dims() : Dims{-1};
  const Dims count = shape.known_rank() ? Dims{shape.rank()} : Dims{};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(context.signature.outputs[0].dtype, count, dims));
  return Status();
}

Result<TensorList> Appended(const KernelContext& context, const TensorList& a,
                            const TensorList& b) {
  TAGFLOW_RETURN_IF_ERROR(CheckElementDType(context, a));
  TAGFLOW_RETURN_IF_ERROR(CheckElementDType(context, b));
  if (a.element_shape() != b.element_shape()) {
    return InvalidArgument("the lists want elements of different shapes, " +
                           a.element_shape().ToString() + " and " + b.element_shape().ToString());
  }
  int64_t size;
  if (__builtin_add_overflow(a.size(), b.size(), &size)) {
    return ResourceExhausted("the lists have more than 2^63 - 1 elements together");
  }
  TensorList list = a;
  list.Resize(size);
  int64_t count = 0;
  b.Visit([&](int64_t i, const Tensor& element) {
    if (++count <= kMostListElements) list.Set(a.size() + i, element);
  });
  if (count <= kMostListElements) return list;
  return ResourceExhausted("a list of " + std::to_string(count) +
                           " elements is refused: " + std::to_string(kMostListElements) +
                           " at most are put into one at a time");
}

//   two tensors of lists, of one shape; output: each list of the first with the elements of its
//   counterpart after its own
Status ConcatLists(KernelContext& context) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  if (ToDims(a.dims()) != ToDims(b.dims())) {
    return InvalidArgument("the inputs must have one shape, but have " + DimsString(a.dims()) +
                           " and " + DimsString(b.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kVariant, a.dims()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* first, ListIn(a.data<Variant>()[i], "input_a"));
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* second, ListIn(b.data<Variant>()[i], "input_b"));
    TAGFLOW_ASSIGN_OR_RETURN(TensorList list, Appended(context, *first, *second));
    CopyElements(TensorList::Wrap(std::move(list)), 0, output, i, 1);
  }
  context.outputs[0] = std::move(output);
  return Status();
}

}  // namespace

Status RegisterListKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EmptyTensorList", Empty},
                                {"TensorListReserve", Reserve},
                                {"TensorListPushBack", PushBack},
                                {"TensorListPushBackBatch", PushBackBatch},
                                {"TensorListPopBack", PopBack},
                                {"TensorListGetItem", GetItem},
                                {"TensorListSetItem", SetItem},
                                {"TensorListResize", Resize},
                                {"TensorListLength", Length},
                                {"TensorListElementShape", ElementShape},
                                {"TensorListConcatLists", ConcatLists}});
}

}  // namespace tagflow::reference
