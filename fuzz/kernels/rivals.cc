#include "fuzz/kernels/rivals.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "reference/explore.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostOrders = 200;
constexpr int64_t kMostFirings = 1000;

// The call with an edge from the one to the other, or with none.
GraphSample Ordered(const GraphSample& call, const char* before, const char* after) {
  GraphSample ordered = call.Clone();
  const NodeId called = ordered.graph.Find(kCalled), rival = ordered.graph.Find(kRival);
  std::erase(ordered.graph.mutable_node(rival).control_inputs, called);
  if (before != nullptr) {
    ordered.graph.mutable_node(ordered.graph.Find(after))
        .control_inputs.push_back(ordered.graph.Find(before));
  }
  return ordered;
}

reference::Outcome OutcomeOf(const GraphSample& call, const reference::Rules& rules,
                             const reference::KernelRegistry& kernels) {
  CallResults results = CallOnReference(call, rules, kernels);
  Result<std::vector<Tensor>>& run = results[0];
  return run.ok() ? reference::Outcome{Status(), *std::move(run), 1}
                  : reference::Outcome{run.status(), {}, 1};
}

Result<reference::Exploration> Explored(const GraphSample& call, const reference::Rules& rules,
                                        const reference::KernelRegistry& kernels) {
  reference::SessionOptions session_options;
  session_options.rules = &rules;
  session_options.kernels = &kernels;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           reference::Session::Create(call.graph.Clone(), session_options));
  reference::ExploreOptions options;
  options.max_orders = kMostOrders;
  options.max_firings = kMostFirings;
  return Explore(*session, call.runs[0], call.fetches, call.targets, options);
}

// Whether a variable has a value, which no write changes where it has one.
bool OneAsksForAValue(const GraphSample& call) {
  return std::ranges::any_of(std::array{kCalled, kRival}, [&](const char* name) {
    const std::string& op = call.graph.node(call.graph.Find(name)).op;
    return op == "VarIsInitializedOp" || op == "IsVariableInitialized";
  });
}

// REQUIRES: one asks, and is told the same in either order
Problem RacesForAnAnswer(const GraphSample& call, const reference::Exploration& explored) {
  const auto is_between_them = [](const std::string& race) {
    return race.find(std::string("'") + kCalled + "'") != race.npos &&
           race.find(std::string("'") + kRival + "'") != race.npos;
  };
  const auto race = std::ranges::find_if(explored.races, is_between_them);
  if (race == explored.races.end()) return std::nullopt;
  return "it is no matter when is asked whether there is a value: " + *race + "\n" + ToText(call);
}

}  // namespace

Problem RivalsRace(const GraphSample& call, const reference::Rules& rules,
                   const reference::KernelRegistry& kernels) {
  if (call.graph.Find(kRival) == NodeId::kNone) return std::nullopt;
  const LittleMemory little(kMemoryOfCalls);
  const reference::Outcome one = OutcomeOf(Ordered(call, kCalled, kRival), rules, kernels);
  const reference::Outcome other = OutcomeOf(Ordered(call, kRival, kCalled), rules, kernels);
  if (IsBeyondLimits(one.status) || IsBeyondLimits(other.status)) return std::nullopt;
  const bool is_same = one.ToString() == other.ToString();
  if (is_same && (!one.status.ok() || !OneAsksForAValue(call))) return std::nullopt;
  const auto explored = Explored(Ordered(call, nullptr, nullptr), rules, kernels);
  if (!explored.ok() || !explored->exhaustive) return std::nullopt;
  if (is_same) return RacesForAnAnswer(call, *explored);
  const auto is_among = [](const reference::Outcome& outcome, const auto& outcomes) {
    return std::ranges::any_of(outcomes, [&](const reference::Outcome& found) {
      return found.ToString() == outcome.ToString();
    });
  };
  std::string text;
  const std::vector<reference::Outcome> orders = {one, other};
  for (const reference::Outcome& outcome : orders) {
    if (!is_among(outcome, explored->outcomes)) {
      text += "\n  what one order gives, no exploration finds: " + outcome.ToString();
    }
  }
  for (const reference::Outcome& found : explored->outcomes) {
    // Of errors, the one that comes first ends the step.
    if (found.status.ok() && !is_among(found, orders)) {
      text += "\n  what is explored is what no order gives: " + found.ToString();
    }
  }
  if (text.empty()) return std::nullopt;
  const std::string& op = call.graph.node(call.graph.Find(kCalled)).op;
  return op + " and " + call.graph.node(call.graph.Find(kRival)).op + ": " + text + "\n" +
         ToText(call);
}

}  // namespace tagflow::fuzz
