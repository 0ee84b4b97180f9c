// Images: resized, cropped, cut into patches, and drawn onto; and which of the boxes around things
// in them to keep.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/window_geometry.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr char kResizable[] =
    "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}";
constexpr char kCroppable[] = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}";
constexpr char kPatchable[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "complex64, complex128, bool}";

Result<PartialShape> ImagesOf(const ShapeContext& context, int i) {
  return MergeShapes(context.input(i), PartialShape::UnknownOfRank(4));
}

// The dimensions that an input of `count` integers names.
Result<Dims> SizesFrom(const ShapeContext& context, int i, int count) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape sizes, shapes::ShapeFromInput(context, i));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape merged,
                           MergeShapes(sizes, PartialShape::UnknownOfRank(count)));
  return merged.dims();
}

// ---- Sizes ----

// Inputs: images, or gradients of what was made of them, and a size.
Status ResizeShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images, ImagesOf(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims size, SizesFrom(context, 1, 2));
  context.set_output(0, PartialShape(Dims{images.dim(0), size[0], size[1], images.dim(3)}));
  return Status();
}

// Inputs: gradients of an image resized, and that image. Only its rows and columns count.
Status ResizeGradShape(ShapeContext& context) {
  const auto dim = [&](int input, int i) {
    const PartialShape& shape = context.input(input);
    return shape.known_rank() && shape.rank() == 4 ? shape.dim(i) : kUnknown;
  };
  context.set_output(0, PartialShape(Dims{dim(0, 0), dim(1, 1), dim(1, 2), dim(0, 3)}));
  return Status();
}

// ---- Crops ----

// Boxes, each of four numbers.
Result<PartialShape> BoxesOf(const ShapeContext& context, int i) {
  return MergeShapes(context.input(i), PartialShape(Dims{kUnknown, 4}));
}

// Inputs: images, boxes, the image of each, and the size of what is cut out.
Status CropShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images, ImagesOf(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape boxes, BoxesOf(context, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape indices,
                           MergeShapes(context.input(2), PartialShape(Dims{boxes.dim(0)})));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims size, SizesFrom(context, 3, 2));
  context.set_output(0, PartialShape(Dims{indices.dim(0), size[0], size[1], images.dim(3)}));
  return Status();
}

// Inputs: gradients of crops, boxes, the image of each, and the shape of the images.
Status CropGradImageShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims image, SizesFrom(context, 3, 4));
  context.set_output(0, PartialShape(std::move(image)));
  return Status();
}

// Inputs: gradients of crops, images, boxes, and the image of each.
Status CropGradBoxesShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape boxes, BoxesOf(context, 2));
  context.set_output(0, std::move(boxes));
  return Status();
}

// ---- Boxes to keep ----

// Inputs: boxes, a score for each, and scalars, of which the first is the most boxes to keep.
// Outputs: vectors with an element for each box kept; of the later versions the last one counts
// them.
Status NonMaxSuppressionShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape boxes, BoxesOf(context, 0));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), PartialShape(Dims{boxes.dim(0)})).status());
  for (int i = 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  const Result<bool> pads = BoolAttr(context.node(), "pad_to_max_output_size");
  int64_t kept = kUnknown;
  if (pads.ok() && *pads) {
    kept = shapes::ConstantInt(context, 2).value_or(kUnknown);
    if (kept < 0 && context.constant(2) != nullptr) {
      return InvalidArgument("max_output_size must be non-negative, not " + std::to_string(kept));
    }
  }
  const int last = context.num_outputs() - 1;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const bool counts = i > 0 && i == last;
    context.set_output(i, PartialShape(counts ? Dims{} : Dims{kept}));
  }
  return Status();
}

// Inputs: what each two boxes have in common, a score for each box, and scalars.
Status OverlapsShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape overlaps,
                           MergeShapes(context.input(0), PartialShape::UnknownOfRank(2)));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t boxes,
                           shapes::MergeDims(overlaps.dim(0), overlaps.dim(1)));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), PartialShape(Dims{boxes})).status());
  for (int i = 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  context.set_output(0, PartialShape(Dims{kUnknown}));
  return Status();
}

// Inputs: for each image boxes, of each class or of all, and scores of each class; and scalars, of
// which the first two are the most boxes to keep of a class and of an image.
// Outputs: boxes, scores and classes of those kept, and how many there are.
Status CombinedShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(
      const PartialShape boxes,
      MergeShapes(context.input(0), PartialShape(Dims{kUnknown, kUnknown, kUnknown, 4})));
  TAGFLOW_ASSIGN_OR_RETURN(
      const PartialShape scores,
      MergeShapes(context.input(1), PartialShape(Dims{boxes.dim(0), boxes.dim(1), kUnknown})));
  for (int i = 2; i < context.num_inputs(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  }
  if (boxes.dim(2) != 1) {
    TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(boxes.dim(2), scores.dim(2)).status());
  }
  int64_t kept = shapes::ConstantInt(context, 3).value_or(kUnknown);
  TAGFLOW_ASSIGN_OR_RETURN(const bool pads_per_class, BoolAttr(context.node(), "pad_per_class"));
  if (pads_per_class) {
    const int64_t of_class = shapes::ConstantInt(context, 2).value_or(kUnknown);
    const int64_t all = of_class > 0 ? shapes::MultiplyDims(of_class, scores.dim(2)) : kUnknown;
    kept = all == kUnknown ? kUnknown : std::min(kept, all);
  }
  if (kept < 0) kept = kUnknown;  // one that is not positive the kernels refuse
  context.set_output(0, PartialShape(Dims{boxes.dim(0), kept, 4}));
  context.set_output(1, PartialShape(Dims{boxes.dim(0), kept}));
  context.set_output(2, PartialShape(Dims{boxes.dim(0), kept}));
  context.set_output(3, PartialShape(Dims{boxes.dim(0)}));
  return Status();
}

// Inputs: images, boxes of each, and maybe colors; output: the images, drawn onto.
Status DrawnShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, 3));
  context.set_output(0, context.input(0));
  return Status();
}

// ---- Patches ----

Result<Dims> FourInts(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() == 4) return list.ints;
  return InvalidArgument(
      "ExtractImagePatches requires the " + std::string(name) +
      " attribute to contain 4 values, but got: " + std::to_string(list.ints.size()));
}

// Windows over images, of which each element is one of the output's channels. What no kernel takes
// is left to the kernels.
Status PatchesShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images, ImagesOf(context, 0));
  const Node& node = context.node();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims sizes, FourInts(node, "ksizes"));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims strides, FourInts(node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims rates, FourInts(node, "rates"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(node, "padding"));
  Dims dims = {images.dim(0), kUnknown, kUnknown, images.dim(3)};
  for (const size_t i : {1, 2}) {
    if (sizes[i] < 1 || strides[i] < 1 || rates[i] < 1) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(
        const WindowDim windows,
        PlaceWindows({.image = images.dim(static_cast<int>(i)),
                      .window = sizes[i],
                      .stride = strides[i],
                      .dilation = rates[i]},
                     padding == "SAME" ? WindowPadding::kSame : WindowPadding::kValid));
    dims[i] = windows.count;
    dims[3] = shapes::MultiplyDims(dims[3], sizes[i]);
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// ---- Definitions ----

OpDefBuilder WithCenters(OpDefBuilder builder) {
  return builder.Attr("align_corners: bool = false").Attr("half_pixel_centers: bool = false");
}
OpDefBuilder Resize(const char* name, const char* output) {
  return WithCenters(OpDefBuilder(name)
                         .Input("images: T")
                         .Input("size: int32", ArgRole::kShape)
                         .Output("resized_images: " + std::string(output))
                         .Attr(kResizable))
      .Shape(ResizeShape);
}
OpDefBuilder ResizeGrad(const char* name, const char* types) {
  return WithCenters(OpDefBuilder(name)
                         .Input("grads: float")
                         .Input("original_image: T")
                         .Output("output: T")
                         .Attr(types))
      .Shape(ResizeGradShape);
}

std::vector<OpDefBuilder> ResizeOps() {
  return {
      Resize("ResizeBilinear", "float")
          .Rounds(Rounding::kOfRemainders)
          .Summary("Images of another size, by lines between pixels."),
      ResizeGrad("ResizeBilinearGrad", "T: {float, bfloat16, half, double}")
          .Rounds(Rounding::kOfRemainders)
          .Summary("The gradient of ResizeBilinear."),
      Resize("ResizeNearestNeighbor", "T").Summary("Images of another size, by the nearest pixel."),
      WithCenters(OpDefBuilder("ResizeNearestNeighborGrad")
                      .Input("grads: T")
                      .Input("size: int32", ArgRole::kShape)
                      .Output("output: T")
                      .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}"))
          .Summary("The gradient of ResizeNearestNeighbor, for images of that size.")
          .Shape(ResizeShape),
      Resize("ResizeBicubic", "float")
          .Rounds(Rounding::kOfRemainders)
          .Summary("Images of another size, by cubic curves."),
      ResizeGrad("ResizeBicubicGrad", "T: {float, double}")
          .Rounds(Rounding::kOfRemainders)
          .Summary("The gradient of ResizeBicubic."),
  };
}

OpDefBuilder WithBoxes(OpDefBuilder builder) {
  return builder.Input("boxes: float").Input("box_ind: int32", ArgRole::kRowNumbers);
}

std::vector<OpDefBuilder> CropOps() {
  return {
      WithBoxes(OpDefBuilder("CropAndResize").Input("image: T"))
          .Input("crop_size: int32", ArgRole::kShape)
          .Output("crops: float")
          .Attr(kCroppable)
          .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
          .Attr("extrapolation_value: float = 0.0")
          .Summary("What boxes cut out of images, each of one size.")
          .Shape(CropShape),
      WithBoxes(OpDefBuilder("CropAndResizeGradImage").Input("grads: float"))
          .Input("image_size: int32", ArgRole::kShape)
          .Output("output: T")
          .Attr("T: {float, half, double}")
          .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
          .Summary("The gradient of CropAndResize by its images.")
          .Shape(CropGradImageShape),
      WithBoxes(OpDefBuilder("CropAndResizeGradBoxes").Input("grads: float").Input("image: T"))
          .Output("output: float")
          .Attr(kCroppable)
          .Attr("method: {'bilinear'} = 'bilinear'")
          .Summary("The gradient of CropAndResize by its boxes.")
          .Shape(CropGradBoxesShape),
  };
}

OpDefBuilder Suppression(const char* version, const char* boxes) {
  return OpDefBuilder("NonMaxSuppression" + std::string(version))
      .Input("boxes: " + std::string(boxes))
      .Input("scores: " + std::string(boxes))
      .Input("max_output_size: int32", ArgRole::kCount)
      .Output("selected_indices: int32")
      .Shape(NonMaxSuppressionShape);
}
// Of boxes of dtype T, with thresholds of dtype T_threshold or T.
OpDefBuilder TypedSuppression(const char* version, const char* threshold) {
  OpDefBuilder builder = Suppression(version, "T")
                             .Input("iou_threshold: " + std::string(threshold), ArgRole::kRate)
                             .Attr("T: {half, float} = DT_FLOAT");
  if (threshold == std::string("T")) return builder;
  return builder.Attr("T_threshold: {half, float} = DT_FLOAT");
}

std::vector<OpDefBuilder> SuppressionOps() {
  return {
      Suppression("", "float")
          .Attr("iou_threshold: float = 0.5")
          .Summary("The boxes of the best scores that overlap no better one by more than a share."),
      TypedSuppression("V2", "T_threshold").Summary("NonMaxSuppression, the share an input."),
      TypedSuppression("V3", "T_threshold")
          .Input("score_threshold: T_threshold", ArgRole::kRate)
          .Summary("NonMaxSuppression of the boxes whose scores are above a threshold."),
      TypedSuppression("V4", "T_threshold")
          .Input("score_threshold: T_threshold", ArgRole::kRate)
          .Output("valid_outputs: int32")
          .Attr("pad_to_max_output_size: bool = false")
          .Summary(
              "NonMaxSuppressionV3, with the number of boxes, and zeros behind them if asked."),
      TypedSuppression("V5", "T")
          .Input("score_threshold: T", ArgRole::kRate)
          .Input("soft_nms_sigma: T", ArgRole::kRate)
          .Output("selected_scores: T")
          .Output("valid_outputs: int32")
          .Attr("pad_to_max_output_size: bool = false")
          .Summary("NonMaxSuppressionV4 that may lower scores by overlaps rather than drop boxes."),
  };
}

std::vector<OpDefBuilder> DetectionOps() {
  return {
      OpDefBuilder("NonMaxSuppressionWithOverlaps")
          .Input("overlaps: float")
          .Input("scores: float")
          .Input("max_output_size: int32", ArgRole::kCount)
          .Input("overlap_threshold: float", ArgRole::kRate)
          .Input("score_threshold: float", ArgRole::kRate)
          .Output("selected_indices: int32")
          .Summary("NonMaxSuppressionV3, what each two boxes have in common an input.")
          .Shape(OverlapsShape),
      OpDefBuilder("CombinedNonMaxSuppression")
          .Input("boxes: float")
          .Input("scores: float")
          .Input("max_output_size_per_class: int32", ArgRole::kCount)
          .Input("max_total_size: int32", ArgRole::kCount)
          .Input("iou_threshold: float", ArgRole::kRate)
          .Input("score_threshold: float", ArgRole::kRate)
          .Output("nmsed_boxes: float")
          .Output("nmsed_scores: float")
          .Output("nmsed_classes: float")
          .Output("valid_detections: int32")
          .Attr("pad_per_class: bool = false")
          .Attr("clip_boxes: bool = true")
          .Summary("The best boxes of each image, after NonMaxSuppressionV3 of each class.")
          .Shape(CombinedShape),
  };
}

OpDefBuilder Drawing(const char* version) {
  return OpDefBuilder("DrawBoundingBoxes" + std::string(version))
      .Input("images: T")
      .Input("boxes: float")
      .Output("output: T")
      .Attr("T: {float, half} = DT_FLOAT")
      .Shape(DrawnShape);
}

std::vector<OpDefBuilder> DrawingOps() {
  return {
      Drawing("").Summary("Images with the edges of boxes, of ten colors in turn, over them."),
      Drawing("V2").Input("colors: float").Summary("DrawBoundingBoxes, the colors an input."),
  };
}

std::vector<OpDefBuilder> PatchOps() {
  return {
      OpDefBuilder("ExtractImagePatches")
          .Input("images: T")
          .Output("patches: T")
          .Attr("ksizes: list(int) >= 4")
          .Attr("strides: list(int) >= 4")
          .Attr("rates: list(int) >= 4")
          .Attr(kPatchable)
          .Attr("padding: {'SAME', 'VALID'}")
          .Summary("Windows over images, the elements of each along the last dimension.")
          .Shape(PatchesShape),
  };
}

}  // namespace

Status RegisterImageOps(OpRegistry& registry) {
  for (const auto& ops :
       {ResizeOps(), CropOps(), SuppressionOps(), DetectionOps(), DrawingOps(), PatchOps()}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ops));
  }
  return Status();
}

}  // namespace tagflow
