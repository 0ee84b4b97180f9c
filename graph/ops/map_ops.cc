// Maps from tensors to tensors, as immutable values: what changes a map gives another one.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// Ops that give a map.
std::vector<OpDefBuilder> ChangingOps() {
  return {
      OpDefBuilder("EmptyTensorMap")
          .Output("handle: variant")
          .Summary("A map without keys.")
          .Shape(shapes::Scalar),
      OpDefBuilder("TensorMapInsert")
          .Input("input_handle: variant")
          .Input("key: key_dtype", ArgRole::kScalar)
          .Input("value: value_dtype")
          .Output("output_handle: variant")
          .Attr("key_dtype: type")
          .Attr("value_dtype: type")
          .Summary("The map in which key has this value.")
          .Shape(shapes::Scalar),
      OpDefBuilder("TensorMapErase")
          .Input("input_handle: variant")
          .Input("key: key_dtype", ArgRole::kScalar)
          .Output("output_handle: variant")
          .Attr("key_dtype: type")
          .Attr("value_dtype: type")
          .Summary("The map without key, which must be in it.")
          .Shape(shapes::Scalar),
  };
}

// Ops that read a map.
std::vector<OpDefBuilder> MapQueryOps() {
  return {
      OpDefBuilder("TensorMapSize")
          .Input("input_handle: variant")
          .Output("size: int32")
          .Summary("The number of keys of a map.")
          .Shape(shapes::Scalar),
      OpDefBuilder("TensorMapLookup")
          .Input("input_handle: variant")
          .Input("key: key_dtype", ArgRole::kScalar)
          .Output("value: value_dtype")
          .Attr("key_dtype: type")
          .Attr("value_dtype: type")
          .Summary("The value of key, which must be in the map.")
          .Shape(shapes::Unknown),
      OpDefBuilder("TensorMapHasKey")
          .Input("input_handle: variant")
          .Input("key: key_dtype", ArgRole::kScalar)
          .Output("has_key: bool")
          .Attr("key_dtype: type")
          .Summary("Whether key is in the map.")
          .Shape(shapes::Scalar),
      OpDefBuilder("TensorMapStackKeys")
          .Input("input_handle: variant")
          .Output("keys: key_dtype")
          .Attr("key_dtype: type")
          .Summary("The keys of a map, which must be of one shape, as the rows of a tensor.")
          .Shape(shapes::Unknown),
  };
}

}  // namespace

Status RegisterMapOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ChangingOps()));
  return RegisterAll(registry, MapQueryOps());
}

}  // namespace tagflow
