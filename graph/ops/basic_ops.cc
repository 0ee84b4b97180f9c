// Ops that pass values on, start them or check them.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status ConstShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, TensorAttr(context.node(), "value"));
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(context.node(), "dtype"));
  if (value.dtype() != dtype) {
    return InvalidArgument("attr 'dtype' is " + DTypeName(dtype) + ", but attr 'value' holds " +
                           DTypeName(value.dtype()) + ": make them agree");
  }
  const DimsView dims = value.dims();
  context.set_output(0, PartialShape(Dims(dims.begin(), dims.end())));
  return Status();
}

// What is fed fits the attr. The default need not, where nothing is known of its shape.
Status PlaceholderWithDefaultShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeAttr(context.node(), "shape"));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(shape, context.input(0)).status());
  context.set_output(0, JoinShapes(shape, context.input(0)));
  return Status();
}

Status AssertShape(ShapeContext& context) { return shapes::RequireRank(context, 0, 0); }

// What passes values on.
std::vector<OpDefBuilder> PassingOps() {
  return {
      OpDefBuilder("NoOp")
          .Summary("Does nothing: a place to hang control edges on.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("Identity")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Its input.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("RefIdentity")
          .Input("input: Ref(T)")
          .Output("output: Ref(T)")
          .Attr("T: type")
          .AllowsUninitializedInput()
          .Summary("Its input, a reference to a variable.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("IdentityN")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: list(type) >= 1")
          .Summary("All of its inputs.")
          .Shape(shapes::AllUnchanged),
      OpDefBuilder("StopGradient")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Its input, through which no gradient flows.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("PreventGradient")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("message: string = ''")
          .Summary("Its input; asking for its gradient is an error that gives message.")
          .Shape(shapes::Unchanged),
  };
}

// What passes a value on as a copy, or with a promise about it.
std::vector<OpDefBuilder> CopyingOps() {
  return {
      OpDefBuilder("Snapshot")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Its input, in a buffer that no variable shares.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("DeepCopy")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: type")
          .Stateful()
          .Summary("A copy of its input.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("GuaranteeConst")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: type")
          .Stateful()
          .Summary("Its input, which the graph promises never to change.")
          .Shape(shapes::Unchanged),
  };
}

// Where values come from, and what checks them.
std::vector<OpDefBuilder> SourceOps() {
  return {
      OpDefBuilder("Const")
          .Output("output: dtype")
          .Attr("value: tensor")
          .Attr("dtype: type")
          .Summary("The tensor in its attr value.")
          .Shape(ConstShape),
      OpDefBuilder("Placeholder")
          .Output("output: dtype")
          .Attr("dtype: type")
          .Attr("shape: shape = { unknown_rank: true }")
          .Summary("A value that must be fed.")
          .Shape(shapes::FromShapeAttr),
      OpDefBuilder("PlaceholderV2")
          .Output("output: dtype")
          .Attr("dtype: type")
          .Attr("shape: shape")
          .Summary("A value that must be fed.")
          .Shape(shapes::FromShapeAttr),
      OpDefBuilder("PlaceholderWithDefault")
          .Input("input: dtype")
          .Output("output: dtype")
          .Attr("dtype: type")
          .Attr("shape: shape")
          .Summary("A value that may be fed, else its input.")
          .Shape(PlaceholderWithDefaultShape),
      OpDefBuilder("Assert")
          .Input("condition: bool", ArgRole::kScalar)
          .Input("data: T")
          .Attr("T: list(type) >= 1")
          .Attr("summarize: int = 3")
          .Stateful()
          .Summary("Fails the step, showing data, unless condition holds.")
          .Shape(AssertShape),
      OpDefBuilder("ToBool")
          .Input("input: T")
          .Output("output: bool")
          .Attr("T: type")
          .Summary("Of a scalar whether it is not zero or empty, of another tensor whether it has "
                   "elements.")
          .Shape(shapes::Scalar),
  };
}

}  // namespace

Status RegisterBasicOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, PassingOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, CopyingOps()));
  for (const char* op : {"CheckNumerics", "CheckNumericsV2"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(
        OpDefBuilder(op)
            .Input("tensor: T")
            .Output("output: T")
            .Attr("T: {bfloat16, half, float, double}")
            .Attr("message: string")
            .Stateful()
            .Summary("Its input; fails with message where that is infinite or NaN.")
            .Shape(shapes::Unchanged)));
  }
  return RegisterAll(registry, SourceOps());
}

}  // namespace tagflow
