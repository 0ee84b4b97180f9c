// Gradients of the ops that choose rows or slices by index. What was chosen gives its gradient back
// to where it came from, as an update: choosing a row of a large tensor costs a row.

#include <cstdint>
#include <numeric>
#include <string>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/row_updates.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// A tensor of shape [batch…, before…, along, after…], of which [batch…, before…, chosen…, after…]
// was taken: it is seen as the rows of a matrix.
struct Gathered {
  Extent batch, before, along, after, chosen;
};

// The row at which each [batch, before] begins in the matrix [batch * before * along, after].
Output FirstRows(const Scope& scope, const Gathered& sizes, const Extent& groups) {
  const Extent one = {1, {}};
  constexpr int64_t kConstantMax = 4096;  // more are made when the graph runs
  if (!groups.known.has_value() || !sizes.along.known.has_value() || *groups.known > kConstantMax) {
    const Output numbers = Range(scope, int64_t{0}, AsOutput(scope, groups), int64_t{1});
    return Reshape(scope, Mul(scope, numbers, AsOutput(scope, sizes.along)),
                   AsDims(scope, {sizes.batch, sizes.before, one}));
  }
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < *groups.known; ++i) rows.push_back(i * *sizes.along.known);
  return Const(scope, {*sizes.batch.known, *sizes.before.known, 1}, rows);
}

// The update of input 0.
//   indices: [batch…, chosen…]
GradientUpdate AddGathered(NodeGradient& node, const Gathered& sizes, const Output& indices) {
  const Scope& scope = node.scope();
  const auto& [batch, before, along, after, chosen] = sizes;
  const Extent groups = Times(scope, batch, before);
  Output rows = Reshape(scope, AsDType(scope, indices, DType::kInt64),
                        AsDims(scope, {batch, {1, {}}, chosen}));
  if (groups.known != 1) rows = Add(scope, FirstRows(scope, sizes, groups), rows);
  const Output slices = Reshape(scope, node.grad(0), AsDims(scope, {batch, before, chosen, after}));
  const Output matrix = AsDims(scope, {Times(scope, groups, along), after});
  const Output shape = node.shape_of_input(0);
  const GradientUpdate add = AddAtRows(scope, rows, slices);
  return [=](const Scope& in, const Output& sum) -> Output {
    return Reshape(in, add(in, Reshape(in, sum, matrix)), shape);
  };
}

//   params, indices; along dimension 0
Status GatherGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node));
  const Output indices = node.input(1);
  const Output wide =
      indices.dtype() == DType::kInt16 ? Cast(node.scope(), indices, DType::kInt32) : indices;
  node.GiveUpdate(0, AddAtRows(node.scope(), wide, node.grad(0)));
  return Status();
}

// The product of elements [begin, begin + size) of an int32 vector.
Extent PartProduct(const Scope& scope, const Output& dims, const Output& begin,
                   const Output& size) {
  const Output part = Slice(scope, dims, AsVector(scope, begin), AsVector(scope, size));
  return {std::nullopt, Op(scope, "Prod", {Cast(scope, part, DType::kInt64), 0})};
}

// Where the axis is known only when the graph runs.
Gathered GatheredAlong(NodeGradient& node, int batch_dims) {
  const Scope& scope = node.scope();
  const Output shape = node.shape_of_input(0);
  const Output axis =
      FloorMod(scope, AsDType(scope, node.input(2), DType::kInt32), Size(scope, shape));
  const Output batch_end = Const(scope, batch_dims);
  return {ExtentOfInput(node, 0, 0, batch_dims),
          PartProduct(scope, shape, batch_end, Sub(scope, axis, batch_end)),
          PartProduct(scope, shape, axis, Const(scope, 1)),
          PartProduct(scope, shape, Add(scope, axis, 1), Const(scope, -1)),
          ExtentOfInput(node, 1, batch_dims)};
}

Gathered GatheredAlong(NodeGradient& node, int batch_dims, int axis) {
  return {ExtentOfInput(node, 0, 0, batch_dims),
          ExtentOfInput(node, 0, batch_dims, axis - batch_dims), ExtentOfInput(node, 0, axis, 1),
          ExtentOfInput(node, 0, axis + 1), ExtentOfInput(node, 1, batch_dims)};
}

//   params, indices, axis
Status GatherV2Gradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t batch_dims, IntAttr(node.node(), "batch_dims"));
  if (batch_dims < 0) {
    const PartialShape indices = node.input_shape(1);
    if (!indices.known_rank()) {
      return Unimplemented(
          "the gradient of GatherV2 with negative batch_dims needs to know the "
          "rank of indices: count batch_dims from the first dimension");
    }
    batch_dims += indices.rank();
  }
  // Where shapes are not known, nothing has refused it yet; and in a branch nothing may ever.
  if (batch_dims < 0 || batch_dims > INT32_MAX) {
    return InvalidArgument("batch_dims of GatherV2 counts " + std::to_string(batch_dims) +
                           " dimensions, which indices do not have");
  }
  const auto constant = KnownIntegers(node, 2);
  if (batch_dims == 0 && constant.has_value() && constant->front() == 0) {
    return GatherGradient(node);
  }
  const auto axis = KnownAxis(node, 2, node.input_shape(0));
  const auto batch = static_cast<int>(batch_dims);
  const Gathered sizes =
      axis.has_value() ? GatheredAlong(node, batch, *axis) : GatheredAlong(node, batch);
  node.GiveUpdate(0, AddGathered(node, sizes, node.input(1)));
  return Status();
}

//   handle, indices
Status ResourceGatherGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(node.node(), "batch_dims"));
  if (batch_dims == 0) return GatherGradient(node);
  if (batch_dims < 0 || batch_dims > INT32_MAX) {
    return InvalidArgument("batch_dims of ResourceGather is " + std::to_string(batch_dims));
  }
  const auto axis = static_cast<int>(batch_dims);
  node.GiveUpdate(0, AddGathered(node, GatheredAlong(node, axis, axis), node.input(1)));
  return Status();
}

//   params, indices: vectors of leading coordinates along the last dimension
Status GatherNdGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node));
  std::string policy;  // that of a variable has none
  if (FindAttr(node.node(), "bad_indices_policy") != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(policy, StringAttr(node.node(), "bad_indices_policy"));
  }
  const Output indices = node.input(1);
  const Output wide =
      indices.dtype() == DType::kInt16 ? Cast(node.scope(), indices, DType::kInt32) : indices;
  node.GiveUpdate(0, AddAtCoordinates(wide, node.grad(0), policy));
  return Status();
}

// How many rows of the last dimension there are, and how long each is.
struct Rows {
  Extent count, length;
};
Rows RowsOf(const Scope& scope, const PartialShape& shape, const Output& dims) {
  if (!shape.fully_known()) {
    const Output last = Sub(scope, Size(scope, dims), 1);
    return {PartProduct(scope, dims, Const(scope, 0), last),
            PartProduct(scope, dims, last, Const(scope, 1))};
  }
  const auto end = shape.dims().end() - 1;
  return {{std::accumulate(shape.dims().begin(), end, int64_t{1}, std::multiplies<>()), {}},
          {*end, {}}};
}

// The k largest of each row of the last dimension, and where they were.
//   input, and of V2 k -> values, indices
Status TopKGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Extent one = {1, {}};
  const Rows rows = RowsOf(scope, node.input_shape(0), node.shape_of_input(0));
  const Rows chosen = RowsOf(scope, node.output_shape(1), node.shape_of_output(1));
  const Gathered sizes = {rows.count, one, rows.length, one, chosen.length};
  node.GiveUpdate(0, AddGathered(node, sizes, node.output(1)));
  return Status();
}

}  // namespace

Status RegisterGatherGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Gather", GatherGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("GatherV2", GatherV2Gradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("GatherNd", GatherNdGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ResourceGather", ResourceGatherGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ResourceGatherNd", GatherNdGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TopK", TopKGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TopKV2", TopKGradient));
  return Status();
}

}  // namespace tagflow
