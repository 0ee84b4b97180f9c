#include "fuzz/harness/equal_kernels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/observe.h"
#include "fuzz/harness/call_agreement.h"
#include "fuzz/harness/call_checks.h"
#include "fuzz/harness/equal.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/racing_pair.h"

namespace tagflow::fuzz {
namespace {

using Values = Result<std::vector<Tensor>>;

// Two ops on one variable that nothing orders, by two handles of one name perhaps.
bool Races(const GraphSample& call) {
  const LittleMemory little(kMemoryOfCalls);
  Observer observer(call);
  for (size_t run = 0; run < call.runs.size(); ++run) {
    if (RacesIn(observer, run, ObserveOptions())) return true;
  }
  return false;
}

// With a node that looks into a variable that the call takes, where it takes one.
constexpr const char* kLook = "look";
std::optional<GraphSample> WithALook(const GraphSample& call) {
  for (const OutputRef input : call.graph.node(call.graph.Find(kCalled)).inputs) {
    const Node& variable = call.graph.node(input.node);
    const bool is_reference = variable.op == "VariableV2";
    if (!is_reference && !IsVariable(*variable.def)) continue;
    GraphSample with = call.Clone();
    const Result<NodeId> look =
        with.graph.AddNode(kLook, is_reference ? "Identity" : "ReadVariableOp");
    const Result<DType> dtype = TypeAttr(variable, "dtype");
    if (!look.ok() || !dtype.ok()) return std::nullopt;
    with.graph.SetAttr(*look, is_reference ? "T" : "dtype", *dtype);
    with.graph.mutable_node(*look).inputs = {input};
    with.fetches = {kLook};
    with.targets.clear();
    return with;
  }
  return std::nullopt;
}

// That a call that is refused leaves the variable as it does on the reference: [op.2].
Finding CompareLeft(const GraphSample& call, const Values& wanted, const Engine& engine,
                    const reference::Rules& rules) {
  const bool is_its_own = !wanted.ok() && wanted.status().node() == kCalled;
  const bool is_alone = call.graph.Find(kSecond) == NodeId::kNone;
  const auto with = is_its_own && is_alone ? WithALook(call) : std::nullopt;
  if (!with) return Finding::Holds();
  // Without its other fetches: a node beside the called one may fail, too, and end the step before
  // the variable has its first value.
  GraphCall alone = call.CallOf(0);
  std::erase_if(alone.fetches,
                [](const std::string& fetch) { return !fetch.starts_with(kCalled); });
  const std::vector<GraphCall> calls = {alone, with->CallOf(0)};
  const CallResults left = CallOnReference(*with, calls, rules);
  const std::vector<Values> actual = RunCalls(engine, *with, calls);
  if (left.size() < 2 || actual.size() < 2 || IsBeyondLimits(left[1].status())) {
    return Finding::Holds();
  }
  Finding finding = CompareCalls(*with, left[1], actual[1], engine.capabilities().has_our_codes);
  if (finding.bad()) finding.why = "after a refusal: " + finding.why;
  return finding;
}

Finding Agree(const GraphSample& call, const std::vector<Values>& wanted, const Engine& engine,
              const reference::Rules& rules) {
  if (!IsKnown(call)) return Finding::Holds();
  for (const Values& values : wanted) {
    if (!values.ok() && IsBeyondLimits(values.status())) return Finding::Holds();
  }
  const std::vector<Values> actual = RunCalls(engine, call, call.Calls(wanted.size()));
  for (size_t run = 0; run < wanted.size() && run < actual.size(); ++run) {
    Finding finding =
        CompareCalls(call, wanted[run], actual[run], engine.capabilities().has_our_codes);
    if (finding.kind == Finding::Kind::kHolds && run == 0) {
      finding = CompareLeft(call, wanted[run], engine, rules);
    }
    if (finding.kind == Finding::Kind::kHolds) continue;
    if (finding.bad() && Races(call)) return Finding::Holds();
    finding.why = CalledOp(call).name + ": " + finding.why + "\n" + ToText(call);
    return finding;
  }
  return Finding::Holds();
}

// A call, the claim that it was drawn for, and the number that the claim draws from: the call is
// made again from the same choices without its check.
struct DrawnCall {
  const CallCheck& further;
  GraphSample call;
  uint64_t seed;
};
DrawnCall DrawCall(Choices& choices) {
  constexpr uint32_t kSeeds = 1 << 16;
  const CallCheck& further = DrawCallCheck(choices);
  GraphSample call = further.draw(choices);
  const uint64_t seed = further.check != nullptr ? choices.Below(kSeeds) : 0;
  return {further, std::move(call), seed};
}

}  // namespace

Finding CheckCall(const GraphSample& call, Setting& setting) {
  const std::vector<Values> runs = CallOnReference(call, *setting.rules);
  const Problem broken = BrokenPromise(call, runs);
  if (broken) return Finding::Fails(*broken);
  if (!IsOfReference(setting)) return Agree(call, runs, *setting.engine, *setting.rules);
  if (setting.peer == nullptr) return Finding::Holds();
  Finding finding = Agree(call, runs, *setting.peer, *setting.rules);
  if (finding.bad()) finding.why = "another engine: " + finding.why;
  return finding;
}

Finding CheckCalls(Choices& choices, Setting& setting) {
  do {
    const DrawnCall drawn = DrawCall(choices);
    Finding finding = CheckCall(drawn.call, setting);
    if (!finding.bad() && drawn.further.check != nullptr) {
      Choices further = Choices::FromSeed(drawn.seed);
      finding = drawn.further.check(drawn.call, further, setting);
    }
    if (finding.bad()) return finding;
  } while (choices.Chance(kNearlyAlways));
  return Finding::Holds();
}

GraphSample LastKernelCall(Choices& choices) {
  GraphSample call;
  do {
    call = DrawCall(choices).call;
  } while (choices.Chance(kNearlyAlways));
  return call;
}

}  // namespace tagflow::fuzz
