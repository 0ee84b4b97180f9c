#include "graph/ops/window_geometry.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status TooLarge() { return InvalidArgument("the sizes of windows or paddings overflow"); }

// From the first to the last element that a window looks at.
Result<int64_t> SpanOf(const WindowDim& dim) {
  int64_t span = 0;
  if (__builtin_mul_overflow(dim.window - 1, dim.dilation, &span) ||
      __builtin_add_overflow(span, 1, &span)) {
    return TooLarge();
  }
  return span;
}

Status CheckMove(const WindowDim& dim) {
  if (dim.stride < 1) {
    return InvalidArgument("Stride must be > 0, but got " + std::to_string(dim.stride));
  }
  if (dim.dilation < 1) {
    return InvalidArgument("Dilation rate must be >= 1, but got " + std::to_string(dim.dilation));
  }
  if (dim.window == 0) return InvalidArgument("a window must have elements, but its size is 0");
  return Status();
}

// As many windows as begin in the image; what they need more is padding, the odd one after.
Result<WindowDim> PlaceSame(WindowDim dim) {
  if (dim.image == kUnknown) {
    dim.padding_before = dim.padding_after = dim.count = kUnknown;
    return dim;
  }
  dim.count = dim.image / dim.stride + (dim.image % dim.stride == 0 ? 0 : 1);
  dim.padding_before = dim.padding_after = kUnknown;
  if (dim.window == kUnknown) return dim;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t span, SpanOf(dim));
  const int64_t last = dim.count == 0 ? -dim.stride : (dim.count - 1) * dim.stride;
  int64_t end = 0;
  if (__builtin_add_overflow(last, span, &end)) return TooLarge();
  const int64_t padding = end > dim.image ? end - dim.image : 0;
  dim.padding_before = padding / 2;
  dim.padding_after = padding - dim.padding_before;
  return dim;
}

// As many windows as lie in the image and its padding.
Result<WindowDim> PlaceWithin(WindowDim dim) {
  dim.count = kUnknown;
  if (dim.image == kUnknown || dim.window == kUnknown) return dim;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t span, SpanOf(dim));
  int64_t padded = 0;
  if (__builtin_add_overflow(dim.image, dim.padding_before, &padded) ||
      __builtin_add_overflow(padded, dim.padding_after, &padded)) {
    return TooLarge();
  }
  const int64_t moved = padded - span;  // by the last window, at most
  // A window that is too large by less than a stride makes an empty output, as in TensorFlow.
  if (moved < 0 && moved + dim.stride <= -dim.stride) {
    return InvalidArgument("a window that spans " + std::to_string(span) +
                           " elements is larger than the " + std::to_string(padded) +
                           " that it moves over by strides of " + std::to_string(dim.stride));
  }
  dim.count = moved < 0 ? 0 : moved / dim.stride + 1;
  return dim;
}

// The list attr of that name, with an element for each dimension; of ones where the op has none.
Result<Dims> Moves(const Node& node, std::string_view name, const ImageLayout& layout) {
  const auto rank = static_cast<size_t>(layout.rank);
  if (FindAttr(node, name) == nullptr) return Dims(rank, 1);
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() != rank) {
    return InvalidArgument("Sliding window " + std::string(name) + " field must specify " +
                           std::to_string(rank) + " dimensions, but has " +
                           std::to_string(list.ints.size()));
  }
  for (const int64_t move : list.ints) {
    if (move < 1) {
      return InvalidArgument("Sliding window " + std::string(name) +
                             " should be larger than 0, not " + std::to_string(move));
    }
  }
  return list.ints;
}

Result<ImageLayout> ReadLayout(const Node& node, int spatial_rank) {
  if (FindAttr(node, "data_format") == nullptr) return ImageLayout{spatial_rank + 2, false};
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(node, "data_format"));
  TAGFLOW_ASSIGN_OR_RETURN(const ImageLayout layout, ParseImageLayout(format));
  if (layout.spatial_rank() == spatial_rank) return layout;
  return InvalidArgument("data_format '" + format + "' does not have " +
                         std::to_string(spatial_rank) + " spatial dimensions");
}

Result<WindowPadding> ReadPadding(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(node, "padding"));
  if (padding == "SAME") return WindowPadding::kSame;
  if (padding == "VALID") return WindowPadding::kValid;
  if (padding == "EXPLICIT") return WindowPadding::kExplicit;
  return InvalidArgument("Unknown padding type: " + padding);
}

Status CheckExplicitPaddings(const WindowAttrs& attrs) {
  const Dims& paddings = attrs.explicit_paddings;
  const auto rank = static_cast<size_t>(attrs.layout.rank);
  if (attrs.padding != WindowPadding::kExplicit) {
    if (paddings.empty()) return Status();
    return InvalidArgument(
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (paddings.size() != 2 * rank) {
    return InvalidArgument("explicit_paddings attribute must contain " + std::to_string(2 * rank) +
                           " values, but got: " + std::to_string(paddings.size()));
  }
  if (std::ranges::any_of(paddings, [](int64_t padding) { return padding < 0; })) {
    return InvalidArgument("All elements of explicit_paddings must be nonnegative");
  }
  const auto channel = 2 * static_cast<size_t>(attrs.layout.channel());
  const int64_t others[] = {paddings[0], paddings[1], paddings[channel], paddings[channel + 1]};
  if (std::ranges::count(others, 0) == std::ssize(others)) return Status();
  return InvalidArgument(
      "Nonzero explicit padding in the batch or depth dimensions is not supported");
}

}  // namespace

Result<ImageLayout> ParseImageLayout(std::string_view data_format) {
  if (data_format == "NHWC") return ImageLayout{4, false};
  if (data_format == "NCHW") return ImageLayout{4, true};
  if (data_format == "NDHWC") return ImageLayout{5, false};
  if (data_format == "NCDHW") return ImageLayout{5, true};
  return Unimplemented("no CPU kernel for data_format '" + std::string(data_format) + "'");
}

Dims ImageDims(const ImageLayout& layout, int64_t batch, DimsView spatial, int64_t channels) {
  Dims dims = {batch};
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  dims.insert(layout.channels_second ? dims.begin() + 1 : dims.end(), channels);
  return dims;
}

Result<WindowDim> PlaceWindows(WindowDim dim, WindowPadding padding) {
  TAGFLOW_RETURN_IF_ERROR(CheckMove(dim));
  return padding == WindowPadding::kSame ? PlaceSame(dim) : PlaceWithin(dim);
}

Result<WindowAttrs> ReadWindowAttrs(const Node& node, int spatial_rank) {
  WindowAttrs attrs;
  TAGFLOW_ASSIGN_OR_RETURN(attrs.layout, ReadLayout(node, spatial_rank));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.strides, Moves(node, "strides", attrs.layout));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.dilations, Moves(node, "dilations", attrs.layout));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(node));
  if (FindAttr(node, "explicit_paddings") != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(AttrList paddings, ListAttr(node, "explicit_paddings"));
    attrs.explicit_paddings = std::move(paddings.ints);
  }
  TAGFLOW_RETURN_IF_ERROR(CheckExplicitPaddings(attrs));
  return attrs;
}

Status RequireSpatialMoves(const WindowAttrs& attrs) {
  const auto channel = static_cast<size_t>(attrs.layout.channel());
  const auto stays = [channel](const Dims& moves) { return moves[0] == 1 && moves[channel] == 1; };
  if (!stays(attrs.strides)) {
    return Unimplemented(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (!stays(attrs.dilations)) {
    return Unimplemented(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  return Status();
}

Result<std::vector<WindowDim>> PlaceAllWindows(const WindowAttrs& attrs, DimsView image,
                                               DimsView window) {
  std::vector<WindowDim> dims;
  for (int i = 0; i < attrs.layout.spatial_rank(); ++i) {
    const auto at = static_cast<size_t>(attrs.layout.spatial(i));
    const auto side = static_cast<size_t>(i);
    WindowDim dim = {.image = image[side],
                     .window = window[side],
                     .stride = attrs.strides[at],
                     .dilation = attrs.dilations[at]};
    if (attrs.padding == WindowPadding::kExplicit) {
      dim.padding_before = attrs.explicit_paddings[2 * at];
      dim.padding_after = attrs.explicit_paddings[2 * at + 1];
    }
    TAGFLOW_ASSIGN_OR_RETURN(dim, PlaceWindows(dim, attrs.padding));
    dims.push_back(dim);
  }
  return dims;
}

Dims SpatialDims(const ImageLayout& layout, DimsView dims) {
  Dims spatial;
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    spatial.push_back(dims[static_cast<size_t>(layout.spatial(i))]);
  }
  return spatial;
}

Dims WindowCounts(const std::vector<WindowDim>& windows) {
  Dims counts;
  for (const WindowDim& dim : windows) counts.push_back(dim.count);
  return counts;
}

}  // namespace tagflow
