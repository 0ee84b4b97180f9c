// Tensors made of the elements of a list: TensorListStack, TensorListGather, TensorListConcat.
// Tested by conformance/ops/list.ops.

#include <string>
#include <utility>
#include <vector>

#include "graph/limits.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/lists.h"
#include "optimized/kernels/row_joins.h"

namespace tagflow::optimized {
namespace {

// The dims of `count` elements of a shape.
//   Errors: INVALID_ARGUMENT when the shape does not say all, UNIMPLEMENTED for what has no zeros
Result<Dims> RowDims(DType dtype, int64_t count, const PartialShape& shape) {
  if (!shape.fully_known()) {
    return InvalidArgument("neither the element shape " + shape.ToString() +
                           " nor an element says what to make: give the full element_shape");
  }
  if (dtype == DType::kResource || !IsTensorDType(dtype)) {
    return Unimplemented("elements of dtype " + DTypeName(dtype) + " cannot be made one tensor");
  }
  Dims dims = {count};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  return dims;
}

//   list, element_shape; attr num_elements: the length it must have, or -1
Result<BoundKernel> BindStack(const Binding& binding, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t wanted, IntAttr(binding.node, "num_elements"));
  return BoundKernel([dtype, wanted, join](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, ListInput(context, 0, dtype));
    if (wanted != -1 && wanted != list->size()) {
      return InvalidArgument("the list has " + std::to_string(list->size()) + " elements, not " +
                             std::to_string(wanted));
    }
    TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(*list, context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(const MergedElements merged, MergeElements(*list, std::move(shape)));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, RowDims(dtype, list->size(), merged.shape));
    std::vector<JoinedPiece> pieces;
    pieces.reserve(static_cast<size_t>(merged.count));
    list->Visit([&](int64_t i, const Tensor& element) {
      pieces.push_back({element, i * element.num_elements()});
    });
    return join(context, dtype, dims, pieces);
  });
}

//   list, indices: int32, of any shape but taken as a vector; element_shape
Status Gather(KernelContext& context, DType dtype, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, ListInput(context, 0, dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView indices, IntView::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergedElementShape(*list, context.input(2)));
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= list->size()) return OutOfList(indices[i], list->size());
    const Tensor& element = list->Get(indices[i]);
    if (element.has_value()) TAGFLOW_RETURN_IF_ERROR(MergeInto(shape, element.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, RowDims(dtype, indices.size(), shape));
  std::vector<JoinedPiece> pieces;
  for (int64_t i = 0; i < indices.size(); ++i) {
    const Tensor& element = list->Get(indices[i]);
    if (element.has_value()) pieces.push_back({element, i * element.num_elements()});
  }
  return join(context, dtype, dims, pieces);
}

// How the elements of a list are joined along their first dimension.
struct Joint {
  int64_t length = -1;                // of every element that has a value, -1: they may differ
  PartialShape rest;                  // the dimensions after the first
  std::vector<int64_t> missing = {};  // lengths by place, for elements without value
};

// Refines the joint by an element that has a value.
//   wanted: the length it must have, or -1
Status RefineBy(const Tensor& element, int64_t i, int64_t wanted, Joint& joint) {
  if (element.rank() == 0) {
    return InvalidArgument("element " + std::to_string(i) +
                           " is a scalar, and scalars cannot be concatenated: stack them");
  }
  if (wanted != -1 && element.dim(0) != wanted) {
    return InvalidArgument("element " + std::to_string(i) + " has " +
                           std::to_string(element.dim(0)) + " rows, but element_shape says " +
                           std::to_string(wanted));
  }
  joint.length = element.dim(0);
  return MergeInto(joint.rest, element.dims().subspan(1));
}

// Refines the joint by all elements. Its length becomes what they have in common.
Status Refine(const TensorList& list, Joint& joint) {
  Status status;
  const int64_t wanted = joint.length;
  bool differ = false;
  list.Visit([&](int64_t i, const Tensor& element) {
    if (!status.ok()) return;
    const int64_t before = joint.length;
    status = RefineBy(element, i, wanted, joint);
    differ |= before != -1 && before != joint.length;
  });
  if (differ) joint.length = -1;
  return status;
}

// How long element i is: one without value as `missing` says, else like all the others.
Result<int64_t> LengthOf(const TensorList& list, int64_t i, const Joint& joint) {
  const Tensor& element = list.Get(i);
  if (element.has_value()) return element.dim(0);
  const bool is_told = i < static_cast<int64_t>(joint.missing.size());
  const int64_t length = is_told ? joint.missing[static_cast<size_t>(i)] : joint.length;
  if (length >= 0) return length;
  return InvalidArgument("element " + std::to_string(i) + " was never set, and " +
                         (is_told ? "leading_dims says " + std::to_string(length)
                                  : "nothing says how long it is: give its leading_dims"));
}

Result<std::vector<int64_t>> Lengths(const TensorList& list, const Joint& joint) {
  if (list.size() > kMostListElements) {
    return ResourceExhausted("a list of " + std::to_string(list.size()) +
                             " elements is too long to be concatenated");
  }
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < list.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t length, LengthOf(list, i, joint));
    lengths.push_back(length);
  }
  return lengths;
}

//   outputs: the elements one after the other, and how long each is (int64)
Status Join(KernelContext& context, const TensorList& list, Joint joint, JoinPieces join) {
  TAGFLOW_RETURN_IF_ERROR(Refine(list, joint));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, Lengths(list, joint));
  int64_t total = 0;
  for (const int64_t length : lengths) {
    if (__builtin_add_overflow(total, length, &total)) {
      return InvalidArgument("the concatenated dimension overflows int64");
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, RowDims(list.dtype(), total, joint.rest));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t num_elements, NumElements(dims));
  const int64_t width = total == 0 ? 0 : num_elements / total;
  std::vector<JoinedPiece> pieces;
  int64_t row = 0;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor& element = list.Get(i);
    if (element.has_value()) pieces.push_back({element, row * width});
    row += lengths[static_cast<size_t>(i)];
  }
  TAGFLOW_RETURN_IF_ERROR(join(context, list.dtype(), dims, pieces));
  context.output(1) = Tensor::Vector(lengths);
  return Status();
}

Result<PartialShape> WithoutFirst(const PartialShape& shape) {
  if (!shape.known_rank()) return PartialShape();
  if (shape.rank() == 0) return InvalidArgument("scalars cannot be concatenated: stack them");
  return PartialShape(Dims(shape.dims().begin() + 1, shape.dims().end()));
}

//   list; attr element_shape, of which the first dimension is not looked at
Result<BoundKernel> BindConcat(const Binding& binding, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(binding.node, "element_shape"));
  return BoundKernel([dtype, shape, join](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, ListInput(context, 0, dtype));
    Joint joint;
    TAGFLOW_ASSIGN_OR_RETURN(joint.rest, WithoutFirst(shape));
    return Join(context, *list, std::move(joint), join);
  });
}

//   list, element_shape, leading_dims: int64 vector, the lengths of elements without value
Status ConcatV2(KernelContext& context, DType dtype, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorList* list, ListInput(context, 0, dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, MergedElementShape(*list, context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView missing, IntView::Of(context.input(2)));
  Joint joint;
  TAGFLOW_ASSIGN_OR_RETURN(joint.rest, WithoutFirst(shape));
  joint.missing = missing.values();
  if (shape.known_rank()) joint.length = shape.dim(0);
  return Join(context, *list, std::move(joint), join);
}

template <Status (*kKernel)(KernelContext&, DType, JoinPieces)>
Result<BoundKernel> BindTypedJoin(const Binding& binding, JoinPieces join) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "element_dtype"));
  return BoundKernel(
      [dtype, join](KernelContext& context) { return kKernel(context, dtype, join); });
}

}  // namespace

Result<BoundKernel> BindListJoin(const Binding& binding, JoinPieces join) {
  const std::string& op = binding.node.op;
  if (op == "TensorListStack") return BindStack(binding, join);
  if (op == "TensorListGather") return BindTypedJoin<Gather>(binding, join);
  if (op == "TensorListConcat") return BindConcat(binding, join);
  return BindTypedJoin<ConcatV2>(binding, join);
}

}  // namespace tagflow::optimized
