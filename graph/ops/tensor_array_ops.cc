// Arrays of tensors that are written once per index. The float called flow orders the accesses.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterTensorArrayOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("TensorArrayV3")
          .Input("size: int32")
          .Output("handle: resource")
          .Output("flow: float")
          .Attr("dtype: type")
          .Attr("element_shape: shape = { unknown_rank: true }")
          .Attr("dynamic_size: bool = false")
          .Attr("clear_after_read: bool = true")
          .Attr("identical_element_shapes: bool = false")
          .Attr("tensor_array_name: string = ''")
          .Stateful()
          .Summary("A new array of size tensors.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayGradV3")
          .Input("handle: resource")
          .Input("flow_in: float")
          .Output("grad_handle: resource")
          .Output("flow_out: float")
          .Attr("source: string")
          .Stateful()
          .Summary("The array of the gradients of an array, made when it is not there yet.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayGradWithShape")
          .Input("handle: resource")
          .Input("flow_in: float")
          .Input("shape_to_prepend: int32")
          .Output("grad_handle: resource")
          .Output("flow_out: float")
          .Attr("source: string")
          .Stateful()
          .Summary("TensorArrayGradV3 with dimensions put before those of the elements.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayWriteV3")
          .Input("handle: resource")
          .Input("index: int32")
          .Input("value: T")
          .Input("flow_in: float")
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes the element at index.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayReadV3")
          .Input("handle: resource")
          .Input("index: int32")
          .Input("flow_in: float")
          .Output("value: dtype")
          .Attr("dtype: type")
          .Stateful()
          .Summary("The element at index.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayGatherV3")
          .Input("handle: resource")
          .Input("indices: int32")
          .Input("flow_in: float")
          .Output("value: dtype")
          .Attr("dtype: type")
          .Attr("element_shape: shape = { unknown_rank: true }")
          .Stateful()
          .Summary("The elements at indices, stacked.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayScatterV3")
          .Input("handle: resource")
          .Input("indices: int32")
          .Input("value: T")
          .Input("flow_in: float")
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes the rows of value at indices.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayConcatV3")
          .Input("handle: resource")
          .Input("flow_in: float")
          .Output("value: dtype")
          .Output("lengths: int64")
          .Attr("dtype: type")
          .Attr("element_shape_except0: shape = { unknown_rank: true }")
          .Stateful()
          .Summary("All elements joined along dimension 0, and their lengths there.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArraySplitV3")
          .Input("handle: resource")
          .Input("value: T")
          .Input("lengths: int64")
          .Input("flow_in: float")
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes value cut along dimension 0 into the given lengths.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArraySizeV3")
          .Input("handle: resource")
          .Input("flow_in: float")
          .Output("size: int32")
          .Stateful()
          .Summary("The number of elements of an array.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorArrayCloseV3")
          .Input("handle: resource")
          .Stateful()
          .Summary("Drops the elements of an array; using it after is an error.")
          .Shape(shapes::Unknown),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
