// What reads checkpoints.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status RestoreShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, PartialShape());
  return Status();
}

}  // namespace

Status RegisterSavingOps(OpRegistry& registry) {
  return registry.Register(
      OpDefBuilder("RestoreV2")
          .Input("prefix: string", ArgRole::kScalar)
          .Input("tensor_names: string")
          .Input("shape_and_slices: string")
          .Output("tensors: dtypes")
          .Attr("dtypes: list(type) >= 1")
          .Stateful()
          .Summary("The tensors of those names in the checkpoint whose files begin with prefix.")
          .Shape(RestoreShape));
}

}  // namespace tagflow
