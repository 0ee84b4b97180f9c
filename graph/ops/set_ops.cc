// Sets: the distinct elements along the last dimension of a tensor, dense or sparse.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/sparse_shapes.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr char kElements[] = "T: {int8, int16, int32, int64, uint8, uint16, string}";

// A sparse tensor of the sets' rank, which the dense inputs or the sparse ones tell.
Status SetResult(ShapeContext& context, int64_t rank) {
  shapes::SetSparseOutput(context, 0, {kUnknown, rank});
  return Status();
}

Status RequireSameGroups(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return Status();
  TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(a.rank(), b.rank()).status());
  return MergeShapes(shapes::Subshape(a, 0, a.rank() - 1), shapes::Subshape(b, 0, b.rank() - 1))
      .status();
}

Status DenseToDenseShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 2));
  TAGFLOW_RETURN_IF_ERROR(RequireSameGroups(context.input(0), context.input(1)));
  const PartialShape& known = context.input(context.input(0).known_rank() ? 0 : 1);
  return SetResult(context, known.known_rank() ? known.rank() : kUnknown);
}

Status RequireSetRank(int64_t rank) {
  if (rank == kUnknown || rank >= 2) return Status();
  return InvalidArgument("sets are along the last of two dimensions or more, not of " +
                         std::to_string(rank));
}

Status DenseToSparseShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize sparse, shapes::SparseInput(context, 1));
  const PartialShape& dense = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(
      const int64_t rank,
      shapes::MergeDims(dense.known_rank() ? dense.rank() : kUnknown, sparse.rank));
  TAGFLOW_RETURN_IF_ERROR(RequireSetRank(rank));
  return SetResult(context, rank);
}

Status SparseToSparseShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize first, shapes::SparseInput(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize second, shapes::SparseInput(context, 3));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rank, shapes::MergeDims(first.rank, second.rank));
  TAGFLOW_RETURN_IF_ERROR(RequireSetRank(rank));
  return SetResult(context, rank);
}

Status SetSizeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const shapes::SparseSize set, shapes::SparseInput(context, 0));
  TAGFLOW_RETURN_IF_ERROR(RequireSetRank(set.rank));
  context.set_output(0, shapes::OfRank(set.rank == kUnknown ? kUnknown : set.rank - 1));
  return Status();
}

OpDefBuilder SparseSet(OpDefBuilder op, const std::string& prefix) {
  return op.Input(prefix + "_indices: int64", ArgRole::kCoordinates)
      .Input(prefix + "_values: T", ArgRole::kUpdates)
      .Input(prefix + "_shape: int64", ArgRole::kShape);
}

OpDefBuilder Operation(OpDefBuilder op, const char* summary) {
  return op.Output("result_indices: int64")
      .Output("result_values: T")
      .Output("result_shape: int64")
      .Attr("set_operation: string")
      .Attr("validate_indices: bool = true")
      .Attr(kElements)
      .Summary(summary);
}

}  // namespace

Status RegisterSetOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          Operation(OpDefBuilder("DenseToDenseSetOperation").Input("set1: T").Input("set2: T"),
                    "Differences, intersections or unions of sets, each along the last dimension.")
              .Shape(DenseToDenseShape),
          Operation(SparseSet(OpDefBuilder("DenseToSparseSetOperation").Input("set1: T"), "set2"),
                    "Differences, intersections or unions of sets of a dense and a sparse tensor.")
              .Shape(DenseToSparseShape),
          Operation(
              SparseSet(SparseSet(OpDefBuilder("SparseToSparseSetOperation"), "set1"), "set2"),
              "Differences, intersections or unions of sets of two sparse tensors.")
              .Shape(SparseToSparseShape),
          SparseSet(OpDefBuilder("SetSize"), "set")
              .Output("size: int32")
              .Attr("validate_indices: bool = true")
              .Attr(kElements)
              .Summary("How many distinct elements each set of a sparse tensor has.")
              .Shape(SetSizeShape),
      });
}

}  // namespace tagflow
