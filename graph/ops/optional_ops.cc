// Optionals: some tensors or nothing, as one value.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status QueryShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  return shapes::Scalar(context);
}

// The components are of the shapes that the attr lists, or it is an error.
Status GetShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(context.node(), "output_shapes"));
  if (static_cast<int>(list.shapes.size()) != context.num_outputs()) {
    return InvalidArgument("attr 'output_shapes' has " + std::to_string(list.shapes.size()) +
                           " shapes for " + std::to_string(context.num_outputs()) + " outputs");
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, list.shapes[static_cast<size_t>(i)]);
  }
  return Status();
}

}  // namespace

Status RegisterOptionalOps(OpRegistry& registry) {
  return RegisterAll(registry, {
                                   OpDefBuilder("OptionalFromValue")
                                       .Input("components: Toutput_types")
                                       .Output("optional: variant")
                                       .Attr("Toutput_types: list(type) >= 1")
                                       .Summary("An optional that has a value, the components.")
                                       .Shape(shapes::Scalar),
                                   OpDefBuilder("OptionalNone")
                                       .Output("optional: variant")
                                       .Summary("An optional without a value.")
                                       .Shape(shapes::Scalar),
                                   OpDefBuilder("OptionalHasValue")
                                       .Input("optional: variant")
                                       .Output("has_value: bool")
                                       .Summary("Whether an optional has a value.")
                                       .Shape(QueryShape),
                                   OpDefBuilder("OptionalGetValue")
                                       .Input("optional: variant")
                                       .Output("components: output_types")
                                       .Attr("output_types: list(type) >= 1")
                                       .Attr("output_shapes: list(shape) >= 1")
                                       .Summary("The components of an optional that has a value.")
                                       .Shape(GetShape),
                               });
}

}  // namespace tagflow
