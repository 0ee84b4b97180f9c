// Maxima and averages of the windows over images, and their gradients.

#include <optional>
#include <string>
#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/pool_grid.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr char kMaxTypes[] =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8}"
    " = DT_FLOAT";
constexpr char kFormats[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr char kMaxFormats[] = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'";
constexpr char kFormats3D[] = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";
constexpr char kPaddings[] = "padding: {'SAME', 'VALID'}";
constexpr char kAllPaddings[] = "padding: {'SAME', 'VALID', 'EXPLICIT'}";
constexpr char kFloats[] = "T: {half, bfloat16, float, double}";
constexpr char kFloats3D[] = "T: {half, bfloat16, float}";

// The images that are input 0, with their rank.
Result<PartialShape> ImagesOf(const ShapeContext& context, const ImageLayout& layout) {
  return MergeShapes(context.input(0), PartialShape::UnknownOfRank(layout.rank));
}

// NCHW_VECT_C is of quantized numbers, which no tensor of ours has.
bool HasOtherFormat(const Node& node) {
  const Result<std::string> format = StringAttr(node, "data_format");
  return format.ok() && *format == "NCHW_VECT_C";
}

// What windows make of input 0, where it is known how large they are.
Result<PartialShape> PooledShape(const ShapeContext& context, int spatial_rank, int ksize_input) {
  TAGFLOW_ASSIGN_OR_RETURN(Pooling pooling, ReadPooling(context.node(), spatial_rank));
  const ImageLayout& layout = pooling.attrs.layout;
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images, ImagesOf(context, layout));
  if (ksize_input >= 0) {
    const std::optional<Dims> ksize = shapes::ConstantInts(context, ksize_input);
    const std::optional<Dims> strides = shapes::ConstantInts(context, ksize_input + 1);
    if (!ksize.has_value() || !strides.has_value()) {
      Dims dims(images.dims().size(), PartialShape::kUnknownDim);
      dims[0] = images.dim(0);
      return PartialShape(std::move(dims));
    }
    pooling.ksize = *ksize;
    pooling.attrs.strides = *strides;
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims dims, PooledDims(pooling, images.dims()));
  return PartialShape(std::move(dims));
}

// Every output is what windows make of the images.
template <int spatial_rank, int ksize_input = -1>
Status PoolShape(ShapeContext& context) {
  if (HasOtherFormat(context.node())) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape pooled,
                           PooledShape(context, spatial_rank, ksize_input));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, pooled);
  return Status();
}

// INVALID_ARGUMENT unless input i may be as large as what windows make of the images.
Status RequirePooled(const ShapeContext& context, int i, const PartialShape& pooled) {
  return MergeShapes(context.input(i), pooled).status();
}

// Inputs: images, what was made of them, and its gradient; output: the gradient of the images.
template <int spatial_rank, int ksize_input = -1>
Status MaxPoolGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape pooled,
                           PooledShape(context, spatial_rank, ksize_input));
  TAGFLOW_RETURN_IF_ERROR(RequirePooled(context, 1, pooled));
  TAGFLOW_RETURN_IF_ERROR(RequirePooled(context, 2, pooled));
  context.set_output(0, context.input(0));
  return Status();
}

// Inputs: images, what was made of them, and gradients of the images; output: as what was made.
template <int spatial_rank, int ksize_input = -1>
Status MaxPoolGradGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape pooled,
                           PooledShape(context, spatial_rank, ksize_input));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(0), context.input(2)).status());
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape output, MergeShapes(context.input(1), pooled));
  context.set_output(0, std::move(output));
  return Status();
}

// Inputs: images, a gradient, and the place of each maximum. Output: as the images or, of gradients
// of them, as what is made of them.
template <bool is_of_images>
Status ArgmaxGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape pooled, PooledShape(context, 2, -1));
  TAGFLOW_RETURN_IF_ERROR(RequirePooled(context, 2, pooled));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images, ImagesOf(context, ImageLayout{4, false}));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), is_of_images ? pooled : images).status());
  context.set_output(0, is_of_images ? images : pooled);
  return Status();
}

// Inputs: the shape of the images, and the gradient of their averages.
template <int spatial_rank>
Status AveragePoolGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, shapes::ShapeFromInput(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape images,
                           MergeShapes(shape, PartialShape::UnknownOfRank(spatial_rank + 2)));
  context.set_output(0, std::move(images));
  return shapes::RequireRank(context, 1, spatial_rank + 2);
}

OpDefBuilder WithSizes(OpDefBuilder builder, int rank) {
  const std::string least = " list(int) >= " + std::to_string(rank);
  return builder.Attr("ksize:" + least).Attr("strides:" + least);
}
OpDefBuilder WithSizeInputs(OpDefBuilder builder) {
  return builder.Input("ksize: int32", ArgRole::kMultiples)
      .Input("strides: int32", ArgRole::kMultiples);
}
OpDefBuilder WithImages(const char* name, const char* type) {
  const std::string of = ": " + std::string(type);
  return OpDefBuilder(name).Input("orig_input" + of).Input("orig_output" + of).Input("grad: T");
}

std::vector<OpDefBuilder> MaxPoolOps() {
  return {
      WithSizes(OpDefBuilder("MaxPool"), 4)
          .Input("input: T")
          .Output("output: T")
          .Attr(kMaxTypes)
          .Attr(kAllPaddings)
          .Attr("explicit_paddings: list(int) = []")
          .Attr(kMaxFormats)
          .Summary("The maximum of each window over the images, channel by channel.")
          .Shape(PoolShape<2>),
      WithSizeInputs(OpDefBuilder("MaxPoolV2").Input("input: T"))
          .Output("output: T")
          .Attr(kMaxTypes)
          .Attr(kPaddings)
          .Attr(kMaxFormats)
          .Summary("As MaxPool, with windows whose sizes are inputs.")
          .Shape(PoolShape<2, 1>),
      WithSizes(OpDefBuilder("MaxPoolWithArgmax"), 4)
          .Input("input: T")
          .Output("output: T")
          .Output("argmax: Targmax")
          .Attr("Targmax: {int32, int64} = DT_INT64")
          .Attr(kPaddings)
          .Attr("include_batch_in_index: bool = false")
          .Attr("T: realnumbertype")
          .Summary("The maximum of each window, and its place in the image.")
          .Shape(PoolShape<2>),
      WithSizes(OpDefBuilder("MaxPool3D"), 5)
          .Input("input: T")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats3D)
          .Attr(kFloats3D)
          .Summary("The maximum of each window over images of three dimensions.")
          .Shape(PoolShape<3>),
  };
}

std::vector<OpDefBuilder> MaxPoolGradOps() {
  return {
      WithSizes(WithImages("MaxPoolGrad", "T"), 4)
          .Output("output: T")
          .Attr(kAllPaddings)
          .Attr("explicit_paddings: list(int) = []")
          .Attr(kFormats)
          .Attr("T: realnumbertype = DT_FLOAT")
          .Summary("The gradient of MaxPool: that of each window at its first maximum.")
          .Shape(MaxPoolGradShape<2>),
      WithSizeInputs(WithImages("MaxPoolGradV2", "T"))
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats)
          .Attr("T: realnumbertype = DT_FLOAT")
          .Summary("The gradient of MaxPoolV2.")
          .Shape(MaxPoolGradShape<2, 3>),
      WithSizes(WithImages("MaxPool3DGrad", "TInput"), 5)
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats3D)
          .Attr("T: {half, bfloat16, float} = DT_FLOAT")
          .Attr("TInput: {half, bfloat16, float} = DT_FLOAT")
          .Summary("The gradient of MaxPool3D: that of each window at all of its maxima.")
          .Shape(MaxPoolGradShape<3>),
      WithSizes(OpDefBuilder("MaxPoolGradWithArgmax"), 4)
          .Input("input: T")
          .Input("grad: T")
          .Input("argmax: Targmax")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr("include_batch_in_index: bool = false")
          .Attr("Targmax: {int32, int64}")
          .Attr("T: realnumbertype")
          .Summary("The gradient of MaxPoolWithArgmax: that of each window at its argmax.")
          .Shape(ArgmaxGradShape<true>),
  };
}

std::vector<OpDefBuilder> MaxPoolGradGradOps() {
  return {
      WithSizes(WithImages("MaxPoolGradGrad", "T"), 4)
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats)
          .Attr("T: realnumbertype")
          .Summary("The gradient of MaxPoolGrad by grad: of each window the first at a maximum.")
          .Shape(MaxPoolGradGradShape<2>),
      WithSizeInputs(WithImages("MaxPoolGradGradV2", "T"))
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats)
          .Attr("T: realnumbertype")
          .Summary("The gradient of MaxPoolGradV2 by grad.")
          .Shape(MaxPoolGradGradShape<2, 3>),
      WithSizes(WithImages("MaxPool3DGradGrad", "T"), 5)
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats3D)
          .Attr("T: realnumbertype")
          .Summary("The gradient of MaxPool3DGrad by grad: of each window the first at a maximum.")
          .Shape(MaxPoolGradGradShape<3>),
      WithSizes(OpDefBuilder("MaxPoolGradGradWithArgmax"), 4)
          .Input("input: T")
          .Input("grad: T")
          .Input("argmax: Targmax")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr("include_batch_in_index: bool = false")
          .Attr("Targmax: {int32, int64}")
          .Attr("T: realnumbertype")
          .Summary("The gradient of MaxPoolGradWithArgmax by grad: of each window that at argmax.")
          .Shape(ArgmaxGradShape<false>),
  };
}

std::vector<OpDefBuilder> AveragePoolOps() {
  return {
      WithSizes(OpDefBuilder("AvgPool"), 4)
          .Input("value: T")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats)
          .Attr(kFloats)
          .Summary("The mean of each window over the images, channel by channel, without padding.")
          .Shape(PoolShape<2>),
      WithSizes(OpDefBuilder("AvgPoolGrad"), 4)
          .Input("orig_input_shape: int32", ArgRole::kShape)
          .Input("grad: T")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats)
          .Attr(kFloats)
          .Rounds(Rounding::kOfRemainders)
          .Summary("The gradient of AvgPool: that of each window, shared out evenly.")
          .Shape(AveragePoolGradShape<2>),
      WithSizes(OpDefBuilder("AvgPool3D"), 5)
          .Input("input: T")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats3D)
          .Attr(kFloats)
          .Summary("The mean of each window over images of three dimensions.")
          .Shape(PoolShape<3>),
      WithSizes(OpDefBuilder("AvgPool3DGrad"), 5)
          .Input("orig_input_shape: int32", ArgRole::kShape)
          .Input("grad: T")
          .Output("output: T")
          .Attr(kPaddings)
          .Attr(kFormats3D)
          .Attr(kFloats)
          .Rounds(Rounding::kOfRemainders)
          .Summary("The gradient of AvgPool3D.")
          .Shape(AveragePoolGradShape<3>),
  };
}

}  // namespace

Status RegisterPoolingOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, MaxPoolOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, MaxPoolGradOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, MaxPoolGradGradOps()));
  return RegisterAll(registry, AveragePoolOps());
}

}  // namespace tagflow
