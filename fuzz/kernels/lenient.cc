// Tested by kernels_test.cc.

#include "fuzz/kernels/lenient.h"

#include <algorithm>
#include <optional>

#include "fuzz/kernels/kernel_call.h"

namespace tagflow::fuzz {
namespace {

struct Ranks {
  size_t least;
  size_t most;
};

// What shape functions ask of inputs of that role, and kernels do not insist on.
std::optional<Ranks> AskedOf(ArgRole role) {
  switch (role) {
    case ArgRole::kScalar:
    case ArgRole::kAxis:
      return Ranks{0, 0};
    case ArgRole::kAxisOrAxes:
      return Ranks{0, 1};
    case ArgRole::kAxes:
    case ArgRole::kFlags:
    case ArgRole::kShape:
    case ArgRole::kNewShape:
      return Ranks{1, 1};
    default:
      return std::nullopt;
  }
}

// Of an input of the node, by the definition's number of it.
std::optional<Tensor> ValueOf(const GraphSample& call, const Node& node, size_t arg) {
  const size_t args = node.def->inputs.size();
  const bool is_last = arg + 1 == args;  // after a list
  const Node* from = &call.graph.node(node.inputs[is_last ? node.inputs.size() - 1 : arg].node);
  while (from->op == "AddV2") from = &call.graph.node(from->inputs[0].node);  // of it and nothing
  return FedValue(call, *from);
}

bool IsLenient(const GraphSample& call, const Node& node) {
  if (node.op == "PlaceholderWithDefault") return true;  // which is fed what it likes
  if (node.def == nullptr || node.inputs.size() < node.def->inputs.size()) return false;
  if (node.op == "DiagPart" || node.op.starts_with("Reverse")) {
    const std::optional<Tensor> whole = ValueOf(call, node, 0);
    if (!whole || whole->dims().empty() || whole->num_elements() == 0) return true;
  }
  for (size_t arg = 0; arg < node.def->inputs.size(); ++arg) {
    const std::optional<Ranks> asked = AskedOf(node.def->inputs[arg].role);
    if (!asked) continue;
    const std::optional<Tensor> value = ValueOf(call, node, arg);
    const size_t rank = value ? value->dims().size() : asked->least;
    if (rank < asked->least || rank > asked->most) return true;
  }
  return false;
}

}  // namespace

bool MayBeLenient(const GraphSample& call) {
  return std::ranges::any_of(call.graph.NodeIds(),
                             [&](NodeId id) { return IsLenient(call, call.graph.node(id)); });
}

}  // namespace tagflow::fuzz
