// Tested by properties_test.cc.

#include "fuzz/graphs/placed_property.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "fuzz/graphs/scout.h"
#include "fuzz/partition/placements.h"
#include "graph/control_ops.h"
#include "graph/validate.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostFirings = 3000;  // whole; on devices ten times as many

// A frame without a LoopCond, or one that goes on after its LoopCond says no, is on one device
// alone; so are a reference and who takes it.
bool IsRefusal(const Status& status) {
  return status.rule() == "partition.3" || status.rule() == "partition.4";
}

// On a device that has little memory, any step may end so.
bool LacksMemory(const Runner& runner, uint64_t seed, const Status& status) {
  const int64_t limit = runner.is_reference() ? 0 : MemoryLimitOf(seed);
  return limit > 0 && limit < kPlenty && status.code() == Code::kResourceExhausted;
}

// The tag of the iteration after that.
std::string NextTag(const std::string& tag) {
  const size_t number = tag.rfind('[') + 1;
  return tag.substr(0, number) + std::to_string(std::stoll(tag.substr(number)) + 1) + "]";
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
    for (const OutputRef& feed : call->feeds) valid_.needed[Index(feed.node)] = false;
    for (const NodeId id : sample.graph.NodeIds()) {
      if (Counts(id)) ++wanted_[valid_.frames.frame_of[Index(id)]];
      if (valid_.needed[Index(id)] && IsExit(sample.graph.node(id))) ++num_exits_;
    }
  }

  // Whether the call is valid, and nothing of it on a cycle that nothing enters, which is of no
  // frame.
  bool CanBeTaken() const { return !wanted_.empty() && !wanted_.contains(FrameTree::kUnreached); }

  // Whether, up to this run, something never fires where its iteration is begun.
  bool IsShort(size_t last_run, const reference::RunOptions& limits) {
    const auto session = reference::Session::Create(sample_.graph.Clone());
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
  static bool GoesOn(const reference::TraceEvent& event) {
    if (event.node->op != "LoopCond" || event.tag.empty() || event.dead) return false;
    const Tensor& value = event.outputs[0].value;
    return value.has_value() && value.dims().empty() && value.scalar<bool>();
  }

  bool Counts(NodeId id) const {
    const Node& node = sample_.graph.node(id);
    return valid_.needed[Index(id)] && !IsExit(node) && !IsNextIteration(node);
  }

  const GraphSample& sample_;
  ValidatedCall valid_;
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

// What is fed does not run: it may ask an engine for a device that is not there. (The partitioner
// by itself is told where everything is.)
void AskForNoDevice(const GraphSample& sample, Placement& placement) {
  for (const auto& [name, value] : sample.runs[0]) {
    const NodeId id = sample.graph.Find(name);
    if (id == NodeId::kNone || sample.graph.node(id).op != "Placeholder") continue;
    placement.device_of[Index(id)] = "/device:NONE:0";
  }
}

}  // namespace

Problem SurvivesCutting(const GraphSample& sample, Choices& choices, const Runner& runner) {
  Census census(sample);
  if (!census.CanBeTaken()) return std::nullopt;
  std::string what;
  Placement placement = DrawPlacement(sample.graph, choices, &what);
  if (!runner.is_reference() && choices.Chance(15)) AskForNoDevice(sample, placement);
  const uint64_t seed = choices.Below(std::numeric_limits<int32_t>::max());
  Result<std::unique_ptr<RunnerSession>> session =
      runner.OpenPlaced(sample.graph.Clone(), placement, seed);
  if (!session.ok()) return what + ": " + session.status().ToString();
  ObserveOptions untraced;
  untraced.trace = false;
  const std::vector<Forecast> forecasts = ForeseenRuns(sample, untraced);
  reference::RunOptions limits;
  limits.max_firings = kMostFirings;
  for (size_t run = 0; run < forecasts.size(); ++run) {
    const Result<std::vector<Tensor>> actual =
        (*session)->Run(sample.runs[run], sample.fetches, sample.targets, limits);
    if (!actual.ok() && IsRefusal(actual.status())) return std::nullopt;
    if (!actual.ok() && LacksMemory(runner, seed, actual.status())) return std::nullopt;
    const Problem problem = Compare(forecasts[run], actual);
    if (problem && census.IsShort(run, limits)) return std::nullopt;
    if (problem) return what + ", run " + std::to_string(run) + ": " + *problem;
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
