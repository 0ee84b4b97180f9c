#ifndef TAGFLOW_REFERENCE_KERNELS_LISTS_H_
#define TAGFLOW_REFERENCE_KERNELS_LISTS_H_

// What the kernels of lists share. A list is an immutable value: a kernel takes the list of its
// input, changes that, and hands it on; whoever else holds the old one sees no change.
//
// An element may have no value. It reads as zeros of the one shape that the list, the reader and,
// where it says so, the other elements allow.

#include <cstdint>
#include <string>

#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor_list.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// The list that the variant holds; `what` names it in the error.
//   Errors: INVALID_ARGUMENT when it holds something else
Result<const TensorList*> ListIn(const Variant& variant, const std::string& what);
// The list in input i, a scalar, as a value of the kernel's own: in place where nobody else holds
// it.
//   Errors: INVALID_ARGUMENT, also when the elements are not of the op's attr element_dtype
Result<TensorList> TakeList(KernelContext& context, size_t i);
// The same for ops that take a list of any dtype.
Result<TensorList> TakeAnyList(KernelContext& context, size_t i);
Status CheckElementDType(const KernelContext& context, const TensorList& list);

// The shape that a shape input spells: dimensions with -1 for unknown ones, or the scalar -1.
Result<PartialShape> ShapeOf(const Tensor& input);
// What the list and the reader's shape input both allow.
Result<PartialShape> MergedElementShape(const TensorList& list, const Tensor& input);
// The shape merged with those of all elements that have a value.
Result<PartialShape> WithShapesOfElements(const PartialShape& shape, const TensorList& list);

// INVALID_ARGUMENT unless a list may hold the value.
Status CheckElementShape(const TensorList& list, const Tensor& value);
// The int32 that an input holds, a scalar.
Result<int64_t> ScalarInput(const KernelContext& context, size_t i, const std::string& what);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_LISTS_H_
