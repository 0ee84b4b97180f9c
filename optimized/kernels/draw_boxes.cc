// Boxes drawn onto images: a copy of them, in which the edges of each box are runs of pixels.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

using Pixel = std::array<float, 4>;

// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr Pixel kColors[] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5F, 0, 0.5F, 1},
    {0.5F, 0.5F, 0, 1}, {0.5F, 0, 0, 1}, {0, 0, 0.5F, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

// Errors: INVALID_ARGUMENT
Status CheckShapes(const KernelContext& context) {
  const DimsView images = context.input(0).dims(), boxes = context.input(1).dims();
  if (images.size() != 4) return InvalidArgument("The rank of the images should be 4");
  if (boxes.size() != 3) return InvalidArgument("The rank of the boxes tensor should be 3");
  if (images[0] != boxes[0]) return InvalidArgument("The batch sizes should be the same");
  if (images[3] != 1 && images[3] != 3 && images[3] != 4) {
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes[2] != 4) return InvalidArgument("The size of the third dimension must be 4");
  if (context.num_inputs() < 3) return Status();
  const DimsView colors = context.input(2).dims();
  if (colors.size() != 2) return InvalidArgument("colors must be a 2-D matrix");
  if (colors[1] >= images[3]) return Status();
  return InvalidArgument("colors must have equal or more channels than the image provided: " +
                         DimsString(colors));
}

// What boxes are painted with, in turn. On images of one channel the usual colors are white.
std::vector<Pixel> PaletteOf(const KernelContext& context, int64_t channels) {
  if (context.num_inputs() > 2 && context.input(2).num_elements() > 0) {
    const Tensor& given = context.input(2);
    std::vector<Pixel> palette(static_cast<size_t>(given.dim(0)));
    for (size_t i = 0; i < palette.size(); ++i) {
      const float* from = given.data<float>() + static_cast<int64_t>(i) * given.dim(1);
      std::copy_n(from, channels, palette[i].begin());
    }
    return palette;
  }
  if (channels == 1) return {{1, 1, 1, 1}};
  return {std::begin(kColors), std::end(kColors)};
}

// The element of `size` that a share of the way to the last one is in; far outside where the share
// is huge or no number.
int64_t PlaceAt(float share, int64_t size) {
  constexpr float kFar = 1e18F;
  const float place = share * static_cast<float>(size - 1);
  if (!(place > -kFar)) return -static_cast<int64_t>(kFar);
  return static_cast<int64_t>(std::min(place, kFar));
}

// T is float or Half.
template <typename T>
class Canvas {
 public:
  Canvas(T* image, int64_t rows, int64_t columns, int64_t channels)
      : image_(image), rows_(rows), columns_(columns), channels_(channels) {}

  void Frame(const float* box, const Pixel& color) {
    const int64_t top = PlaceAt(box[0], rows_), bottom = PlaceAt(box[2], rows_);
    const int64_t left = PlaceAt(box[1], columns_), right = PlaceAt(box[3], columns_);
    if (top > bottom || left > right || top >= rows_ || bottom < 0 || left >= columns_ ||
        right < 0) {
      return;
    }
    SetColor(color);
    const int64_t first_row = std::max<int64_t>(top, 0), last_row = std::min(bottom, rows_ - 1);
    const int64_t first = std::max<int64_t>(left, 0), last = std::min(right, columns_ - 1);
    if (top >= 0) Across(top, first, last);
    if (bottom < rows_) Across(bottom, first, last);
    for (int64_t row = first_row; row <= last_row; ++row) {
      if (left >= 0) Across(row, left, left);
      if (right < columns_) Across(row, right, right);
    }
  }

 private:
  void SetColor(const Pixel& color) {
    for (size_t i = 0; i < color.size(); ++i) {
      if constexpr (std::is_same_v<T, float>) {
        color_[i] = color[i];
      } else {
        color_[i] = HalfFromDouble(color[i]);
      }
    }
  }
  void Across(int64_t row, int64_t first, int64_t last) {
    T* to = image_ + (row * columns_ + first) * channels_;
    for (int64_t i = first; i <= last; ++i, to += channels_) std::copy_n(color_, channels_, to);
  }

  T* image_;
  int64_t rows_, columns_, channels_;
  T color_[4] = {};
};

//   images: [images, rows, columns, 1, 3 or 4];  boxes: floats [images, boxes, 4];  colors: floats
//   [n, channels or more]
//   output: the images, with the edges of each box over those before it
//   Errors: INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
template <typename T>
Status DrawBoundingBoxes(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckShapes(context));
  const Tensor& images = context.input(0);
  const Tensor& boxes = context.input(1);
  const int64_t count = images.dim(0), boxes_each = boxes.dim(1), channels = images.dim(3);
  const std::vector<Pixel> palette = PaletteOf(context, channels);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, images.dtype(), images.dims()));
  if (out->num_elements() == 0) return Status();
  T* to = out->mutable_data<T>();
  std::copy_n(images.data<T>(), images.num_elements(), to);
  const float* edges = boxes.data<float>();
  for (int64_t i = 0; i < count; ++i) {
    Canvas<T> canvas(to + i * (images.num_elements() / count), images.dim(1), images.dim(2),
                     channels);
    for (int64_t box = 0; box < boxes_each; ++box, edges += 4) {
      canvas.Frame(edges, palette[static_cast<size_t>(box) % palette.size()]);
    }
  }
  return Status();
}

Result<BoundKernel> BindDrawing(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, SetOf(DType::kHalf, DType::kFloat)));
  return dtype == DType::kFloat ? BoundKernel(DrawBoundingBoxes<float>)
                                : BoundKernel(DrawBoundingBoxes<Half>);
}

}  // namespace

Status RegisterDrawBoxesKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"DrawBoundingBoxes", BindDrawing}, {"DrawBoundingBoxesV2", BindDrawing}});
}

}  // namespace tagflow::optimized
