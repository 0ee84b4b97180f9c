// Lists made of the rows of a tensor, and tensors made of the elements of a list:
// TensorListFromTensor, TensorListStack, TensorListConcat, ….

#include <algorithm>
#include <utility>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/lists.h"

namespace tagflow::reference {
namespace {

// ---- From a tensor to a list ----

Status RequireRows(const Tensor& tensor) {
  if (tensor.rank() == 0) {
    return InvalidArgument("tensor must have rows, but it is a scalar");
  }
  if (tensor.dim(0) <= kMostListElements) return Status();
  return ResourceExhausted("a list of " + std::to_string(tensor.dim(0)) +
                           " rows is refused: " + std::to_string(kMostListElements) +
                           " at most are put into one at a time");
}

Tensor RowOf(const Tensor& tensor, int64_t i) {
  return tensor.SliceOuter(i, 1).Reshaped(WithoutDim(tensor.dims(), 0));
}

// An empty list for elements like the rows of `tensor`. `shape` is an input, see ShapeOf.
Result<TensorList> ListForRows(const Tensor& tensor, const Tensor& shape) {
  TAGFLOW_RETURN_IF_ERROR(RequireRows(tensor));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape element_shape, ShapeOf(shape));
  const Dims row = WithoutDim(tensor.dims(), 0);
  if (!element_shape.Accepts(row)) {
    return InvalidArgument("rows of shape " + DimsString(row) +
                           " do not fit into a list of elements of shape " +
                           element_shape.ToString());
  }
  return TensorList(tensor.dtype(), std::move(element_shape));
}

//   tensor: of rank 1 or more; element_shape
Status FromTensor(KernelContext& context) {
  const Tensor& tensor = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, ListForRows(tensor, context.inputs[1]));
  for (int64_t i = 0; i < tensor.dim(0); ++i) list.Push(RowOf(tensor, i));
  context.outputs[0] = TensorList::Wrap(std::move(list));
  return Status();
}

// Sets list[indices[i]] to row i, for each i in turn.
//   Errors: INVALID_ARGUMENT for a negative index, or more or fewer indices than rows
Status PutRows(const Tensor& tensor, const std::vector<int64_t>& indices, TensorList& list) {
  if (static_cast<int64_t>(indices.size()) != tensor.dim(0)) {
    return InvalidArgument("there are " + std::to_string(indices.size()) + " indices for " +
                           std::to_string(tensor.dim(0)) + " rows");
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) {
      return InvalidArgument("indices hold " + std::to_string(indices[i]) +
                             ", and must not be negative");
    }
    if (indices[i] >= list.size()) list.Resize(indices[i] + 1);
    list.Set(indices[i], RowOf(tensor, static_cast<int64_t>(i)));
  }
  return Status();
}

//   tensor: of rank 1 or more; indices: an int32 for each row; element_shape; and of V2
//   num_elements: int32 scalar, the length of the list, or -1 for as long as it must be
Status Scatter(KernelContext& context) {
  const Tensor& tensor = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, ListForRows(tensor, context.inputs[2]));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(context.inputs[1]));
  int64_t size = -1;
  if (context.inputs.size() > 3) {
    TAGFLOW_ASSIGN_OR_RETURN(size, ScalarInput(context, 3, "num_elements"));
  }
  if (size < -1) {
    return InvalidArgument("num_elements must be -1 or more, but is " + std::to_string(size));
  }
  if (size >= 0) {
    list.Resize(size);
    for (int64_t index : indices) {
      if (index < size) continue;
      return InvalidArgument("there is no element " + std::to_string(index) + " in a list of " +
                             std::to_string(size));
    }
  }
  TAGFLOW_RETURN_IF_ERROR(PutRows(tensor, indices, list));
  context.outputs[0] = TensorList::Wrap(std::move(list));
  return Status();
}

//   list, tensor: of rank 1 or more; indices: a vector, one for each row. The list grows; the shape
//   it wants of its elements is not looked at.
Status ScatterIntoExisting(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorList list, TakeList(context, 0));
  const Tensor& tensor = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireRows(tensor));
  if (context.inputs[2].rank() != 1) {
    return InvalidArgument("indices must be a vector, but have shape " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(context.inputs[2]));
  TAGFLOW_RETURN_IF_ERROR(PutRows(tensor, indices, list));
  context.outputs[0] = TensorList::Wrap(std::move(list));
  return Status();
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
  const Tensor& tensor = context.inputs[0];
  if (tensor.rank() == 0) return InvalidArgument("tensor must have rows, but it is a scalar");
  if (context.inputs[2].rank() != 1) {
    return InvalidArgument("lengths must be a vector, but have shape " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(CheckPieces(tensor, shape));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, IndexValues(context.inputs[2]));
  TensorList list(tensor.dtype(), std::move(shape));
  int64_t begin = 0;
  for (int64_t length : lengths) {
    if (length < 0 || length > tensor.dim(0) - begin) {
      return InvalidArgument("a piece of " + std::to_string(length) + " rows cannot be cut: " +
                             std::to_string(tensor.dim(0) - begin) + " are left");
    }
    list.Push(tensor.SliceOuter(begin, length));
    begin += length;
  }
  if (begin != tensor.dim(0)) {
    return InvalidArgument("the lengths add up to " + std::to_string(begin) + " of " +
                           std::to_string(tensor.dim(0)) + " rows");
  }
  context.outputs[0] = TensorList::Wrap(std::move(list));
  return Status();
}

// ---- From a list to a tensor ----

Status NoShape(const PartialShape& shape) {
  return InvalidArgument("neither the element shape " + shape.ToString() +
                         " nor an element says what to make: give the full element_shape");
}

// Zeros for `count` elements of a shape.
Result<Tensor> RowsOfZeros(DType dtype, int64_t count, const PartialShape& shape) {
  if (!shape.fully_known()) return NoShape(shape);
  if (dtype == DType::kResource) {
    return Unimplemented("elements of dtype resource cannot be made one tensor");
  }
  TAGFLOW_RETURN_IF_ERROR(RequireTensorDType(dtype));
  Dims dims = shape.dims();
  dims.insert(dims.begin(), count);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return Tensor::Allocate(dtype, dims);
}

//   list, element_shape; attr num_elements: the length it must have, or -1
Status Stack(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(context.node, "num_elements"));
  if (count != -1 && count != list.size()) {
    return InvalidArgument("the list has " + std::to_string(list.size()) + " elements, not " +
                           std::to_string(count));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(list, context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(shape, WithShapesOfElements(shape, list));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor stacked, RowsOfZeros(list.dtype(), list.size(), shape));
  list.Visit([&](int64_t i, const Tensor& element) {
    const int64_t width = element.num_elements();
    CopyElements(element, 0, stacked, i * width, width);
  });
  context.outputs[0] = std::move(stacked);
  return Status();
}

//   list, indices: int32, of any shape but taken as a vector; element_shape
Status Gather(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, IndexValues(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(list, context.inputs[2]));
  for (int64_t index : indices) {
    if (index < 0 || index >= list.size()) {
      return InvalidArgument("there is no element " + std::to_string(index) + " in a list of " +
                             std::to_string(list.size()));
    }
    const Tensor& element = list.Get(index);
    if (!element.has_value()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, PartialShape(ToDims(element.dims()))));
  }
  const auto count = static_cast<int64_t>(indices.size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor gathered, RowsOfZeros(list.dtype(), count, shape));
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& element = list.Get(indices[static_cast<size_t>(i)]);
    if (!element.has_value()) continue;
    const int64_t width = element.num_elements();
    CopyElements(element, 0, gathered, i * width, width);
  }
  context.outputs[0] = std::move(gathered);
  return Status();
}

// How the elements of a list are joined along their first dimension.
struct Joint {
  int64_t length = -1;                // of every element that has a value, -1: they may differ
  PartialShape rest;                  // the dimensions after the first
  std::vector<int64_t> missing = {};  // lengths by place, for elements without value
};

// Refines the joint by the elements that have a value. `length` becomes what they have in common.
Status Refine(const TensorList& list, Joint& joint) {
  Status status;
  const int64_t wanted = joint.length;
  bool differ = false;
  auto refine = [&](int64_t i, const Tensor& element) -> Status {
    if (element.rank() == 0) {
      return InvalidArgument("element " + std::to_string(i) +
                             " is a scalar, and scalars cannot be concatenated: stack them");
    }
    const int64_t length = element.dim(0);
    if (wanted != -1 && length != wanted) {
      return InvalidArgument("element " + std::to_string(i) + " has " + std::to_string(length) +
                             " rows, but element_shape says " + std::to_string(wanted));
    }
    differ |= joint.length != -1 && joint.length != length;
    joint.length = length;
    const PartialShape rest(WithoutDim(element.dims(), 0));
    TAGFLOW_ASSIGN_OR_RETURN(joint.rest, MergeShapes(joint.rest, rest));
    return Status();
  };
  list.Visit([&](int64_t i, const Tensor& element) {
    if (status.ok()) status = refine(i, element);
  });
  if (differ) joint.length = -1;
  return status;
}

// How long each element is; one without value as `missing` says, else like all the others.
Result<std::vector<int64_t>> Lengths(const TensorList& list, const Joint& joint) {
  if (list.size() > kMostListElements) {
    return ResourceExhausted("a list of " + std::to_string(list.size()) +
                             " elements is too long to be concatenated");
  }
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor& element = list.Get(i);
    const auto place = static_cast<size_t>(i);
    int64_t length = joint.length;
    if (element.has_value()) {
      length = element.dim(0);
    } else if (place < joint.missing.size()) {
      length = joint.missing[place];
    }
    if (length < 0) {
      return InvalidArgument("element " + std::to_string(i) + " was never set, and " +
                             (place < joint.missing.size()
                                  ? "leading_dims says " + std::to_string(length)
                                  : "nothing says how long it is: give its leading_dims"));
    }
    lengths.push_back(length);
  }
  return lengths;
}

//   outputs: the elements one after the other, and how long each is (int64)
Status Join(KernelContext& context, const TensorList& list, Joint joint) {
  TAGFLOW_RETURN_IF_ERROR(Refine(list, joint));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, Lengths(list, joint));
  int64_t total = 0;
  for (int64_t length : lengths) {
    if (__builtin_add_overflow(total, length, &total)) {
      return InvalidArgument("the concatenated dimension overflows int64");
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, RowsOfZeros(list.dtype(), total, joint.rest));
  const int64_t width = ProductOf(joint.rest.dims(), 0, joint.rest.dims().size());
  int64_t begin = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Tensor& element = list.Get(static_cast<int64_t>(i));
    if (element.has_value()) CopyElements(element, 0, joined, begin, element.num_elements());
    if (joined.num_elements() > 0) begin += lengths[i] * width;
  }
  context.outputs[0] = std::move(joined);
  context.outputs[1] = Tensor::Vector(lengths);
  return Status();
}

Result<PartialShape> WithoutFirst(const PartialShape& shape) {
  if (!shape.known_rank()) return PartialShape();
  if (shape.rank() == 0) return InvalidArgument("scalars cannot be concatenated: stack them");
  return PartialShape(WithoutDim(shape.dims(), 0));
}

//   list; attr element_shape, of which the first dimension is not looked at
Status Concat(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(context.node, "element_shape"));
  Joint joint;
  TAGFLOW_ASSIGN_OR_RETURN(joint.rest, WithoutFirst(shape));
  return Join(context, list, std::move(joint));
}

//   list, element_shape, leading_dims: int64, the lengths of the elements without value by place
Status ConcatV2(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList list, TakeList(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(list, context.inputs[1]));
  Joint joint;
  TAGFLOW_ASSIGN_OR_RETURN(joint.rest, WithoutFirst(shape));
  TAGFLOW_ASSIGN_OR_RETURN(joint.missing, IndexValues(context.inputs[2]));
  if (shape.known_rank()) joint.length = shape.dim(0);
  return Join(context, list, std::move(joint));
}

}  // namespace

Status RegisterListRowsKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"TensorListFromTensor", FromTensor},
                                {"TensorListScatter", Scatter},
                                {"TensorListScatterV2", Scatter},
                                {"TensorListScatterIntoExistingList", ScatterIntoExisting},
                                {"TensorListSplit", Split},
                                {"TensorListStack", Stack},
                                {"TensorListGather", Gather},
                                {"TensorListConcat", Concat},
                                {"TensorListConcatV2", ConcatV2}});
}

}  // namespace tagflow::reference
