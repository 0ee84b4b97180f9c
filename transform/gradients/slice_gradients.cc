// Gradients of slices. The gradient of a slice of a larger tensor is zeros around it; where the
// slice is a small part, it is added in place, so that a loop that cuts a slice an iteration does
// not make a whole tensor an iteration.

#include <array>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/row_updates.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// How begin, end and strides are to be read.
Result<AttrMap> MasksOf(const Node& node) {
  AttrMap masks;
  for (const char* name :
       {"begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask", "shrink_axis_mask"}) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t mask, IntAttr(node, name));
    masks.emplace_back(name, mask);
  }
  return masks;
}

// Which elements: begin, end, strides.
using Bounds = std::array<Output, 3>;

Output Sliced(const Scope& scope, const Output& x, const Bounds& at, const AttrMap& masks) {
  return Op(scope, "StridedSlice", {x, at[0], at[1], at[2]}, masks);
}

Output Updated(const Scope& scope, const Output& x, const Bounds& at, const AttrMap& masks,
               const Output& value) {
  return Op(scope, "TensorStridedSliceUpdate", {x, at[0], at[1], at[2], value}, masks);
}

GradientUpdate AddToSlice(const Bounds& at, const AttrMap& masks, const Output& gradient) {
  return [=](const Scope& scope, const Output& sum) -> Output {
    const Output before = Sliced(scope, sum, at, masks);
    return Updated(scope, sum, at, masks, Add(scope, before, gradient));
  };
}

// The elements of a shape; -1: not known.
int64_t Elements(const PartialShape& shape) {
  if (!shape.fully_known()) return -1;
  const Result<int64_t> elements = NumElements(shape.dims());
  return elements.ok() ? *elements : -1;
}

// Whether the output has at most half of the elements of input 0.
bool IsSmallPart(const NodeGradient& node) {
  const int64_t part = Elements(node.output_shape(0));
  const int64_t whole = Elements(node.input_shape(0));
  return part >= 0 && part <= whole / 2;
}

// The block of shape `size` at `begin`, both int32 or int64 vectors.
Bounds BlockBounds(const Scope& scope, const Output& begin, const Output& size) {
  const Output of_type = AsDType(scope, size, begin.dtype());
  return {begin, Add(scope, begin, of_type), OnesLike(scope, begin)};
}

//   input, begin, size
Status SliceGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node));
  const Scope& scope = node.scope();
  const Output begin = AsDType(scope, node.input(1), DType::kInt32);
  if (IsSmallPart(node)) {
    const Bounds at = BlockBounds(scope, begin, node.shape_of_output(0));
    node.GiveUpdate(0, AddToSlice(at, {}, node.grad(0)));
    return Status();
  }
  const Output end = Add(scope, begin, node.shape_of_output(0));
  const Output after = Sub(scope, node.shape_of_input(0), end);
  const Output padded = Op(scope, "Pad", {node.grad(0), Pack(scope, {begin, after}, 1)});
  scope.SetShape(padded, node.input_shape(0));
  node.Give(0, padded);
  return Status();
}

// Inputs [first, first + 3). Those of StridedSlice may be int16, others not.
Bounds BoundsOf(NodeGradient& node, size_t first) {
  Bounds at;
  for (size_t i = 0; i < 3; ++i) {
    const Output bound = node.input(first + i);
    const bool is_short = bound.dtype() == DType::kInt16;
    at[i] = is_short ? Cast(node.scope(), bound, DType::kInt32) : bound;
  }
  return at;
}

//   input, begin, end, strides
Status StridedSliceGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap masks, MasksOf(node.node()));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t shrunk, IntAttr(node.node(), "shrink_axis_mask"));
  const Bounds at = BoundsOf(node, 1);
  if (IsSmallPart(node) || (Elements(node.input_shape(0)) < 0 && shrunk != 0)) {
    node.GiveUpdate(0, AddToSlice(at, masks, node.grad(0)));
    return Status();
  }
  const Scope& scope = node.scope();
  const Output shape = AsDType(scope, node.shape_of_input(0), at[0].dtype());
  const Output whole =
      Op(scope, "StridedSliceGrad", {shape, at[0], at[1], at[2], node.grad(0)}, masks);
  scope.SetShape(whole, node.input_shape(0));
  node.Give(0, whole);
  return Status();
}

//   shape, begin, end, strides, dy
Status StridedSliceGradGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap masks, MasksOf(node.node()));
  const Output slice = Sliced(node.scope(), node.grad(0), BoundsOf(node, 1), masks);
  node.scope().SetShape(slice, node.input_shape(4));
  node.Give(4, slice);
  return Status();
}

// The gradient of a value that was broadcast to the slice, with more dimensions of 1 in front if
// the value had more.
void GiveValue(NodeGradient& node, size_t slot, Output slice) {
  const PartialShape value = node.input_shape(slot);
  if (value.known_rank() && slice.shape().known_rank()) {
    for (int i = slice.shape().rank(); i < value.rank(); ++i) {
      slice = ExpandDims(node.scope(), slice, 0);
    }
  }
  node.GiveReduced(slot, slice);
}

//   input, begin, end, strides, value
Status TensorStridedSliceUpdateGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap masks, MasksOf(node.node()));
  const Scope& scope = node.scope();
  const Bounds at = BoundsOf(node, 1);
  const Output slice = Sliced(scope, node.grad(0), at, masks);
  GiveValue(node, 4, slice);
  if (node.wants(0)) {
    node.Give(0, Updated(scope, node.grad(0), at, masks, ZerosLike(scope, slice)));
  }
  return Status();
}

// Where the padded tensor begins: the first column of the paddings, an int32 vector.
Output PaddedBefore(NodeGradient& node) {
  const Scope& scope = node.scope();
  if (const auto paddings = KnownIntegers(node, 1)) {
    std::vector<int32_t> before;
    for (size_t i = 0; i < paddings->size(); i += 2) {
      before.push_back(static_cast<int32_t>((*paddings)[i]));
    }
    return Const(scope, before);
  }
  const Output column =
      Slice(scope, AsDType(scope, node.input(1), DType::kInt32),
            Const(scope, std::vector<int32_t>{0, 0}), Const(scope, std::vector<int32_t>{-1, 1}));
  return Reshape(scope, column, Const(scope, std::vector<int32_t>{-1}));
}

//   input, paddings
Status PadGradient(NodeGradient& node) {
  const Output inside =
      Slice(node.scope(), node.grad(0), PaddedBefore(node), node.shape_of_input(0));
  node.scope().SetShape(inside, node.input_shape(0));
  node.Give(0, inside);
  return Status();
}

//   input, paddings, constant_values
Status PadV2Gradient(NodeGradient& node) {
  if (node.wants(0)) TAGFLOW_RETURN_IF_ERROR(PadGradient(node));
  if (!node.wants(2)) return Status();
  const Scope& scope = node.scope();
  const Bounds at = BlockBounds(scope, PaddedBefore(node), node.shape_of_input(0));
  const Output zeros = Const(scope, Tensor::Scalar(0.0));
  const Output inside = AsDType(scope, zeros, node.input_dtype(2));
  GiveSum(node, 2, Updated(scope, node.grad(0), at, {}, inside));
  return Status();
}

// MirrorPad and MirrorPadGrad, which adds up what was mirrored, are each other's gradient.
//   input, paddings
Status MirrorPadGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string mode, StringAttr(node.node(), "mode"));
  const char* op = node.node().op == "MirrorPad" ? "MirrorPadGrad" : "MirrorPad";
  const Output gradient = Op(node.scope(), op, {node.grad(0), node.input(1)}, {{"mode", mode}});
  node.scope().SetShape(gradient, node.input_shape(0));
  node.Give(0, gradient);
  return Status();
}

}  // namespace

Status RegisterSliceGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Slice", SliceGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("StridedSlice", StridedSliceGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("StridedSliceGrad", StridedSliceGradGradient));
  TAGFLOW_RETURN_IF_ERROR(
      registry.Register("TensorStridedSliceUpdate", TensorStridedSliceUpdateGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Pad", PadGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("PadV2", PadV2Gradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("MirrorPad", MirrorPadGradient));
  return registry.Register("MirrorPadGrad", MirrorPadGradient);
}

}  // namespace tagflow
