// Gradients of optionals. The gradient of an optional is one with the gradients of its components.

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"

namespace tagflow {
namespace {

bool HasGradient(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kVariant;
}

//   components
Status FromValueGradient(NodeGradient& node) {
  AttrList types, shapes;
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) {
    types.types.push_back({.dtype = node.input_dtype(slot)});
    shapes.shapes.push_back(node.input_shape(slot));
  }
  const Operation components =
      Op(node.scope(), "OptionalGetValue", {node.grad(0)},
         {{"output_shapes", std::move(shapes)}, {"output_types", std::move(types)}});
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) {
    if (!HasGradient(node.input_dtype(slot))) continue;
    node.Give(slot, components[static_cast<int>(slot)]);
  }
  return Status();
}

// What has no gradient gets zeros, so that there are as many components.
//   optional -> components
Status GetValueGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList types, ListAttr(node.node(), "output_types"));
  OutputList components;
  for (size_t port = 0; port < types.types.size(); ++port) {
    const bool has_gradient = HasGradient(types.types[port].dtype);
    components.push_back(has_gradient ? node.grad(port)
                                      : ZerosLike(node.scope(), node.output(port)));
  }
  node.Give(0, Op(node.scope(), "OptionalFromValue", {components}));
  return Status();
}

}  // namespace

Status RegisterOptionalGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("OptionalFromValue", FromValueGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("OptionalGetValue", GetValueGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop("OptionalNone"));
  return registry.RegisterStop("OptionalHasValue");
}

}  // namespace tagflow
