// What reads and writes checkpoints.

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

Status SaveShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  return shapes::RequireRank(context, 2, 1);
}

Status MergeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  return shapes::RequireRank(context, 1, 0);
}

Status NameShape(ShapeContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  return shapes::Scalar(context);
}

std::vector<OpDefBuilder> SavingOps() {
  return {
      OpDefBuilder("RestoreV2")
          .Input("prefix: string", ArgRole::kScalar)
          .Input("tensor_names: string")
          .Input("shape_and_slices: string")
          .Output("tensors: dtypes")
          .Attr("dtypes: list(type) >= 1")
          .Stateful()
          .Summary("The tensors of those names in the checkpoint whose files begin with prefix.")
          .Shape(RestoreShape),
      OpDefBuilder("SaveV2")
          .Input("prefix: string", ArgRole::kScalar)
          .Input("tensor_names: string")
          .Input("shape_and_slices: string")
          .Input("tensors: dtypes")
          .Attr("dtypes: list(type) >= 1")
          .Stateful()
          .Summary(
              "Writes tensors, or pieces of some, as a checkpoint whose files begin with prefix.")
          .Shape(SaveShape),
      OpDefBuilder("MergeV2Checkpoints")
          .Input("checkpoint_prefixes: string")
          .Input("destination_prefix: string", ArgRole::kScalar)
          .Attr("delete_old_dirs: bool = true")
          .Attr("allow_missing_files: bool = false")
          .Stateful()
          .Summary("Makes one checkpoint of several, whose files it takes.")
          .Shape(MergeShape),
      OpDefBuilder("ShardedFilename")
          .Input("basename: string", ArgRole::kScalar)
          .Input("shard: int32", ArgRole::kScalar)
          .Input("num_shards: int32", ArgRole::kScalar)
          .Output("filename: string")
          .Summary("basename-00003-of-00012: the name of one of several files.")
          .Shape(NameShape),
      OpDefBuilder("ShardedFilespec")
          .Input("basename: string", ArgRole::kScalar)
          .Input("num_shards: int32", ArgRole::kScalar)
          .Output("filename: string")
          .Summary(
              "The pattern of the names of several files: question marks for the number of each.")
          .Shape(NameShape),
  };
}

}  // namespace

Status RegisterSavingOps(OpRegistry& registry) { return RegisterAll(registry, SavingOps()); }

}  // namespace tagflow
