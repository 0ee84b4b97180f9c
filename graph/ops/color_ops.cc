// Colors of images, along their last dimension.

#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// Colors of three parts each.
Status ColorsShape(ShapeContext& context) {
  PartialShape shape = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 1));
  if (shape.known_rank()) {
    Dims dims = shape.dims();
    TAGFLOW_ASSIGN_OR_RETURN(dims.back(), shapes::MergeDims(dims.back(), 3));
    shape = PartialShape(std::move(dims));
  }
  context.set_output(0, std::move(shape));
  return Status();
}

// Inputs: images, and a scalar that tells by how much they change. How many parts a color has the
// kernels check.
Status AdjustedShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 3));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  context.set_output(0, context.input(0));
  return Status();
}

OpDefBuilder Conversion(const char* name) {
  return OpDefBuilder(name)
      .Input("images: T", ArgRole::kTriples)
      .Output("output: T")
      .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
      .Shape(ColorsShape);
}

OpDefBuilder Adjustment(const char* name, const char* by, ArgRole images) {
  return OpDefBuilder(name)
      .Input("images: T", images)
      .Input(std::string(by) + ": float", ArgRole::kScalar)
      .Output("output: T")
      .Attr("T: {half, float} = DT_FLOAT")
      .Shape(AdjustedShape);
}

}  // namespace

Status RegisterColorOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          Conversion("RGBToHSV").Summary("The hue, saturation and value of red, green and blue."),
          Conversion("HSVToRGB").Summary("The red, green and blue of hue, saturation and value."),
          Adjustment("AdjustContrastv2", "contrast_factor", ArgRole::kData)
              .Rounds(Rounding::kOfRemainders)
              .Summary("Images whose distances from each channel's mean are multiplied."),
          Adjustment("AdjustHue", "delta", ArgRole::kTriples)
              .Summary("Colors whose hues are turned by a share of the whole circle."),
          Adjustment("AdjustSaturation", "scale", ArgRole::kTriples)
              .Summary("Colors whose saturations are multiplied, up to 1."),
      });
}

}  // namespace tagflow
