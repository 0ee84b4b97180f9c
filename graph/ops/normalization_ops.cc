// Batch normalization, and normalization by the channels near by.

#include <string>
#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/window_geometry.h"

namespace tagflow {
namespace {

constexpr char kTypes[] = "T: {half, bfloat16, float}";
constexpr char kFormats[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr char kAllFormats[] = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";

// The images of a node: input 0, of as many dimensions as its data_format has letters, and which of
// them are the channels.
struct Images {
  PartialShape shape;
  int channel = 0;
};
Result<Images> ImagesOf(const ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(context.node(), "data_format"));
  TAGFLOW_ASSIGN_OR_RETURN(const ImageLayout layout, ParseImageLayout(format));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, layout.rank));
  const PartialShape& images = context.input(0);
  return Images{images.known_rank() ? images : PartialShape::UnknownOfRank(layout.rank),
                layout.channel()};
}

// The number of channels: what `channels` and inputs [begin, end), vectors of them, agree on.
Result<int64_t> MergeVectors(const ShapeContext& context, int begin, int end, int64_t channels) {
  for (int i = begin; i < end; ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 1));
    if (!context.input(i).known_rank()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(channels, shapes::MergeDims(channels, context.input(i).dim(0)));
  }
  return channels;
}

PartialShape WithChannels(const Images& images, int64_t channels) {
  Dims dims = images.shape.dims();
  dims[static_cast<size_t>(images.channel)] = channels;
  return PartialShape(std::move(dims));
}

// Outputs: y, four vectors, and with version 3 a scalar. Training without an average does not look
// at mean and variance.
Status BatchNormShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Images images, ImagesOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_training, BoolAttr(context.node(), "is_training"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t channels, MergeVectors(context, 1, is_training ? 3 : 5,
                                                                images.shape.dim(images.channel)));
  context.set_output(0, WithChannels(images, channels));
  for (int i = 1; i < 5; ++i) context.set_output(i, PartialShape(Dims{channels}));
  if (context.num_outputs() > 5) context.set_output(5, PartialShape::Scalar());
  return Status();
}

// Outputs: x_backprop, two vectors, and two vectors of nothing.
Status BatchNormGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Images images, ImagesOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(images.shape, MergeShapes(images.shape, context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t channels,
                           MergeVectors(context, 2, 5, images.shape.dim(images.channel)));
  context.set_output(0, WithChannels(images, channels));
  for (int i = 1; i < 3; ++i) context.set_output(i, PartialShape(Dims{channels}));
  for (int i = 3; i < 5; ++i) context.set_output(i, PartialShape(Dims{0}));
  return Status();
}

// All inputs and the output are images of one shape.
Status LocalResponseShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::Merged(context));
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape,
                           MergeShapes(context.outputs()[0], PartialShape::UnknownOfRank(4)));
  context.set_output(0, std::move(shape));
  return Status();
}

OpDefBuilder BatchNorm(const char* name, const char* formats) {
  return OpDefBuilder(name)
      .Output("y: T")
      .Attr("epsilon: float = 0.0001")
      .Attr("exponential_avg_factor: float = 1.0")
      .Attr(formats)
      .Attr("is_training: bool = true")
      .Rounds(Rounding::kOfRemainders)
      .Shape(BatchNormShape);
}
OpDefBuilder BatchNormGrad(const char* name, const char* formats) {
  return OpDefBuilder(name)
      .Input("y_backprop: T")
      .Input("x: T")
      .Output("x_backprop: T")
      .Attr("epsilon: float = 0.0001")
      .Attr(formats)
      .Attr("is_training: bool = true")
      .Rounds(Rounding::kOfRemainders)
      .Shape(BatchNormGradShape);
}

// The vectors are of dtype `u`, each with an element for every channel.
OpDefBuilder WithVectors(OpDefBuilder builder, const std::string& u) {
  builder.Input("x: T");
  for (const char* name : {"scale", "offset", "mean", "variance"}) {
    builder.Input(name + u, ArgRole::kBias);
  }
  for (const char* name : {"batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}) {
    builder.Output(name + u);
  }
  return builder;
}
OpDefBuilder WithGradVectors(OpDefBuilder builder, const char* scale, const std::string& u) {
  builder.Input(scale, ArgRole::kBias);
  for (const char* name : {"reserve_space_1", "reserve_space_2"}) {
    builder.Input(name + u, ArgRole::kBias);
  }
  for (const char* name : {"scale_backprop", "offset_backprop"}) builder.Output(name + u);
  return builder;
}

OpDefBuilder LocalResponse(const char* name) {
  return OpDefBuilder(name)
      .Output("output: T")
      .Attr("depth_radius: int = 5")
      .Attr("bias: float = 1.0")
      .Attr("alpha: float = 1.0")
      .Attr("beta: float = 0.5")
      .Attr("T: {half, bfloat16, float} = DT_FLOAT")
      .Shape(LocalResponseShape);
}

std::vector<OpDefBuilder> BatchNormOps() {
  return {
      WithVectors(BatchNorm("FusedBatchNorm", kFormats), ": T")
          .Attr("T: {float}")
          .Summary("x of mean 0 and variance 1 in each channel, times scale, plus offset."),
      WithVectors(BatchNorm("FusedBatchNormV2", kFormats), ": U")
          .Attr(kTypes)
          .Attr("U: {float}")
          .Summary("As FusedBatchNorm, with vectors of another dtype."),
      WithVectors(BatchNorm("FusedBatchNormV3", kAllFormats), ": U")
          .Output("reserve_space_3: U")
          .Attr(kTypes)
          .Attr("U: {bfloat16, float}")
          .Summary("As FusedBatchNormV2, with room for what an engine keeps for the gradient."),
  };
}

std::vector<OpDefBuilder> BatchNormGradOps() {
  return {
      WithGradVectors(BatchNormGrad("FusedBatchNormGrad", kFormats), "scale: T", ": T")
          .Output("reserve_space_3: T")
          .Output("reserve_space_4: T")
          .Attr("T: {float}")
          .Summary("The gradient of FusedBatchNorm by x, scale and offset."),
      WithGradVectors(BatchNormGrad("FusedBatchNormGradV2", kFormats), "scale: float", ": U")
          .Output("reserve_space_3: U")
          .Output("reserve_space_4: U")
          .Attr(kTypes)
          .Attr("U: {float}")
          .Summary("The gradient of FusedBatchNormV2 by x, scale and offset."),
      WithGradVectors(BatchNormGrad("FusedBatchNormGradV3", kAllFormats), "scale: float", ": U")
          .Input("reserve_space_3: U", ArgRole::kScalar)
          .Output("reserve_space_4: U")
          .Output("reserve_space_5: U")
          .Attr(kTypes)
          .Attr("U: {float}")
          .Summary("The gradient of FusedBatchNormV3 by x, scale and offset."),
  };
}

std::vector<OpDefBuilder> LocalResponseOps() {
  return {
      LocalResponse("LRN")
          .Input("input: T")
          .Summary("input over (bias + alpha * the squares of channels near by) ** beta."),
      LocalResponse("LRNGrad")
          .Input("input_grads: T")
          .Input("input_image: T")
          .Input("output_image: T")
          .Summary("The gradient of LRN."),
  };
}

}  // namespace

Status RegisterNormalizationOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, BatchNormOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, BatchNormGradOps()));
  return RegisterAll(registry, LocalResponseOps());
}

}  // namespace tagflow
