// Gradients of convolutions. A convolution is linear in its images and in its filters, and each of
// its gradients in what it is made of, so that three ops are the gradients of one another.

#include <string_view>
#include <utility>
#include <vector>

#include "graph/ops/fused_convolution.h"
#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// A convolution, and its gradients by its images and by its filters.
struct Trio {
  const char* convolution;
  const char* by_image;
  const char* by_filter;
};
constexpr Trio kTrios[] = {
    {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"},
    {"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
     "DepthwiseConv2dNativeBackpropFilter"},
    {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"},
};

// An op of a trio whose windows move as those of the node that is differentiated.
Output Moved(NodeGradient& node, const char* op, std::vector<Input> inputs) {
  AttrMap attrs;
  for (const char* name : {"data_format", "dilations", "explicit_paddings", "padding", "strides"}) {
    if (const AttrValue* value = FindAttr(node.node(), name)) attrs.emplace_back(name, *value);
  }
  return Op(node.scope(), op, std::move(inputs), std::move(attrs));
}

//   inputs: image, filter
GradientFunction OfConvolution(const Trio& trio) {
  return [&trio](NodeGradient& node) {
    const Output grad = node.grad(0);
    if (node.wants(0)) {
      node.Give(0, Moved(node, trio.by_image, {node.shape_of_input(0), node.input(1), grad}));
    }
    if (node.wants(1)) {
      node.Give(1, Moved(node, trio.by_filter, {node.input(0), node.shape_of_input(1), grad}));
    }
    return Status();
  };
}

//   inputs: sizes of the image, filter, gradient of the output
GradientFunction OfByImage(const Trio& trio) {
  return [&trio](NodeGradient& node) {
    const Output image = node.grad(0);
    if (node.wants(1)) {
      node.Give(1, Moved(node, trio.by_filter, {image, node.shape_of_input(1), node.input(2)}));
    }
    if (node.wants(2)) node.Give(2, Moved(node, trio.convolution, {image, node.input(1)}));
    return Status();
  };
}

//   inputs: image, sizes of the filter, gradient of the output
GradientFunction OfByFilter(const Trio& trio) {
  return [&trio](NodeGradient& node) {
    const Output filter = node.grad(0);
    if (node.wants(0)) {
      node.Give(0, Moved(node, trio.by_image, {node.shape_of_input(0), filter, node.input(2)}));
    }
    if (node.wants(2)) node.Give(2, Moved(node, trio.convolution, {node.input(0), filter}));
    return Status();
  };
}

// ---- _FusedConv2D ----

// Numbers of channels as they meet an image.
Output OfImage(const NodeGradient& node, const Output& channels) {
  if (StringAttrOf(node, "data_format") != "NCHW") return channels;
  return Reshape(node.scope(), channels, Const(node.scope(), std::vector<int32_t>{-1, 1, 1}));
}
// The sum of each channel's elements.
Output OfChannels(const NodeGradient& node, const Output& image) {
  return Op(node.scope(), "BiasAddGrad", {image},
            {{"data_format", StringAttrOf(node, "data_format")}});
}

Output Convolved(NodeGradient& node) {
  return Moved(node, "Conv2D", {node.input(0), node.input(1)});
}
// 1 / sqrt(variance + epsilon), of each channel.
Output InverseDeviation(NodeGradient& node, const FusedOps& ops) {
  const Scope& scope = node.scope();
  return Op(scope, "Rsqrt", {Add(scope, node.input(5), static_cast<double>(ops.epsilon))});
}

// What the activation got.
Output BeforeActivation(NodeGradient& node, const FusedOps& ops) {
  const Scope& scope = node.scope();
  if (!ops.normalizes) return Add(scope, Convolved(node), OfImage(node, node.input(2)));
  const Output scale = Mul(scope, node.input(2), InverseDeviation(node, ops));
  const Output centered = Sub(scope, Convolved(node), OfImage(node, node.input(4)));
  return Add(scope, Mul(scope, centered, OfImage(node, scale)), OfImage(node, node.input(3)));
}

// The gradient by what the activation got; its output tells as much of it, but where the sign is
// lost.
Output ThroughActivation(NodeGradient& node, const FusedOps& ops) {
  const Scope& scope = node.scope();
  const Output grad = node.grad(0);
  switch (ops.activation) {
    case FusedActivation::kRelu:
      return Op(scope, "ReluGrad", {grad, node.output(0)});
    case FusedActivation::kRelu6:
      return Op(scope, "Relu6Grad", {grad, node.output(0)});
    case FusedActivation::kElu:
      return Op(scope, "EluGrad", {grad, node.output(0)});
    case FusedActivation::kLeakyRelu: {
      const float alpha = ops.leakyrelu_alpha;
      const Output features = alpha > 0 ? node.output(0) : BeforeActivation(node, ops);
      return Op(scope, "LeakyReluGrad", {grad, features}, {{"alpha", alpha}});
    }
    default:
      return grad;
  }
}

// (x - mean) * scale * r + offset with r = InverseDeviation; gives the gradients of the arguments
// and returns that by x.
Output ThroughNorm(NodeGradient& node, const FusedOps& ops, const Output& grad) {
  const Scope& scope = node.scope();
  const Output r = InverseDeviation(node, ops);
  const Output scale = Mul(scope, node.input(2), r);
  if (node.wants(2) || node.wants(5)) {
    // Multiplied before they are summed: of no images it is 0, whatever r is.
    const Output centered = Sub(scope, Convolved(node), OfImage(node, node.input(4)));
    const Output product = Mul(scope, grad, centered);
    const auto times = [&](const Output& factor) {
      return OfChannels(node, Mul(scope, product, OfImage(node, factor)));
    };
    if (node.wants(2)) node.Give(2, times(r));
    if (node.wants(5)) {
      node.Give(5, Mul(scope, times(Mul(scope, scale, Mul(scope, r, r))), -0.5));
    }
  }
  const Output by_convolved = Mul(scope, grad, OfImage(node, scale));
  if (node.wants(3)) node.Give(3, OfChannels(node, grad));
  if (node.wants(4)) node.Give(4, Neg(scope, OfChannels(node, by_convolved)));
  return by_convolved;
}

Status FusedGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const FusedOps ops, ReadFusedOps(node.node()));
  Output grad = ThroughActivation(node, ops);
  if (ops.normalizes) {
    grad = ThroughNorm(node, ops, grad);
  } else if (node.wants(2)) {
    node.Give(2, OfChannels(node, grad));
  }
  if (node.wants(0)) {
    node.Give(0, Moved(node, "Conv2DBackpropInput", {node.shape_of_input(0), node.input(1), grad}));
  }
  if (node.wants(1)) {
    node.Give(1,
              Moved(node, "Conv2DBackpropFilter", {node.input(0), node.shape_of_input(1), grad}));
  }
  return Status();
}

}  // namespace

Status RegisterConvolutionGradients(GradientRegistry& registry) {
  for (const Trio& trio : kTrios) {
    const GradientEntry entries[] = {{trio.convolution, OfConvolution(trio)},
                                     {trio.by_image, OfByImage(trio)},
                                     {trio.by_filter, OfByFilter(trio)}};
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, entries));
  }
  return registry.Register("_FusedConv2D", FusedGradient);
}

}  // namespace tagflow
