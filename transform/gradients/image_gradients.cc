// Gradients of images resized, cropped, dilated and cut into patches, and of their colors. Those of
// their gradients, which are linear in what is resized, TensorFlow has not: there they stop, or are
// an error.

#include <utility>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// Of the attrs of the node, those named.
AttrMap Same(const NodeGradient& node, std::initializer_list<const char*> names) {
  AttrMap attrs;
  for (const char* name : names) {
    const AttrValue* value = FindAttr(node.node(), name);
    if (value != nullptr) attrs.emplace_back(name, *value);
  }
  return attrs;
}

Output Vector(const Scope& scope, const std::vector<int32_t>& numbers) {
  return Const(scope, Dims{std::ssize(numbers)}, numbers);
}

// Of images the gradient op reads the shape and the dtype alone. One for float and double serves
// narrower images too, in float.
GradientFunction OfResized(const char* op, bool takes_narrow) {
  return [op, takes_narrow](NodeGradient& node) {
    if (!node.wants(0)) return Status();
    const Scope& scope = node.scope();
    const DType dtype = node.input_dtype(0);
    const bool is_wide = dtype == DType::kFloat || dtype == DType::kDouble;
    const DType computed = is_wide || takes_narrow ? dtype : DType::kFloat;
    const Output images = Zeros(scope, node.shape_of_input(0), computed);
    const Output gradient =
        Op(scope, op, {node.grad(0), images}, Same(node, {"align_corners", "half_pixel_centers"}));
    node.Give(0, computed == dtype ? gradient : Cast(scope, gradient, dtype));
    return Status();
  };
}

// The rows and columns of an input.
Output SizeOfInput(NodeGradient& node, size_t slot) {
  const Scope& scope = node.scope();
  return Slice(scope, node.shape_of_input(slot), Vector(scope, {1}), Vector(scope, {2}));
}

// Of what is linear in its first input, whose gradient the transposed op gives.
GradientFunction OfTransposed(const char* op) {
  return [op](NodeGradient& node) {
    if (!node.wants(0)) return Status();
    node.Give(0, Op(node.scope(), op, {node.grad(0), SizeOfInput(node, 0)},
                    Same(node, {"align_corners", "half_pixel_centers"})));
    return Status();
  };
}

// By boxes, crops are taken for bilinear ones, whatever they are, as in TensorFlow.
Status CropAndResizeGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) {
    AttrMap attrs = Same(node, {"method"});
    attrs.emplace_back("T", node.input_dtype(0));
    node.Give(0, Op(scope, "CropAndResizeGradImage",
                    {node.grad(0), node.input(1), node.input(2), node.shape_of_input(0)}, attrs));
  }
  if (node.wants(1)) {
    node.Give(1, Op(scope, "CropAndResizeGradBoxes",
                    {node.grad(0), node.input(0), node.input(1), node.input(2)}));
  }
  return Status();
}

// The crops of a gradient, weighed, are those weights in the image, weighed by it.
Status CropAndResizeGradImageGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (node.wants(0)) {
    node.Give(0, Op(scope, "CropAndResize",
                    {node.grad(0), node.input(1), node.input(2), SizeOfInput(node, 0)},
                    Same(node, {"method"})));
  }
  if (node.wants(1)) {
    node.Give(1, Op(scope, "CropAndResizeGradBoxes",
                    {node.input(0), node.grad(0), node.input(1), node.input(2)}));
  }
  return Status();
}

// Patches of an image that holds the number of each place, from 1, say where the elements of the
// patches are from; 0 is padding. Gradients that come from one place are added up.
Status ExtractImagePatchesGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output dims = node.shape_of_input(0);
  const auto dim = [&](int32_t i) { return ElementAt(scope, dims, i); };
  const Output places = Mul(scope, dim(1), dim(2));
  const Output numbers = Reshape(scope, Range(scope, 1, Add(scope, places, 1), 1),
                                 Pack(scope, {Const(scope, 1), dim(1), dim(2), Const(scope, 1)}));
  const Output patches = Op(scope, "ExtractImagePatches", {numbers},
                            Same(node, {"ksizes", "strides", "rates", "padding"}));
  const Output sources = Sub(scope, Reshape(scope, patches, Vector(scope, {-1})), 1);
  const Output count = ElementAt(scope, Op(scope, "Shape", {sources}), 0);
  const Output by_image = Reshape(scope, node.grad(0), Pack(scope, {dim(0), count, dim(3)}));
  const Output swapped = Vector(scope, {1, 0, 2});
  const Output by_source = Transpose(scope, by_image, swapped);
  const Output sums = Op(scope, "UnsortedSegmentSum", {by_source, sources, places});
  node.Give(0, Reshape(scope, Transpose(scope, sums, swapped), dims));
  return Status();
}

// Each element of the output is one of the image plus one of the window.
Status DilationGradient(NodeGradient& node) {
  const AttrMap attrs = Same(node, {"strides", "rates", "padding"});
  const std::vector<Input> inputs = {node.input(0), node.input(1), node.grad(0)};
  if (node.wants(0)) {
    node.Give(0, Op(node.scope(), "Dilation2DBackpropInput", inputs, attrs));
  }
  if (node.wants(1)) {
    node.Give(1, Op(node.scope(), "Dilation2DBackpropFilter", inputs, attrs));
  }
  return Status();
}

// Rows of a table of 3 x 3, one for each color.
Output Rows(const Scope& scope, const std::vector<float>& table, DType dtype,
            const Output& numbers) {
  return Gather(scope, Cast(scope, Const(scope, Dims{3, 3}, table), dtype), numbers, 0);
}

// Of a color whose greatest part is v and whose least is m, the value is v, the saturation 1 - m /
// v where v is above 0, and the hue d / (6 (v - m)) plus what jumps alone, where d is the
// difference of the two parts that come after the greatest, in a circle. Of equal parts the first
// counts as the greatest, the last as the least. A gray has no hue to change.
Output RgbToHsvGradientOf(const Scope& scope, const Output& x, const Output& grad, DType dtype) {
  const Output axis = Const(scope, int32_t{-1});
  const Output greatest = Op(scope, "ArgMax", {x, axis});
  const Output backwards = Op(scope, "ReverseV2", {x, Vector(scope, {-1})});
  const Output least_from_end = Op(scope, "ArgMin", {backwards, axis});
  const Output most = Rows(scope, {1, 0, 0, 0, 1, 0, 0, 0, 1}, dtype, greatest);
  const Output least = Rows(scope, {0, 0, 1, 0, 1, 0, 1, 0, 0}, dtype, least_from_end);
  const Output behind = Rows(scope, {0, 1, -1, -1, 0, 1, 1, -1, 0}, dtype, greatest);
  const auto dot = [&](const Output& y) { return Sum(scope, Mul(scope, x, y), -1, true); };
  const Output v = dot(most), m = dot(least), range = Sub(scope, v, m);
  const auto over_square = [&](const Output& y, const Output& of) -> Output {
    return Op(scope, "DivNoNan", {y, Square(scope, of)});
  };
  const Output by_ends = Mul(scope, dot(behind), Sub(scope, most, least));
  const Output hue = over_square(Sub(scope, Mul(scope, behind, range), by_ends), range);
  const Output of_value = over_square(Sub(scope, Mul(scope, most, m), Mul(scope, least, v)), v);
  const Output saturation =
      Select(scope, Greater(scope, v, 0), of_value, ZerosLike(scope, of_value));
  const auto part = [&](int32_t i) { return Gather(scope, grad, Vector(scope, {i}), -1); };
  return AddN(scope, {Mul(scope, Mul(scope, part(0), 1.0 / 6), hue),
                      Mul(scope, part(1), saturation), Mul(scope, part(2), most)});
}

Status RgbToHsvGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType dtype = node.input_dtype(0) == DType::kDouble ? DType::kDouble : DType::kFloat;
  node.Give(0, InWideFloats(scope, {node.input(0), node.grad(0)}, [&](const OutputList& xs) {
              return RgbToHsvGradientOf(scope, xs[0], xs[1], dtype);
            }));
  return Status();
}

// As in TensorFlow, which says that they have none.
constexpr const char* kStops[] = {"DrawBoundingBoxes", "HSVToRGB"};

const GradientEntry kEntries[] = {
    {"ResizeBilinear", OfResized("ResizeBilinearGrad", /*takes_narrow=*/true)},
    {"ResizeBicubic", OfResized("ResizeBicubicGrad", /*takes_narrow=*/false)},
    {"ResizeNearestNeighbor", OfTransposed("ResizeNearestNeighborGrad")},
    {"ResizeBilinearGrad", OfTransposed("ResizeBilinear")},
    {"ResizeBicubicGrad", OfTransposed("ResizeBicubic")},
    {"ResizeNearestNeighborGrad", OfTransposed("ResizeNearestNeighbor")},
    {"CropAndResize", CropAndResizeGradient},
    {"CropAndResizeGradImage", CropAndResizeGradImageGradient},
    {"ExtractImagePatches", ExtractImagePatchesGradient},
    {"Dilation2D", DilationGradient},
    {"RGBToHSV", RgbToHsvGradient},
};

}  // namespace

Status RegisterImageGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
