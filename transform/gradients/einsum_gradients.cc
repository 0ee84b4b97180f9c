// The gradient of Einsum is an Einsum: of out = sum(x y), that by x is sum(out's gradient, y), over
// the labels that x does not have. What that leaves to do:
//
//   labels that x alone has      were summed; the gradient is repeated along them: times ones
//   labels that x has twice      are a diagonal; the Einsum "i->ii" puts it in place
//   "..."                        may be broadcast: the gradient gets all of its dimensions, and is
//                                summed to x's shape after that
//
// With "..." first, shapes are aligned from the right as those of any op that broadcasts.

#include <algorithm>
#include <string>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

constexpr char kEllipsis[] = "...";

bool HasEllipsis(const std::string& labels) { return labels.find(kEllipsis) != labels.npos; }

std::string WithoutEllipsis(std::string labels) {
  std::erase(labels, '.');
  return labels;
}

// "ij,jk->ik": inputs ij and jk, output ik.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// Of an equation that the op itself would refuse, anything.
Equation Parse(const std::string& text) {
  const size_t arrow = text.find("->");
  Equation equation;
  if (arrow != text.npos) equation.output = text.substr(arrow + 2);
  const std::string inputs = text.substr(0, arrow);
  const size_t comma = inputs.find(',');
  equation.inputs.push_back(inputs.substr(0, comma));
  if (comma != inputs.npos) equation.inputs.push_back(inputs.substr(comma + 1));
  return equation;
}

// How the gradient by one input is found.
struct Plan {
  std::string product;  // labels of gradient times other input: those they have of this one's
  std::string result;   // labels of this input, after "..." if the output has it
  std::string lone;     // labels that only this input has
};

Plan PlanOf(const Equation& equation, size_t slot) {
  const std::string own = WithoutEllipsis(equation.inputs[slot]);
  std::string others = equation.output;
  if (equation.inputs.size() == 2) others += equation.inputs[1 - slot];
  Plan plan;
  for (const char label : own) {
    std::string& labels = others.find(label) == others.npos ? plan.lone : plan.product;
    if (labels.find(label) == labels.npos) labels += label;
  }
  const std::string ellipsis = HasEllipsis(equation.output) ? kEllipsis : "";
  plan.product = ellipsis + plan.product;
  plan.result = ellipsis + own;
  return plan;
}

Output Einsum(const Scope& scope, const OutputList& factors, const std::string& equation) {
  return Op(scope, "Einsum", {factors}, {{"equation", equation}});
}

// Ones with the dimensions that the input has at some labels.
Output OnesAt(NodeGradient& node, size_t slot, const std::string& own, const std::string& labels) {
  const Scope& scope = node.scope();
  const Output dims = node.shape_of_input(slot);
  const size_t ellipsis = own.find(kEllipsis);
  OutputList sizes;
  for (const char label : labels) {
    const size_t at = own.find(label);
    const bool from_end = ellipsis != own.npos && at > ellipsis;
    const Output place = from_end
                             ? Sub(scope, RankOf(node, slot), static_cast<int>(own.size() - at))
                             : Const(scope, static_cast<int32_t>(at));
    sizes.push_back(ElementAt(scope, dims, place));
  }
  return Ones(scope, Pack(scope, sizes), node.input_dtype(slot));
}

// How many of the dimensions that "..." stands for in the output the input lacks: the first ones.
Output MissingDims(NodeGradient& node, size_t slot, const Equation& equation) {
  const Scope& scope = node.scope();
  const auto count = [](const std::string& labels) {
    return static_cast<int>(WithoutEllipsis(labels).size());
  };
  const int labels = count(equation.output) - count(equation.inputs[slot]);
  const Output rank = RankOf(node, slot);
  const Output missing = Sub(scope, Sub(scope, Size(scope, node.shape_of_output(0)), rank), labels);
  return Range(scope, 0, Maximum(scope, missing, 0), 1);
}

// From [..., labels], with all dimensions of "...", to the input's own order.
void GiveInOrder(NodeGradient& node, size_t slot, const Equation& equation, Output gradient) {
  const Scope& scope = node.scope();
  const std::string& own = equation.inputs[slot];
  if (HasEllipsis(own) && !own.starts_with(kEllipsis)) {
    gradient = Sum(scope, gradient, MissingDims(node, slot, equation));
    std::string places;  // not labels, since one may come twice
    for (size_t i = 0; i < WithoutEllipsis(own).size(); ++i) places += static_cast<char>('A' + i);
    std::string ordered = places;
    ordered.insert(own.find(kEllipsis), kEllipsis);
    gradient = Einsum(scope, {gradient}, kEllipsis + places + "->" + ordered);
  }
  node.GiveReduced(slot, gradient);
}

void GiveTo(NodeGradient& node, size_t slot, const Equation& equation) {
  const Scope& scope = node.scope();
  const Plan plan = PlanOf(equation, slot);
  OutputList factors{node.grad(0)};
  std::string from = equation.output;
  if (equation.inputs.size() == 2) {
    factors.push_back(Conjugate(scope, node.input(1 - slot)));
    from += "," + equation.inputs[1 - slot];
  }
  Output gradient = Einsum(scope, factors, from + "->" + plan.product);
  if (!plan.lone.empty()) {
    const Output ones = OnesAt(node, slot, equation.inputs[slot], plan.lone);
    gradient = Einsum(scope, {gradient, ones}, plan.product + "," + plan.lone + "->" + plan.result);
  } else if (plan.product != plan.result) {
    gradient = Einsum(scope, {gradient}, plan.product + "->" + plan.result);
  }
  GiveInOrder(node, slot, equation, gradient);
}

Status EinsumGradient(NodeGradient& node) {
  const Equation equation = Parse(StringAttrOf(node, "equation"));
  if (equation.inputs.size() != node.num_inputs()) {
    return InvalidArgument("the equation of Einsum has " + std::to_string(equation.inputs.size()) +
                           " inputs, and the node " + std::to_string(node.num_inputs()));
  }
  for (size_t slot = 0; slot < equation.inputs.size(); ++slot) {
    if (node.wants(slot)) GiveTo(node, slot, equation);
  }
  return Status();
}

}  // namespace

Status RegisterEinsumGradients(GradientRegistry& registry) {
  return registry.Register("Einsum", EinsumGradient);
}

}  // namespace tagflow
