// What sets, changes or reads rows and slices of a variable, by reference and by handle.

#include <string>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// The updates are a scalar, or a row of the variable per index.
Status ScatterShape(ShapeContext& context) {
  const PartialShape& variable = context.input(0);
  const PartialShape& updates = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  const bool is_scalar = updates.known_rank() && updates.rank() == 0;
  if (variable.known_rank() && !is_scalar) {
    const PartialShape wanted =
        shapes::Concatenated(context.input(1), shapes::Subshape(variable, 1, variable.rank()));
    TAGFLOW_RETURN_IF_ERROR(MergeShapes(wanted, updates).status());
  }
  context.set_output(0, variable);
  return Status();
}

// The indices are rows of coordinates, and the updates a slice of the variable for each. Of a
// handle the variable's shape is not known here.
Status ScatterSlicesShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 2, 1));
  const bool by_reference = context.num_outputs() > 0;
  TAGFLOW_RETURN_IF_ERROR(shapes::CheckScatteredSlices(
      by_reference ? context.input(0) : PartialShape(), context.input(1), context.input(2)));
  if (by_reference) context.set_output(0, context.input(0));
  return Status();
}

struct Change {
  std::string name;
  std::string rows;    // dtypes of the changes of rows by reference
  std::string slices;  // of the changes of slices by reference
  const char* summary;
};

std::vector<Change> Changes() {
  const std::string ordered = "{half, bfloat16, float, double, int32, int64}";
  const std::string numbers = "numbertype";
  return {{"Update", "type", "type", "Sets"},
          {"Add", numbers, numbers, "Adds to"},
          {"Sub", numbers, numbers, "Subtracts from"},
          {"Mul", numbers, "", "Multiplies"},
          {"Div", numbers, "", "Divides"},
          {"Min", ordered, numbers, "Lowers to their updates"},
          {"Max", ordered, numbers, "Raises to their updates"}};
}

const char* Locking(const Change& change, bool is_default) {
  return change.name == "Update" || is_default ? "use_locking: bool = true"
                                               : "use_locking: bool = false";
}

OpDefBuilder RowsByReference(const Change& change) {
  OpDefBuilder builder("Scatter" + change.name);
  builder.Input("ref: Ref(T)")
      .Input("indices: Tindices", ArgRole::kIndices)
      .Input("updates: T", ArgRole::kUpdates)
      .Output("output_ref: Ref(T)")
      .Attr("T: " + change.rows)
      .Attr("Tindices: {int32, int64}")
      .Attr(Locking(change, false))
      .Summary(std::string(change.summary) + " rows of a variable and passes its reference on.")
      .Shape(ScatterShape);
  return builder;
}

OpDefBuilder RowsByHandle(const Change& change) {
  OpDefBuilder builder("ResourceScatter" + change.name);
  builder.Input("resource: resource")
      .Input("indices: Tindices", ArgRole::kIndices)
      .Input("updates: dtype", ArgRole::kUpdates)
      .Attr(change.name == "Update" ? "dtype: type" : "dtype: numbertype")
      .Attr("Tindices: {int32, int64}")
      .Stateful()
      .Summary(std::string(change.summary) + " rows of a variable.")
      .Shape(shapes::NoOutputs);
  return builder;
}

OpDefBuilder SlicesByReference(const Change& change) {
  OpDefBuilder builder("ScatterNd" + change.name);
  builder.Input("ref: Ref(T)")
      .Input("indices: Tindices", ArgRole::kCoordinates)
      .Input("updates: T", ArgRole::kUpdates)
      .Output("output_ref: Ref(T)")
      .Attr("T: " + change.slices)
      .Attr("Tindices: {int32, int64}")
      .Attr(Locking(change, false))
      .Attr("bad_indices_policy: string = ''")
      .Summary(std::string(change.summary) + " slices of a variable and passes its reference on.")
      .Shape(ScatterSlicesShape);
  return builder;
}

OpDefBuilder SlicesByHandle(const Change& change) {
  OpDefBuilder builder("ResourceScatterNd" + change.name);
  builder.Input("ref: resource")
      .Input("indices: Tindices", ArgRole::kCoordinates)
      .Input("updates: T", ArgRole::kUpdates)
      .Attr("T: type")
      .Attr("Tindices: {int32, int64}")
      .Attr(Locking(change, true))
      .Attr("bad_indices_policy: string = ''")
      .Stateful()
      .Summary(std::string(change.summary) + " slices of a variable.")
      .Shape(ScatterSlicesShape);
  return builder;
}

std::vector<OpDefBuilder> GatherOps() {
  return {
      OpDefBuilder("ResourceGather")
          .Input("resource: resource")
          .Input("indices: Tindices", ArgRole::kIndices)
          .Output("output: dtype")
          .Attr("batch_dims: int = 0")
          .Attr("validate_indices: bool = true")
          .Attr("dtype: type")
          .Attr("Tindices: {int32, int64}")
          .Stateful()
          .OnlyLooks()
          .Summary("Rows of a variable.")
          .Shape(shapes::Unknown),
      OpDefBuilder("ResourceGatherNd")
          .Input("resource: resource")
          .Input("indices: Tindices", ArgRole::kCoordinates)
          .Output("output: dtype")
          .Attr("dtype: type")
          .Attr("Tindices: {int32, int64}")
          .Stateful()
          .OnlyLooks()
          .Summary("Slices of a variable.")
          .Shape(shapes::Unknown),
  };
}

}  // namespace

Status RegisterScatterVariableOps(OpRegistry& registry) {
  for (const Change& change : Changes()) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(RowsByReference(change)));
    TAGFLOW_RETURN_IF_ERROR(registry.Register(RowsByHandle(change)));
    if (change.slices.empty()) continue;
    TAGFLOW_RETURN_IF_ERROR(registry.Register(SlicesByReference(change)));
    TAGFLOW_RETURN_IF_ERROR(registry.Register(SlicesByHandle(change)));
  }
  return RegisterAll(registry, GatherOps());
}

}  // namespace tagflow
