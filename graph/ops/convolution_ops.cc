// Convolutions, their gradients, and those that end with an activation.

#include <string>
#include <utility>

#include "graph/ops/convolution_geometry.h"
#include "graph/ops/families.h"
#include "graph/ops/fused_convolution.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// The dimensions of input i; RequireRank has passed.
Dims DimsOf(const ShapeContext& context, int i, int rank) {
  const PartialShape& shape = context.input(i);
  return shape.known_rank() ? shape.dims() : Dims(static_cast<size_t>(rank), kUnknown);
}

//   inputs: image, filter, and what is added afterwards
Status ConvolutionShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node()));
  const int rank = attrs.windows.layout.rank;
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, rank));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, rank));
  TAGFLOW_ASSIGN_OR_RETURN(
      const ConvolutionGeometry geometry,
      PlaceConvolution(attrs, DimsOf(context, 0, rank), DimsOf(context, 1, rank)));
  context.set_output(0, PartialShape(geometry.OutputDims()));
  return Status();
}

// The shape that input i, a vector, spells, of the rank of images.
Result<PartialShape> SpelledShape(const ShapeContext& context, int i, int rank) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, shapes::ShapeFromInput(context, i));
  return MergeShapes(shape, PartialShape::UnknownOfRank(rank));
}

// Of Conv2DBackpropInput, where the sizes may be those of the spatial dimensions alone.
Result<PartialShape> ImageShape(const ShapeContext& context, const ImageLayout& layout) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape sizes, shapes::ShapeFromInput(context, 0));
  if (!sizes.known_rank() || sizes.rank() != layout.spatial_rank()) {
    return SpelledShape(context, 0, layout.rank);
  }
  const int64_t batch = DimsOf(context, 2, layout.rank)[0];
  const int64_t channels = DimsOf(context, 1, layout.rank)[2];
  return PartialShape(ImageDims(layout, batch, sizes.dims(), channels));
}

//   inputs: the sizes of the image, the filter, the gradient of the output
Status BackpropInputShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node()));
  const ImageLayout& layout = attrs.windows.layout;
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, layout.rank));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, layout.rank));
  const bool may_be_short = context.node().op == "Conv2DBackpropInput";
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, may_be_short
                                                   ? ImageShape(context, layout)
                                                   : SpelledShape(context, 0, layout.rank));
  context.set_output(0, std::move(shape));
  return Status();
}

//   inputs: the image, the sizes of the filter, the gradient of the output
Status BackpropFilterShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(context.node()));
  const int rank = attrs.windows.layout.rank;
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, rank));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, rank));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, SpelledShape(context, 1, rank));
  context.set_output(0, std::move(shape));
  return Status();
}

constexpr char kFloats[] = "T: {half, bfloat16, float, double}";
constexpr char kFloatsAndInt32[] = "T: {half, bfloat16, float, double, int32}";

// How windows move over an image of two dimensions, and of three.
OpDefBuilder& Moves2D(OpDefBuilder& op) {
  return op.Attr("strides: list(int)")
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
      .Attr("explicit_paddings: list(int) = []")
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
      .Attr("dilations: list(int) = [1, 1, 1, 1]");
}
OpDefBuilder& Moves3D(OpDefBuilder& op) {
  return op.Attr("strides: list(int) >= 5")
      .Attr("padding: {'SAME', 'VALID'}")
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
      .Attr("dilations: list(int) = [1, 1, 1, 1, 1]");
}

OpDefBuilder Forward(const char* name, const char* types, const char* summary) {
  OpDefBuilder op(name);
  op.Input("input: T").Input("filter: T").Output("output: T");
  return op.Attr(types).Summary(summary).Shape(ConvolutionShape);
}
OpDefBuilder BackpropInput(const char* name, const char* types, const char* sizes,
                           const char* summary) {
  OpDefBuilder op(name);
  op.Input(std::string("input_sizes: ") + sizes, ArgRole::kShape)
      .Input("filter: T")
      .Input("out_backprop: T")
      .Output("output: T");
  return op.Attr(types).Summary(summary).Shape(BackpropInputShape);
}
OpDefBuilder BackpropFilter(const char* name, const char* summary) {
  OpDefBuilder op(name);
  op.Input("input: T")
      .Input("filter_sizes: int32", ArgRole::kShape)
      .Input("out_backprop: T")
      .Output("output: T");
  return op.Attr(kFloats).Summary(summary).Shape(BackpropFilterShape);
}
constexpr char kUseCudnn[] = "use_cudnn_on_gpu: bool = true";

std::vector<OpDefBuilder> Ops2D() {
  std::vector<OpDefBuilder> ops = {
      Forward("Conv2D", kFloatsAndInt32, "Sums of products of windows of images and filters."),
      BackpropInput("Conv2DBackpropInput", kFloatsAndInt32, "int32",
                    "The gradient of Conv2D by its images."),
      BackpropFilter("Conv2DBackpropFilter", "The gradient of Conv2D by its filters."),
  };
  for (OpDefBuilder& op : ops) op.Attr(kUseCudnn);
  ops.push_back(Forward("DepthwiseConv2dNative", kFloats,
                        "As Conv2D, each channel of the images with filters of its own."));
  ops.push_back(BackpropInput("DepthwiseConv2dNativeBackpropInput", kFloats, "int32",
                              "The gradient of DepthwiseConv2dNative by its images."));
  ops.push_back(BackpropFilter("DepthwiseConv2dNativeBackpropFilter",
                               "The gradient of DepthwiseConv2dNative by its filters."));
  for (OpDefBuilder& op : ops) Moves2D(op);
  return ops;
}

Status FusedConvolutionShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(ReadFusedOps(context.node()).status());
  return ConvolutionShape(context);
}

std::vector<OpDefBuilder> FusedOps2D() {
  return {
      OpDefBuilder("_FusedConv2D")
          .Input("input: T")
          .Input("filter: T")
          .Input("args: TArgs")
          .Input("host_args: num_host_args * float")
          .Output("output: T")
          .Attr("T: {half, float, double, int8, qint8}")
          .Attr("TArgs: list(type) >= 1")
          .Attr("num_args: int >= 0")
          .Attr("num_host_args: int >= 0 = 0")
          .Attr("strides: list(int)")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
          .Attr("filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'")
          .Attr("dilations: list(int) = [1, 1, 1, 1]")
          .Attr("use_cudnn_on_gpu: bool = true")
          .Attr("fused_ops: list(string) = []")
          .Attr("epsilon: float = 0.0001")
          .Attr("leakyrelu_alpha: float = 0.2")
          .Summary("Conv2D, a bias or a norm of each channel, and an activation.")
          .Shape(FusedConvolutionShape),
  };
}

std::vector<OpDefBuilder> Ops3D() {
  std::vector<OpDefBuilder> ops = {
      Forward("Conv3D", kFloats, "As Conv2D, of images of three dimensions."),
      BackpropInput("Conv3DBackpropInputV2", kFloats, "Tshape",
                    "The gradient of Conv3D by its images.")
          .Attr("Tshape: {int32, int64} = DT_INT32"),
      BackpropFilter("Conv3DBackpropFilterV2", "The gradient of Conv3D by its filters."),
  };
  for (OpDefBuilder& op : ops) Moves3D(op);
  return ops;
}

}  // namespace

Status RegisterConvolutionOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Ops2D()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, FusedOps2D()));
  return RegisterAll(registry, Ops3D());
}

}  // namespace tagflow
