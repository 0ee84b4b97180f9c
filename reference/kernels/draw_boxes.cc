// Boxes drawn onto images.

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Paint = std::vector<double>;  // a number for each channel

// The color of the first box, of the second, …, and again: yellow, blue, red, lime, purple, olive,
// maroon, navy, aqua, fuchsia. On images of one channel all are white.
const std::vector<Paint>& UsualColors() {
  static const auto& colors = *new std::vector<Paint>{
      {1, 1, 0, 1},   {0, 0, 1, 1},  {1, 0, 0, 1},  {0, 1, 0, 1}, {.5, 0, .5, 1},
      {.5, .5, 0, 1}, {.5, 0, 0, 1}, {0, 0, .5, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
  return colors;
}

//   Errors: INVALID_ARGUMENT
Result<std::vector<Paint>> ColorsOf(const KernelContext& context, int64_t channels) {
  std::vector<Paint> colors = UsualColors();
  if (channels == 1) colors = {{1}};
  if (context.inputs.size() < 3) return colors;
  const Tensor& given = context.inputs[2];
  if (given.rank() != 2) return InvalidArgument("colors must be a 2-D matrix");
  if (given.dim(1) < channels) {
    return InvalidArgument("colors must have equal or more channels than the image provided: " +
                           DimsString(given.dims()));
  }
  if (given.num_elements() == 0) return colors;
  const std::vector<double> all = LoadDoubles(given);
  colors.clear();
  for (auto at = all.begin(); at != all.end(); at += given.dim(1)) {
    colors.emplace_back(at, at + channels);
  }
  return colors;
}

// The element of `size` that a share of the way to the last one is in, as in TensorFlow in float;
// far outside where the share is huge or no number.
int64_t PlaceAt(double share, int64_t size) {
  const float place = static_cast<float>(share) * static_cast<float>(size - 1);
  constexpr float kFar = 1e18F;
  if (!(place > -kFar)) return -static_cast<int64_t>(kFar);
  return static_cast<int64_t>(std::min(place, kFar));
}

struct Canvas {
  std::vector<double>& elements;
  int64_t rows, columns, channels;

  // The pixels of image `image` in rows [top, bottom] and columns [left, right], within the image.
  void Fill(int64_t image, int64_t top, int64_t left, int64_t bottom, int64_t right,
            const Paint& paint) {
    for (int64_t i = std::max<int64_t>(top, 0); i <= std::min(bottom, rows - 1); ++i) {
      for (int64_t j = std::max<int64_t>(left, 0); j <= std::min(right, columns - 1); ++j) {
        const int64_t pixel = ((image * rows + i) * columns + j) * channels;
        std::copy_n(paint.begin(), channels, elements.begin() + pixel);
      }
    }
  }

  // The four edges of a box; none of one that is upside down.
  void Frame(int64_t image, const double* box, const Paint& paint) {
    const int64_t top = PlaceAt(box[0], rows), bottom = PlaceAt(box[2], rows);
    const int64_t left = PlaceAt(box[1], columns), right = PlaceAt(box[3], columns);
    if (top > bottom || left > right) return;
    Fill(image, top, left, top, right, paint);
    Fill(image, bottom, left, bottom, right, paint);
    Fill(image, top, left, bottom, left, paint);
    Fill(image, top, right, bottom, right, paint);
  }
};

//   images: floats [images, rows, columns, 1, 3 or 4];  boxes: floats [images, boxes, 4], each the
//   top, the left, the bottom and the right edge, in [0, 1] in the image;  colors: floats [n,
//   channels or more]
//   output: the images, with the edges of each box over those before it
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
Status DrawBoundingBoxes(KernelContext& context) {
  const Tensor& images = context.inputs[0];
  const Tensor& boxes = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, images.dtype(), {DType::kHalf, DType::kFloat}));
  if (images.rank() != 4) return InvalidArgument("The rank of the images should be 4");
  if (boxes.rank() != 3) return InvalidArgument("The rank of the boxes tensor should be 3");
  if (images.dim(0) != boxes.dim(0)) return InvalidArgument("The batch sizes should be the same");
  const int64_t channels = images.dim(3);
  if (channels != 1 && channels != 3 && channels != 4) {
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes.dim(2) != 4) return InvalidArgument("The size of the third dimension must be 4");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Paint> colors, ColorsOf(context, channels));
  std::vector<double> elements = LoadDoubles(images);
  const std::vector<double> edges = LoadDoubles(boxes);
  Canvas canvas = {elements, images.dim(1), images.dim(2), channels};
  for (int64_t i = 0; i < images.dim(0) * boxes.dim(1); ++i) {
    const auto number = static_cast<size_t>(i % boxes.dim(1));
    canvas.Frame(i / boxes.dim(1), edges.data() + 4 * i, colors[number % colors.size()]);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           StoreDoubles(images.dtype(), images.dims(), elements));
  return Status();
}

}  // namespace

Status RegisterDrawBoxesKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"DrawBoundingBoxes", DrawBoundingBoxes},
                                {"DrawBoundingBoxesV2", DrawBoundingBoxes}});
}

}  // namespace tagflow::reference
