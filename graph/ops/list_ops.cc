// Lists of tensors, as immutable values: what changes a list gives another one.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// The shape that input i spells: a vector of dimensions, or the scalar -1, which says nothing.
Result<PartialShape> ElementShape(const ShapeContext& context, int i) {
  const PartialShape& input = context.input(i);
  if (!input.known_rank() || input.rank() == 0) return PartialShape();
  return shapes::ShapeFromInput(context, i);
}

// Every output is a scalar, and so are input 0 and the input `scalar`, if there is one.
Status ScalarList(ShapeContext& context, int scalar = 0) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, scalar, 0));
  return shapes::Scalar(context);
}

Status ChangedListShape(ShapeContext& context) { return ScalarList(context); }

// The element shape, and how many.
Status NewListShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(ElementShape(context, 0).status());
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  return shapes::Scalar(context);
}

// The rows of input 0.
Status ListOfRowsShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  return shapes::Scalar(context);
}

// The rows of input 1, put into the list.
Status ScatterIntoShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  return ScalarList(context);
}

Status SplitShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  return ListOfRowsShape(context);
}

Status ResizeShape(ShapeContext& context) { return ScalarList(context); }

// The shape asked for does not bind an element that was written.
Status PopShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  context.set_output(0, PartialShape::Scalar());
  return Status();
}

Status GetShape(ShapeContext& context) { return shapes::RequireRank(context, 0, 0); }

Status StackShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(context.node(), "num_elements"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 1));
  const PartialShape rows(Dims{count < 0 ? kUnknown : count});
  context.set_output(0, shapes::Concatenated(rows, element));
  return Status();
}

Status GatherShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 2));
  const PartialShape rows(Dims{shapes::ElementCount(context.input(1))});
  context.set_output(0, shapes::Concatenated(rows, element));
  return Status();
}

// Elements of this shape joined along their first dimension, and their lengths there.
Status Joined(ShapeContext& context, const PartialShape& element) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  context.set_output(1, PartialShape(Dims{kUnknown}));
  if (!element.known_rank()) return Status();
  if (element.rank() == 0) return InvalidArgument("scalars cannot be concatenated");
  Dims dims = element.dims();
  dims[0] = kUnknown;
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

Status ConcatShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape element, ShapeAttr(context.node(), "element_shape"));
  return Joined(context, element);
}

Status ConcatV2Shape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape element, ElementShape(context, 1));
  return Joined(context, element);
}

Status PushBatchShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  int64_t count = kUnknown;
  for (int i = 0; i < 2; ++i) {
    if (!context.input(i).known_rank()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(count, shapes::MergeDims(count, context.input(i).dim(0)));
  }
  context.set_output(0, PartialShape(Dims{count}));
  return Status();
}

// What makes a list.
std::vector<OpDefBuilder> NewListOps() {
  return {
      OpDefBuilder("EmptyTensorList")
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Input("max_num_elements: int32", ArgRole::kCountOrAny)
          .Output("handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("A list without elements.")
          .Shape(NewListShape),
      OpDefBuilder("TensorListReserve")
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Input("num_elements: int32", ArgRole::kCount)
          .Output("handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("A list of elements that have no value yet, and read as zeros.")
          .Shape(NewListShape),
      OpDefBuilder("TensorListFromTensor")
          .Input("tensor: element_dtype")
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The list of the rows of tensor.")
          .Shape(ListOfRowsShape),
      OpDefBuilder("TensorListSplit")
          .Input("tensor: element_dtype")
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Input("lengths: int64")
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The list of tensor cut along dimension 0 into the given lengths.")
          .Shape(SplitShape),
      OpDefBuilder("TensorListScatter")
          .Input("tensor: element_dtype")
          .Input("indices: int32", ArgRole::kIndices)
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The list that has the rows of tensor at indices.")
          .Shape(ListOfRowsShape),
      OpDefBuilder("TensorListScatterV2")
          .Input("tensor: element_dtype")
          .Input("indices: int32", ArgRole::kIndices)
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Input("num_elements: int32", ArgRole::kCount)
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The list of num_elements elements that has the rows of tensor at indices.")
          .Shape(ListOfRowsShape),
  };
}

// What makes a list of another one, element by element.
std::vector<OpDefBuilder> ElementOps() {
  return {
      OpDefBuilder("TensorListPushBack")
          .Input("input_handle: variant")
          .Input("tensor: element_dtype")
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Summary("The list with tensor as its last element.")
          .Shape(ChangedListShape),
      OpDefBuilder("TensorListPushBackBatch")
          .Input("input_handles: variant")
          .Input("tensor: element_dtype")
          .Output("output_handles: variant")
          .Attr("element_dtype: type")
          .Summary("Each of the lists with its row of tensor as its last element.")
          .Shape(PushBatchShape),
      OpDefBuilder("TensorListPopBack")
          .Input("input_handle: variant")
          .Input("element_shape: int32", ArgRole::kElementShape)
          .Output("output_handle: variant")
          .Output("tensor: element_dtype")
          .Attr("element_dtype: type")
          .Summary("The list without its last element, and that element.")
          .Shape(PopShape),
      OpDefBuilder("TensorListGetItem")
          .Input("input_handle: variant")
          .Input("index: int32", ArgRole::kScalar)
          .Input("element_shape: Tshape", ArgRole::kElementShape)
          .Output("item: element_dtype")
          .Attr("element_dtype: type")
          .Attr("Tshape: {int32, int64} = DT_INT32")
          .Summary("The element at index.")
          .Shape(GetShape),
      OpDefBuilder("TensorListSetItem")
          .Input("input_handle: variant")
          .Input("index: int32", ArgRole::kScalar)
          .Input("item: element_dtype")
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Attr("resize_if_index_out_of_bounds: bool = false")
          .Summary("The list with item at index.")
          .Shape(ChangedListShape),
  };
}

// What makes a list of whole lists.
std::vector<OpDefBuilder> WholeListOps() {
  return {
      OpDefBuilder("TensorListResize")
          .Input("input_handle: variant")
          .Input("size: int32", ArgRole::kCount)
          .Output("output_handle: variant")
          .Summary("The first elements of a list, or the list and elements without value.")
          .Shape(ResizeShape),
      OpDefBuilder("TensorListScatterIntoExistingList")
          .Input("input_handle: variant")
          .Input("tensor: element_dtype")
          .Input("indices: int32", ArgRole::kIndices)
          .Output("output_handle: variant")
          .Attr("element_dtype: type")
          .Summary("The list with the rows of tensor at indices.")
          .Shape(ScatterIntoShape),
      OpDefBuilder("TensorListConcatLists")
          .Input("input_a: variant")
          .Input("input_b: variant")
          .Output("output: variant")
          .Attr("element_dtype: type")
          .Summary("The elements of one list and then those of another, for each pair of lists.")
          .Shape(shapes::Merged),
  };
}

// What asks about a list.
std::vector<OpDefBuilder> ListQueryOps() {
  return {
      OpDefBuilder("TensorListLength")
          .Input("input_handle: variant")
          .Output("length: int32")
          .Summary("The number of elements of a list.")
          .Shape(ChangedListShape),
      OpDefBuilder("TensorListElementShape")
          .Input("input_handle: variant")
          .Output("element_shape: shape_type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The shape that a list wants of its elements: -1 where unknown.")
          .Shape(GetShape),
      OpDefBuilder("TensorListStack")
          .Input("input_handle: variant")
          .Input("element_shape: int32", ArgRole::kElementShape)
          .Output("tensor: element_dtype")
          .Attr("element_dtype: type")
          .Attr("num_elements: int = -1")
          .Summary("The elements of a list as the rows of a tensor.")
          .Shape(StackShape),
      OpDefBuilder("TensorListGather")
          .Input("input_handle: variant")
          .Input("indices: int32", ArgRole::kIndices)
          .Input("element_shape: int32", ArgRole::kElementShape)
          .Output("values: element_dtype")
          .Attr("element_dtype: type")
          .Summary("The elements at indices as the rows of a tensor.")
          .Shape(GatherShape),
      OpDefBuilder("TensorListConcat")
          .Input("input_handle: variant")
          .Output("tensor: element_dtype")
          .Output("lengths: int64")
          .Attr("element_dtype: type")
          .Attr("element_shape: shape = { unknown_rank: true }")
          .Summary("The elements of a list joined along dimension 0, and their lengths there.")
          .Shape(ConcatShape),
      OpDefBuilder("TensorListConcatV2")
          .Input("input_handle: variant")
          .Input("element_shape: shape_type", ArgRole::kElementShape)
          .Input("leading_dims: int64")
          .Output("tensor: element_dtype")
          .Output("lengths: int64")
          .Attr("element_dtype: type")
          .Attr("shape_type: {int32, int64}")
          .Summary("The elements of a list joined along dimension 0; leading_dims says how long "
                   "those without value are.")
          .Shape(ConcatV2Shape),
  };
}

}  // namespace

Status RegisterListOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, NewListOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ElementOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, WholeListOps()));
  return RegisterAll(registry, ListQueryOps());
}

}  // namespace tagflow
