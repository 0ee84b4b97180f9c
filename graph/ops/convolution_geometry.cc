#include "graph/ops/convolution_geometry.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

bool NameHas(const Node& node, std::string_view part) {
  return node.op.find(part) != std::string::npos;
}

Status CheckRank(std::string_view what, DimsView dims, int rank) {
  if (dims.size() == static_cast<size_t>(rank)) return Status();
  return InvalidArgument("convolution " + std::string(what) + " must be " + std::to_string(rank) +
                         "-dimensional: " + DimsString(dims));
}

// `whole` is a multiple of `part`, as far as is known.
Status CheckDivides(std::string_view what, int64_t whole, int64_t part) {
  if (whole == kUnknown || part == kUnknown || part == 0 || whole % part == 0) return Status();
  return InvalidArgument(std::string(what) + ": " + std::to_string(whole) + " vs " +
                         std::to_string(part));
}

Status SetChannels(const ConvolutionAttrs& attrs, DimsView filter, ConvolutionGeometry& geometry) {
  const int64_t depth = filter[filter.size() - 2], out = filter.back();
  if (attrs.is_depthwise) {
    const Result<int64_t> channels = shapes::MergeDims(geometry.in_channels, depth);
    if (!channels.ok()) {
      return InvalidArgument("input and filter must have the same depth: " +
                             std::to_string(geometry.in_channels) + " vs " + std::to_string(depth));
    }
    geometry.in_channels = geometry.groups = *channels;
    geometry.out_channels = shapes::MultiplyDims(*channels, out);
    return Status();
  }
  if (depth == 0) return InvalidArgument("filter depth must be strictly positive, got 0");
  geometry.filter_channels = depth;
  geometry.out_channels = out;
  TAGFLOW_RETURN_IF_ERROR(CheckDivides("input depth must be evenly divisible by filter depth",
                                       geometry.in_channels, depth));
  const bool known = geometry.in_channels != kUnknown && depth != kUnknown;
  geometry.groups = known ? geometry.in_channels / depth : kUnknown;
  return CheckDivides("output depth must be evenly divisible by number of groups", out,
                      geometry.groups);
}

}  // namespace

Result<ConvolutionAttrs> ReadConvolutionAttrs(const Node& node) {
  ConvolutionAttrs attrs;
  TAGFLOW_ASSIGN_OR_RETURN(attrs.windows, ReadWindowAttrs(node, NameHas(node, "3D") ? 3 : 2));
  const Status moves = RequireSpatialMoves(attrs.windows);
  if (!moves.ok()) {
    // TensorFlow's kernels of the others call it so.
    const bool is_plain = node.op == "Conv2D" || node.op == "_FusedConv2D";
    return is_plain ? moves : InvalidArgument(moves.message());
  }
  attrs.is_depthwise = NameHas(node, "Depthwise");
  return attrs;
}

Result<ConvolutionGeometry> PlaceConvolution(const ConvolutionAttrs& attrs, DimsView image,
                                             DimsView filter) {
  ConvolutionGeometry geometry;
  geometry.layout = attrs.windows.layout;
  TAGFLOW_RETURN_IF_ERROR(CheckRank("input", image, geometry.layout.rank));
  TAGFLOW_RETURN_IF_ERROR(CheckRank("filter", filter, geometry.layout.rank));
  geometry.batch = image[0];
  geometry.in_channels = image[static_cast<size_t>(geometry.layout.channel())];
  TAGFLOW_RETURN_IF_ERROR(SetChannels(attrs, filter, geometry));
  TAGFLOW_ASSIGN_OR_RETURN(geometry.windows,
                           PlaceAllWindows(attrs.windows, SpatialDims(geometry.layout, image),
                                           filter.first(filter.size() - 2)));
  return geometry;
}

Result<ConvolutionGeometry> PlaceBackprop(const ConvolutionAttrs& attrs, DimsView image,
                                          DimsView filter, DimsView out_backprop) {
  TAGFLOW_RETURN_IF_ERROR(NumElements(image).status());
  TAGFLOW_RETURN_IF_ERROR(NumElements(filter).status());
  TAGFLOW_ASSIGN_OR_RETURN(ConvolutionGeometry geometry, PlaceConvolution(attrs, image, filter));
  const Dims output = geometry.OutputDims();
  if (std::ranges::equal(output, out_backprop)) return geometry;
  return InvalidArgument("out_backprop of shape " + DimsString(out_backprop) +
                         " is not of the shape of the output, " + DimsString(output));
}

Dims SpelledImageDims(const ConvolutionAttrs& attrs, DimsView sizes, DimsView filter,
                      DimsView out_backprop) {
  const ImageLayout& layout = attrs.windows.layout;
  const bool are_spatial = !attrs.is_depthwise && sizes.size() == 2 && layout.spatial_rank() == 2;
  if (!are_spatial || filter.size() != 4 || out_backprop.empty()) {
    return Dims(sizes.begin(), sizes.end());
  }
  return ImageDims(layout, out_backprop[0], sizes, filter[2]);
}

}  // namespace tagflow
