#ifndef TAGFLOW_OPTIMIZED_KERNELS_LISTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_LISTS_H_

// What the kernels of lists share. A list is an immutable value: a kernel takes the list of its
// input, changes that, and hands it on. The change is in place where the kernel was the last to
// hold it.
//
// An element may have no value. It reads as zeros of the one shape that the list, the reader and,
// where it says so, the other elements allow.

#include <cstdint>
#include <string>

#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor_list.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// Binds a kernel of an op with the attr element_dtype, which it is called with.
template <Status (*kKernel)(KernelContext&, DType element_dtype)>
Result<BoundKernel> BindTyped(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  return BoundKernel([dtype](KernelContext& context) { return kKernel(context, dtype); });
}

// The list in a variant; `what` names it in the error.
//   Errors: INVALID_ARGUMENT when it holds something else
Result<const TensorList*> ListIn(const Variant& variant, const std::string& what);

// The list in input i, to be read.
//   Errors: INVALID_ARGUMENT for what is no scalar that holds a list, and when the elements are not
//   of this dtype
Result<const TensorList*> ListInput(const KernelContext& context, int i, DType element_dtype);
// The same of any dtype.
Result<const TensorList*> AnyListInput(const KernelContext& context, int i);
Status CheckElementDType(const TensorList& list, DType element_dtype);
// The list in input i, to be changed. REQUIRES: a list
inline TensorList TakeList(KernelContext& context, int i) {
  return TensorList::Take(context.Take(i));
}

// The list in a tensor, to be changed where it is; null where somebody else sees it.
// REQUIRES: a scalar variant that holds a list
TensorList* OwnedList(Tensor& tensor);

// The shape that a shape input spells: dimensions with -1 for unknown ones, or the scalar -1.
Result<PartialShape> ShapeOf(const Tensor& input);
// What the list and the reader's shape input both allow.
Result<PartialShape> MergedElementShape(const TensorList& list, const Tensor& input);
// `shape` becomes what it and these dims allow.
//   Errors: INVALID_ARGUMENT
Status MergeInto(PartialShape& shape, DimsView dims);
// The shape merged with those of all elements that have a value, and how many these are.
struct MergedElements {
  PartialShape shape;
  int64_t count = 0;
};
Result<MergedElements> MergeElements(const TensorList& list, PartialShape shape);

// INVALID_ARGUMENT unless a list may hold the value.
Status CheckElementShape(const TensorList& list, const Tensor& value);
// INVALID_ARGUMENT: the list has no such element.
Status OutOfList(int64_t index, int64_t size);

// Row i of a tensor of rank 1 or more, sharing its memory.
Tensor RowOf(const Tensor& tensor, int64_t i);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_LISTS_H_
