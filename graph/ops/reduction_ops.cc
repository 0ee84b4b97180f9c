// Ops that fold dimensions away, or run along one: reductions and scans.

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

// input: T, reduction_indices: Tidx -> output: T
struct Reduction {
  const char* name;
  const char* types;
  const char* summary;
  Rounding rounding = Rounding::kOfSums;
};
constexpr char kOrdered[] = "{realnumbertype, qint8, quint8, qint32, qint16, quint16}";
constexpr Reduction kReductions[] = {
    {"Sum", "numbertype", "Sums over dimensions."},
    {"Mean", "numbertype", "Means over dimensions."},
    {"Prod", "numbertype", "Products over dimensions.", Rounding::kOfProducts},
    {"EuclideanNorm", "numbertype", "Square roots of the sums of squares over dimensions."},
    {"Max", kOrdered, "Maxima over dimensions."},
    {"Min", kOrdered, "Minima over dimensions."},
};

// The same of bool.
constexpr Reduction kBoolReductions[] = {
    {"All", "", "Whether all elements over dimensions hold."},
    {"Any", "", "Whether any element over dimensions holds."},
};

// x: T, axis: Tidx -> out: T
constexpr Reduction kScans[] = {
    {"Cumsum", "T: numbertype", "The sums of all elements up to each, along an axis."},
    {"Cumprod", "T: numbertype", "The products of all elements up to each, along an axis.",
     Rounding::kOfProducts},
    {"CumulativeLogsumexp", "T: {bfloat16, half, float, double}",
     "The logarithms of the sums of exp(x) up to each element, along an axis."},
};

Status ScanShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  const std::optional<int64_t> axis = shapes::ConstantInt(context, 1);
  if (axis.has_value() && context.input(0).known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(
        shapes::NormalizeAxis(context, *axis, context.input(0).rank()).status());
  }
  return shapes::Unchanged(context);
}

OpDefBuilder Definition(const Reduction& op, const std::string& type) {
  return OpDefBuilder(op.name)
      .Input("input: " + type)
      .Input("reduction_indices: Tidx", ArgRole::kAxisOrAxes)
      .Output("output: " + type)
      .Attr("keep_dims: bool = false")
      .Rounds(op.rounding)
      .Summary(op.summary)
      .Shape(shapes::Reduction);
}
// Behind T, by which kernels are found: it is their first type.
constexpr char kIndexType[] = "Tidx: {int32, int64} = DT_INT32";

std::vector<OpDefBuilder> ArgOps() {
  return {
      OpDefBuilder("ArgMax")
          .Input("input: T")
          .Input("dimension: Tidx", ArgRole::kAxis)
          .Output("output: output_type")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16, bool}")
          .Attr("Tidx: {int16, int32, int64} = DT_INT32")
          .Attr("output_type: {int16, uint16, int32, int64} = DT_INT64")
          .Summary("The index of the first maximum along a dimension.")
          .Shape(ArgShape),
      OpDefBuilder("ArgMin")
          .Input("input: T")
          .Input("dimension: Tidx", ArgRole::kAxis)
          .Output("output: output_type")
          .Attr("T: {realnumbertype, qint8, quint8, qint32, qint16, quint16, bool}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .Attr("output_type: {int32, int64} = DT_INT64")
          .Summary("The index of the first minimum along a dimension.")
          .Shape(ArgShape),
  };
}

}  // namespace

Status RegisterReductionOps(OpRegistry& registry) {
  for (const Reduction& op : kReductions) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(
        Definition(op, "T").Attr(std::string("T: ") + op.types).Attr(kIndexType)));
  }
  for (const Reduction& op : kBoolReductions) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(Definition(op, "bool").Attr(kIndexType)));
  }
  for (const Reduction& op : kScans) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("x: T")
                                                  .Input("axis: Tidx", ArgRole::kAxis)
                                                  .Output("out: T")
                                                  .Attr("exclusive: bool = false")
                                                  .Attr("reverse: bool = false")
                                                  .Attr(op.types)
                                                  .Attr("Tidx: {int32, int64} = DT_INT32")
                                                  .Rounds(op.rounding)
                                                  .Summary(op.summary)
                                                  .Shape(ScanShape)));
  }
  return RegisterAll(registry, ArgOps());
}

}  // namespace tagflow
