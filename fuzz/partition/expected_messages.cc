#include "fuzz/partition/expected_messages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/control_ops.h"
#include "graph/tag.h"

namespace tagflow::fuzz {
namespace {

bool GoesWithConsumers(const Node& node) { return IsEnter(node) || IsNextIteration(node); }

std::string Lines(const std::map<std::string, bool>& dead_by_key) {
  std::string text;
  for (const auto& [key, dead] : dead_by_key) text += key + (dead ? " dead\n" : "\n");
  return text;
}

// Of an Exit: the tag of the frame that its token goes to.
std::string Outside(const std::string& tag) {
  Result<Tag> path = ParseTag(tag);
  TAGFLOW_CHECK(path.ok() && !path->is_root());
  path->path.pop_back();
  return ToString(*path);
}

}  // namespace

ExpectedMessages::ExpectedMessages(const Graph& graph, const CallSpec& call,
                                   const Placement& placement)
    : graph_(graph), placement_(placement), feeds_(call.feeds), consumers_(graph.id_limit()) {
  Result<ValidatedCall> valid = ValidateCall(graph, call);
  TAGFLOW_CHECK(valid.ok());
  valid_ = *std::move(valid);
  auto for_each_edge = [&](auto use) {
    for (const NodeId id : graph.NodeIds()) {
      if (!valid_.needed[Index(id)]) continue;
      for (const OutputRef& input : graph.node(id).inputs) use(input, id);
      for (const NodeId control : graph.node(id).control_inputs) {
        use(OutputRef{control, TensorName::kControl}, id);
      }
    }
  };
  for_each_edge([&](OutputRef from, NodeId to) { consumers_[Index(from.node)].push_back(to); });
  for_each_edge([&](OutputRef from, NodeId to) { AddCut(from, to); });
  AddPredicates();
}

std::set<std::string> ExpectedMessages::PlacesOf(NodeId id) const {
  if (!GoesWithConsumers(graph_.node(id))) return {DeviceOf(id)};
  std::set<std::string> places;
  for (const NodeId consumer : consumers_[Index(id)]) places.merge(PlacesOf(consumer));
  return places;
}

void ExpectedMessages::AddCut(OutputRef tensor, NodeId consumer) {
  if (GoesWithConsumers(graph_.node(tensor.node))) return;
  for (const std::string& place : PlacesOf(consumer)) {
    if (place != DeviceOf(tensor.node)) cuts_.insert({tensor, place});
  }
}

void ExpectedMessages::AddPredicates() {
  const std::vector<StaticFrame>& frames = valid_.frames.frames;
  std::vector<std::set<std::string>> devices(frames.size());
  for (const NodeId id : graph_.NodeIds()) {
    if (!valid_.needed[Index(id)]) continue;
    for (int frame = valid_.frames.frame_of[Index(id)]; frame > FrameTree::kRoot;
         frame = frames[static_cast<size_t>(frame)].parent) {
      devices[static_cast<size_t>(frame)].merge(PlacesOf(id));
    }
  }
  for (const NodeId id : graph_.NodeIds()) {
    if (!valid_.needed[Index(id)] || !IsLoopCond(graph_.node(id))) continue;
    for (const std::string& device :
         devices[static_cast<size_t>(valid_.frames.frame_of[Index(id)])]) {
      if (device != DeviceOf(id)) cuts_.insert({{id, 0}, device});
    }
  }
}

std::string ExpectedMessages::After(const std::vector<reference::TraceEvent>& events) const {
  std::map<std::string, bool> dead_by_key;
  auto note = [&](const Cut& cut, const std::string& tag, bool dead) {
    const std::string& name = graph_.node(cut.tensor.node).name;
    const bool is_control = cut.tensor.index == TensorName::kControl;
    const std::string tensor =
        is_control ? "^" + name : name + ":" + std::to_string(cut.tensor.index);
    const std::string key =
        DeviceOf(cut.tensor.node) + ";" + cut.destination + ";" + tensor + ";" + tag;
    // Of an Exit only the live token counts, if there is one.
    const auto [at, is_new] = dead_by_key.emplace(key, dead);
    if (!is_new) at->second = at->second && dead;
  };
  for (const Cut& cut : cuts_) {
    const bool is_fed = std::ranges::any_of(
        feeds_, [&](const OutputRef& feed) { return feed.node == cut.tensor.node; });
    if (is_fed) note(cut, "", false);
  }
  for (const reference::TraceEvent& event : events) {
    const NodeId id = event.node->id;
    const std::string tag = IsExit(*event.node) ? Outside(event.tag) : event.tag;
    for (auto cut = cuts_.lower_bound({{id, TensorName::kControl}, ""});
         cut != cuts_.end() && cut->tensor.node == id; ++cut) {
      const bool is_control = cut->tensor.index == TensorName::kControl;
      note(*cut, tag,
           is_control ? event.dead : event.outputs[static_cast<size_t>(cut->tensor.index)].dead);
    }
  }
  return Lines(dead_by_key);
}

std::string TextOf(const std::vector<reference::Message>& sent) {
  std::map<std::string, bool> dead_by_key;
  for (const reference::Message& message : sent) dead_by_key.emplace(message.key, message.dead);
  return Lines(dead_by_key);
}

}  // namespace tagflow::fuzz
