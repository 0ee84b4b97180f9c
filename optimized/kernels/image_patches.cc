// Windows over images, each laid out along the channels of one element. A row of a window without
// holes is one piece of memory in the image and in the output; padding is zeros.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "graph/ops/window_geometry.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct PatchRule {
  std::array<WindowDim, 2> windows;  // of rows and of columns; no image is set yet
  WindowPadding padding = WindowPadding::kValid;
};

// Bytes and elements of one call.
struct Patches {
  WindowDim rows, columns;
  size_t element_size;  // of all channels
};

// A row of a window that begins at `column` of a row of the image.
void CopyWindowRow(const Patches& patches, const char* line, int64_t column, char* out) {
  const WindowDim& columns = patches.columns;
  const size_t size = patches.element_size;
  if (columns.dilation == 1) {
    const int64_t before = std::clamp<int64_t>(-column, 0, columns.window);
    const int64_t end = std::clamp<int64_t>(columns.image - column, before, columns.window);
    const auto first = static_cast<size_t>(before) * size;
    const auto inside = static_cast<size_t>(end - before) * size;
    std::memset(out, 0, first);
    if (inside > 0)
      std::memcpy(out + first, line + static_cast<size_t>(column + before) * size, inside);
    std::memset(out + first + inside, 0, static_cast<size_t>(columns.window - end) * size);
    return;
  }
  for (int64_t i = 0; i < columns.window; ++i, column += columns.dilation, out += size) {
    if (column < 0 || column >= columns.image) {
      std::memset(out, 0, size);
    } else {
      std::memcpy(out, line + static_cast<size_t>(column) * size, size);
    }
  }
}

// Rows [begin, end) of windows, which count through all images.
void CopyPatches(const Patches& patches, const char* images, int64_t begin, int64_t end,
                 char* out) {
  const auto& [rows, columns, size] = patches;
  const size_t line_size = static_cast<size_t>(columns.image) * size;
  const size_t window_row_size = static_cast<size_t>(columns.window) * size;
  out += static_cast<size_t>(begin * columns.count * rows.window) * window_row_size;
  for (int64_t n = begin; n < end; ++n) {
    const char* image = images + static_cast<size_t>(n / rows.count * rows.image) * line_size;
    const int64_t top = n % rows.count * rows.stride - rows.padding_before;
    for (int64_t place = 0; place < columns.count; ++place) {
      const int64_t left = place * columns.stride - columns.padding_before;
      for (int64_t i = 0; i < rows.window; ++i, out += window_row_size) {
        const int64_t row = top + i * rows.dilation;
        if (row < 0 || row >= rows.image) {
          std::memset(out, 0, window_row_size);
        } else {
          CopyWindowRow(patches, image + static_cast<size_t>(row) * line_size, left, out);
        }
      }
    }
  }
}

//   images: [batch, rows, columns, channels]
//   patches: [batch, windows along rows, … along columns, rows of a window * its columns *
//   channels]
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status ExtractImagePatches(const PatchRule& rule, KernelContext& context) {
  const Tensor& images = context.input(0);
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional" + DimsString(images.dims()));
  }
  Patches patches = {rule.windows[0], rule.windows[1],
                     static_cast<size_t>(images.dim(3)) * DTypeSize(images.dtype())};
  auto& [rows, columns, size] = patches;
  rows.image = images.dim(1);
  columns.image = images.dim(2);
  TAGFLOW_ASSIGN_OR_RETURN(rows, PlaceWindows(rows, rule.padding));
  TAGFLOW_ASSIGN_OR_RETURN(columns, PlaceWindows(columns, rule.padding));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth,
                           NumElements(Dims{rows.window, columns.window, images.dim(3)}));
  const Dims output = {images.dim(0), rows.count, columns.count, depth};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, images.dtype(), output));
  if (out->num_elements() == 0) return Status();
  constexpr double kElementNs = 0.3;
  const auto* const from = static_cast<const char*>(images.raw_data());
  auto* const to = static_cast<char*>(out->mutable_raw_data());
  const double row_ns = kElementNs * static_cast<double>(columns.count * depth);
  context.ForRanges(output[0] * rows.count, row_ns, [&](int64_t begin, int64_t end) {
    CopyPatches(patches, from, begin, end, to);
  });
  return Status();
}

// What an attr of four numbers says of rows and columns.
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED, OUT_OF_RANGE
Result<std::array<int64_t, 2>> SpatialAttr(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() != 4) return InvalidArgument(std::string(name) + " must have 4 values");
  if (list.ints[0] != 1 || list.ints[3] != 1) {
    return Unimplemented("Only support " + std::string(name) + " across space.");
  }
  const std::array spatial = {list.ints[1], list.ints[2]};
  if (std::ranges::min(spatial) < 1) return OutOfRange(std::string(name) + " is out of range.");
  if (std::ranges::max(spatial) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(std::string(name) + " is out of range for an int32");
  }
  return spatial;
}

Result<WindowPadding> ReadPadding(const Node& node) {
  const Result<std::string> padding = StringAttr(node, "padding");
  if (!padding.ok()) return padding.status();
  return *padding == "SAME" ? WindowPadding::kSame : WindowPadding::kValid;
}

Result<BoundKernel> BindExtractImagePatches(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const auto sizes, SpatialAttr(binding.node, "ksizes"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto strides, SpatialAttr(binding.node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto rates, SpatialAttr(binding.node, "rates"));
  PatchRule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.padding, ReadPadding(binding.node));
  for (const size_t i : {0, 1}) {
    rule.windows[i] = {.window = sizes[i], .stride = strides[i], .dilation = rates[i]};
  }
  return BoundKernel([rule](KernelContext& context) { return ExtractImagePatches(rule, context); });
}

}  // namespace

Status RegisterImagePatchKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ExtractImagePatches", BindExtractImagePatches}});
}

}  // namespace tagflow::optimized
