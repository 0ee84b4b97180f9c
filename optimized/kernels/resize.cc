// Images resized by lines or by cubic curves, and the gradients of that.
//
// A row of the output is a mix of a few rows of the image, of which each was stretched first.
// Stretched rows are kept while they are needed, so that each is made about once, and mixing rows
// is one loop over all columns and channels. Gradients go the same way back, image by image. Rows
// of the output are independent of each other, and so are images of a gradient.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// ---- Taps: what an element of a resized dimension is made of ----

struct Centers {
  bool align_corners = false;
  bool half_pixel = false;
};

struct Span {
  int64_t image = 0;
  int64_t output = 0;
};

// Positions in float, as TensorFlow has them: what is sampled jumps where they pass an element.
class Positions {
 public:
  Positions(const Centers& centers, const Span& span) : half_pixel_(centers.half_pixel) {
    const bool is_aligned = centers.align_corners && span.output > 1;
    const int64_t less = is_aligned ? 1 : 0;
    scale_ = static_cast<float>(span.image - less) / static_cast<float>(span.output - less);
  }
  float operator()(int64_t i) const {
    const auto place = static_cast<float>(i);
    return half_pixel_ ? (place + 0.5F) * scale_ - 0.5F : place * scale_;
  }

 private:
  bool half_pixel_;
  float scale_;
};

struct LinearTaps {
  static constexpr int kCount = 2;
  std::array<int64_t, kCount> places;
  std::array<double, kCount> weights;
  float share;  // of the second

  LinearTaps(const Centers&, const Span& span, float position) {
    const float below = std::floor(position);
    places = {std::clamp<int64_t>(static_cast<int64_t>(below), 0, span.image - 1),
              std::clamp<int64_t>(static_cast<int64_t>(std::ceil(position)), 0, span.image - 1)};
    share = position - below;
    weights = {1 - static_cast<double>(share), share};
  }
  float Mix(const std::array<float, kCount>& x) const { return x[0] + (x[1] - x[0]) * share; }
};

// TensorFlow's cubic curve, of weights at 1024 distances. With half_pixel_centers what is beyond
// the edge has no weight, otherwise it is as the edge.
struct CubicTaps {
  static constexpr int kCount = 4;
  std::array<int64_t, kCount> places;
  std::array<double, kCount> weights;
  std::array<float, kCount> shares;  // the weights again

  CubicTaps(const Centers& centers, const Span& span, float position) {
    const float below = std::floor(position);
    const double distance = std::nearbyint((position - below) * 1024.0F) / 1024.0;
    double sum = 0;
    for (int tap = 0; tap < kCount; ++tap) {
      const int64_t place = static_cast<int64_t>(below) - 1 + tap;
      places[tap] = std::clamp<int64_t>(place, 0, span.image - 1);
      const bool counts = !centers.half_pixel || places[tap] == place;
      weights[tap] = counts ? Weight(centers, tap - 1 - distance) : 0;
      sum += weights[tap];
    }
    for (int tap = 0; tap < kCount; ++tap) {
      if (centers.half_pixel) weights[tap] /= sum;
      shares[tap] = static_cast<float>(weights[tap]);
    }
  }
  float Mix(const std::array<float, kCount>& x) const {
    return x[0] * shares[0] + x[1] * shares[1] + x[2] * shares[2] + x[3] * shares[3];
  }

 private:
  static double Weight(const Centers& centers, double distance) {
    const double a = centers.half_pixel ? -0.5 : -0.75, x = std::fabs(distance);
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : a * (((x - 5) * x + 8) * x - 4);
  }
};

template <typename Taps>
std::vector<Taps> AllTaps(const Centers& centers, const Span& span) {
  const Positions positions(centers, span);
  std::vector<Taps> taps;
  taps.reserve(static_cast<size_t>(span.output));
  for (int64_t i = 0; i < span.output; ++i) taps.emplace_back(centers, span, positions(i));
  return taps;
}

// What rows and columns of all images are made of.
template <typename Taps>
struct Grid {
  Span rows, columns;
  int64_t channels;
  std::vector<Taps> row_taps, column_taps;

  Grid(const Centers& centers, DimsView image, DimsView output)
      : rows{image[1], output[1]},
        columns{image[2], output[2]},
        channels(output[3]),
        row_taps(AllTaps<Taps>(centers, rows)),
        column_taps(AllTaps<Taps>(centers, columns)) {}
};

//   Errors: INVALID_ARGUMENT for images or outputs without rows or columns
Status CheckSizes(DimsView image, DimsView output) {
  for (const size_t i : {1, 2}) {
    if (image[i] < 1) return InvalidArgument("input image must be of non-zero size");
    if (output[i] < 1) return InvalidArgument("output dimensions must be positive");
  }
  return Status();
}

// ---- Images ----

// Mixes columns of a row of an image: out[column, channel], for all columns of the output.
template <typename Taps, typename X>
TAGFLOW_CLONES void Stretch(const Grid<Taps>& grid, const X* row, float* out) {
  const int64_t channels = grid.channels;
  for (const Taps& taps : grid.column_taps) {
    for (int64_t c = 0; c < channels; ++c) {
      std::array<float, Taps::kCount> x;
      for (int tap = 0; tap < Taps::kCount; ++tap) {
        x[tap] = static_cast<float>(row[taps.places[tap] * channels + c]);
      }
      out[c] = taps.Mix(x);
    }
    out += channels;
  }
}

template <typename Taps>
TAGFLOW_CLONES void MixRows(const Taps& taps, const std::array<const float*, Taps::kCount>& rows,
                            int64_t count, float* out) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    std::array<float, Taps::kCount> x;
    for (int tap = 0; tap < Taps::kCount; ++tap) x[tap] = rows[tap][i];
    out[i] = taps.Mix(x);
  }
}

// Rows of images, stretched. As many neighbours stay as an element of the output is made of.
template <typename Taps, typename X>
class StretchedRows {
 public:
  StretchedRows(const Grid<Taps>& grid, const X* images) : grid_(grid), images_(images) {
    for (std::vector<float>& row : rows_) {
      row.resize(static_cast<size_t>(grid.columns.output * grid.channels));
    }
    held_.fill(-1);
  }

  // The row of that number, which counts through all images. It stays while rows less than kSlots
  // away are asked for.
  const float* Row(int64_t number) {
    const auto slot = static_cast<size_t>(number % kSlots);
    if (held_[slot] != number) {
      Stretch(grid_, images_ + number * grid_.columns.image * grid_.channels, rows_[slot].data());
      held_[slot] = number;
    }
    return rows_[slot].data();
  }

 private:
  static constexpr int64_t kSlots = Taps::kCount;
  const Grid<Taps>& grid_;
  const X* images_;
  std::array<std::vector<float>, kSlots> rows_;
  std::array<int64_t, kSlots> held_;
};

// Rows [begin, end) of the output, which count through all images.
template <typename Taps, typename X>
void ResizeRows(const Grid<Taps>& grid, const X* images, int64_t begin, int64_t end, float* out) {
  StretchedRows<Taps, X> stretched(grid, images);
  const int64_t size = grid.columns.output * grid.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = row / grid.rows.output * grid.rows.image;
    const Taps& taps = grid.row_taps[static_cast<size_t>(row % grid.rows.output)];
    std::array<const float*, Taps::kCount> from;
    for (int tap = 0; tap < Taps::kCount; ++tap) {
      from[tap] = stretched.Row(first + taps.places[tap]);
    }
    MixRows(taps, from, size, out + row * size);
  }
}

//   images: of rank 4;  size: two integers, of rows and columns
//   Errors: INVALID_ARGUMENT
Result<Dims> WithSize(DimsView images, const Tensor& size) {
  if (images.size() != 4) return InvalidArgument("input must be 4-dimensional");
  if (size.rank() != 1) return InvalidArgument("shape_t must be 1-dimensional");
  if (size.num_elements() != 2) return InvalidArgument("shape_t must have two elements");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView sizes, IntView::Of(size));
  return Dims{images[0], sizes[0], sizes[1], images[3]};
}

// All of a call that has elements.
template <typename Taps, typename X>
void ResizeAll(const KernelContext& context, const Centers& centers, DimsView image,
               DimsView output, const X* images, float* out) {
  // Lines through all elements, which infinities would not survive.
  if (std::is_same_v<Taps, LinearTaps> && std::ranges::equal(image, output)) {
    std::copy_n(images, image[0] * image[1] * image[2] * image[3], out);
    return;
  }
  const Grid<Taps> grid(centers, image, output);
  constexpr double kTapNs = 0.5;
  const double row_ns = kTapNs * Taps::kCount * static_cast<double>(output[2] * output[3]);
  context.ForRanges(output[0] * output[1], row_ns,
                    [&](int64_t begin, int64_t end) { ResizeRows(grid, images, begin, end, out); });
}

//   images: [batch, rows, columns, channels];  size: rows and columns of the output, of floats
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
// X: uint8_t, read where the pixels lie, or what ForReadType gives
template <typename Taps, typename X>
Status Resize(const Centers& centers, KernelContext& context) {
  const DimsView image = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims output, WithSize(image, context.input(1)));
  TAGFLOW_RETURN_IF_ERROR(CheckSizes(image, output));
  if (image[3] < 1) return InvalidArgument("image must have at least one channel");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kFloat, output));
  if (out->num_elements() == 0) return Status();
  float* to = out->mutable_data<float>();
  if constexpr (std::is_same_v<X, uint8_t>) {
    ResizeAll<Taps>(context, centers, image, output, context.input(0).data<uint8_t>(), to);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(const auto images, ReadAs<X>(context.input(0)));
    ResizeAll<Taps>(context, centers, image, output, images.data(), to);
  }
  return Status();
}

// ---- Gradients ----

// A row of gradients brought back to the columns of the image, which begin as zeros.
template <typename Taps, typename X>
void Gather(const Grid<Taps>& grid, const float* grads, X* row) {
  for (const Taps& taps : grid.column_taps) {
    for (int tap = 0; tap < Taps::kCount; ++tap) {
      X* to = row + taps.places[tap] * grid.channels;
      const X weight = static_cast<X>(taps.weights[tap]);
      for (int64_t c = 0; c < grid.channels; ++c) to[c] += weight * static_cast<X>(grads[c]);
    }
    grads += grid.channels;
  }
}
template <typename X>
TAGFLOW_CLONES void AddWeighed(const X* row, X weight, int64_t count, X* to) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] += weight * row[i];
}

// Images [begin, end), which begin as zeros.
template <typename Taps, typename X>
void GradOfImages(const Grid<Taps>& grid, const float* grads, int64_t begin, int64_t end,
                  X* images) {
  const int64_t size = grid.columns.image * grid.channels;
  std::vector<X> gathered(static_cast<size_t>(size));
  for (int64_t n = begin; n < end; ++n) {
    X* image = images + n * grid.rows.image * size;
    for (int64_t row = 0; row < grid.rows.output; ++row) {
      std::fill(gathered.begin(), gathered.end(), X(0));
      const int64_t line = n * grid.rows.output + row;
      Gather(grid, grads + line * grid.columns.output * grid.channels, gathered.data());
      const Taps& taps = grid.row_taps[static_cast<size_t>(row)];
      for (int tap = 0; tap < Taps::kCount; ++tap) {
        AddWeighed(gathered.data(), static_cast<X>(taps.weights[tap]), size,
                   image + taps.places[tap] * size);
      }
    }
  }
}

//   grads: floats, of images resized;  original_image: of their dtype, rows and columns
//   output: of the images
//   Errors: INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
template <typename Taps, typename X>
Status ResizeGrad(const Centers& centers, KernelContext& context) {
  const Tensor& grads = context.input(0);
  const Tensor& images = context.input(1);
  if (grads.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional");
  if (images.rank() != 4) return InvalidArgument("original_image must be 4-dimensional");
  TAGFLOW_RETURN_IF_ERROR(CheckSizes(images.dims(), grads.dims()));
  const Dims output = {grads.dim(0), images.dim(1), images.dim(2), grads.dim(3)};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, images.dtype(), output));
  if (out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(auto sums, WriteFloats<X>(*out));
  std::fill_n(sums.data(), out->num_elements(), X(0));
  const Grid<Taps> grid(centers, output, grads.dims());
  constexpr double kTapNs = 1;
  const double image_ns =
      kTapNs * Taps::kCount * static_cast<double>(grads.num_elements() / output[0]);
  context.ForRanges(output[0], image_ns, [&](int64_t begin, int64_t end) {
    GradOfImages(grid, grads.data<float>(), begin, end, sums.data());
  });
  sums.Finish();
  return Status();
}

// ---- Binders ----

//   Errors: INVALID_ARGUMENT for a node that asks for both
Result<Centers> ReadCenters(const Node& node) {
  Centers centers;
  TAGFLOW_ASSIGN_OR_RETURN(centers.align_corners, BoolAttr(node, "align_corners"));
  TAGFLOW_ASSIGN_OR_RETURN(centers.half_pixel, BoolAttr(node, "half_pixel_centers"));
  if (!centers.align_corners || !centers.half_pixel) return centers;
  return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
}

template <typename Taps>
Result<BoundKernel> BindResize(const Binding& binding) {
  constexpr DTypeSet kTypes =
      SetOf(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8,
            DType::kUInt16, DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble);
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const Centers centers, ReadCenters(binding.node));
  const auto bound = [&]<typename X>(Computing<X>) {
    return BoundKernel(
        [centers](KernelContext& context) { return Resize<Taps, X>(centers, context); });
  };
  return dtype == DType::kUInt8 ? bound(Computing<uint8_t>()) : ForReadType(dtype, bound);
}

template <typename Taps, DTypeSet types>
Result<BoundKernel> BindResizeGrad(const Binding& binding) {
  const DType dtype = binding.input_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, types));
  TAGFLOW_ASSIGN_OR_RETURN(const Centers centers, ReadCenters(binding.node));
  return ForFloatType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel(
        [centers](KernelContext& context) { return ResizeGrad<Taps, X>(centers, context); });
  });
}

}  // namespace

Status RegisterResizeKernels(KernelRegistry& registry) {
  constexpr DTypeSet kCubic = SetOf(DType::kFloat, DType::kDouble);
  return RegisterAll(registry,
                     {{"ResizeBicubic", BindResize<CubicTaps>, Cost::kHeavy},
                      {"ResizeBicubicGrad", BindResizeGrad<CubicTaps, kCubic>, Cost::kHeavy},
                      {"ResizeBilinear", BindResize<LinearTaps>, Cost::kHeavy},
                      {"ResizeBilinearGrad", BindResizeGrad<LinearTaps, kFloats>, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
