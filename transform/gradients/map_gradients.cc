// Gradients of maps of tensors. The gradient of a map is a map that has the gradients of those
// values that somebody reads; what it has no key for is zero. So the zeros of a map, and what is
// added to it by one that reads a value, cost nothing but that value.

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

Output MapOf(const Scope& scope, const Output& key, const Output& value) {
  const Output empty = Op(scope, "EmptyTensorMap", {});
  return Op(scope, "TensorMapInsert", {empty, key, value});
}

bool HasGradient(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kVariant;
}

//   map, key
Status LookupGradient(NodeGradient& node) {
  node.Give(0, MapOf(node.scope(), node.input(1), node.grad(0)));
  return Status();
}

// A key that nobody read gets zeros, so that there is one to be taken out.
//   map, key, value
Status InsertGradient(NodeGradient& node) {
  const DType dtype = node.input_dtype(2);
  if (!HasGradient(dtype)) {
    node.Give(0, node.grad(0));
    return Status();
  }
  const Scope& scope = node.scope();
  const Output key = node.input(1);
  const Output zeros = dtype == DType::kVariant ? ZerosLike(scope, node.input(2))
                                                : Zeros(scope, node.shape_of_input(2), dtype);
  const Output gradients = AddN(scope, {node.grad(0), MapOf(scope, key, zeros)});
  const Output value = Op(scope, "TensorMapLookup", {gradients, key}, {{"value_dtype", dtype}});
  scope.SetShape(value, node.input_shape(2));
  node.Give(2, value);
  if (!node.wants(0)) return Status();
  node.Give(0, Op(scope, "TensorMapErase", {gradients, key}, {{"value_dtype", dtype}}));
  return Status();
}

// The gradient may have the key, and in another shape, where the map was added to one that has it:
// the value that was taken out has nothing to do with that one. (TensorFlow hands it on.)
//   map, key
Status EraseGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output key = node.input(1);
  const Output with_key = Op(scope, "TensorMapInsert", {node.grad(0), key, Const(scope, 0.0f)});
  node.Give(0, Op(scope, "TensorMapErase", {with_key, key}, {{"value_dtype", DType::kFloat}}));
  return Status();
}

const GradientEntry kEntries[] = {
    {"TensorMapErase", EraseGradient},
    {"TensorMapInsert", InsertGradient},
    {"TensorMapLookup", LookupGradient},
};
// Keys do not move by little.
constexpr const char* kStops[] = {"EmptyTensorMap", "TensorMapHasKey", "TensorMapSize",
                                  "TensorMapStackKeys"};

}  // namespace

Status RegisterMapGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
