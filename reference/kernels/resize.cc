// Images resized: by the nearest element, by lines between two or by cubic curves through four, and
// the gradients of that.
//
// Where an element of the output lies in the image is computed in float, step by step as in
// TensorFlow, because what is sampled jumps where a position passes an element. All else is
// computed in double and rounded once.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kResizable = kSigned | kFloating | DTypeSet{DType::kUInt8, DType::kUInt16};

// ---- Positions ----

// Rows or columns of an image, and of what it is resized to.
struct Dim {
  bool align_corners = false;       // the first and the last elements lie on each other
  bool half_pixel_centers = false;  // an element lies half an element behind its beginning
  int64_t image = 0;
  int64_t output = 0;

  // From one element of the output to the next, in elements of the image.
  float Scale() const {
    if (align_corners && output > 1) {
      return static_cast<float>(image - 1) / static_cast<float>(output - 1);
    }
    return static_cast<float>(image) / static_cast<float>(output);
  }
  // Where element i of the output lies.
  float Position(int64_t i) const {
    const auto place = static_cast<float>(i);
    return half_pixel_centers ? (place + 0.5F) * Scale() - 0.5F : place * Scale();
  }
  int64_t Nearest(int64_t i) const {
    const float position = (static_cast<float>(i) + (half_pixel_centers ? 0.5F : 0.0F)) * Scale();
    const float nearest = align_corners ? std::round(position) : std::floor(position);
    return Within(static_cast<int64_t>(nearest));
  }
  int64_t Within(int64_t place) const { return std::clamp<int64_t>(place, 0, image - 1); }
};

// What element i of the output is made of: elements of the image, each with a weight.
struct Tap {
  int64_t place;
  double weight;
};
using Taps = std::vector<Tap>;
using TapsOf = Taps (*)(const Dim& dim, int64_t i);

Taps NearestTaps(const Dim& dim, int64_t i) { return {{dim.Nearest(i), 1}}; }

Taps LinearTaps(const Dim& dim, int64_t i) {
  const float position = dim.Position(i);
  const double share = position - std::floor(position);
  return {{dim.Within(static_cast<int64_t>(std::floor(position))), 1 - share},
          {dim.Within(static_cast<int64_t>(std::ceil(position))), share}};
}

// The weight of an element at `distance` from the position: the cubic convolution of Keys (1981),
// continued by a = -0.75 or, with half_pixel_centers, by a = -0.5.
double CubicWeight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

// As TensorFlow, which keeps the weights in a table of 1024 distances. Beyond the edge the element
// at the edge is repeated or, with half_pixel_centers, there is none.
Taps CubicTaps(const Dim& dim, int64_t i) {
  const double a = dim.half_pixel_centers ? -0.5 : -0.75;
  const float position = dim.Position(i);
  const float below = std::floor(position);
  const double share = std::nearbyint((position - below) * 1024.0F) / 1024;
  Taps taps;
  double sum = 0;
  for (int64_t step = -1; step <= 2; ++step) {
    const int64_t place = static_cast<int64_t>(below) + step;
    const bool is_none = dim.half_pixel_centers && dim.Within(place) != place;
    const double weight = is_none ? 0 : CubicWeight(static_cast<double>(step) - share, a);
    taps.push_back({dim.Within(place), weight});
    sum += weight;
  }
  if (dim.half_pixel_centers) {
    for (Tap& tap : taps) tap.weight /= sum;
  }
  return taps;
}

// ---- Calls ----

struct Resizing {
  Dim rows, columns;
  Dims output;  // [batch, rows.output, columns.output, channels]
};

//   Errors: INVALID_ARGUMENT for images or sizes without elements, but for the batch
Result<Resizing> ResizingOf(const Node& node, DimsView image, DimsView output) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool align_corners, BoolAttr(node, "align_corners"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool half_pixel_centers, BoolAttr(node, "half_pixel_centers"));
  // TensorFlow's gradient of the nearest element takes both, and no gradients at all.
  const bool takes_all = node.op == "ResizeNearestNeighborGrad";
  if (align_corners && half_pixel_centers && !takes_all) {
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
  for (const size_t i : {1, 2}) {
    if (image[i] < 1) return InvalidArgument("input image must be of non-zero size");
    if (output[i] < 1 && !takes_all) return InvalidArgument("output dimensions must be positive");
  }
  return Resizing{{align_corners, half_pixel_centers, image[1], output[1]},
                  {align_corners, half_pixel_centers, image[2], output[2]},
                  ToDims(output)};
}

//   images: of rank 4;  size: two integers, of rows and columns
Result<Dims> WithSize(DimsView images, const Tensor& size) {
  if (images.size() != 4) {
    return InvalidArgument("input must be 4-dimensional" + DimsString(images));
  }
  if (size.rank() != 1) {
    return InvalidArgument("shape_t must be 1-dimensional" + DimsString(size.dims()));
  }
  if (size.num_elements() != 2) {
    return InvalidArgument("shape_t must have two elements" + DimsString(size.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IndexValues(size));
  return Dims{images[0], sizes[0], sizes[1], images[3]};
}

Result<Resizing> ResizingTo(const KernelContext& context) {
  const Tensor& images = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, images.dtype(), kResizable));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims output, WithSize(images.dims(), context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(Resizing of, ResizingOf(context.node, images.dims(), output));
  if (images.dim(3) < 1) return InvalidArgument("image must have at least one channel");
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(output));
  return of;
}

// The number of an element of the images.
size_t PlaceIn(const Resizing& of, int64_t image, int64_t row, int64_t column, int64_t channel) {
  const int64_t line = image * of.rows.image + row;
  return static_cast<size_t>((line * of.columns.image + column) * of.output[3] + channel);
}

// Calls visit(element, place, weight) for all elements of the images that elements of the output
// are made of, in order.
template <typename Visit>
void ForEachTap(const Resizing& of, TapsOf taps_of, Visit visit) {
  size_t element = 0;
  ForEachPlace(of.output, [&](const Dims& at) {
    for (const Tap& row : taps_of(of.rows, at[1])) {
      for (const Tap& column : taps_of(of.columns, at[2])) {
        visit(element, PlaceIn(of, at[0], row.place, column.place, at[3]),
              row.weight * column.weight);
      }
    }
    ++element;
  });
}

// The elements, as TensorFlow reads them.
std::vector<double> LoadFloats(const Tensor& images) {
  std::vector<double> values = LoadDoubles(images);
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

// ---- Kernels ----

//   images: [batch, rows, columns, channels], real numbers, of one element at least but for the
//   batch;  size: rows and columns of the output, which is of floats
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status ResizeBicubic(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resizing of, ResizingTo(context));
  const std::vector<double> x = LoadFloats(context.inputs[0]);
  std::vector<double> sums(static_cast<size_t>(*NumElements(of.output)));
  ForEachTap(of, CubicTaps,
             [&](size_t i, size_t place, double weight) { sums[i] += weight * x[place]; });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(DType::kFloat, of.output, sums));
  return Status();
}

//   The same. Not by weights: between infinities of one sign there is no number on a line. Images
//   that have the size already stay as they are.
Status ResizeBilinear(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resizing of, ResizingTo(context));
  const std::vector<double> x = LoadFloats(context.inputs[0]);
  const bool stays = of.rows.image == of.rows.output && of.columns.image == of.columns.output;
  std::vector<double> values;
  ForEachPlace(of.output, [&](const Dims& at) {
    const Taps rows = LinearTaps(of.rows, at[1]), columns = LinearTaps(of.columns, at[2]);
    const auto along_columns = [&](int64_t row) {
      const double left = x[PlaceIn(of, at[0], row, columns[0].place, at[3])];
      const double right = x[PlaceIn(of, at[0], row, columns[1].place, at[3])];
      return left + (right - left) * columns[1].weight;
    };
    const double top = along_columns(rows[0].place), bottom = along_columns(rows[1].place);
    values.push_back(top + (bottom - top) * rows[1].weight);
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           StoreDoubles(DType::kFloat, of.output, stays ? x : values));
  return Status();
}

//   The same, of any dtype, which the output has too.
Status ResizeNearest(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resizing of, ResizingTo(context));
  const auto nearest = [&](const Dims& at) {
    return static_cast<int64_t>(
        PlaceIn(of, at[0], of.rows.Nearest(at[1]), of.columns.Nearest(at[2]), at[3]));
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(context.inputs[0], of.output, nearest));
  return Status();
}

//   grads: floats, of images resized;  original_image: of their dtype, rows and columns
//   output: as the images: the sum of the gradients of what each element is part of, weighed
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
template <TapsOf taps_of>
Status ResizeGrad(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  const Tensor& image = context.inputs[1];
  const DTypeSet types =
      taps_of == LinearTaps ? kFloating : DTypeSet{DType::kFloat, DType::kDouble};
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, image.dtype(), types));
  if (grads.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional");
  if (image.rank() != 4) return InvalidArgument("original_image must be 4-dimensional");
  TAGFLOW_ASSIGN_OR_RETURN(const Resizing of, ResizingOf(context.node, image.dims(), grads.dims()));
  const Dims output = {grads.dim(0), image.dim(1), image.dim(2), grads.dim(3)};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(output));
  const std::vector<double> g = LoadDoubles(grads);
  std::vector<double> sums(static_cast<size_t>(*NumElements(output)));
  ForEachTap(of, taps_of,
             [&](size_t i, size_t place, double weight) { sums[place] += weight * g[i]; });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(image.dtype(), output, sums));
  return Status();
}

//   grads: of an image resized;  size: rows and columns of the image
//   output: for each element of the image the sum of the gradients of those that it was nearest to
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status ResizeNearestGrad(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  constexpr DTypeSet kTypes = kFloating | DTypeSet{DType::kUInt8, DType::kInt8, DType::kInt32};
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grads.dtype(), kTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims image, WithSize(grads.dims(), context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const Resizing of, ResizingOf(context.node, image, grads.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(image));
  return WithComputingType(grads.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> g = Load<C>(grads);
      std::vector<Accumulator<C>> sums(static_cast<size_t>(*NumElements(image)));
      ForEachTap(of, NearestTaps, [&](size_t i, size_t place, double) {
        sums[place] = Plus(sums[place], static_cast<Accumulator<C>>(g[i]));
      });
      std::vector<C> rounded;
      for (const Accumulator<C>& sum : sums) rounded.push_back(static_cast<C>(sum));
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(grads.dtype(), image, rounded));
    }
    return Status();
  });
}

}  // namespace

Status RegisterResizeKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ResizeBilinear", ResizeBilinear},
                                {"ResizeBilinearGrad", ResizeGrad<LinearTaps>},
                                {"ResizeBicubic", ResizeBicubic},
                                {"ResizeBicubicGrad", ResizeGrad<CubicTaps>},
                                {"ResizeNearestNeighbor", ResizeNearest},
                                {"ResizeNearestNeighborGrad", ResizeNearestGrad}});
}

}  // namespace tagflow::reference
