// Crops of images, each resized to one size, and the gradients of that by images and by boxes.
//
// Where the columns of a crop lie is found once for each box; then a row of the crop is one walk
// over them, for all channels of each. Boxes are independent of each other, but for the gradient by
// images, which adds them up.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// Of an element of a crop, along rows or columns: what lies around it in the image.
struct Between {
  int64_t before;  // below 0: it is outside the image
  int64_t behind;
  float share;  // of the one behind
};

// Positions in float, as TensorFlow has them: what is sampled jumps where they pass an element.
Between BetweenOf(float position, int64_t image, bool is_nearest) {
  // What is no number, as the box may be too large for one, is outside.
  if (!(position >= 0 && position <= static_cast<float>(image - 1))) return {-1, -1, 0};
  const auto within = [image](float place) {
    return std::min(static_cast<int64_t>(place), image - 1);
  };
  if (is_nearest) {
    const int64_t nearest = within(std::round(position));
    return {nearest, nearest, 0};
  }
  const float below = std::floor(position);
  return {within(below), within(std::ceil(position)), position - below};
}

// Those of all elements of a crop, of which the first lies at `begin` and the last at `end`, in
// [0, 1] where these are in the image; one alone is in the middle.
void FindBetweens(float begin, float end, int64_t image, bool is_nearest,
                  std::vector<Between>& all) {
  const auto last = static_cast<float>(image - 1);
  if (all.size() == 1) {
    const double middle = 0.5 * static_cast<double>(begin + end) * static_cast<double>(image - 1);
    all[0] = BetweenOf(static_cast<float>(middle), image, is_nearest);
    return;
  }
  const float scale = (end - begin) * last / static_cast<float>(all.size() - 1);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = BetweenOf(begin * last + static_cast<float>(i) * scale, image, is_nearest);
  }
}

struct Crops {
  Dims image;   // [images, rows, columns, channels]
  Dims output;  // [boxes, rows, columns, channels]
  const float* boxes = nullptr;
  IntView images;  // of each box
  bool is_nearest = false;

  // Calls visit(box, image, rows, columns) for boxes [begin, end).
  template <typename Visit>
  void ForEachBox(int64_t begin, int64_t end, Visit visit) const {
    std::vector<Between> rows(static_cast<size_t>(output[1]));
    std::vector<Between> columns(static_cast<size_t>(output[2]));
    for (int64_t box = begin; box < end; ++box) {
      const float* edges = boxes + 4 * box;
      FindBetweens(edges[0], edges[2], image[1], is_nearest, rows);
      FindBetweens(edges[1], edges[3], image[2], is_nearest, columns);
      visit(box, images[box], rows, columns);
    }
  }
};

//   boxes: floats [boxes, 4];  indices: integers [boxes], in [0, images)
//   Errors: INVALID_ARGUMENT for shapes, sizes and boxes that are not finite, OUT_OF_RANGE for
//   indices
Result<Crops> CropsOf(const Tensor& boxes, const Tensor& indices, Dims image, Dims output,
                      bool is_nearest) {
  for (const size_t i : {1, 2}) {
    if (image[i] < 1) return InvalidArgument("image dimensions must be positive");
    if (output[i] < 1) return InvalidArgument("crop dimensions must be positive");
  }
  if (boxes.rank() != 2 || (boxes.dim(0) > 0 && boxes.dim(1) != 4)) {
    return InvalidArgument("boxes must have 4 columns, not the shape " + DimsString(boxes.dims()));
  }
  if (indices.rank() != 1 || indices.dim(0) != boxes.dim(0) || indices.dim(0) != output[0]) {
    return InvalidArgument("box_index has incompatible shape " + DimsString(indices.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(IntView images, IntView::Of(indices));
  if (boxes.dim(0) > 0) {
    const auto is_finite = [](float edge) { return std::isfinite(edge); };
    if (!std::ranges::all_of(boxes.flat<float>(), is_finite)) {
      return InvalidArgument("Boxes contains at least one element that is not finite");
    }
  }
  for (int64_t i = 0; i < images.size(); ++i) {
    if (images[i] >= 0 && images[i] < image[0]) continue;
    return OutOfRange("box_index has values outside [0, batch_size)");
  }
  return Crops{std::move(image), std::move(output), boxes.data<float>(), std::move(images),
               is_nearest};
}

// ---- Crops ----

struct CropRule {
  bool is_nearest = false;
  float outside = 0;
};

template <typename X>
struct RowsAround {
  const X* top;
  const X* bottom;
};

// An element of a crop: four of the image, mixed.
template <typename X>
TAGFLOW_CLONES void Mix(const RowsAround<X>& rows, float row_share, const Between& column,
                        int64_t channels, float* out) {
  const X* top_left = rows.top + column.before * channels;
  const X* top_right = rows.top + column.behind * channels;
  const X* bottom_left = rows.bottom + column.before * channels;
  const X* bottom_right = rows.bottom + column.behind * channels;
  TAGFLOW_INDEPENDENT
  for (int64_t c = 0; c < channels; ++c) {
    const auto first = static_cast<float>(top_left[c]), second = static_cast<float>(bottom_left[c]);
    const float top = first + (static_cast<float>(top_right[c]) - first) * column.share;
    const float bottom = second + (static_cast<float>(bottom_right[c]) - second) * column.share;
    out[c] = top + (bottom - top) * row_share;
  }
}

// Boxes [begin, end).
template <typename X>
void CutOut(const Crops& crops, float outside, const X* images, int64_t begin, int64_t end,
            float* out) {
  const int64_t channels = crops.image[3], row_size = crops.image[2] * channels;
  float* to = out + begin * crops.output[1] * crops.output[2] * channels;
  crops.ForEachBox(begin, end, [&](int64_t, int64_t n, const auto& rows, const auto& columns) {
    const X* image = images + n * crops.image[1] * row_size;
    for (const Between& row : rows) {
      for (const Between& column : columns) {
        if (row.before < 0 || column.before < 0) {
          std::fill_n(to, channels, outside);
        } else if (crops.is_nearest) {
          const X* from = image + row.before * row_size + column.before * channels;
          std::copy_n(from, channels, to);
        } else {
          Mix<X>({image + row.before * row_size, image + row.behind * row_size}, row.share, column,
                 channels, to);
        }
        to += channels;
      }
    }
  });
}

//   image: [images, rows, columns, channels];  boxes, box_ind: of CropsOf;  crop_size: two integers
//   crops: floats [boxes, crop rows, crop columns, channels]
//   Errors: INVALID_ARGUMENT, OUT_OF_RANGE, RESOURCE_EXHAUSTED
template <typename X>
Status CropAndResize(const CropRule& rule, KernelContext& context) {
  const Tensor& image = context.input(0);
  const Tensor& size = context.input(3);
  if (image.rank() != 4) return InvalidArgument("input image must be 4-D");
  if (size.rank() != 1 || size.num_elements() != 2) {
    return InvalidArgument("crop_size must have two elements");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView sizes, IntView::Of(size));
  const Dims dims(image.dims().begin(), image.dims().end());
  const Dims output = {context.input(2).num_elements(), sizes[0], sizes[1], dims[3]};
  TAGFLOW_ASSIGN_OR_RETURN(const Crops crops, CropsOf(context.input(1), context.input(2), dims,
                                                      output, rule.is_nearest));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ReadAs<X>(image));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kFloat, output));
  if (out->num_elements() == 0) return Status();
  constexpr double kElementNs = 1;
  const double box_ns = kElementNs * static_cast<double>(out->num_elements() / output[0]);
  auto* const to = out->mutable_data<float>();
  context.ForRanges(output[0], box_ns, [&](int64_t begin, int64_t end) {
    CutOut(crops, rule.outside, x.data(), begin, end, to);
  });
  return Status();
}

// ---- Gradients ----

//   Errors: INVALID_ARGUMENT for gradients that are not of crops of these images
Status CheckGrads(DimsView grads, const Tensor& indices, DimsView image) {
  if (grads.size() != 4) return InvalidArgument("grads image must be 4-D");
  if (image.size() != 4) return InvalidArgument("images must be 4-D");
  if (grads[0] != indices.num_elements()) {
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  if (grads[3] != image[3]) return InvalidArgument("image, grads depth differ");
  return Status();
}

template <typename X>
void AddWeighed(const float* grads, X weight, int64_t channels, X* to) {
  TAGFLOW_INDEPENDENT
  for (int64_t c = 0; c < channels; ++c) to[c] += weight * static_cast<X>(grads[c]);
}

template <typename X>
void AddToImages(const Crops& crops, const float* grads, X* images) {
  const int64_t channels = crops.image[3], row_size = crops.image[2] * channels;
  crops.ForEachBox(
      0, crops.output[0], [&](int64_t, int64_t n, const auto& rows, const auto& columns) {
        X* image = images + n * crops.image[1] * row_size;
        for (const Between& row : rows) {
          for (const Between& column : columns) {
            const float* from = grads;
            grads += channels;
            if (row.before < 0 || column.before < 0) continue;
            X* top = image + row.before * row_size;
            X* bottom = image + row.behind * row_size;
            const int64_t left = column.before * channels, right = column.behind * channels;
            const X down = row.share, right_share = column.share, up = 1 - down;
            if (crops.is_nearest) {
              AddWeighed(from, X(1), channels, top + left);
              continue;
            }
            AddWeighed(from, up * (1 - right_share), channels, top + left);
            AddWeighed(from, up * right_share, channels, top + right);
            AddWeighed(from, down * (1 - right_share), channels, bottom + left);
            AddWeighed(from, down * right_share, channels, bottom + right);
          }
        }
      });
}

//   grads: floats, of crops;  boxes, box_ind: of CropsOf;  image_size: four integers
//   output: of image_size
//   Errors: INVALID_ARGUMENT, OUT_OF_RANGE, RESOURCE_EXHAUSTED
template <typename X>
Status CropAndResizeGradImage(bool is_nearest, DType dtype, KernelContext& context) {
  const Tensor& grads = context.input(0);
  if (context.input(3).rank() != 1) return InvalidArgument("image_size must be 1-D");
  TAGFLOW_ASSIGN_OR_RETURN(const IntView size, IntView::Of(context.input(3)));
  const Dims image = size.values();
  TAGFLOW_RETURN_IF_ERROR(NumElements(image).status());
  TAGFLOW_RETURN_IF_ERROR(CheckGrads(grads.dims(), context.input(2), image));
  TAGFLOW_ASSIGN_OR_RETURN(const Crops crops,
                           CropsOf(context.input(1), context.input(2), image,
                                   Dims(grads.dims().begin(), grads.dims().end()), is_nearest));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, image));
  if (out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(auto sums, WriteFloats<X>(*out));
  std::fill_n(sums.data(), out->num_elements(), X(0));
  AddToImages(crops, grads.data<float>(), sums.data());
  sums.Finish();
  return Status();
}

// How far an element of a crop moves for each unit that the beginning and the end of its box move.
struct Leverage {
  double begin, end;
};
Leverage LeverageOf(int64_t image, size_t crop, size_t i) {
  const auto last = static_cast<double>(image - 1);
  if (crop == 1) return {0.5 * last, 0.5 * last};
  const double end = last * static_cast<double>(i) / static_cast<double>(crop - 1);
  return {last - end, end};
}

// By how much an element of a crop, weighed, grows for each unit that it moves down and right.
struct Slope {
  double down = 0, right = 0;
};
template <typename X>
Slope SlopeOf(const RowsAround<X>& rows, double row_share, const Between& column, int64_t channels,
              const float* grads) {
  const int64_t left = column.before * channels, right = column.behind * channels;
  const double share = column.share;
  Slope slope;
  for (int64_t c = 0; c < channels; ++c) {
    const auto top_left = static_cast<double>(rows.top[left + c]);
    const auto top_right = static_cast<double>(rows.top[right + c]);
    const auto bottom_left = static_cast<double>(rows.bottom[left + c]);
    const auto bottom_right = static_cast<double>(rows.bottom[right + c]);
    slope.down +=
        grads[c] * ((1 - share) * (bottom_left - top_left) + share * (bottom_right - top_right));
    slope.right += grads[c] * ((1 - row_share) * (top_right - top_left) +
                               row_share * (bottom_right - bottom_left));
  }
  return slope;
}

// Boxes [begin, end).
template <typename X>
void GradOfBoxes(const Crops& crops, const float* grads, const X* images, int64_t begin,
                 int64_t end, float* out) {
  const int64_t channels = crops.image[3], row_size = crops.image[2] * channels;
  grads += begin * crops.output[1] * crops.output[2] * channels;
  crops.ForEachBox(begin, end, [&](int64_t box, int64_t n, const auto& rows, const auto& columns) {
    const X* image = images + n * crops.image[1] * row_size;
    double sums[4] = {};
    for (size_t i = 0; i < rows.size(); ++i) {
      const Leverage by_row = LeverageOf(crops.image[1], rows.size(), i);
      for (size_t j = 0; j < columns.size(); ++j, grads += channels) {
        if (rows[i].before < 0 || columns[j].before < 0) continue;
        const RowsAround<X> around = {image + rows[i].before * row_size,
                                      image + rows[i].behind * row_size};
        const Slope slope = SlopeOf(around, rows[i].share, columns[j], channels, grads);
        const Leverage by_column = LeverageOf(crops.image[2], columns.size(), j);
        sums[0] += slope.down * by_row.begin;
        sums[1] += slope.right * by_column.begin;
        sums[2] += slope.down * by_row.end;
        sums[3] += slope.right * by_column.end;
      }
    }
    for (int edge = 0; edge < 4; ++edge) out[4 * box + edge] = static_cast<float>(sums[edge]);
  });
}

//   grads: floats, of crops;  image: real numbers;  boxes, box_ind: of CropsOf
//   output: of boxes
//   Errors: INVALID_ARGUMENT, OUT_OF_RANGE, RESOURCE_EXHAUSTED
template <typename X>
Status CropAndResizeGradBoxes(KernelContext& context) {
  const Tensor& grads = context.input(0);
  const Tensor& image = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(CheckGrads(grads.dims(), context.input(3), image.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(
      const Crops crops,
      CropsOf(context.input(2), context.input(3), Dims(image.dims().begin(), image.dims().end()),
              Dims(grads.dims().begin(), grads.dims().end()), /*is_nearest=*/false));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ReadAs<X>(image));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, DType::kFloat, Dims{crops.output[0], 4}));
  if (out->num_elements() == 0) return Status();
  constexpr double kElementNs = 2;
  const double box_ns = kElementNs * static_cast<double>(grads.num_elements() / crops.output[0]);
  auto* const to = out->mutable_data<float>();
  context.ForRanges(crops.output[0], box_ns, [&](int64_t begin, int64_t end) {
    GradOfBoxes(crops, grads.data<float>(), x.data(), begin, end, to);
  });
  return Status();
}

// ---- Binders ----

constexpr DTypeSet kCroppable =
    kSigned | SetOf(DType::kUInt8, DType::kUInt16, DType::kHalf, DType::kFloat, DType::kDouble);

Result<BoundKernel> BindCropAndResize(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kCroppable));
  CropRule rule;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string method, StringAttr(binding.node, "method"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.outside, FloatAttr(binding.node, "extrapolation_value"));
  rule.is_nearest = method == "nearest";
  return ForReadType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return CropAndResize<X>(rule, context); });
  });
}

Result<BoundKernel> BindCropAndResizeGradImage(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, dtype, SetOf(DType::kHalf, DType::kFloat, DType::kDouble)));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string method, StringAttr(binding.node, "method"));
  return ForFloatType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel([is_nearest = method == "nearest", dtype](KernelContext& context) {
      return CropAndResizeGradImage<X>(is_nearest, dtype, context);
    });
  });
}

Result<BoundKernel> BindCropAndResizeGradBoxes(const Binding& binding) {
  const DType dtype = binding.input_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kCroppable));
  return ForReadType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel([](KernelContext& context) { return CropAndResizeGradBoxes<X>(context); });
  });
}

}  // namespace

Status RegisterCropKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"CropAndResize", BindCropAndResize, Cost::kHeavy},
                      {"CropAndResizeGradBoxes", BindCropAndResizeGradBoxes, Cost::kHeavy},
                      {"CropAndResizeGradImage", BindCropAndResizeGradImage, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
