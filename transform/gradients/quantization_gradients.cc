// Gradients of numbers rounded to levels, which are ops of their own. As in TensorFlow these have
// no gradient in turn.

#include <string>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// The gradient op takes the gradient, all inputs and the attrs, and gives a gradient for each
// input.
Status QuantizationGradient(NodeGradient& node) {
  std::vector<Input> inputs = {node.grad(0)};
  for (size_t i = 0; i < node.num_inputs(); ++i) inputs.emplace_back(node.input(i));
  AttrMap attrs;
  for (const char* name : {"min", "max", "num_bits", "narrow_range"}) {
    const AttrValue* value = FindAttr(node.node(), name);
    if (value != nullptr) attrs.emplace_back(name, *value);
  }
  const Operation gradients = Op(node.scope(), node.node().op + "Gradient", inputs, attrs);
  if (!gradients.valid()) return Status();
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    if (node.wants(i)) node.Give(i, gradients[static_cast<int>(i)]);
  }
  return Status();
}

const GradientEntry kEntries[] = {
    {"FakeQuantWithMinMaxArgs", QuantizationGradient},
    {"FakeQuantWithMinMaxVars", QuantizationGradient},
    {"FakeQuantWithMinMaxVarsPerChannel", QuantizationGradient},
};

}  // namespace

Status RegisterQuantizationGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
