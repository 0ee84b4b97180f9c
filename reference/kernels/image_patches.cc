// Windows over images, each laid out along the channels of one element.

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// What an attr of four numbers says of rows and columns.
//   Errors: INVALID_ARGUMENT for another length and for numbers of more than 31 bits, UNIMPLEMENTED
//   for windows over the batch or the channels, OUT_OF_RANGE for numbers below 1
Result<std::array<int64_t, 2>> SpatialAttr(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  const std::vector<int64_t>& numbers = list.ints;
  if (numbers.size() != 4) return InvalidArgument(std::string(name) + " must have 4 values");
  if (numbers[0] != 1 || numbers[3] != 1) {
    return Unimplemented("Only support " + std::string(name) + " across space.");
  }
  if (numbers[1] < 1 || numbers[2] < 1) return OutOfRange(std::string(name) + " is out of range.");
  if (std::max(numbers[1], numbers[2]) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(std::string(name) + " is out of range for an int32");
  }
  return std::array{numbers[1], numbers[2]};
}

//   Errors: of SpatialAttr and PlaceWindows
Result<std::array<WindowDim, 2>> WindowsOver(const Node& node, DimsView image) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto sizes, SpatialAttr(node, "ksizes"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto strides, SpatialAttr(node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto rates, SpatialAttr(node, "rates"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(node, "padding"));
  std::array<WindowDim, 2> windows;
  for (const size_t i : {0, 1}) {
    const WindowDim dim = {
        .image = image[i + 1], .window = sizes[i], .stride = strides[i], .dilation = rates[i]};
    TAGFLOW_ASSIGN_OR_RETURN(
        windows[i],
        PlaceWindows(dim, padding == "SAME" ? WindowPadding::kSame : WindowPadding::kValid));
  }
  return windows;
}

//   images: [batch, rows, columns, channels]
//   patches: [batch, windows along rows, … along columns, rows of a window * its columns *
//   channels]; zeros outside the image
//   Errors: UNIMPLEMENTED (dtype, windows), INVALID_ARGUMENT, OUT_OF_RANGE, RESOURCE_EXHAUSTED
Status ExtractImagePatches(KernelContext& context) {
  const Tensor& images = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, images.dtype(), kNumbers));
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional" + DimsString(images.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto windows, WindowsOver(context.node, images.dims()));
  const auto& [rows, columns] = windows;
  const int64_t channels = images.dim(3);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth,
                           NumElements(Dims{rows.window, columns.window, channels}));
  const Dims output = {images.dim(0), rows.count, columns.count, depth};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(output));
  const auto source = [&](const Dims& at) {
    const int64_t channel = at[3] % channels, element = at[3] / channels;
    const int64_t row =
        at[1] * rows.stride - rows.padding_before + element / columns.window * rows.dilation;
    const int64_t column = at[2] * columns.stride - columns.padding_before +
                           element % columns.window * columns.dilation;
    if (row < 0 || row >= rows.image || column < 0 || column >= columns.image) return kOtherwise;
    return ((at[0] * rows.image + row) * columns.image + column) * channels + channel;
  };
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(images.dtype(), Dims{}));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(images, zero, output, source));
  return Status();
}

}  // namespace

Status RegisterImagePatchKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ExtractImagePatches", ExtractImagePatches}});
}

}  // namespace tagflow::reference
