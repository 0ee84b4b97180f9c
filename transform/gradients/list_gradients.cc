// Gradients of lists of tensors. The gradient of a list is a list of as many elements, element i
// the gradient of element i; one that was never set is zeros, of whatever shape its reader says.
//
// What reads an element adds to the list of gradients in place of making one of zeros, so that a
// loop over a list costs an element an iteration. Where one element can be named twice, readers add
// up and the last writer counts.
//
// Not handled: a SetItem or scatter in the place of an element of another shape, where something
// still asks for the gradient of the element that was there: its zeros are of the new shape, as in
// TensorFlow.

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/last_writer.h"
#include "transform/gradients/row_updates.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

Result<DType> ElementDType(const NodeGradient& node) {
  return TypeAttr(node.node(), "element_dtype");
}

// Says no element shape: as good as any where every element has one of its own.
Output AnyShape(const Scope& scope) { return Const(scope, int32_t{-1}); }

Output ListOfRows(const Scope& scope, const Output& rows) {
  return Op(scope, "TensorListFromTensor", {rows, AnyShape(scope)});
}

// Elements of lists that are lists cannot be rows of a tensor that are added up.
Status RequireNumberElements(const NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  if (dtype != DType::kVariant) return Status();
  return Unimplemented("the gradient of " + node.node().op +
                       " on a list of lists is not known: read them one by one "
                       "(TensorListGetItem, TensorListPopBack)");
}

// The gradient of a list, cut or made longer to what input 0 was.
Output LikeInput(NodeGradient& node, const Output& list) {
  const Output length = Op(node.scope(), "TensorListLength", {node.input(0)});
  return Op(node.scope(), "TensorListResize", {list, length});
}

// The index in input `slot`, which may be the only element of any tensor, as a scalar.
Output Index(NodeGradient& node, size_t slot) {
  if (node.input_shape(slot) == PartialShape::Scalar()) return node.input(slot);
  return Reshape(node.scope(), node.input(slot), Const(node.scope(), std::vector<int32_t>{}));
}

// The indices in input `slot`, which may have any shape, as a vector.
Output Indices(NodeGradient& node, size_t slot) {
  const PartialShape shape = node.input_shape(slot);
  if (shape.known_rank() && shape.rank() == 1) return node.input(slot);
  return Reshape(node.scope(), node.input(slot), Const(node.scope(), std::vector<int32_t>{-1}));
}

//   list, tensor
Status PushBackGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  const Scope& scope = node.scope();
  const Operation popped = Op(scope, "TensorListPopBack", {node.grad(0), node.shape_of_input(1)},
                              {{"element_dtype", dtype}});
  scope.SetShape(popped[1], node.input_shape(1));
  node.Give(0, popped[0]);
  node.Give(1, popped[1]);
  return Status();
}

//   list, element_shape -> list, tensor
Status PopBackGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "TensorListPushBack", {node.grad(0), node.grad(1)}));
  return Status();
}

//   lists, tensor: a row for each
Status PushBackBatchGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  const PartialShape lists = node.input_shape(0);
  if (!lists.known_rank() || lists.rank() != 1 || lists.dim(0) == PartialShape::kUnknownDim) {
    return Unimplemented(
        "the gradient of TensorListPushBackBatch needs to know how many lists "
        "there are: give input_handles a shape");
  }
  const Scope& scope = node.scope();
  const Output row_shape = DimsOfInput(node, 1, 1);
  OutputList rests, rows;
  for (const Output& list : Unpack(scope, node.grad(0), lists.dim(0))) {
    const Operation popped =
        Op(scope, "TensorListPopBack", {list, row_shape}, {{"element_dtype", dtype}});
    rests.push_back(popped[0]);
    rows.push_back(popped[1]);
  }
  if (rests.empty()) return Status();
  node.Give(0, Pack(scope, rests));
  if (!node.wants(1)) return Status();
  const Output tensor = Pack(scope, rows);
  scope.SetShape(tensor, node.input_shape(1));
  node.Give(1, tensor);
  return Status();
}

//   list, index, element_shape
Status GetItemGradient(NodeGradient& node) {
  node.GiveUpdate(0, AddToElement(Index(node, 1), node.grad(0), node.shape_of_output(0)));
  return Status();
}

// As in TensorFlow, the element that is replaced is taken to be of the new one's shape: what it was
// would have to be kept for nothing else.
//   list, index, item
Status SetItemGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  TAGFLOW_ASSIGN_OR_RETURN(const bool resizes,
                           BoolAttr(node.node(), "resize_if_index_out_of_bounds"));
  const Scope& scope = node.scope();
  const Output index = node.input(1);
  const Output item = Op(scope, "TensorListGetItem", {node.grad(0), index, node.shape_of_input(2)},
                         {{"element_dtype", dtype}});
  scope.SetShape(item, node.input_shape(2));
  node.Give(2, item);
  if (!node.wants(0)) return Status();
  const Output list = Op(scope, "TensorListSetItem", {node.grad(0), index, ZerosLike(scope, item)});
  node.Give(0, resizes ? LikeInput(node, list) : list);
  return Status();
}

//   list, element_shape
Status StackGradient(NodeGradient& node) {
  node.Give(0, ListOfRows(node.scope(), node.grad(0)));
  return Status();
}

//   tensor, element_shape
Status FromTensorGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  const Output rows = Op(node.scope(), "TensorListStack", {node.grad(0), DimsOfInput(node, 0, 1)},
                         {{"element_dtype", dtype}});
  node.scope().SetShape(rows, node.input_shape(0));
  node.Give(0, rows);
  return Status();
}

//   list, indices, element_shape
Status GatherGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumberElements(node));
  const bool distinct = AreDistinct(node, 1);
  node.GiveUpdate(0, AddToElements(node.scope(), Indices(node, 1), node.grad(0),
                                   RowShapeOfOutput(node, 0), distinct));
  return Status();
}

// The gradients of the rows in input `slot` that were put at `indices` of a list.
Result<Output> ScatteredRows(NodeGradient& node, size_t slot, size_t indices_slot) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  const Scope& scope = node.scope();
  const Output indices = Indices(node, indices_slot);
  const Output rows =
      Op(scope, "TensorListGather", {node.grad(0), indices, DimsOfInput(node, slot, 1)},
         {{"element_dtype", dtype}});
  scope.SetShape(rows, node.input_shape(slot));
  if (AreDistinct(node, indices_slot)) return rows;
  TAGFLOW_RETURN_IF_ERROR(RequireNumberElements(node));
  return OfLastWriters(scope, {indices}, {rows})[0];
}

//   tensor, indices, element_shape, and of V2 num_elements
Status ScatterGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const Output rows, ScatteredRows(node, 0, 1));
  node.Give(0, rows);
  return Status();
}

//   list, tensor, indices; the list may have grown
Status ScatterIntoGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const Output rows, ScatteredRows(node, 1, 2));
  node.Give(1, rows);
  if (!node.wants(0)) return Status();
  const Scope& scope = node.scope();
  const Output list = Op(scope, "TensorListScatterIntoExistingList",
                         {node.grad(0), ZerosLike(scope, rows), node.input(2)});
  node.Give(0, LikeInput(node, list));
  return Status();
}

//   list, and of V2 element_shape, leading_dims -> tensor, lengths
Status ConcatGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  node.Give(0, Op(scope, "TensorListSplit", {node.grad(0), AnyShape(scope), node.output(1)}));
  return Status();
}

//   tensor, element_shape, lengths
Status SplitGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  const Scope& scope = node.scope();
  const Output shape =
      Concat(scope, {Const(scope, std::vector<int32_t>{-1}), DimsOfInput(node, 0, 1)}, 0);
  const Output tensor = Op(scope, "TensorListConcatV2", {node.grad(0), shape, node.input(2)},
                           {{"element_dtype", dtype}});
  scope.SetShape(tensor, node.input_shape(0));
  node.Give(0, tensor);
  return Status();
}

//   list, size
Status ResizeGradient(NodeGradient& node) {
  node.Give(0, LikeInput(node, node.grad(0)));
  return Status();
}

// The elements of the second list are taken out as the rows of a tensor, so they must be of one
// shape.
//   two lists
Status ConcatListsGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumberElements(node));
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, ElementDType(node));
  if (node.input_shape(0) != PartialShape::Scalar()) {
    return Unimplemented(
        "the gradient of TensorListConcatLists is known for two lists only, not "
        "for tensors of lists");
  }
  const Scope& scope = node.scope();
  if (node.wants(0)) node.Give(0, LikeInput(node, node.grad(0)));
  if (!node.wants(1)) return Status();
  const Output begin = Op(scope, "TensorListLength", {node.input(0)});
  const Output end = Op(scope, "TensorListLength", {node.grad(0)});
  const Output shape =
      Op(scope, "TensorListElementShape", {node.input(1)}, {{"shape_type", DType::kInt32}});
  const Output rows =
      Op(scope, "TensorListGather", {node.grad(0), Range(scope, begin, end, 1), shape},
         {{"element_dtype", dtype}});
  node.Give(1, ListOfRows(scope, rows));
  return Status();
}

struct Rule {
  const char* op;
  Status (*gradient)(NodeGradient&);
};
constexpr Rule kRules[] = {
    {"TensorListPushBack", PushBackGradient},
    {"TensorListPopBack", PopBackGradient},
    {"TensorListPushBackBatch", PushBackBatchGradient},
    {"TensorListGetItem", GetItemGradient},
    {"TensorListSetItem", SetItemGradient},
    {"TensorListStack", StackGradient},
    {"TensorListFromTensor", FromTensorGradient},
    {"TensorListGather", GatherGradient},
    {"TensorListScatter", ScatterGradient},
    {"TensorListScatterV2", ScatterGradient},
    {"TensorListScatterIntoExistingList", ScatterIntoGradient},
    {"TensorListConcat", ConcatGradient},
    {"TensorListConcatV2", ConcatGradient},
    {"TensorListSplit", SplitGradient},
    {"TensorListResize", ResizeGradient},
    {"TensorListConcatLists", ConcatListsGradient},
};

}  // namespace

Status RegisterListGradients(GradientRegistry& registry) {
  for (const auto& [op, gradient] : kRules) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, gradient));
  }
  for (const char* op :
       {"EmptyTensorList", "TensorListReserve", "TensorListLength", "TensorListElementShape"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  return Status();
}

}  // namespace tagflow
