// Ops that fold dimensions away.

#include <optional>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status ArgShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  if (!input.known_rank()) return Status();
  if (input.rank() <= 1) {
    context.set_output(0, PartialShape::Scalar());
    return Status();
  }
  const std::optional<int64_t> dimension = shapes::ConstantInt(context, 1);
  if (!dimension.has_value()) {
    context.set_output(0, PartialShape::UnknownOfRank(input.rank() - 1));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int axis,
                           shapes::NormalizeAxis(context, *dimension, input.rank()));
  context.set_output(0, shapes::Concatenated(shapes::Subshape(input, 0, axis),
                                             shapes::Subshape(input, axis + 1, input.rank())));
  return Status();
}

}  // namespace

Status RegisterReductionOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("Sum")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: numbertype")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Sums over dimensions.")
          .Shape(shapes::Reduction),
      OpDefBuilder("Mean")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: numbertype")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Means over dimensions.")
          .Shape(shapes::Reduction),
      OpDefBuilder("Prod")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: numbertype")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Products over dimensions.")
          .Shape(shapes::Reduction),
      OpDefBuilder("Max")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Maxima over dimensions.")
          .Shape(shapes::Reduction),
      OpDefBuilder("Min")
          .Input("input: T")
          .Input("reduction_indices: Tidx")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Minima over dimensions.")
          .Shape(shapes::Reduction),
      OpDefBuilder("All")
          .Input("input: bool")
          .Input("reduction_indices: Tidx")
          .Output("output: bool")
          .Attr("keep_dims: bool = false")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Whether all elements over dimensions hold.")
          .Shape(shapes::Reduction),
      OpDefBuilder("Any")
          .Input("input: bool")
          .Input("reduction_indices: Tidx")
          .Output("output: bool")
          .Attr("keep_dims: bool = false")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Summary("Whether any element over dimensions holds.")
          .Shape(shapes::Reduction),
      OpDefBuilder("ArgMax")
          .Input("input: T")
          .Input("dimension: Tidx")
          .Output("output: output_type")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16, bool}")
          .Attr("Tidx: {int16, int32, int64} = DT_INT32")
          .Attr("output_type: {int16, uint16, int32, int64} = DT_INT64")
          .Summary("The index of the first maximum along a dimension.")
          .Shape(ArgShape),
      OpDefBuilder("ArgMin")
          .Input("input: T")
          .Input("dimension: Tidx")
          .Output("output: output_type")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16, bool}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("output_type: {int32, int64} = DT_INT64")
          .Summary("The index of the first minimum along a dimension.")
          .Shape(ArgShape),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
