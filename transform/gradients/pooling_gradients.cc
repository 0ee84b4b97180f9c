// Gradients of pooling: ops that are gradients of each other. By images, the gradient of a maximum
// is constant between its jumps.

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/pool_grid.h"
#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// What all poolings of one chain say in the same words: sizes, strides, padding, and so on.
AttrMap PoolAttrs(const NodeGradient& node) {
  AttrMap attrs;
  for (const char* name : {"ksize", "strides", "padding", "explicit_paddings", "data_format",
                           "include_batch_in_index"}) {
    const AttrValue* value = FindAttr(node.node(), name);
    if (value != nullptr) attrs.emplace_back(name, *value);
  }
  return attrs;
}
AttrMap WithoutPaddings(AttrMap attrs) {
  std::erase_if(attrs, [](const auto& attr) { return attr.first == "explicit_paddings"; });
  return attrs;
}

// `op` of three inputs, and of the sizes that are inputs of a node with V2 in its name.
Output PoolOp(NodeGradient& node, const char* op, std::vector<Input> inputs, const AttrMap& attrs) {
  const size_t all = node.num_inputs();
  const bool takes_sizes = FindAttr(node.node(), "ksize") == nullptr;
  if (takes_sizes) inputs.insert(inputs.end(), {node.input(all - 2), node.input(all - 1)});
  return Op(node.scope(), op, std::move(inputs), attrs);
}

GradientFunction OfMaximum(const char* op) {
  return [op](NodeGradient& node) {
    node.Give(0, PoolOp(node, op, {node.input(0), node.output(0), node.grad(0)}, PoolAttrs(node)));
    return Status();
  };
}

// Of gradients of images and maxima, by the third input; by the others they do not move.
void GiveZeros(NodeGradient& node) {
  for (const size_t slot : {0, 1}) {
    if (node.wants(slot)) node.Give(slot, ZerosLike(node.scope(), node.input(slot)));
  }
}
GradientFunction OfGradient(const char* op) {
  return [op](NodeGradient& node) {
    GiveZeros(node);
    if (!node.wants(2)) return Status();
    const AttrMap attrs = WithoutPaddings(PoolAttrs(node));
    node.Give(2, PoolOp(node, op, {node.input(0), node.input(1), node.grad(0)}, attrs));
    return Status();
  };
}

// MaxPoolGradGrad knows no explicit paddings: the images are padded for it, with what is below all.
Status MaxPoolGradGradient(NodeGradient& node) {
  if (StringAttrOf(node, "padding") != "EXPLICIT") return OfGradient("MaxPoolGradGrad")(node);
  GiveZeros(node);
  if (!node.wants(2)) return Status();
  const Scope& scope = node.scope();
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node.node(), "explicit_paddings"));
  const std::vector<int32_t> numbers(list.ints.begin(), list.ints.end());
  const Output paddings = Const(scope, Dims{std::ssize(numbers) / 2, 2}, numbers);
  const Output lowest =
      Cast(scope, Const(scope, -std::numeric_limits<float>::infinity()), node.input_dtype(0));
  const Output images = Op(scope, "PadV2", {node.input(0), paddings, lowest});
  const Output gradients = Op(scope, "Pad", {node.grad(0), paddings});
  AttrMap attrs = WithoutPaddings(PoolAttrs(node));
  for (auto& [name, value] : attrs) {
    if (name == "padding") value = "VALID";
  }
  node.Give(2, Op(scope, "MaxPoolGradGrad", {images, node.input(1), gradients}, attrs));
  return Status();
}

Status MaxPoolWithArgmaxGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), "MaxPoolGradWithArgmax",
                  {node.input(0), node.grad(0), node.output(1)}, PoolAttrs(node)));
  return Status();
}
// Linear in input 1, its gradient `op` of the same argmax; of input 0 only the shape matters.
GradientFunction OfArgmax(const char* op) {
  return [op](NodeGradient& node) {
    if (node.wants(0)) node.Give(0, ZerosLike(node.scope(), node.input(0)));
    if (!node.wants(1)) return Status();
    node.Give(1,
              Op(node.scope(), op, {node.input(0), node.grad(0), node.input(2)}, PoolAttrs(node)));
    return Status();
  };
}

GradientFunction OfMean(const char* op) {
  return [op](NodeGradient& node) {
    node.Give(0, Op(node.scope(), op, {node.shape_of_input(0), node.grad(0)}, PoolAttrs(node)));
    return Status();
  };
}
GradientFunction OfShares(const char* op) {
  return [op](NodeGradient& node) {
    node.Give(1, Op(node.scope(), op, {node.grad(0)}, PoolAttrs(node)));
    return Status();
  };
}

const GradientEntry kEntries[] = {
    {"MaxPool", OfMaximum("MaxPoolGrad")},
    {"MaxPoolV2", OfMaximum("MaxPoolGradV2")},
    {"MaxPool3D", OfMaximum("MaxPool3DGrad")},
    {"MaxPoolWithArgmax", MaxPoolWithArgmaxGradient},
    {"MaxPoolGrad", MaxPoolGradGradient},
    {"MaxPoolGradV2", OfGradient("MaxPoolGradGradV2")},
    {"MaxPool3DGrad", OfGradient("MaxPool3DGradGrad")},
    {"MaxPoolGradGrad", OfGradient("MaxPoolGrad")},
    {"MaxPoolGradGradV2", OfGradient("MaxPoolGradV2")},
    {"MaxPool3DGradGrad", OfGradient("MaxPool3DGrad")},
    {"MaxPoolGradWithArgmax", OfArgmax("MaxPoolGradGradWithArgmax")},
    {"MaxPoolGradGradWithArgmax", OfArgmax("MaxPoolGradWithArgmax")},
    {"AvgPool", OfMean("AvgPoolGrad")},
    {"AvgPool3D", OfMean("AvgPool3DGrad")},
    {"AvgPoolGrad", OfShares("AvgPool")},
    {"AvgPool3DGrad", OfShares("AvgPool3D")},
};

}  // namespace

Status RegisterPoolingGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
