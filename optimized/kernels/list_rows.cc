// Lists made of the rows of a tensor: TensorListFromTensor, TensorListScatter, TensorListSplit.
// Tested by conformance/ops/list.ops.

#include <string>
#include <utility>

#include "graph/limits.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/lists.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

Status RequireRows(const Tensor& tensor) {
  if (tensor.rank() == 0) {
    return InvalidArgument("tensor must have rows, but it is a scalar");
  }
  if (tensor.dim(0) <= kMostListElements) return Status();
  return ResourceExhausted("a list of " + std::to_string(tensor.dim(0)) +
                           " rows is refused: " + std::to_string(kMostListElements) +
                           " at most are put into one at a time");
}

// An empty list for elements like the rows of `tensor`. `shape` is an input, see ShapeOf.
Result<TensorList> ListForRows(const Tensor& tensor, const Tensor& shape) {
  TAGFLOW_RETURN_IF_ERROR(RequireRows(tensor));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape element_shape, ShapeOf(shape));
  const DimsView row = tensor.dims().subspan(1);
  if (!element_shape.Accepts(row)) {
    return InvalidArgument("rows of shape " + DimsString(row) +
                           " do not fit into a list of elements of shape " +
                           element_shape.ToString());
  }
  return TensorList(tensor.dtype(), std::move(element_shape));
}

//   tensor: of rank 1 or more; element_shape
Status FromTensor(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, ListForRows(tensor, context.input(1)));
  for (int64_t i = 0; i < tensor.dim(0); ++i) list.Push(RowOf(tensor, i));
  context.output(0) = TensorList::Wrap(std::move(list));
  return Status();
}

// Sets list[indices[i]] to row i, for each i in turn.
//   Errors: INVALID_ARGUMENT for a negative index, or more or fewer indices than rows
Status PutRows(const Tensor& tensor, const IntView& indices, TensorList& list) {
  if (indices.size() != tensor.dim(0)) {
    return InvalidArgument("there are " + std::to_string(indices.size()) + " indices for " +
                           std::to_string(tensor.dim(0)) + " rows");
  }
  for (int64_t i = 0; i < indices.size(); ++i) {
    const int64_t index = indices[i];
    if (index < 0) {
      return InvalidArgument("indices hold " + std::to_string(index) +
                             ", and must not be negative");
    }
    if (index >= list.size()) list.Resize(index + 1);
    list.Set(index, RowOf(tensor, i));
  }
  return Status();
}

// Makes the list `size` long, or leaves it to grow where that is -1.
Status ReserveFor(const IntView& indices, int64_t size, TensorList& list) {
  if (size == -1) return Status();
  if (size < -1) {
    return InvalidArgument("num_elements must be -1 or more, but is " + std::to_string(size));
  }
  list.Resize(size);
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= size) return OutOfList(indices[i], size);
  }
  return Status();
}

//   tensor: of rank 1 or more; indices: an int32 for each row; element_shape; and of V2
//   num_elements: int32 scalar, the length of the list, or -1 for as long as it must be
Status Scatter(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, ListForRows(tensor, context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView indices, IntView::Of(context.input(1)));
  int64_t size = -1;
  if (context.num_inputs() > 3) {
    TAGFLOW_ASSIGN_OR_RETURN(size, ScalarInt(context.input(3), "num_elements"));
  }
  TAGFLOW_RETURN_IF_ERROR(ReserveFor(indices, size, list));
  TAGFLOW_RETURN_IF_ERROR(PutRows(tensor, indices, list));
  context.output(0) = TensorList::Wrap(std::move(list));
  return Status();
}

//   list, tensor: of rank 1 or more; indices: a vector, one for each row. The list grows; the shape
//   it wants of its elements is not looked at.
Result<BoundKernel> BindScatterIntoExisting(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  return BoundKernel([dtype](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(ListInput(context, 0, dtype).status());
    const Tensor& tensor = context.input(1);
    TAGFLOW_RETURN_IF_ERROR(RequireRows(tensor));
    if (context.input(2).rank() != 1) {
      return InvalidArgument("indices must be a vector, but have shape " +
                             DimsString(context.input(2).dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const IntView indices, IntView::Of(context.input(2)));
    TensorList list = TakeList(context, 0);
    TAGFLOW_RETURN_IF_ERROR(PutRows(tensor, indices, list));
    context.output(0) = TensorList::Wrap(std::move(list));
    return Status();
  });
}

// Whether rows [i, i + k) of a tensor fit a list's element shape, whose first dimension is not
// looked at: the pieces differ in it.
Status CheckPieces(const Tensor& tensor, const PartialShape& element_shape) {
  if (!element_shape.known_rank()) return Status();
  if (element_shape.rank() > 0) {
    Dims dims = element_shape.dims();
    dims[0] = PartialShape::kUnknownDim;
    if (PartialShape(std::move(dims)).Accepts(tensor.dims())) return Status();
  }
  return InvalidArgument("pieces of a tensor of shape " + DimsString(tensor.dims()) +
                         " do not fit into a list of elements of shape " +
                         element_shape.ToString());
}

//   tensor: of rank 1 or more; element_shape; lengths: int64 vector, the rows of each piece
Status Split(KernelContext& context) {
  const Tensor& tensor = context.input(0);
  if (tensor.rank() == 0) return InvalidArgument("tensor must have rows, but it is a scalar");
  if (context.input(2).rank() != 1) {
    return InvalidArgument("lengths must be a vector, but have shape " +
                           DimsString(context.input(2).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(context.input(1)));
  TAGFLOW_RETURN_IF_ERROR(CheckPieces(tensor, shape));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView lengths, IntView::Of(context.input(2)));
  TensorList list(tensor.dtype(), std::move(shape));
  int64_t begin = 0;
  for (int64_t i = 0; i < lengths.size(); ++i) {
    const int64_t left = tensor.dim(0) - begin;
    if (lengths[i] < 0 || lengths[i] > left) {
      return InvalidArgument("a piece of " + std::to_string(lengths[i]) +
                             " rows cannot be cut: " + std::to_string(left) + " are left");
    }
    list.Push(tensor.SliceOuter(begin, lengths[i]));
    begin += lengths[i];
  }
  if (begin != tensor.dim(0)) {
    return InvalidArgument("the lengths add up to " + std::to_string(begin) + " of " +
                           std::to_string(tensor.dim(0)) + " rows");
  }
  context.output(0) = TensorList::Wrap(std::move(list));
  return Status();
}

}  // namespace

Status RegisterListRowsKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"TensorListFromTensor", Bind<FromTensor>},
                                {"TensorListScatter", Bind<Scatter>},
                                {"TensorListScatterV2", Bind<Scatter>},
                                {"TensorListScatterIntoExistingList", BindScatterIntoExisting},
                                {"TensorListSplit", Bind<Split>}});
}

}  // namespace tagflow::optimized
