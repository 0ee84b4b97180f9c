// Variables of the session: by handle, and by reference.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status VariableShapeShape(ShapeContext& context) {
  context.set_output(0, PartialShape::UnknownOfRank(1));
  return Status();
}

// The older op cannot say that nothing is known, and says [] for it.
Status LegacyVariableShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::FromShapeAttr(context));
  const PartialShape& shape = context.outputs()[0];
  if (shape.known_rank() && shape.rank() == 0) context.set_output(0, PartialShape());
  return Status();
}

Status AssignShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool validate, BoolAttr(context.node(), "validate_shape"));
  if (validate) return shapes::Merged(context);
  context.set_output(0, context.input(1));
  return Status();
}

Status CountUpToShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  return shapes::Scalar(context);
}

// Variables by handle.
std::vector<OpDefBuilder> ResourceOps() {
  return {
      OpDefBuilder("VarHandleOp")
          .Output("resource: resource")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Attr("debug_name: string = ''")
          .Attr("dtype: type")
          .Attr("shape: shape")
          .Attr("allowed_devices: list(string) = []")
          .Stateful()
          .OnlyLooks()
          .Summary("A handle to the variable of this container and name.")
          .Shape(shapes::Scalar),
      OpDefBuilder("ReadVariableOp")
          .Input("resource: resource")
          .Output("value: dtype")
          .Attr("dtype: type")
          .Stateful()
          .OnlyLooks()
          .Summary("The value of a variable.")
          .Shape(shapes::Unknown),
      OpDefBuilder("AssignVariableOp")
          .Input("resource: resource")
          .Input("value: dtype")
          .Attr("dtype: type")
          .Attr("validate_shape: bool = false")
          .Stateful()
          .Summary("Sets a variable.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("AssignAddVariableOp")
          .Input("resource: resource")
          .Input("value: dtype")
          .Attr("dtype: type")
          .Stateful()
          .Summary("Adds to a variable.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("AssignSubVariableOp")
          .Input("resource: resource")
          .Input("value: dtype")
          .Attr("dtype: type")
          .Stateful()
          .Summary("Subtracts from a variable.")
          .Shape(shapes::NoOutputs),
  };
}

// What asks about a variable by handle, or ends it.
std::vector<OpDefBuilder> ResourceQueryOps() {
  return {
      OpDefBuilder("VarIsInitializedOp")
          .Input("resource: resource")
          .Output("is_initialized: bool")
          .Stateful()
          .OnlyLooks()
          .Summary("Whether a variable has a value.")
          .Shape(shapes::Scalar),
      OpDefBuilder("DestroyResourceOp")
          .Input("resource: resource")
          .Attr("ignore_lookup_error: bool = true")
          .Stateful()
          .Summary("Deletes what a handle names.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("VariableShape")
          .Input("input: resource")
          .Output("output: out_type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .Stateful()
          .OnlyLooks()
          .Summary("The dimensions of the value of a variable.")
          .Shape(VariableShapeShape),
  };
}

// Variables by reference.
std::vector<OpDefBuilder> ReferenceOps() {
  return {
      OpDefBuilder("Variable")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Stateful()
          .Summary("A reference to the variable of this container and name; shape [] says nothing.")
          .Shape(LegacyVariableShape),
      OpDefBuilder("VariableV2")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Stateful()
          .Summary("A reference to the variable of this container and name.")
          .Shape(shapes::FromShapeAttr),
      OpDefBuilder("IsVariableInitialized")
          .Input("ref: Ref(dtype)")
          .Output("is_initialized: bool")
          .Attr("dtype: type")
          .AllowsUninitializedInput()
          .OnlyLooks()
          .Summary("Whether a variable has a value.")
          .Shape(shapes::Scalar),
      OpDefBuilder("CountUpTo")
          .Input("ref: Ref(T)")
          .Output("output: T")
          .Attr("limit: int")
          .Attr("T: {int32, int64}")
          .Summary("The value of a variable, which then grows by 1; fails once it is limit.")
          .Shape(CountUpToShape),
  };
}

// Variables that live in a step, and counters.
std::vector<OpDefBuilder> StepOps() {
  return {
      OpDefBuilder("TemporaryVariable")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("var_name: string = ''")
          .Stateful()
          .Summary("A reference to a new variable, which ends with the step at the latest.")
          .Shape(shapes::FromShapeAttr),
      OpDefBuilder("DestroyTemporaryVariable")
          .Input("ref: Ref(T)")
          .Output("value: T")
          .Attr("T: type")
          .Attr("var_name: string")
          .Summary("The last value of a temporary variable, which ends.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("ResourceCountUpTo")
          .Input("resource: resource")
          .Output("output: T")
          .Attr("limit: int")
          .Attr("T: {int32, int64}")
          .Stateful()
          .Summary("The value of a variable, which then grows by 1; fails once it is limit.")
          .Shape(shapes::Scalar),
  };
}

// What sets a variable by reference, whole.
std::vector<OpDefBuilder> AssignOps() {
  return {
      OpDefBuilder("Assign")
          .Input("ref: Ref(T)")
          .Input("value: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: type")
          .Attr("validate_shape: bool = true")
          .Attr("use_locking: bool = true")
          .AllowsUninitializedInput()
          .Summary("Sets a variable and passes its reference on.")
          .Shape(AssignShape),
      OpDefBuilder("AssignAdd")
          .Input("ref: Ref(T)")
          .Input("value: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: numbertype")
          .Attr("use_locking: bool = false")
          .Summary("Adds to a variable and passes its reference on.")
          .Shape(shapes::Merged),
      OpDefBuilder("AssignSub")
          .Input("ref: Ref(T)")
          .Input("value: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: numbertype")
          .Attr("use_locking: bool = false")
          .Summary("Subtracts from a variable and passes its reference on.")
          .Shape(shapes::Merged),
  };
}

}  // namespace

Status RegisterVariableOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ResourceOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ResourceQueryOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ReferenceOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, StepOps()));
  return RegisterAll(registry, AssignOps());
}

}  // namespace tagflow
