// Numbers rounded to the levels of a few bits, as integers of so many bits would hold them, for
// models that are trained to bear it.

#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// The shape of the numbers: input 0, and input 1 where input 0 is their gradient.
Result<PartialShape> NumbersShape(const ShapeContext& context, bool has_gradients) {
  if (!has_gradients) return context.input(0);
  return MergeShapes(context.input(0), context.input(1));
}

// The last two inputs are one range. Outputs: as the numbers, and scalars.
template <bool has_gradients>
Status OneRangeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape numbers, NumbersShape(context, has_gradients));
  for (int i = context.num_inputs() - 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  context.set_output(0, std::move(numbers));
  for (int i = 1; i < context.num_outputs(); ++i) context.set_output(i, PartialShape::Scalar());
  return Status();
}

// The last two inputs are vectors, a range for each channel, which is the last dimension of the
// numbers. Outputs: as the numbers, and vectors of the channels.
template <bool has_gradients>
Status ChannelRangesShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape numbers, NumbersShape(context, has_gradients));
  int64_t channels = kUnknown;
  if (numbers.known_rank()) {
    if (numbers.rank() == 0) return InvalidArgument("inputs must have channels: a scalar has none");
    channels = numbers.dim(numbers.rank() - 1);
  }
  for (int i = context.num_inputs() - 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 1));
    if (!context.input(i).known_rank()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(channels, shapes::MergeDims(channels, context.input(i).dim(0)));
  }
  if (numbers.known_rank()) {
    Dims dims = numbers.dims();
    dims.back() = channels;
    numbers = PartialShape(std::move(dims));
  }
  context.set_output(0, std::move(numbers));
  for (int i = 1; i < context.num_outputs(); ++i) {
    context.set_output(i, PartialShape(Dims{channels}));
  }
  return Status();
}

OpDefBuilder Quantizing(const std::string& name) {
  return OpDefBuilder(name).Attr("num_bits: int = 8").Attr("narrow_range: bool = false");
}
// A range that the node names.
OpDefBuilder WithFixedRange(OpDefBuilder builder) {
  return builder.Attr("min: float = -6.0").Attr("max: float = 6.0");
}
OpDefBuilder WithRange(OpDefBuilder builder, ArgRole role) {
  return builder.Input("min: float", role).Input("max: float", role);
}
OpDefBuilder WithGradientsByAll(OpDefBuilder builder) {
  return builder.Output("backprops_wrt_input: float")
      .Output("backprop_wrt_min: float")
      .Output("backprop_wrt_max: float");
}

}  // namespace

Status RegisterQuantizationOps(OpRegistry& registry) {
  const std::string args = "FakeQuantWithMinMaxArgs", vars = "FakeQuantWithMinMaxVars";
  const std::string channels = vars + "PerChannel", gradient = "Gradient";
  const auto op = [](const std::string& name) { return Quantizing(name).Input("inputs: float"); };
  const auto gradient_op = [&](const std::string& name) {
    return Quantizing(name + gradient).Input("gradients: float").Input("inputs: float");
  };
  return RegisterAll(
      registry,
      {
          WithFixedRange(op(args))
              .Output("outputs: float")
              .Summary("Numbers rounded to the levels of a range.")
              .Shape(shapes::Unchanged),
          WithFixedRange(gradient_op(args))
              .Output("backprops: float")
              .Summary("The gradient of FakeQuantWithMinMaxArgs, as if it rounded nothing.")
              .Shape(shapes::Merged),
          WithRange(op(vars), ArgRole::kScalar)
              .Output("outputs: float")
              .Summary("Numbers rounded to the levels of the range from min to max.")
              .Shape(OneRangeShape<false>),
          WithGradientsByAll(WithRange(gradient_op(vars), ArgRole::kScalar))
              .Summary("The gradient of FakeQuantWithMinMaxVars, as if it rounded nothing.")
              .Shape(OneRangeShape<true>),
          WithRange(op(channels), ArgRole::kBias)
              .Output("outputs: float")
              .Summary("Numbers rounded to the levels of a range for each channel.")
              .Shape(ChannelRangesShape<false>),
          WithGradientsByAll(WithRange(gradient_op(channels), ArgRole::kBias))
              .Summary(
                  "The gradient of FakeQuantWithMinMaxVarsPerChannel, as if nothing was rounded.")
              .Shape(ChannelRangesShape<true>),
      });
}

}  // namespace tagflow
