#include "fuzz/kernels/racing_pair.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/kernels/call_maker.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/values.h"
#include "reference/explore.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostOrders = 200;
constexpr int64_t kMostFirings = 1000;
constexpr char kAfter[] = "after";  // reads what came of both

// What the node takes that others may change.
std::optional<TypedOutput> StateOf(NodeId id, const CallGraph& call) {
  for (const OutputRef input : call.node(id).inputs) {
    const ArgType type = call.TypeOf(input);
    if (type.is_ref || type.dtype == DType::kResource) return TypedOutput{input, type};
  }
  return std::nullopt;
}

// Ops on a variable: those that read it, those that set it, or any.
struct VariableOps {
  std::vector<const OpDef*> reads, writes, any;
};
const VariableOps& OpsOn(bool is_ref) {
  const auto op = [](const char* name) { return &StandardOp(name); };
  static const auto& by_reference =
      *new VariableOps{{op("Identity"), op("Neg")}, {op("Assign")}, TakersOfReferences()};
  static const auto& by_handle = *new VariableOps{
      {op("ReadVariableOp")}, {op("AssignVariableOp")}, TakersOf(*op("VarHandleOp"))};
  return is_ref ? by_reference : by_handle;
}

// As often as not one that reads a variable: then the order shows.
const OpDef& DrawSecond(const OpDef& maker, ArgType type, Choices& choices) {
  if (!type.is_ref && !IsVariable(maker)) return *choices.Of(TakersOf(maker));
  const VariableOps& ops = OpsOn(type.is_ref);
  if (choices.Chance(kEvenly)) return *choices.Of(ops.reads);
  return *choices.Of(choices.Chance(kSometimes) ? ops.writes : ops.any);
}

// The op that shows what is in a variable, a stack or an array.
const OpDef& ReaderOf(const OpDef& maker, ArgType type, Choices& choices) {
  if (type.is_ref || IsVariable(maker)) return *OpsOn(type.is_ref).reads[0];
  std::vector<const OpDef*> readers = TakersOf(maker);
  std::erase_if(readers, [](const OpDef* op) {
    return op->outputs.empty() || op->outputs[0].type_attr.empty();
  });
  return *choices.Of(readers);
}

// The call with an edge from the one to the other, or with none.
GraphSample Ordered(const GraphSample& call, const char* before, const char* after) {
  GraphSample ordered = call.Clone();
  const NodeId called = ordered.graph.Find(kCalled), second = ordered.graph.Find(kSecond);
  std::erase(ordered.graph.mutable_node(second).control_inputs, called);
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
  return std::ranges::any_of(std::array{kCalled, kSecond}, [&](const char* name) {
    const std::string& op = call.graph.node(call.graph.Find(name)).op;
    return op == "VarIsInitializedOp" || op == "IsVariableInitialized";
  });
}

// REQUIRES: one asks, and is told the same in either order
Problem RacesForAnAnswer(const GraphSample& call, const reference::Exploration& explored) {
  const auto is_between_them = [](const std::string& race) {
    return race.find(std::string("'") + kCalled + "'") != race.npos &&
           race.find(std::string("'") + kSecond + "'") != race.npos;
  };
  const auto race = std::ranges::find_if(explored.races, is_between_them);
  if (race == explored.races.end()) return std::nullopt;
  return "it is no matter when is asked whether there is a value: " + *race + "\n" + ToText(call);
}

// The second op, after the called one; and then one that reads what came of both: of an array that
// one of the two makes, such as one of gradients, or else of theirs.
void AddSecond(NodeId called, const TypedOutput& state, CallMaker& maker, CallGraph& call) {
  const OpDef& made_by = *call.node(state.output.node).def;
  const NodeId second =
      maker.CallOn(kSecond, DrawSecond(made_by, state.type, call.choices()), {state.output});
  std::vector<NodeId>& waits_for = call.graph().mutable_node(second).control_inputs;
  const std::vector<NodeId>& before = call.node(called).control_inputs;
  waits_for.insert(waits_for.end(), before.begin(), before.end());
  waits_for.push_back(called);
  // Nodes that set variables beforehand follow each other, as two may set one variable.
  for (size_t i = 1; i < before.size(); ++i) {
    call.graph().mutable_node(before[i]).control_inputs.push_back(before[i - 1]);
  }
  for (const TypedOutput& value : call.ValuesOf(second)) call.Fetch(value.output);
  OutputRef read = state.output;
  for (const NodeId id : {called, second}) {
    if (!state.type.is_ref && call.TypeOf({id, 0}).dtype == DType::kResource) read = {id, 0};
  }
  const OpDef& reader = ReaderOf(made_by, state.type, call.choices());
  const NodeId after = maker.CallOn(kAfter, reader, {read});
  call.graph().mutable_node(after).control_inputs = {called, second};
  call.Fetch({after, 0});
}

}  // namespace

GraphSample DrawRacingPair(Choices& choices) {
  constexpr size_t kRuns = 1;
  CallGraph call(choices);
  CallMaker maker(call, {.without_value = kSometimes});
  const NodeId called = maker.Call(kCalled, *choices.Of(TakersOfState()));
  for (const TypedOutput& value : call.ValuesOf(called)) call.Fetch(value.output);
  const std::optional<TypedOutput> state = StateOf(called, call);
  if (!state) return call.Take({kCalled}, kRuns);
  AddSecond(called, *state, maker, call);
  return call.Take({kCalled, kSecond}, kRuns);
}

Problem RacesOtherwise(const GraphSample& call, const reference::Rules& rules,
                       const reference::KernelRegistry& kernels) {
  if (call.graph.Find(kSecond) == NodeId::kNone) return std::nullopt;
  const LittleMemory little(kMemoryOfCalls);
  const reference::Outcome one = OutcomeOf(Ordered(call, kCalled, kSecond), rules, kernels);
  const reference::Outcome other = OutcomeOf(Ordered(call, kSecond, kCalled), rules, kernels);
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
  return op + " and " + call.graph.node(call.graph.Find(kSecond)).op + ": " + text + "\n" +
         ToText(call);
}

}  // namespace tagflow::fuzz
