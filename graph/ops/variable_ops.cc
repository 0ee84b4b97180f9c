// Variables of the session: by handle, and by reference.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterVariableOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("VarHandleOp")
          .Output("resource: resource")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Attr("debug_name: string = ''")
          .Attr("dtype: type")
          .Attr("shape: shape")
          .Attr("allowed_devices: list(string) = []")
          .Stateful()
          .Summary("A handle to the variable of this container and name.")
          .Shape(shapes::Scalar),
      OpDefBuilder("ReadVariableOp")
          .Input("resource: resource")
          .Output("value: dtype")
          .Attr("dtype: type")
          .Stateful()
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
      OpDefBuilder("VarIsInitializedOp")
          .Input("resource: resource")
          .Output("is_initialized: bool")
          .Stateful()
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
          .Summary("The dimensions of the value of a variable.")
          .Shape(shapes::Unknown),
      OpDefBuilder("Variable")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Stateful()
          .Summary("A reference to the variable of this container and name; shape [] says nothing.")
          .Shape(shapes::Unknown),
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
          .Summary("Whether a variable has a value.")
          .Shape(shapes::Scalar),
      OpDefBuilder("Assign")
          .Input("ref: Ref(T)")
          .Input("value: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: type")
          .Attr("validate_shape: bool = true")
          .Attr("use_locking: bool = true")
          .AllowsUninitializedInput()
          .Summary("Sets a variable and passes its reference on.")
          .Shape(shapes::Unknown),
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
      OpDefBuilder("CountUpTo")
          .Input("ref: Ref(T)")
          .Output("output: T")
          .Attr("limit: int")
          .Attr("T: {int32, int64}")
          .Summary("The value of a variable, which then grows by 1; fails once it is limit.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ScatterUpdate")
          .Input("ref: Ref(T)")
          .Input("indices: Tindices")
          .Input("updates: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: type")
          .Attr("Tindices: {int32, int64}")
          .Attr("use_locking: bool = true")
          .Summary("Sets rows of a variable and passes its reference on.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ScatterAdd")
          .Input("ref: Ref(T)")
          .Input("indices: Tindices")
          .Input("updates: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: numbertype")
          .Attr("Tindices: {int32, int64}")
          .Attr("use_locking: bool = false")
          .Summary("Adds to rows of a variable and passes its reference on.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ScatterSub")
          .Input("ref: Ref(T)")
          .Input("indices: Tindices")
          .Input("updates: T")
          .Output("output_ref: Ref(T)")
          .Attr("T: numbertype")
          .Attr("Tindices: {int32, int64}")
          .Attr("use_locking: bool = false")
          .Summary("Subtracts from rows of a variable and passes its reference on.")
          .Shape(shapes::Unknown),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
