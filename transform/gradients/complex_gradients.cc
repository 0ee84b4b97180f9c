// Gradients between real numbers and complex ones. With x = a + ib, the gradient by x is that by a
// plus i times that by b: a step against it goes downhill.

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

DType ComplexOf(DType part) {
  return part == DType::kFloat ? DType::kComplex64 : DType::kComplex128;
}
Output ToComplex(const Scope& scope, const Input& real, const Input& imag, DType part) {
  return Op(scope, "Complex", {real, imag}, {{"Tout", ComplexOf(part)}});
}
Output Part(const Scope& scope, const char* op, const Output& x, DType part) {
  return Op(scope, op, {x}, {{"Tout", part}});
}

Status RealGradient(NodeGradient& node) {
  node.Give(0, ToComplex(node.scope(), node.grad(0), 0, node.output_dtype(0)));
  return Status();
}

Status ImagGradient(NodeGradient& node) {
  node.Give(0, ToComplex(node.scope(), 0, node.grad(0), node.output_dtype(0)));
  return Status();
}

Status ConjGradient(NodeGradient& node) {
  node.Give(0, Conjugate(node.scope(), node.grad(0)));
  return Status();
}

Status ComplexGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType part = node.input_dtype(0);
  if (node.wants(0)) node.GiveReduced(0, Part(scope, "Real", node.grad(0), part));
  if (node.wants(1)) node.GiveReduced(1, Part(scope, "Imag", node.grad(0), part));
  return Status();
}

// The direction of x; none at 0.
Status ComplexAbsGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType part = node.output_dtype(0);
  const Output rise = Mul(scope, ToComplex(scope, node.grad(0), 0, part), node.input(0));
  const Output size = ToComplex(scope, node.output(0), 0, part);
  node.Give(0, Op(scope, "DivNoNan", {rise, size}));
  return Status();
}

// The direction of x turned by a right angle, over the size of x: i over the conjugate of x.
Status AngleGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output turned = ToComplex(scope, 0, node.grad(0), node.output_dtype(0));
  node.Give(0, RealDiv(scope, turned, Conjugate(scope, node.input(0))));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Real", RealGradient},
    {"Imag", ImagGradient},
    {"Conj", ConjGradient},
    {"Complex", ComplexGradient},
    {"ComplexAbs", ComplexAbsGradient},
    {"Angle", AngleGradient},
};

}  // namespace

Status RegisterComplexGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
