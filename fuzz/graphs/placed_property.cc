#include "fuzz/graphs/placed_property.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fuzz/engines/on_devices.h"
#include "fuzz/graphs/firing_counts.h"
#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/message.h"
#include "fuzz/partition/placements.h"
#include "fuzz/partition/together.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostFirings = 3000;  // whole; on devices ten times as many

// A frame without a LoopCond, or one that goes on after its LoopCond says no, is on one device
// alone.
bool IsRefusal(const Status& status) { return status.rule() == "partition.3"; }

// The tensors that are fed; none, where they cannot be.
std::vector<OutputRef> FedIn(const GraphSample& sample) {
  const Result<CallSpec> call = sample.Resolve();
  return call.ok() ? call->feeds : std::vector<OutputRef>();
}

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
      : sample_(sample), engine_(engine), seed_(seed), way_(seed), counts_(sample) {
    if (!counts_.CanBeTaken()) return;
    ObserveOptions untraced;
    untraced.trace = false;
    untraced.races_on = reference::RunOn::kDevices;
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
    for (const NodeId id : counts_.idle()) placement.device_of[Index(id)] = "/device:NONE:0";
  }

  // Puts two nodes that must be together on two devices, where there are such.
  Problem CheckApart(Placement placement, Choices& choices) {
    if (forecasts_.empty()) return std::nullopt;
    const std::vector<std::pair<NodeId, NodeId>> pairs = counts_.Inseparable();
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
      const bool may_refuse = !is_by_cost && !counts_.can_be_cut();
      if (!actual.ok() && may_refuse && IsRefusal(actual.status())) {
        refusal = actual.status();
        return std::nullopt;
      }
      if (!actual.ok() && LacksMemory(run, actual.status())) return std::nullopt;
      if (!actual.ok() && LeavesUncompared(run, actual.status())) return std::nullopt;
      const Problem problem = Compare(forecasts_[run], actual);
      if (problem && counts_.IsShort(run, limits_)) return std::nullopt;
      if (problem) return "run " + std::to_string(run) + ": " + *problem;
    }
    if (!MustRefuse() || counts_.can_be_cut()) return std::nullopt;
    const std::optional<int> frame =
        counts_.OutlivesItsEnd(placement, forecasts_.size() - 1, limits_);
    if (!frame) return std::nullopt;
    return "frame '" + counts_.PathOf(*frame) +
           "' goes on after its end, and is not refused on several devices";
  }

 private:
  bool LacksMemory(size_t run, const Status& status) const {
    return status.code() == Code::kResourceExhausted && !engine_.capabilities().is_reference &&
           way_.MayLackMemory(run);
  }
  bool LeavesUncompared(size_t run, const Status& status) const {
    return status.rule() == "merge.3" && !engine_.capabilities().is_reference &&
           way_.has_accelerators && counts_.HasEqualInputs(run, limits_);
  }

  const GraphSample& sample_;
  const Engine& engine_;
  const uint64_t seed_;
  const DeviceWay way_;  // of an engine
  FiringCounts counts_;
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
