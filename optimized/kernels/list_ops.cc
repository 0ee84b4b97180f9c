// Lists of tensors, element by element: TensorListPushBack, TensorListGetItem, ….
// Tested by conformance/ops/list.ops.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "graph/limits.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/lists.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

void Give(KernelContext& context, TensorList list) {
  context.output(0) = TensorList::Wrap(std::move(list));
}

// Gives the list of input 0 as `change` leaves it. One that nobody else holds is changed where it
// is, so that a loop over its own list allocates nothing but elements (bench: gradscalar2000).
template <typename ChangeList>
void GiveChanged(KernelContext& context, const ChangeList& change) {
  Tensor variant = context.Take(0);
  if (TensorList* const own = OwnedList(variant)) {
    change(*own);
    context.output(0) = std::move(variant);
    return;
  }
  TensorList list = TensorList::Take(std::move(variant));
  change(list);
  Give(context, std::move(list));
}

// Binds a kernel that puts or takes an element, which machine code may do with a scalar.
template <Status (*kKernel)(KernelContext&, DType element_dtype)>
Result<BoundKernel> BindElement(const Binding& binding, ElementPart part) {
  TAGFLOW_ASSIGN_OR_RETURN(part.dtype, TypeAttr(binding.node, "element_dtype"));
  return BindPart(part,
                  [dtype = part.dtype](KernelContext& context) { return kKernel(context, dtype); });
}

// ---- New lists ----

//   element_shape, max_num_elements: int32 scalar, negative for no limit
Status Empty(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t most, ScalarInt(context.input(1), "max_num_elements"));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(context.input(0)));
  Give(context, TensorList(dtype, std::move(shape), most));
  return Status();
}

//   element_shape, num_elements: int32 scalar >= 0
Status Reserve(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInt(context.input(1), "num_elements"));
  if (size < 0) {
    return InvalidArgument("num_elements must not be negative, but is " + std::to_string(size));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(context.input(0)));
  TensorList list(dtype, std::move(shape));
  list.Resize(size);
  Give(context, std::move(list));
  return Status();
}

// ---- Ends ----

//   list, tensor
Status PushBack(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* old, ListInput(context, 0, dtype));
  TAGFLOW_RETURN_IF_ERROR(CheckElementShape(*old, context.input(1)));
  if (old->max_num_elements() >= 0 && old->size() >= old->max_num_elements()) {
    return InvalidArgument("the list is full: it has " + std::to_string(old->size()) +
                           " elements, and at most " + std::to_string(old->max_num_elements()));
  }
  GiveChanged(context, [&](TensorList& list) { list.Push(context.Take(1)); });
  return Status();
}
Result<BoundKernel> BindPushBack(const Binding& binding) {
  return BindElement<PushBack>(
      binding, {.kind = CellsKind::kList, .access = "ListPush", .value = 1, .gives_list = true});
}

//   lists: a vector of lists; tensor: a row for each. Their max_num_elements are not looked at.
Status PushBackBatch(KernelContext& context, DType dtype) {
  const Tensor& handles = context.input(0);
  const Tensor& tensor = context.input(1);
  if (handles.rank() != 1 || tensor.rank() == 0 || handles.dim(0) != tensor.dim(0)) {
    return InvalidArgument("input_handles of shape " + DimsString(handles.dims()) +
                           " and tensor of shape " + DimsString(tensor.dims()) +
                           " must be a vector of lists, and a row for each");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kVariant, handles.dims()));
  for (int64_t i = 0; i < handles.dim(0); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(
        const TensorList* old,
        ListIn(handles.data<Variant>()[i], "input_handles[" + std::to_string(i) + "]"));
    TAGFLOW_RETURN_IF_ERROR(CheckElementDType(*old, dtype));
    Tensor element = RowOf(tensor, i);
    TAGFLOW_RETURN_IF_ERROR(CheckElementShape(*old, element));
    TensorList list = *old;
    list.Push(std::move(element));
    output.mutable_data<Variant>()[i] = Variant(std::make_shared<TensorList>(std::move(list)));
  }
  context.output(0) = std::move(output);
  return Status();
}

Result<Tensor> ZerosOf(DType dtype, const PartialShape& shape) {
  if (!shape.fully_known()) {
    return InvalidArgument("the element was never set, and reads as zeros, but of what shape? " +
                           shape.ToString() + " does not say: give the full element_shape");
  }
  if (dtype == DType::kResource) {
    return InvalidArgument("the element was never set, and there is no zero of dtype resource");
  }
  if (!IsTensorDType(dtype)) {
    return Unimplemented("tensors cannot have elements of dtype " + DTypeName(dtype));
  }
  return Tensor::Allocate(dtype, shape.dims());
}

//   list, element_shape; outputs: the list without its last element, that element
Status PopBack(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* old, ListInput(context, 0, dtype));
  if (old->size() == 0) return InvalidArgument("the list has no element to take from it");
  Tensor zeros;
  if (!old->Get(old->size() - 1).has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(*old, context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(zeros, ZerosOf(dtype, shape));
  }
  GiveChanged(context, [&](TensorList& list) {
    Tensor last = list.Pop();
    context.output(1) = last.has_value() ? std::move(last) : std::move(zeros);
  });
  return Status();
}
Result<BoundKernel> BindPopBack(const Binding& binding) {
  return BindElement<PopBack>(
      binding, {.kind = CellsKind::kList, .access = "ListPop", .element = 1, .gives_list = true});
}

// ---- Elements by index ----

//   list, index: one int32, element_shape
Status GetItem(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, ListInput(context, 0, dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, OnlyInt(context.input(1), "index"));
  if (index < 0 || index >= list->size()) return OutOfList(index, list->size());
  const Tensor& element = list->Get(index);
  if (element.has_value()) {
    context.output(0) = element;
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(*list, context.input(2)));
  if (!shape.fully_known()) {
    TAGFLOW_ASSIGN_OR_RETURN(MergedElements merged, MergeElements(*list, std::move(shape)));
    shape = std::move(merged.shape);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), ZerosOf(dtype, shape));
  return Status();
}
Result<BoundKernel> BindGetItem(const Binding& binding) {
  return BindElement<GetItem>(
      binding, {.kind = CellsKind::kList, .access = "ListRead", .index = 1, .element = 0});
}

//   list, index: int32 scalar, item
Result<BoundKernel> BindSetItem(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool resizes,
                           BoolAttr(binding.node, "resize_if_index_out_of_bounds"));
  const ElementPart part = {.kind = CellsKind::kList,
                            .access = "ListWrite",
                            .index = 1,
                            .value = 2,
                            .gives_list = true,
                            .dtype = dtype};
  return BindPart(part, [dtype, resizes](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* old, ListInput(context, 0, dtype));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInt(context.input(1), "index"));
    if (index < 0 || (index >= old->size() && !resizes)) return OutOfList(index, old->size());
    TAGFLOW_RETURN_IF_ERROR(CheckElementShape(*old, context.input(2)));
    GiveChanged(context, [&](TensorList& list) {
      if (index >= list.size()) list.Resize(index + 1);
      list.Set(index, context.Take(2));
    });
    return Status();
  });
}

// ---- Lists as a whole ----

//   list, size: int32 scalar >= 0
Status Resize(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(AnyListInput(context, 0).status());
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInt(context.input(1), "size"));
  if (size < 0) return InvalidArgument("size must not be negative, but is " + std::to_string(size));
  GiveChanged(context, [&](TensorList& list) { list.Resize(size); });
  return Status();
}

Status Length(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, AnyListInput(context, 0));
  if (list->size() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("the list has " + std::to_string(list->size()) +
                           " elements, which is no int32");
  }
  context.output(0).SetScalar(static_cast<int32_t>(list->size()));
  return Status();
}

//   output: the dimensions, -1 for those not known; the scalar -1 when none is
template <typename T>
Status ElementShape(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, AnyListInput(context, 0));
  const PartialShape& shape = list->element_shape();
  if (!shape.known_rank()) {
    context.output(0).SetScalar(T{-1});
    return Status();
  }
  std::vector<T> dims;
  for (const int64_t dim : shape.dims()) {
    dims.push_back(static_cast<T>(dim));
    if (dims.back() == dim) continue;
    return InvalidArgument(std::to_string(dim) + " does not fit into int32");
  }
  context.output(0) = Tensor::Vector(dims);
  return Status();
}

Result<BoundKernel> BindElementShape(const Binding& binding) {
  return binding.output_dtype(0) == DType::kInt64 ? Bind<ElementShape<int64_t>>(binding)
                                                  : Bind<ElementShape<int32_t>>(binding);
}

Result<TensorList> Appended(const TensorList& a, const TensorList& b) {
  if (a.element_shape() != b.element_shape()) {
    return InvalidArgument("the lists want elements of different shapes, " +
                           a.element_shape().ToString() + " and " + b.element_shape().ToString());
  }
  int64_t size = 0;
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
Status ConcatLists(KernelContext& context, DType dtype) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (!std::ranges::equal(a.dims(), b.dims())) {
    return InvalidArgument("the inputs must have one shape, but have " + DimsString(a.dims()) +
                           " and " + DimsString(b.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kVariant, a.dims()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* first, ListIn(a.data<Variant>()[i], "input_a"));
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* second, ListIn(b.data<Variant>()[i], "input_b"));
    TAGFLOW_RETURN_IF_ERROR(CheckElementDType(*first, dtype));
    TAGFLOW_RETURN_IF_ERROR(CheckElementDType(*second, dtype));
    TAGFLOW_ASSIGN_OR_RETURN(TensorList list, Appended(*first, *second));
    output.mutable_data<Variant>()[i] = Variant(std::make_shared<TensorList>(std::move(list)));
  }
  context.output(0) = std::move(output);
  return Status();
}

}  // namespace

Status RegisterListKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EmptyTensorList", BindTyped<Empty>},
                                {"TensorListReserve", BindTyped<Reserve>},
                                {"TensorListPushBack", BindPushBack},
                                {"TensorListPushBackBatch", BindTyped<PushBackBatch>},
                                {"TensorListPopBack", BindPopBack},
                                {"TensorListGetItem", BindGetItem},
                                {"TensorListSetItem", BindSetItem},
                                {"TensorListResize", Bind<Resize>},
                                {"TensorListLength", Bind<Length>},
                                {"TensorListElementShape", BindElementShape},
                                {"TensorListConcatLists", BindTyped<ConcatLists>}});
}

}  // namespace tagflow::optimized
