// Images resized by the nearest element, and the gradient of that.
//
// Elements are copied with all their channels, and rows that come again are copied whole. Rows of
// the output are independent of each other, and so are images of a gradient.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Centers {
  bool align_corners = false;
  bool half_pixel = false;
};

// For each element of a resized dimension the nearest one of the image. Positions are computed in
// float, as in TensorFlow: the nearest element jumps.
std::vector<int64_t> Nearest(const Centers& centers, int64_t image, int64_t output) {
  const int64_t less = centers.align_corners && output > 1 ? 1 : 0;
  const float scale = static_cast<float>(image - less) / static_cast<float>(output - less);
  const float middle = centers.half_pixel ? 0.5F : 0.0F;
  std::vector<int64_t> places(static_cast<size_t>(output));
  for (size_t i = 0; i < places.size(); ++i) {
    const float position = (static_cast<float>(i) + middle) * scale;
    const float nearest = centers.align_corners ? std::round(position) : std::floor(position);
    places[i] = std::clamp<int64_t>(static_cast<int64_t>(nearest), 0, image - 1);
  }
  return places;
}

//   images: of rank 4;  size: two integers, of rows and columns
//   Errors: INVALID_ARGUMENT
Result<Dims> WithSize(DimsView images, const Tensor& size) {
  if (images.size() != 4) return InvalidArgument("input must be 4-dimensional");
  if (size.rank() != 1) return InvalidArgument("shape_t must be 1-dimensional");
  if (size.num_elements() != 2) return InvalidArgument("shape_t must have two elements");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView sizes, IntView::Of(size));
  if (sizes[0] < 1 || sizes[1] < 1) return InvalidArgument("output dimensions must be positive");
  return Dims{images[0], sizes[0], sizes[1], images[3]};
}

// ---- Images ----

// to[i] = from[places[i]], of elements of kSize bytes; 0: of `size` bytes
template <size_t kSize>
void CopyElements(const char* from, const std::vector<int64_t>& places, size_t size, char* to) {
  const size_t bytes = kSize == 0 ? size : kSize;
  for (const int64_t place : places) {
    std::memcpy(to, from + static_cast<size_t>(place) * bytes, bytes);
    to += bytes;
  }
}
using Copy = void (*)(const char*, const std::vector<int64_t>&, size_t, char*);

// One of the sizes that pixels mostly have is known when the loop is compiled.
Copy CopyOf(size_t size) {
  switch (size) {
    case 1:
      return CopyElements<1>;
    case 3:
      return CopyElements<3>;
    case 4:
      return CopyElements<4>;
    case 12:
      return CopyElements<12>;
    case 16:
      return CopyElements<16>;
    default:
      return CopyElements<0>;
  }
}

struct Grid {
  int64_t rows, columns;  // of an image
  std::vector<int64_t> row_places, column_places;
  size_t element_size;
};

// Rows [begin, end) of the output, which count through all images.
void CopyRows(const Grid& grid, const char* images, int64_t begin, int64_t end, char* out) {
  const size_t row_size = grid.column_places.size() * grid.element_size;
  const auto rows = std::ssize(grid.row_places);
  const Copy copy = CopyOf(grid.element_size);
  int64_t last = -1;
  for (int64_t row = begin; row < end; ++row) {
    char* to = out + static_cast<size_t>(row) * row_size;
    const int64_t nearest =
        row / rows * grid.rows + grid.row_places[static_cast<size_t>(row % rows)];
    if (nearest == last) {
      std::memcpy(to, to - row_size, row_size);
    } else {
      const auto line = static_cast<size_t>(nearest * grid.columns);
      copy(images + line * grid.element_size, grid.column_places, grid.element_size, to);
    }
    last = nearest;
  }
}

//   images: [batch, rows, columns, channels], of one element at least but for the batch;
//   size: rows and columns of the output, which is of the same dtype
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status ResizeNearest(const Centers& centers, KernelContext& context) {
  const Tensor& images = context.input(0);
  const DimsView image = images.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims output, WithSize(image, context.input(1)));
  if (image[1] < 1 || image[2] < 1) {
    return InvalidArgument("input image must be of non-zero size");
  }
  if (image[3] < 1) return InvalidArgument("image must have at least one channel");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, images.dtype(), output));
  if (out->num_elements() == 0) return Status();
  const Grid grid = {image[1], image[2], Nearest(centers, image[1], output[1]),
                     Nearest(centers, image[2], output[2]),
                     static_cast<size_t>(output[3]) * DTypeSize(images.dtype())};
  constexpr double kPixelNs = 2;
  const auto* const from = static_cast<const char*>(images.raw_data());
  auto* const to = static_cast<char*>(out->mutable_raw_data());
  context.ForRanges(output[0] * output[1], kPixelNs * static_cast<double>(output[2]),
                    [&](int64_t begin, int64_t end) { CopyRows(grid, from, begin, end, to); });
  return Status();
}

// ---- Gradients ----

// Adds the gradients of images [begin, end) to what each was nearest to.
template <typename X>
void AddRows(const Grid& grid, int64_t channels, const X* grads, int64_t begin, int64_t end,
             X* images) {
  const auto rows = std::ssize(grid.row_places);
  const X* from = grads + begin * rows * std::ssize(grid.column_places) * channels;
  for (int64_t n = begin; n < end; ++n) {
    for (const int64_t row : grid.row_places) {
      X* line = images + (n * grid.rows + row) * grid.columns * channels;
      for (const int64_t column : grid.column_places) {
        X* to = line + column * channels;
        TAGFLOW_INDEPENDENT
        for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
        from += channels;
      }
    }
  }
}

//   grads: of images resized;  size: rows and columns of the images
//   output: for each element of the images the sum of the gradients of those it was nearest to
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
// X: float, or the widest type of the dtype's kind
template <typename X>
Status ResizeNearestGrad(const Centers& centers, KernelContext& context) {
  const Tensor& grads = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims output, WithSize(grads.dims(), context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ReadAs<X>(grads));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, grads.dtype(), output));
  if (out->num_elements() == 0) return Status();
  constexpr bool kIsFloat = std::is_same_v<X, float>;
  TAGFLOW_ASSIGN_OR_RETURN(auto sums,
                           kIsFloat ? ElementsFor<X>::Of(*out) : ElementsFor<X>::OfWidest(*out));
  std::fill_n(sums.data(), out->num_elements(), X(0));
  const Grid grid = {output[1], output[2], Nearest(centers, output[1], grads.dim(1)),
                     Nearest(centers, output[2], grads.dim(2)), 0};
  constexpr double kElementNs = 1;
  const double image_ns = kElementNs * static_cast<double>(grads.num_elements() / output[0]);
  context.ForRanges(output[0], image_ns, [&](int64_t begin, int64_t end) {
    AddRows(grid, output[3], g.data(), begin, end, sums.data());
  });
  sums.Finish();
  return Status();
}

// ---- Binders ----

Result<Centers> ReadCenters(const Node& node) {
  Centers centers;
  TAGFLOW_ASSIGN_OR_RETURN(centers.align_corners, BoolAttr(node, "align_corners"));
  TAGFLOW_ASSIGN_OR_RETURN(centers.half_pixel, BoolAttr(node, "half_pixel_centers"));
  return centers;
}

Result<BoundKernel> BindResizeNearest(const Binding& binding) {
  constexpr DTypeSet kTypes = kSigned | SetOf(DType::kUInt8, DType::kUInt16) | kFloats;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const Centers centers, ReadCenters(binding.node));
  if (centers.align_corners && centers.half_pixel) {
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
  return BoundKernel([centers](KernelContext& context) { return ResizeNearest(centers, context); });
}

// Both attrs may be set here, as in TensorFlow.
Result<BoundKernel> BindResizeNearestGrad(const Binding& binding) {
  constexpr DTypeSet kTypes = kFloats | SetOf(DType::kUInt8, DType::kInt8, DType::kInt32);
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const Centers centers, ReadCenters(binding.node));
  return ForReadType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel(
        [centers](KernelContext& context) { return ResizeNearestGrad<X>(centers, context); });
  });
}

}  // namespace

Status RegisterResizeNearestKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"ResizeNearestNeighbor", BindResizeNearest},
                      {"ResizeNearestNeighborGrad", BindResizeNearestGrad, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
