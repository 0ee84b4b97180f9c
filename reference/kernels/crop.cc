// Crops of images, each resized to one size, and the gradients of that by images and by boxes.
//
// Positions are computed in float, step by step as in TensorFlow, because what is sampled jumps
// where a position passes an element. All else is computed in double and rounded once.

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

constexpr DTypeSet kCroppable =
    kSigned | DTypeSet{DType::kUInt8, DType::kUInt16, DType::kHalf, DType::kFloat, DType::kDouble};

// A box: where it begins and ends along rows and columns, and which image it is in.
struct Box {
  float top, left, bottom, right;
  int64_t image;
};

//   boxes: floats [boxes, 4];  indices: integers [boxes], in [0, images)
//   Errors: INVALID_ARGUMENT (shapes, a box that is not finite), OUT_OF_RANGE (an index)
Result<std::vector<Box>> LoadBoxes(const Tensor& boxes, const Tensor& indices, int64_t images) {
  if (boxes.rank() != 2 || (boxes.dim(0) > 0 && boxes.dim(1) != 4)) {
    return InvalidArgument("boxes must have 4 columns, not the shape " + DimsString(boxes.dims()));
  }
  if (indices.rank() != 1 || indices.dim(0) != boxes.dim(0)) {
    return InvalidArgument("box_index has incompatible shape " + DimsString(indices.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> of, IndexValues(indices));
  const std::vector<float> edges = boxes.dim(0) == 0 ? std::vector<float>() : Load<float>(boxes);
  if (!std::ranges::all_of(edges, [](float edge) { return std::isfinite(edge); })) {
    return InvalidArgument("Boxes contains at least one element that is not finite");
  }
  std::vector<Box> loaded;
  for (size_t i = 0; i < of.size(); ++i) {
    if (of[i] < 0 || of[i] >= images) {
      return OutOfRange("box_index has values outside [0, batch_size)");
    }
    loaded.push_back({edges[4 * i], edges[4 * i + 1], edges[4 * i + 2], edges[4 * i + 3], of[i]});
  }
  return loaded;
}

// Where element i of `crop` elements lies, which are spread evenly from `begin` to `end`, in [0, 1]
// where they are in the image; one alone is in the middle.
float Position(float begin, float end, int64_t image, int64_t crop, int64_t i) {
  const auto last = static_cast<float>(image - 1);
  if (crop == 1) {
    return static_cast<float>(0.5 * static_cast<double>(begin + end) *
                              static_cast<double>(image - 1));
  }
  const float scale = (end - begin) * last / static_cast<float>(crop - 1);
  return begin * last + static_cast<float>(i) * scale;
}

// What lies around a position: an element before and one behind, or the same twice.
struct Between {
  bool is_inside = false;
  int64_t before = 0, behind = 0;
  double share = 0;  // of the one behind
};
Between BetweenOf(float position, int64_t image, bool is_nearest) {
  Between of;
  of.is_inside = position >= 0 && position <= static_cast<float>(image - 1);
  if (!of.is_inside) return of;
  const auto within = [image](float place) {
    return std::min(static_cast<int64_t>(place), image - 1);
  };
  if (is_nearest) {
    of.before = of.behind = within(std::round(position));
    return of;
  }
  of.before = within(std::floor(position));
  of.behind = within(std::ceil(position));
  of.share = static_cast<double>(position) - static_cast<double>(of.before);
  return of;
}

struct Crops {
  std::vector<Box> boxes;
  Dims image;   // [images, rows, columns, channels]
  Dims output;  // [boxes, rows, columns, channels]
  bool is_nearest = false;
};

//   Errors: INVALID_ARGUMENT for sizes that are not positive, and of LoadBoxes
Result<Crops> CropsOf(const KernelContext& context, const Tensor& boxes, const Tensor& indices,
                      Dims image, Dims output) {
  Crops crops;
  for (const size_t dim : {1, 2}) {
    if (image[dim] < 1) return InvalidArgument("image dimensions must be positive");
    if (output[dim] < 1) return InvalidArgument("crop dimensions must be positive");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::string method, StringAttr(context.node, "method"));
  crops.is_nearest = method == "nearest";
  TAGFLOW_ASSIGN_OR_RETURN(crops.boxes, LoadBoxes(boxes, indices, image[0]));
  crops.image = std::move(image);
  crops.output = std::move(output);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(crops.output));
  return crops;
}

// The numbers of the elements of the images around an element of a crop.
struct Corners {
  int64_t top_left, top_right, bottom_left, bottom_right;
};

// Calls visit(element, at, corners, row, column) for each element of the crops; corners only count
// where row and column are inside.
template <typename Visit>
void ForEachElement(const Crops& crops, Visit visit) {
  int64_t element = 0;
  ForEachPlace(crops.output, [&](const Dims& at) {
    const Box& box = crops.boxes[static_cast<size_t>(at[0])];
    const Between row =
        BetweenOf(Position(box.top, box.bottom, crops.image[1], crops.output[1], at[1]),
                  crops.image[1], crops.is_nearest);
    const Between column =
        BetweenOf(Position(box.left, box.right, crops.image[2], crops.output[2], at[2]),
                  crops.image[2], crops.is_nearest);
    const auto place = [&](int64_t i, int64_t j) {
      return ((box.image * crops.image[1] + i) * crops.image[2] + j) * crops.image[3] + at[3];
    };
    const Corners corners = {place(row.before, column.before), place(row.before, column.behind),
                             place(row.behind, column.before), place(row.behind, column.behind)};
    visit(element++, at, corners, row, column);
  });
}

//   image: real numbers [images, rows, columns, channels];  boxes, box_ind: of LoadBoxes;
//   crop_size: two integers
//   crops: floats [boxes, crop rows, crop columns, channels], extrapolation_value outside the image
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, sizes, boxes), OUT_OF_RANGE (box_ind)
Status CropAndResize(KernelContext& context) {
  const Tensor& image = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, image.dtype(), kCroppable));
  if (image.rank() != 4) return InvalidArgument("input image must be 4-D");
  const Tensor& size = context.inputs[3];
  if (size.rank() != 1 || size.num_elements() != 2) {
    return InvalidArgument("crop_size must have two elements");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IndexValues(size));
  TAGFLOW_ASSIGN_OR_RETURN(const float outside, FloatAttr(context.node, "extrapolation_value"));
  const int64_t boxes = context.inputs[2].num_elements();
  TAGFLOW_ASSIGN_OR_RETURN(
      const Crops crops, CropsOf(context, context.inputs[1], context.inputs[2],
                                 ToDims(image.dims()), {boxes, sizes[0], sizes[1], image.dim(3)}));
  std::vector<double> x = LoadDoubles(image);
  for (double& value : x) value = static_cast<float>(value);  // as TensorFlow reads them
  std::vector<double> values;
  ForEachElement(crops, [&](int64_t, const Dims&, const Corners& at, const Between& row,
                            const Between& column) {
    if (!row.is_inside || !column.is_inside || crops.is_nearest) {
      values.push_back(row.is_inside && column.is_inside ? x[at.top_left] : outside);
      return;
    }
    const double top = x[at.top_left] + (x[at.top_right] - x[at.top_left]) * column.share;
    const double bottom =
        x[at.bottom_left] + (x[at.bottom_right] - x[at.bottom_left]) * column.share;
    values.push_back(top + (bottom - top) * row.share);
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(DType::kFloat, crops.output, values));
  return Status();
}

Status CheckGrads(const Tensor& grads, const Tensor& indices, const Dims& image) {
  if (grads.rank() != 4 || image.size() != 4) {
    return InvalidArgument("grads and images must be 4-D");
  }
  if (grads.dim(0) != indices.num_elements()) {
    return InvalidArgument("boxes and grads have incompatible shape");
  }
  if (grads.dim(3) != image[3]) {
    return InvalidArgument("images and grads are incompatible: they must have the same depth");
  }
  return Status();
}

//   grads: floats, of crops;  boxes, box_ind: of LoadBoxes;  image_size: four integers
//   output: of image_size: the sum of the gradients of what each element is part of, weighed
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, sizes, boxes), OUT_OF_RANGE (box_ind)
Status CropAndResizeGradImage(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, dtype, {DType::kHalf, DType::kFloat, DType::kDouble}));
  if (context.inputs[3].rank() != 1) return InvalidArgument("image_size must have 4 elements");
  TAGFLOW_ASSIGN_OR_RETURN(Dims image, IndexValues(context.inputs[3]));
  TAGFLOW_RETURN_IF_ERROR(CheckGrads(grads, context.inputs[2], image));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(image));
  TAGFLOW_ASSIGN_OR_RETURN(const Crops crops, CropsOf(context, context.inputs[1], context.inputs[2],
                                                      std::move(image), ToDims(grads.dims())));
  const std::vector<double> g = LoadDoubles(grads);
  std::vector<double> sums(static_cast<size_t>(*NumElements(crops.image)));
  ForEachElement(crops, [&](int64_t i, const Dims&, const Corners& at, const Between& row,
                            const Between& column) {
    if (!row.is_inside || !column.is_inside) return;
    if (crops.is_nearest) {
      sums[at.top_left] += g[i];
      return;
    }
    sums[at.top_left] += (1 - row.share) * (1 - column.share) * g[i];
    sums[at.top_right] += (1 - row.share) * column.share * g[i];
    sums[at.bottom_left] += row.share * (1 - column.share) * g[i];
    sums[at.bottom_right] += row.share * column.share * g[i];
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(dtype, crops.image, sums));
  return Status();
}

// How far a position moves, in elements of an image, for each unit that the beginning and the end
// of its box move.
struct Leverage {
  double begin, end;
};
Leverage LeverageOf(int64_t image, int64_t crop, int64_t i) {
  const auto last = static_cast<double>(image - 1);
  if (crop == 1) return {0.5 * last, 0.5 * last};
  const double end = last * static_cast<double>(i) / static_cast<double>(crop - 1);
  return {last - end, end};
}

//   grads: floats, of crops;  image: real numbers;  boxes, box_ind: of LoadBoxes
//   output: of boxes: by how much the crops, weighed by grads, grow where an edge of a box moves
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, sizes, boxes), OUT_OF_RANGE (box_ind)
Status CropAndResizeGradBoxes(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  const Tensor& image = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, image.dtype(), kCroppable));
  TAGFLOW_RETURN_IF_ERROR(CheckGrads(grads, context.inputs[3], ToDims(image.dims())));
  TAGFLOW_ASSIGN_OR_RETURN(const Crops crops, CropsOf(context, context.inputs[2], context.inputs[3],
                                                      ToDims(image.dims()), ToDims(grads.dims())));
  const std::vector<double> g = LoadDoubles(grads), x = LoadDoubles(image);
  std::vector<double> sums(4 * crops.boxes.size());
  ForEachElement(crops, [&](int64_t i, const Dims& at, const Corners& of, const Between& row,
                            const Between& column) {
    if (!row.is_inside || !column.is_inside) return;
    const double by_row = (1 - column.share) * (x[of.bottom_left] - x[of.top_left]) +
                          column.share * (x[of.bottom_right] - x[of.top_right]);
    const double by_column = (1 - row.share) * (x[of.top_right] - x[of.top_left]) +
                             row.share * (x[of.bottom_right] - x[of.bottom_left]);
    const Leverage rows = LeverageOf(crops.image[1], crops.output[1], at[1]);
    const Leverage columns = LeverageOf(crops.image[2], crops.output[2], at[2]);
    double* box = sums.data() + 4 * at[0];
    box[0] += g[i] * by_row * rows.begin;
    box[1] += g[i] * by_column * columns.begin;
    box[2] += g[i] * by_row * rows.end;
    box[3] += g[i] * by_column * columns.end;
  });
  const Dims dims = {static_cast<int64_t>(crops.boxes.size()), 4};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreDoubles(DType::kFloat, dims, sums));
  return Status();
}

}  // namespace

Status RegisterCropKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"CropAndResize", CropAndResize},
                                {"CropAndResizeGradImage", CropAndResizeGradImage},
                                {"CropAndResizeGradBoxes", CropAndResizeGradBoxes}});
}

}  // namespace tagflow::reference
