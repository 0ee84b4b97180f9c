#include "fuzz/graphs/firing_counts.h"

#include <algorithm>
#include <memory>

#include "fuzz/partition/cuttable.h"
#include "fuzz/partition/together.h"
#include "graph/control_ops.h"
#include "graph/feed_set.h"

namespace tagflow::fuzz {
namespace {

// The whole graph runs in one place, whatever its nodes ask for.
reference::SessionOptions AnyDevice() {
  reference::SessionOptions options;
  options.any_device = true;
  return options;
}

// The tag of the iteration after that.
std::string NextTag(const std::string& tag) {
  const size_t number = tag.rfind('[') + 1;
  return tag.substr(0, number) + std::to_string(std::stoll(tag.substr(number)) + 1) + "]";
}

}  // namespace

FiringCounts::FiringCounts(const GraphSample& sample) : sample_(sample) {
  const Result<CallSpec> call = sample.Resolve();
  Result<ValidatedCall> valid = call.ok() ? ValidateCall(sample.graph, *call) : call.status();
  if (!valid.ok()) return;
  valid_ = *std::move(valid);
  fed_ = call->feeds;
  can_be_cut_ = CanSurelyBeCut(sample.graph, *call, valid_);
  const FeedSet fed(sample.graph, call->feeds);
  for (const NodeId id : sample.graph.NodeIds()) {
    const bool is_idle = !valid_.needed[Index(id)] || fed.IsFedPlaceholder(sample.graph.node(id));
    if (is_idle) idle_.push_back(id);
  }
  for (const OutputRef& feed : call->feeds) valid_.needed[Index(feed.node)] = false;
  for (const NodeId id : sample.graph.NodeIds()) {
    if (Counts(id)) ++wanted_[valid_.frames.frame_of[Index(id)]];
    if (valid_.needed[Index(id)] && IsExit(sample.graph.node(id))) ++num_exits_;
  }
}

std::vector<std::pair<NodeId, NodeId>> FiringCounts::Inseparable() const {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const NodeId id : sample_.graph.NodeIds()) {
    const Node& node = sample_.graph.node(id);
    if (!valid_.needed[Index(id)] || IsCopied(node)) continue;
    for (const OutputRef& input : node.inputs) {
      const bool is_theirs = StaysOnDevice(sample_.graph, fed_, input);
      if (is_theirs && !IsCopied(sample_.graph.node(input.node))) {
        pairs.emplace_back(input.node, id);
      }
    }
  }
  return pairs;
}

std::optional<int> FiringCounts::OutlivesItsEnd(const Placement& placement, size_t last_run,
                                                const reference::RunOptions& limits) const {
  const std::set<int> spread = SpreadFrames(placement);
  if (spread.empty()) return std::nullopt;
  const auto session = reference::Session::Create(sample_.graph.Clone(), AnyDevice());
  for (size_t run = 0; run <= last_run; ++run) {
    std::set<std::pair<int, std::string>> ended, gone_on;
    reference::RunOptions options = limits;
    options.trace = [&](const reference::TraceEvent& event) {
      const int frame = valid_.frames.frame_of[Index(event.node->id)];
      if (!spread.contains(frame)) return;
      if (Ends(event)) ended.emplace(frame, event.tag);
      if (IsNextIteration(*event.node) && !event.dead) gone_on.emplace(frame, event.tag);
    };
    (void)(*session)->Run(sample_.runs[run], sample_.fetches, sample_.targets, options);
    for (const auto& place : gone_on) {
      if (ended.contains(place)) return place.first;
    }
  }
  return std::nullopt;
}

bool FiringCounts::HasEqualInputs(size_t last_run, const reference::RunOptions& limits) const {
  reference::Rules rules = reference::StandardRules();
  rules.merge_inputs_differ = [](const Tensor&, const Tensor&, bool) {
    return std::string("no two inputs are equal");
  };
  reference::SessionOptions options = AnyDevice();
  options.rules = &rules;
  const auto session = reference::Session::Create(sample_.graph.Clone(), options);
  for (size_t run = 0; run <= last_run; ++run) {
    const Status status =
        (*session)->Run(sample_.runs[run], sample_.fetches, sample_.targets, limits).status();
    if (status.rule() == "merge.3") return true;
  }
  return false;
}

bool FiringCounts::IsShort(size_t last_run, const reference::RunOptions& limits) {
  const auto session = reference::Session::Create(sample_.graph.Clone(), AnyDevice());
  for (size_t run = 0; run <= last_run; ++run) {
    std::map<std::pair<int, std::string>, int> fired;
    std::set<int> entered, begun;  // frames
    std::set<NodeId> left;         // of the Exits
    std::set<std::string> tags, next_tags;
    reference::RunOptions options = limits;
    options.trace = [&](const reference::TraceEvent& event) {
      const NodeId id = event.node->id;
      const int frame = valid_.frames.frame_of[Index(id)];
      if (Counts(id)) ++fired[{frame, event.tag}];
      begun.insert(frame);
      tags.insert(event.tag);
      if (IsEnter(*event.node)) entered.insert(valid_.frames.output_frame_of[Index(id)]);
      if (IsExit(*event.node)) left.insert(id);
      if (GoesOn(event)) next_tags.insert(NextTag(event.tag));
    };
    (void)(*session)->Run(sample_.runs[run], sample_.fetches, sample_.targets, options);
    for (const auto& [place, count] : fired) {
      if (count < wanted_[place.first]) return true;
    }
    if (!std::ranges::includes(begun, entered)) return true;
    if (!std::ranges::includes(tags, next_tags)) return true;
    if (left.size() < num_exits_) return true;
  }
  return false;
}

std::optional<bool> FiringCounts::SaysOf(const reference::TraceEvent& event) {
  if (!IsLoopCond(*event.node) || event.tag.empty()) return std::nullopt;
  if (event.dead) return false;
  const Tensor& value = event.outputs[0].value;
  const bool is_scalar = value.has_value() && value.dims().empty();
  return is_scalar ? std::optional(value.scalar<bool>()) : std::nullopt;
}

std::set<int> FiringCounts::SpreadFrames(const Placement& placement) const {
  std::map<int, std::set<std::string>> devices;
  std::map<int, int> loop_conds;
  for (const NodeId id : sample_.graph.NodeIds()) {
    const Node& node = sample_.graph.node(id);
    const int inner = valid_.frames.frame_of[Index(id)];
    if (IsLoopCond(node)) ++loop_conds[inner];
    if (!valid_.needed[Index(id)] || IsCopied(node)) continue;
    for (int frame = inner; frame > FrameTree::kRoot;
         frame = valid_.frames.frames[static_cast<size_t>(frame)].parent) {
      if (!placement.device_of[Index(id)].empty()) {
        devices[frame].insert(placement.device_of[Index(id)]);
      }
    }
  }
  std::set<int> spread;
  for (const auto& [frame, places] : devices) {
    if (places.size() > 1 && loop_conds[frame] == 1) spread.insert(frame);
  }
  return spread;
}

bool FiringCounts::Counts(NodeId id) const {
  const Node& node = sample_.graph.node(id);
  return valid_.needed[Index(id)] && !IsExit(node) && !IsNextIteration(node);
}

}  // namespace tagflow::fuzz
