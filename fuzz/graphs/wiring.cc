// Tested by altered_test.cc.

#include "fuzz/graphs/wiring.h"

#include <algorithm>
#include <utility>

#include "fuzz/graphs/recipe.h"
#include "graph/control_ops.h"

namespace tagflow::fuzz {

bool Wiring::IsPlaced(const Node& node) const {
  return Index(node.id) < frames_.frame_of.size() &&
         frames_.frame_of[Index(node.id)] != FrameTree::kUnreached;
}

int Wiring::DepthOf(NodeId id) const {
  int depth = 0;
  for (int frame = FrameOf(id); frame > FrameTree::kRoot; ++depth) {
    frame = frames_.frames[static_cast<size_t>(frame)].parent;
  }
  return depth;
}

std::optional<ArgType> Wiring::TypeOf(OutputRef output) const {
  return fuzz::TypeOf(graph_, output);
}

bool Wiring::IsPlain(OutputRef output) const {
  const std::optional<ArgType> type = TypeOf(output);
  return type && !type->is_ref && type->dtype != DType::kResource;
}

std::vector<NodeId> Wiring::Earlier(const Node& node) const {
  std::vector<NodeId> earlier;
  for (const NodeId id : graph_.NodeIds()) {
    const bool is_known = Index(id) < frames_.output_frame_of.size();
    if (id < node.id && is_known && FrameOf(id) == frames_.frame_of[Index(node.id)]) {
      earlier.push_back(id);
    }
  }
  return earlier;
}

std::vector<OutputRef> Wiring::EarlierOf(const Node& node, ArgType type) const {
  std::vector<OutputRef> found;
  for (const NodeId id : Earlier(node)) {
    const Result<Signature> signature = ResolveSignature(graph_.node(id));
    if (!signature.ok()) continue;
    for (size_t port = 0; port < signature->outputs.size(); ++port) {
      if (signature->outputs[port] == type) found.push_back({id, static_cast<int32_t>(port)});
    }
  }
  return found;
}

std::optional<OutputRef> Wiring::OneOf(const std::vector<OutputRef>& outputs) {
  return outputs.empty() ? std::nullopt : std::optional(choices_.Of(outputs));
}

std::optional<OutputRef> Wiring::Another(const Node& node, OutputRef than) {
  constexpr size_t kLatest = 5;
  if (!IsPlain(than)) return std::nullopt;
  std::vector<OutputRef> found = EarlierOf(node, *TypeOf(than));
  std::erase(found, than);
  std::ranges::reverse(found);
  if (choices_.Chance(kEvenly)) found.resize(std::min(found.size(), kLatest));
  return OneOf(found);
}

std::optional<OutputRef> Wiring::AnyTruth(const Node& node) {
  std::vector<OutputRef> asked;
  for (const NodeId id : Earlier(node)) {
    const Node& earlier = graph_.node(id);
    if (IsSwitch(earlier) && IsPlain(earlier.inputs[1])) asked.push_back(earlier.inputs[1]);
  }
  if (!asked.empty() && choices_.Chance(kEvenly)) return OneOf(asked);
  return OneOf(EarlierOf(node, {DType::kBool, false}));
}

std::optional<OutputRef> Wiring::AnyNumber(const Node& node) {
  return OneOf(EarlierOf(node, {DType::kInt32, false}));
}

std::optional<OutputRef> Wiring::Brought(OutputRef value, const Node& node) {
  return BroughtInto(frames_.frame_of[Index(node.id)], value);
}

std::optional<OutputRef> Wiring::BroughtInto(int frame, OutputRef value) {
  if (frame == FrameTree::kRoot) return value;
  const StaticFrame& into = frames_.frames[static_cast<size_t>(frame)];
  const std::optional<OutputRef> outer = BroughtInto(into.parent, value);
  const std::optional<ArgType> type = TypeOf(value);
  if (!outer || !type || into.enters.empty()) return std::nullopt;
  const NodeId enter = Add("Enter", {*outer}, type->dtype);
  graph_.SetAttr(enter, "frame_name", into.name);
  graph_.SetAttr(enter, "is_constant", true);
  graph_.SetAttr(enter, "parallel_iterations", into.parallel_iterations);
  return OutputRef{enter, 0};
}

NodeId Wiring::Add(const std::string& op, std::vector<OutputRef> inputs, DType type) {
  const Result<NodeId> id = graph_.AddNode(graph_.UniqueName("added" + op), op);
  TAGFLOW_CHECK(id.ok());
  graph_.mutable_node(*id).inputs = std::move(inputs);
  if (type != DType::kInvalid) graph_.SetAttr(*id, "T", type);
  return *id;
}

}  // namespace tagflow::fuzz
