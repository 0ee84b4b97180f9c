#include "fuzz/partition/together.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow::fuzz {
namespace {

using Pairs = std::vector<std::pair<NodeId, NodeId>>;
using Outputs = std::vector<OutputRef>;

// With what they take.
void PairByData(const Graph& graph, const Outputs& fed, Pairs& pairs) {
  for (const NodeId id : graph.NodeIds()) {
    for (const OutputRef& input : graph.node(id).inputs) {
      if (StaysOnDevice(graph, fed, input)) pairs.emplace_back(id, input.node);
    }
  }
}

// Who takes or waits for what would be copied, and cannot be.
void PairByCopies(const Graph& graph, const Outputs& fed, Pairs& pairs) {
  std::vector<bool> stays(graph.id_limit(), false);  // of what is copied
  for (bool grows = true; grows;) {
    grows = false;
    for (const NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      if (!IsCopied(node) || stays[Index(id)]) continue;
      const auto is_bound = [&](const OutputRef& input) {
        return stays[Index(input.node)] || StaysOnDevice(graph, fed, input);
      };
      const auto is_awaited = [&](NodeId control) { return stays[Index(control)]; };
      stays[Index(id)] = std::ranges::any_of(node.inputs, is_bound) ||
                         std::ranges::any_of(node.control_inputs, is_awaited);
      grows = grows || stays[Index(id)];
    }
  }
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    for (const OutputRef& input : node.inputs) {
      if (stays[Index(input.node)]) pairs.emplace_back(id, input.node);
    }
    for (const NodeId control : node.control_inputs) {
      if (stays[Index(control)]) pairs.emplace_back(id, control);
    }
  }
}

void PairByName(const Graph& graph, Pairs& pairs) {
  std::map<std::pair<std::string, std::string>, NodeId> first;  // by container and name
  for (const NodeId id : graph.NodeIds()) {
    const Result<std::string> name = StringAttr(graph.node(id), "shared_name");
    if (!name.ok() || name->empty()) continue;
    const Result<std::string> container = StringAttr(graph.node(id), "container");
    pairs.emplace_back(
        id, first.try_emplace({container.ok() ? *container : "", *name}, id).first->second);
  }
}

void PairByClass(const Graph& graph, Pairs& pairs) {
  const std::string prefix = "loc:@";
  for (const NodeId id : graph.NodeIds()) {
    const AttrValue* const value = FindAttr(graph.node(id), "_class");
    if (value == nullptr || value->list() == nullptr) continue;
    for (const std::string& word : value->list()->strings) {
      if (!word.starts_with(prefix)) continue;
      const NodeId other = graph.Find(word.substr(prefix.size()));
      if (other != NodeId::kNone) pairs.emplace_back(id, other);
    }
  }
}

}  // namespace

bool IsCopied(const Node& node) { return IsEnter(node) || IsNextIteration(node); }

bool StaysOnDevice(const Graph& graph, const std::vector<OutputRef>& fed, OutputRef output) {
  if (std::ranges::find(fed, output) != fed.end()) return false;
  const Result<Signature> signature = ResolveSignature(graph.node(output.node));
  const auto index = static_cast<size_t>(output.index);
  if (!signature.ok() || index >= signature->outputs.size()) return false;
  const ArgType& type = signature->outputs[index];
  return type.is_ref || type.dtype == DType::kResource;
}

std::vector<NodeId> MustBeTogether(const Graph& graph, const std::vector<OutputRef>& fed) {
  Pairs pairs;
  PairByData(graph, fed, pairs);
  PairByCopies(graph, fed, pairs);
  PairByName(graph, pairs);
  PairByClass(graph, pairs);
  std::vector<NodeId> least(graph.id_limit());
  for (size_t i = 0; i < least.size(); ++i) least[i] = NodeId{static_cast<int32_t>(i)};
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [one, other] : pairs) {
      const NodeId both = std::min(least[Index(one)], least[Index(other)]);
      changes = changes || least[Index(one)] != both || least[Index(other)] != both;
      least[Index(one)] = least[Index(other)] = both;
    }
  }
  return least;
}

}  // namespace tagflow::fuzz
