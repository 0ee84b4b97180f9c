// Tested by kernels_test.cc.

#include "fuzz/kernels/lenient.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "fuzz/kernels/kernel_call.h"

namespace tagflow::fuzz {
namespace {

struct Ranks {
  size_t least;
  size_t most;
};

// What shape functions ask of inputs of that name, and kernels do not insist on.
std::optional<Ranks> AskedOf(const OpDef& op, std::string_view arg) {
  static const auto& asked = *new std::map<std::string_view, Ranks>{
      {"concat_dim", {0, 0}},    {"split_dim", {0, 0}},
      {"start", {0, 0}},         {"limit", {0, 0}},
      {"delta", {0, 0}},         {"minval", {0, 0}},
      {"maxval", {0, 0}},        {"reduction_indices", {0, 1}},
      {"padding_value", {0, 0}}, {"dims", {1, 1}},
      {"shape", {1, 1}},         {"flow_in", {0, 0}}};
  if (arg == "axis") return op.name == "ReverseV2" ? Ranks{1, 1} : Ranks{0, 0};
  if (arg == "value" && op.name == "Fill") return Ranks{0, 0};
  const auto found = asked.find(arg);
  return found == asked.end() ? std::nullopt : std::optional(found->second);
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
    const std::optional<Ranks> asked = AskedOf(*node.def, node.def->inputs[arg].name);
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
