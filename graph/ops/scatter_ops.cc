// Ops that put slices at the places that coordinates name, and those that share rows out.

#include <algorithm>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// What must hold of coordinates and updates put into a tensor of shape `into`.
Status CheckUpdates(const ShapeContext& context, const PartialShape& into,
                    const PartialShape& indices, const PartialShape& updates) {
  TAGFLOW_RETURN_IF_ERROR(shapes::CheckScatteredSlices(into, indices, updates));
  if (!indices.known_rank() || indices.rank() < 1 || !into.known_rank()) return Status();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth <= into.rank()) return Status();
  return InvalidArgument("coordinates of " + std::to_string(depth) +
                         " dimensions are too many for " + into.ToString() + " in op " +
                         context.node().op);
}

Status ScatterNdShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, shapes::ShapeFromInput(context, 2));
  if (shape.known_rank() && std::ranges::count(shape.dims(), kUnknown) > 0 &&
      context.constant(2) != nullptr) {
    return InvalidArgument("the shape to scatter into must not hold -1");
  }
  TAGFLOW_RETURN_IF_ERROR(CheckUpdates(context, shape, context.input(0), context.input(1)));
  context.set_output(0, std::move(shape));
  return Status();
}

Status TensorScatterShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(
      CheckUpdates(context, context.input(0), context.input(1), context.input(2)));
  context.set_output(0, context.input(0));
  return Status();
}

Status DynamicPartitionShape(ShapeContext& context) {
  const PartialShape& data = context.input(0);
  const PartialShape& partitions = context.input(1);
  if (!data.known_rank() || !partitions.known_rank()) return Status();
  if (data.rank() < partitions.rank()) {
    return InvalidArgument("data of shape " + data.ToString() +
                           " must begin with the shape of its partitions, " +
                           partitions.ToString());
  }
  TAGFLOW_RETURN_IF_ERROR(
      MergeShapes(partitions, shapes::Subshape(data, 0, partitions.rank())).status());
  const PartialShape rows(Dims{kUnknown});
  const PartialShape row = shapes::Subshape(data, partitions.rank(), data.rank());
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, shapes::Concatenated(rows, row));
  }
  return Status();
}

// tensor: T, indices: Tindices, updates: T -> output: T
struct Scatter {
  const char* name;
  const char* tensor;
  const char* types;
  const char* index_types;
  const char* summary;
};
constexpr Scatter kScatters[] = {
    {"TensorScatterUpdate", "tensor", "type", "{int16, int32, int64, uint16}",
     "A copy of a tensor with slices replaced; of several at one place the last wins."},
    {"TensorScatterAdd", "tensor", "type", "{int32, int64}",
     "A copy of a tensor with updates added to slices."},
    {"TensorScatterSub", "tensor", "type", "{int32, int64}",
     "A copy of a tensor with updates subtracted from slices."},
    {"TensorScatterMin", "tensor", "type", "{int32, int64}",
     "A copy of a tensor with slices lowered to updates that are smaller."},
    {"TensorScatterMax", "tensor", "type", "{int32, int64}",
     "A copy of a tensor with slices raised to updates that are larger."},
    {"ScatterNdNonAliasingAdd", "input", "{numbertype, bool}", "{int32, int64}",
     "A copy of a tensor with updates added to slices."},
};

OpDefBuilder Definition(const Scatter& op) {
  return OpDefBuilder(op.name)
      .Input(std::string(op.tensor) + ": T")
      .Input("indices: Tindices", ArgRole::kCoordinates)
      .Input("updates: T", ArgRole::kUpdates)
      .Output("output: T")
      .Attr(std::string("T: ") + op.types)
      .Attr(std::string("Tindices: ") + op.index_types)
      .Attr("bad_indices_policy: string = ''")
      .Summary(op.summary)
      .Shape(TensorScatterShape);
}

}  // namespace

Status RegisterScatterOps(OpRegistry& registry) {
  for (const Scatter& op : kScatters) TAGFLOW_RETURN_IF_ERROR(registry.Register(Definition(op)));
  return RegisterAll(
      registry,
      {
          OpDefBuilder("ScatterNd")
              .Input("indices: Tindices", ArgRole::kCoordinates)
              .Input("updates: T", ArgRole::kUpdates)
              .Input("shape: Tindices", ArgRole::kShape)
              .Output("output: T")
              .Attr("T: type")
              .Attr("Tindices: {int16, int32, int64}")
              .Attr("bad_indices_policy: string = ''")
              .Summary(
                  "A tensor of the given shape that is zero but for the sums of slices put there.")
              .Shape(ScatterNdShape),
          OpDefBuilder("DynamicPartition")
              .Input("data: T")
              .Input("partitions: int32", ArgRole::kPartitions)
              .Output("outputs: num_partitions * T")
              .Attr("num_partitions: int >= 1")
              .Attr("T: type")
              .Summary("The rows of a tensor shared out to the outputs that partitions name.")
              .Shape(DynamicPartitionShape),
      });
}

}  // namespace tagflow
