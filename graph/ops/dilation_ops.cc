// Dilation of images: the greatest of what a window adds to what it lies over.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"
#include "graph/ops/window_geometry.h"

namespace tagflow {
namespace {

Result<Dims> FourInts(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() == 4) return list.ints;
  return InvalidArgument(std::string(name) + " must have 4 elements, not " +
                         std::to_string(list.ints.size()));
}

// Inputs: images, and a window that is as deep.
Status DilationShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape images,
                           MergeShapes(context.input(0), PartialShape::UnknownOfRank(4)));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape filter,
                           MergeShapes(context.input(1), PartialShape::UnknownOfRank(3)));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth, shapes::MergeDims(images.dim(3), filter.dim(2)));
  const Node& node = context.node();
  TAGFLOW_ASSIGN_OR_RETURN(const Dims strides, FourInts(node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims rates, FourInts(node, "rates"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(node, "padding"));
  Dims dims = {images.dim(0), 0, 0, depth};
  for (const size_t i : {1, 2}) {
    if (filter.dim(static_cast<int>(i) - 1) == 0) return Status();  // the kernels refuse it
    TAGFLOW_ASSIGN_OR_RETURN(
        const WindowDim windows,
        PlaceWindows({.image = images.dim(static_cast<int>(i)),
                      .window = filter.dim(static_cast<int>(i) - 1),
                      .stride = strides[i],
                      .dilation = rates[i]},
                     padding == "SAME" ? WindowPadding::kSame : WindowPadding::kValid));
    dims[i] = windows.count;
  }
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

template <int kLike>
Status ShapeOfInput(ShapeContext& context) {
  context.set_output(0, context.input(kLike));
  return Status();
}

OpDefBuilder Dilation(const char* version) {
  return OpDefBuilder("Dilation2D" + std::string(version)).Input("input: T").Input("filter: T");
}
OpDefBuilder WithWindows(OpDefBuilder builder) {
  return builder.Attr("T: realnumbertype")
      .Attr("strides: list(int) >= 4")
      .Attr("rates: list(int) >= 4")
      .Attr("padding: {'SAME', 'VALID'}");
}

}  // namespace

Status RegisterDilationOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          WithWindows(Dilation("").Output("output: T"))
              .Summary("The greatest sums of a window and what it lies over, in each channel.")
              .Shape(DilationShape),
          WithWindows(Dilation("BackpropInput").Input("out_backprop: T").Output("in_backprop: T"))
              .Summary("The gradient of Dilation2D by its images.")
              .Shape(ShapeOfInput<0>),
          WithWindows(
              Dilation("BackpropFilter").Input("out_backprop: T").Output("filter_backprop: T"))
              .Summary("The gradient of Dilation2D by its window.")
              .Shape(ShapeOfInput<1>),
      });
}

}  // namespace tagflow
