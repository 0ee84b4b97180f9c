#include "fuzz/graphs/placed_property.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "fuzz/engines/on_devices.h"
#include "fuzz/graphs/message.h"
#include "fuzz/graphs/scout.h"
#include "fuzz/partition/cuttable.h"
#include "fuzz/partition/placements.h"
#include "fuzz/partition/together.h"
#include "graph/control_ops.h"
#include "graph/feed_set.h"
#include "graph/validate.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

// The whole graph runs in one place, whatever its nodes ask for.
reference::SessionOptions AnyDevice() {
  reference::SessionOptions options;
  options.any_device = true;
  return options;
}

constexpr int64_t kMostFirings = 3000;  // whole; on devices ten times as many

// A frame without a LoopCond, or one that goes on after its LoopCond says no, is on one device
// alone.
bool IsRefusal(const Status& status) { return status.rule() == "partition.3"; }

// The tag of the iteration after that.
std::string NextTag(const std::string& tag) {
  const size_t number = tag.rfind('[') + 1;
  return tag.substr(0, number) + std::to_string(std::stoll(tag.substr(number)) + 1) + "]";
}

// The tensors that are fed; none, where they cannot be.
std::vector<OutputRef> FedIn(const GraphSample& sample) {
  const Result<CallSpec> call = sample.Resolve();
  return call.ok() ? call->feeds : std::vector<OutputRef>();
}

// How often, in each iteration that is begun, what is to fire there does. Where it does not, nobody
// may miss it on one device, and who is to receive it on another does; where nothing goes on though
// the LoopCond says so, the devices do ([partition.3]); and what waits whole for the end of a frame
// may come on devices, whose parts of it end by themselves ([partition.5]).
class Census {
 public:
  explicit Census(const GraphSample& sample) : sample_(sample) {
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

  // Whether the call is valid, and nothing of it on a cycle that nothing enters, which is of no
  // frame.
  bool CanBeTaken() const { return !wanted_.empty() && !wanted_.contains(FrameTree::kUnreached); }

  // What the call does without.
  const std::vector<NodeId>& idle() const { return idle_; }

  // By the simple proof.
  bool can_be_cut() const { return can_be_cut_; }

  // Nodes of which the second takes a reference or a handle from the first.
  std::vector<std::pair<NodeId, NodeId>> Inseparable() const {
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

  // A frame that is on several devices, as far as nodes go that are where they are placed alone,
  // and that goes on, up to this run, in an iteration that its LoopCond ends.
  std::optional<int> OutlivesItsEnd(const Placement& placement, size_t last_run,
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

  // Whether, up to this run, a Merge gets two live inputs: equal ones, for the run does not fail.
  // Where they lie in the memory of a device they are not compared, and are an error ([merge.3]).
  bool HasEqualInputs(size_t last_run, const reference::RunOptions& limits) const {
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

  std::string PathOf(int frame) const { return valid_.frames.Path(frame); }

  // Whether, up to this run, something never fires where its iteration is begun.
  bool IsShort(size_t last_run, const reference::RunOptions& limits) {
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

 private:
  // What a LoopCond says, if the event is of one, and it does.
  static std::optional<bool> SaysOf(const reference::TraceEvent& event) {
    if (!IsLoopCond(*event.node) || event.tag.empty()) return std::nullopt;
    if (event.dead) return false;
    const Tensor& value = event.outputs[0].value;
    const bool is_scalar = value.has_value() && value.dims().empty();
    return is_scalar ? std::optional(value.scalar<bool>()) : std::nullopt;
  }
  static bool GoesOn(const reference::TraceEvent& event) { return SaysOf(event) == true; }
  static bool Ends(const reference::TraceEvent& event) { return SaysOf(event) == false; }

  // Those of one LoopCond that have nodes on two devices, or more.
  std::set<int> SpreadFrames(const Placement& placement) const {
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

  bool Counts(NodeId id) const {
    const Node& node = sample_.graph.node(id);
    return valid_.needed[Index(id)] && !IsExit(node) && !IsNextIteration(node);
  }

  const GraphSample& sample_;
  std::vector<OutputRef> fed_;
  ValidatedCall valid_;  // but that nothing fed is needed
  std::vector<NodeId> idle_;
  bool can_be_cut_ = false;
  std::map<int, int> wanted_;  // by frame
  size_t num_exits_ = 0;
};

// What a run must give. Each device bounds how far it runs ahead by itself ([partition.5]), so it
// may come upon an error that the whole graph does not get to, where that has one.
Problem Compare(const Forecast& wanted, const Result<std::vector<Tensor>>& actual) {
  RunSeen seen;
  if (actual.ok()) {
    seen.values = *actual;
  } else {
    seen.status = actual.status();
  }
  const std::string said = seen.Result() + " (" + seen.status.message() + ") instead of ";
  if (!wanted.errors.empty()) {
    const bool may_be = std::ranges::any_of(
        wanted.causes, [&](const Status& cause) { return cause.code() == seen.status.code(); });
    return may_be ? Problem() : said + "an error as " + *wanted.errors.begin();
  }
  if (IsOfEnd(wanted.first.status) && IsOfEnd(seen.status)) return std::nullopt;
  const std::string before = wanted.first.Result();
  return seen.Result() == before ? Problem() : said + before;
}

class Cutting {
 public:
  Cutting(const GraphSample& sample, const Engine& engine, uint64_t seed)
      : sample_(sample), engine_(engine), seed_(seed), way_(seed), census_(sample) {
    if (!census_.CanBeTaken()) return;
    ObserveOptions untraced;
    untraced.trace = false;
    forecasts_ = ForeseenRuns(sample, untraced);
    limits_.max_firings = kMostFirings;
  }

  // Whether what cannot be as it is asked must be refused.
  bool MustRefuse() const {
    return engine_.capabilities().is_reference ||
           (!engine_.capabilities().simplifies && way_.is_as_it_is && !way_.is_by_cost);
  }

  // What does not run may ask an engine for a device that is not there. (The partitioner by itself
  // is told where everything is.)
  void AskForNoDevice(Placement& placement) const {
    for (const NodeId id : census_.idle()) placement.device_of[Index(id)] = "/device:NONE:0";
  }

  // Puts two nodes that must be together on two devices, where there are such.
  Problem CheckApart(Placement placement, Choices& choices) {
    if (forecasts_.empty()) return std::nullopt;
    const std::vector<std::pair<NodeId, NodeId>> pairs = census_.Inseparable();
    if (pairs.empty()) return std::nullopt;
    const auto [one, other] = choices.Of(pairs);
    const bool is_first = choices.Chance(kEvenly);
    placement.device_of[Index(one)] = placement.devices[is_first ? 0 : 1];
    placement.device_of[Index(other)] = placement.devices[is_first ? 1 : 0];
    // Who is with them asks for neither; the partitioner by itself is told where everything is.
    if (!engine_.capabilities().is_reference && !way_.has_accelerators && choices.Chance(kEvenly)) {
      const std::vector<NodeId> groups = MustBeTogether(sample_.graph, {});
      for (const NodeId id : sample_.graph.NodeIds()) {
        if (id == one || id == other || groups[Index(id)] != groups[Index(one)]) continue;
        placement.device_of[Index(id)] = "/device:CPU:*";
      }
    }
    const auto session = engine_.OpenPlaced(sample_.graph.Clone(), placement, seed_);
    if (!session.ok()) return session.status().ToString();
    const Status status =
        (*session)->Run(sample_.runs[0], sample_.fetches, sample_.targets, limits_).status();
    if (status.rule() == "partition.4" || IsRefusal(status)) return std::nullopt;
    return "'" + sample_.graph.node(other).name + "', apart from '" + sample_.graph.node(one).name +
           "', is not refused: " + status.ToString();
  }

  // Lets one device wait for what nobody sends: all of them owe it, whatever else they give
  // ([step.2]).
  Problem CheckOwed(Placement placement, Choices& choices) const {
    if (forecasts_.empty() || !forecasts_[0].first.status.ok()) return std::nullopt;
    if (!engine_.capabilities().is_reference && way_.meets_outside) return std::nullopt;
    GraphSample sample = sample_.Clone();
    const NodeId receive = *sample.graph.AddNode("never_sent", "_Recv");
    sample.graph.SetAttr(receive, "tensor_type", DType::kFloat);
    SetMessage(sample.graph, receive, MessageKey{"never_sent"});
    placement.device_of.resize(sample.graph.id_limit());
    placement.device_of[Index(receive)] = choices.Of(placement.devices);
    sample.targets.push_back("never_sent");
    const auto session = engine_.OpenPlaced(sample.graph.Clone(), placement, seed_);
    if (!session.ok()) return session.status().ToString();
    const Status status =
        (*session)->Run(sample.runs[0], sample.fetches, sample.targets, limits_).status();
    if (!status.ok()) return std::nullopt;
    return "what nobody sends is received on " + placement.device_of[Index(receive)] +
           ", and not owed";
  }

  // What is wrong with the runs of the graph cut so.
  // refusal: set to what a run was refused by, which ends them
  Problem Check(const Placement& placement, Status& refusal) {
    if (forecasts_.empty()) return std::nullopt;
    const auto session = engine_.OpenPlaced(sample_.graph.Clone(), placement, seed_);
    if (!session.ok()) return session.status().ToString();
    for (size_t run = 0; run < forecasts_.size(); ++run) {
      const Result<std::vector<Tensor>> actual =
          (*session)->Run(sample_.runs[run], sample_.fetches, sample_.targets, limits_);
      const bool is_by_cost = !engine_.capabilities().is_reference && way_.is_by_cost;
      const bool may_refuse = !is_by_cost && !census_.can_be_cut();
      if (!actual.ok() && may_refuse && IsRefusal(actual.status())) {
        refusal = actual.status();
        return std::nullopt;
      }
      if (!actual.ok() && LacksMemory(run, actual.status())) return std::nullopt;
      if (!actual.ok() && LeavesUncompared(run, actual.status())) return std::nullopt;
      const Problem problem = Compare(forecasts_[run], actual);
      if (problem && census_.IsShort(run, limits_)) return std::nullopt;
      if (problem) return "run " + std::to_string(run) + ": " + *problem;
    }
    if (!MustRefuse() || census_.can_be_cut()) return std::nullopt;
    const std::optional<int> frame =
        census_.OutlivesItsEnd(placement, forecasts_.size() - 1, limits_);
    if (!frame) return std::nullopt;
    return "frame '" + census_.PathOf(*frame) +
           "' goes on after its end, and is not refused on several devices";
  }

 private:
  bool LacksMemory(size_t run, const Status& status) const {
    return status.code() == Code::kResourceExhausted && !engine_.capabilities().is_reference &&
           way_.MayLackMemory(run);
  }
  bool LeavesUncompared(size_t run, const Status& status) const {
    return status.rule() == "merge.3" && !engine_.capabilities().is_reference &&
           way_.has_accelerators && census_.HasEqualInputs(run, limits_);
  }

  const GraphSample& sample_;
  const Engine& engine_;
  const uint64_t seed_;
  const DeviceWay way_;  // of an engine
  Census census_;
  std::vector<Forecast> forecasts_;
  reference::RunOptions limits_;
};

}  // namespace

Problem SurvivesCutting(const GraphSample& sample, Choices& choices, const Engine& engine) {
  std::string what;
  // The partitioner is told of one call, and a session of a graph, for whatever is fed to it.
  const std::vector<OutputRef> fed =
      engine.capabilities().is_reference ? FedIn(sample) : std::vector<OutputRef>();
  Placement placement = DrawPlacement(sample.graph, fed, choices, &what);
  const bool asks_for_none = !engine.capabilities().is_reference && choices.Chance(kSeldom);
  const uint64_t seed = choices.Below(std::numeric_limits<int32_t>::max());
  Cutting cutting(sample, engine, seed);
  if (asks_for_none) cutting.AskForNoDevice(placement);
  if (cutting.MustRefuse() && choices.Chance(kMostly)) {
    if (Problem problem = cutting.CheckApart(placement, choices)) return problem;
  }
  if (choices.Chance(kRarely)) {
    if (Problem problem = cutting.CheckOwed(placement, choices)) return what + ", " + *problem;
  }
  Status refusal;
  if (const Problem problem = cutting.Check(placement, refusal)) return what + ", " + *problem;
  if (engine.capabilities().is_reference || !refusal.ok() || !choices.Chance(kSometimes)) {
    return std::nullopt;
  }
  // Who takes a reference or a handle is put to it, where it asks for nothing.
  for (std::string& device : placement.device_of) {
    if (choices.Chance(kEvenly)) device.clear();
  }
  const Problem problem = cutting.Check(placement, refusal);
  return problem ? what + ", half of that asked for, " + *problem : Problem();
}

}  // namespace tagflow::fuzz
