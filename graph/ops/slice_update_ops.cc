// Ops that write part of a tensor: the slice that StridedSlice would read, or whole rows.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

using shapes::RequireRank;

// begin, end and strides are inputs 1 to 3, vectors of one length.
Status CheckBounds(const ShapeContext& context) {
  PartialShape bounds = PartialShape::UnknownOfRank(1);
  for (int i = 1; i < 4; ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireRank(context, i, 1));
    TAGFLOW_ASSIGN_OR_RETURN(bounds, MergeShapes(bounds, context.input(i)));
  }
  return Status();
}

Status StridedSliceGradShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckBounds(context));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 0));
  context.set_output(0, std::move(shape));
  return Status();
}

Status SliceUpdateShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckBounds(context));
  return shapes::Unchanged(context);  // of the resource form, which has no output, nothing
}

OpDefBuilder SliceOp(const char* name) {
  return OpDefBuilder(name)
      .Attr("T: type")
      .Attr("Index: {int32, int64}")
      .Attr("begin_mask: int = 0")
      .Attr("end_mask: int = 0")
      .Attr("ellipsis_mask: int = 0")
      .Attr("new_axis_mask: int = 0")
      .Attr("shrink_axis_mask: int = 0");
}

OpDefBuilder WithBounds(OpDefBuilder op) {
  return op.Input("begin: Index", ArgRole::kBegins)
      .Input("end: Index", ArgRole::kEnds)
      .Input("strides: Index", ArgRole::kStrides);
}

std::vector<OpDefBuilder> SliceOps() {
  return {
      WithBounds(SliceOp("StridedSliceGrad").Input("shape: Index", ArgRole::kShape))
          .Input("dy: T")
          .Output("output: T")
          .Summary("The gradient of StridedSlice: dy where the slice is, zeros around it.")
          .Shape(StridedSliceGradShape),
      WithBounds(SliceOp("StridedSliceAssign").Input("ref: Ref(T)"))
          .Input("value: T")
          .Output("output_ref: Ref(T)")
          .Summary("Sets a slice of a variable and passes its reference on.")
          .Shape(SliceUpdateShape),
      WithBounds(SliceOp("ResourceStridedSliceAssign").Input("ref: resource"))
          .Input("value: T")
          .Stateful()
          .Summary("Sets a slice of a variable.")
          .Shape(SliceUpdateShape),
      WithBounds(SliceOp("TensorStridedSliceUpdate").Input("input: T"))
          .Input("value: T")
          .Output("output: T")
          .Summary("A tensor with another slice in the place of one of its own.")
          .Shape(SliceUpdateShape),
  };
}

OpDefBuilder RowsOp(const char* name, const char* summary) {
  return OpDefBuilder(name)
      .Input("x: T")
      .Input("i: int32", ArgRole::kIndices)
      .Input("v: T", ArgRole::kUpdates)
      .Output("y: T")
      .Attr("T: type")
      .Summary(summary)
      .Shape(shapes::Unchanged);
}

std::vector<OpDefBuilder> RowOps() {
  return {RowsOp("InplaceUpdate", "x with its rows i replaced by those of v."),
          RowsOp("InplaceAdd", "x with the rows of v added to its rows i."),
          RowsOp("InplaceSub", "x with the rows of v subtracted from its rows i.")};
}

}  // namespace

Status RegisterSliceUpdateOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, SliceOps()));
  return RegisterAll(registry, RowOps());
}

}  // namespace tagflow
