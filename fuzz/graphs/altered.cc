// Tested by altered_test.cc.

#include "fuzz/graphs/altered.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/generate/generate.h"
#include "fuzz/generate/swarm.h"
#include "fuzz/graphs/altered_feeds.h"
#include "fuzz/graphs/recipe.h"
#include "fuzz/graphs/wiring.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/walk.h"
#include "graph/control_ops.h"
#include "graph/frames.h"
#include "graph/validate.h"
#include "transform/deadness/dependency_order.h"
#include "transform/simplify/call_view.h"

namespace tagflow::fuzz {
namespace {

// Ops of one signature each.
const std::vector<std::vector<std::string_view>> kKinds = {
    {"Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "FloorDiv", "FloorMod",
     "SquaredDifference"},
    {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"},
    {"LogicalAnd", "LogicalOr"},
    {"Neg", "Abs", "Square", "Sign", "Identity", "ZerosLike", "OnesLike", "StopGradient",
     "Snapshot"},
    {"Sum", "Max", "Min", "Prod"},
};

// A program of few nodes, in which every engine computes the same bits; or of next to none, so that
// what is added has nothing beside it.
Profile Small(bool is_tiny) {
  Profile profile;
  profile.statements = is_tiny ? 3 : 14;
  profile.firings = 500;
  profile.max_trips = 5;
  profile.max_runs = 3;
  profile.effects = kNever;
  profile.exact = true;
  return profile;
}

bool IsOneOf(std::string_view op, const std::vector<std::string_view>& kind) {
  return std::ranges::find(kind, op) != kind.end();
}

// The place between a node and one of its inputs.
class EdgeSite : public RecipeSite {
 public:
  EdgeSite(Choices& choices, Graph& graph, Wiring& wiring, NodeId node, OutputRef input)
      : choices_(choices), graph_(graph), wiring_(wiring), node_(node), input_(input) {}

  Graph& graph() override { return graph_; }
  OutputRef input() const override { return input_; }
  bool is_in_root() const override { return wiring_.FrameOf(input_.node) == FrameTree::kRoot; }
  NodeId AnyNode() override { return choices_.Of(wiring_.Earlier(node())); }
  std::optional<OutputRef> Brought(OutputRef value) override {
    return wiring_.Brought(value, node());
  }
  std::optional<OutputRef> Named(std::string_view name) override {
    if (name == "p" || name == "q") return wiring_.AnyTruth(node());
    if (name == "n") return wiring_.AnyNumber(node());
    if (name == "other") return wiring_.Another(node(), input_);
    std::vector<OutputRef> found;
    for (const NodeId id : wiring_.Earlier(node())) {
      const Node& earlier = graph_.node(id);
      const bool is_meant = name == "merge" ? IsMerge(earlier)
                                            : IsConstantEnter(earlier) &&
                                                  wiring_.TypeOf({id, 0}) == wiring_.TypeOf(input_);
      if (is_meant) found.push_back({id, 0});
    }
    return found.empty() ? std::nullopt : std::optional(choices_.Of(found));
  }

 private:
  const Node& node() const { return graph_.node(node_); }

  Choices& choices_;
  Graph& graph_;
  Wiring& wiring_;
  const NodeId node_;
  const OutputRef input_;
};

class Altering {
 public:
  Altering(Choices& choices, GraphSample& sample, const FrameTree& frames, bool keeps_variables,
           const Swarm& recipes)
      : choices_(choices),
        keeps_variables_(keeps_variables),
        recipes_(recipes),
        sample_(sample),
        graph_(sample.graph),
        wiring_(choices, sample.graph, frames),
        feeding_(choices, sample, wiring_) {}

  // Whether something was changed; it may have become invalid.
  bool Alter() {
    using Change = bool (Altering::*)(Node&);
    struct Action {
      Odds weight;
      Change change;
    };
    static constexpr std::array kActions = {
        Action{kSeldom, &Altering::TakeAnotherInput},  Action{kRarely, &Altering::AddControl},
        Action{kRarely, &Altering::DropControl},       Action{kSeldom, &Altering::BecomeAnotherOp},
        Action{kSeldom, &Altering::HoldAnotherValue},  Action{kSometimes, &Altering::AddFragment},
        Action{kRarely, &Altering::SwitchByNumber},    Action{kRarely, &Altering::JoinAnother},
        Action{kRarely, &Altering::JoinLater},         Action{kRarely, &Altering::FetchLess},
        Action{kRarely, &Altering::FailGoingRound},    Action{kRarely, &Altering::JoinTurned},
        Action{kRarely, &Altering::JoinOneLess},       Action{kRarely, &Altering::EnterOtherwise},
        Action{kRarely, &Altering::RunAheadOtherwise}, Action{kRarely, &Altering::FetchAnother},
        Action{kRarely, &Altering::FeedAnother},       Action{kRarely, &Altering::FeedAnotherShape},
        Action{kRarely, &Altering::FeedInside}};
    const Change change = choices_.ByWeight(kActions).change;
    // Nodes one after another, from any of them, until one can be changed so.
    const std::vector<NodeId> ids = graph_.NodeIds();
    const size_t start = Start(ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      if ((this->*change)(graph_.mutable_node(ids[(start + i) % ids.size()]))) return true;
    }
    return false;
  }

 private:
  // Any of them, or of those in loops within loops.
  size_t Start(const std::vector<NodeId>& ids) {
    std::vector<size_t> deep;
    if (choices_.Chance(kSeldom)) {
      for (size_t i = 0; i < ids.size(); ++i) {
        const bool is_placed = wiring_.IsPlaced(graph_.node(ids[i]));
        if (is_placed && wiring_.DepthOf(ids[i]) > 1) deep.push_back(i);
      }
    }
    return deep.empty() ? choices_.Below(ids.size()) : choices_.Of(deep);
  }

  // ---- Changes of one node. False: it cannot be changed so.

  bool TakeAnotherInput(Node& node) {
    if (!wiring_.IsPlaced(node) || node.inputs.empty()) return false;
    OutputRef& input = node.inputs[choices_.Below(node.inputs.size())];
    if (input.node > node.id) return false;  // a NextIteration, without which loops do not end
    const std::optional<OutputRef> other =
        choices_.Chance(kSometimes) ? OtherSide(node, input) : wiring_.Another(node, input);
    if (other) input = *other;
    return other.has_value();
  }

  bool AddFragment(Node& node) {
    if (!wiring_.IsPlaced(node) || node.inputs.empty()) return false;
    const uint32_t slot = choices_.Below(node.inputs.size());
    const OutputRef input = node.inputs[slot];
    if (input.node > node.id || !wiring_.IsPlain(input)) return false;
    if (!wiring_.IsPlaced(graph_.node(input.node))) return false;
    const NodeId id = node.id;
    EdgeSite site(choices_, graph_, wiring_, id, input);
    std::vector<const Recipe*> fitting;
    for (const size_t row : recipes_.rows()) {
      const Recipe& recipe = Recipes()[row];
      const bool is_meant =
          recipe.needs != Needs::kForcedFeed && (keeps_variables_ || !KeepsState(recipe));
      const DType type = wiring_.TypeOf(input)->dtype;
      if (is_meant && Fits(recipe, type, site.is_in_root())) fitting.push_back(&recipe);
    }
    if (fitting.empty()) return false;
    const Result<Added> added = AddRecipe(choices_.Of(fitting)->text, site, choices_);
    if (!added.ok()) return false;
    graph_.mutable_node(id).inputs[slot] = added->end;
    Ask(*added, site.is_in_root());
    return true;
  }
  // For what a fragment has to show.
  void Ask(const Added& added, bool is_in_root) {
    for (const OutputRef& fetch : added.fetches) {
      if (is_in_root) sample_.fetches.push_back(OutputName(graph_, fetch));
    }
    for (const NodeId target : added.targets) {
      sample_.targets.push_back(graph_.node(target).name);
    }
    for (const OutputRef& told : added.tells) {
      sample_.fetches.push_back(OutputName(graph_, told));
      if (sample_.runs.size() == 1) sample_.runs.push_back(sample_.runs[0]);
    }
    if (!is_in_root) return;
    for (const OutputRef& fed : added.feeds) feeding_.FeedOneOf(fed.node, kAlways);
    if (choices_.Chance(kSeldom)) feeding_.FeedOneOf(added.end.node);
  }

  // The other way out of a Switch that one of the inputs comes from, of the same type.
  std::optional<OutputRef> OtherSide(const Node& node, OutputRef than) const {
    for (const OutputRef& input : node.inputs) {
      const OutputRef side{input.node, 1 - input.index};
      if (IsSwitch(graph_.node(input.node)) && wiring_.TypeOf(side) == wiring_.TypeOf(than))
        return side;
    }
    return std::nullopt;
  }

  bool AddControl(Node& node) {
    if (!wiring_.IsPlaced(node) || node.op == "Placeholder") return false;
    std::vector<NodeId> earlier = wiring_.Earlier(node);
    if (earlier.empty()) return false;
    // What enters from outside is rare among all that is there.
    std::vector<NodeId> enters;
    std::ranges::copy_if(earlier, std::back_inserter(enters),
                         [&](NodeId id) { return IsEnter(graph_.node(id)); });
    if (!enters.empty() && choices_.Chance(kEvenly)) earlier = enters;
    NodeId awaited = choices_.Of(earlier);
    const NodeId waiting = node.id;
    if (choices_.Chance(kSometimes)) {  // whether it is dead or not
      const NodeId trigger = wiring_.Add("ControlTrigger", {});
      graph_.mutable_node(trigger).control_inputs = {awaited};
      awaited = trigger;
    }
    graph_.mutable_node(waiting).control_inputs.push_back(awaited);
    return true;
  }

  bool DropControl(Node& node) {
    if (node.control_inputs.empty()) return false;
    const uint32_t at = choices_.Below(node.control_inputs.size());
    node.control_inputs.erase(node.control_inputs.begin() + at);
    return true;
  }

  bool BecomeAnotherOp(Node& node) {
    const auto kind = std::ranges::find_if(
        kKinds, [&](const std::vector<std::string_view>& ops) { return IsOneOf(node.op, ops); });
    if (kind == kKinds.end()) return false;
    const std::string_view op = choices_.Of(*kind);
    if (op == node.op) return false;
    // A product of fractions rounds, and each engine has its own order of factors.
    const Result<DType> type = TypeAttr(node, "T");
    if (op == "Prod" && type.ok() && IsFloating(*type)) return false;
    BecomeOp(graph_, node.id, op);
    return true;
  }

  bool HoldAnotherValue(Node& node) {
    if (node.op != "Const") return false;
    const Result<Tensor> value = TensorAttr(node, "value");
    if (!value.ok() || value->num_elements() > 64) return false;
    const std::vector<int64_t> same(value->dims().begin(), value->dims().end());
    const std::vector<int64_t> dims = choices_.Chance(kEvenly) ? same : feeding_.AnyDims();
    std::optional<Tensor> other = feeding_.AnyTensor(value->dtype(), dims);
    if (other) graph_.SetAttr(node.id, "value", *std::move(other));
    return other.has_value();
  }

  // All Switches of one predicate, or one of them, become _SwitchN.
  bool SwitchByNumber(Node& node) {
    if (node.op != "Switch") return false;
    const OutputRef predicate = node.inputs[1];
    const bool is_of_loop = graph_.node(predicate.node).op == "LoopCond";
    if (!wiring_.IsPlain(node.inputs[0]) || (is_of_loop && !choices_.Chance(kSeldom))) return false;
    const NodeId first = node.id;
    const bool all = choices_.Chance(kMostly);
    const NodeId number = wiring_.Add("Cast", {predicate});
    graph_.SetAttr(number, "SrcT", DType::kBool);
    graph_.SetAttr(number, "DstT", DType::kInt32);
    const int64_t ways = choices_.Chance(kMostly) ? 2 : 3;
    for (const NodeId id : graph_.NodeIds()) {
      const Node& other = graph_.node(id);
      const bool is_meant = id == first || (all && other.op == "Switch");
      if (!is_meant || other.inputs[1] != predicate || !wiring_.IsPlain(other.inputs[0])) continue;
      graph_.mutable_node(id).inputs[1] = {number, 0};
      BecomeOp(graph_, id, "_SwitchN");
      graph_.SetAttr(id, "num_outs", ways);
    }
    return true;
  }

  bool JoinAnother(Node& node) {
    if (node.op != "Merge" || !wiring_.IsPlaced(node)) return false;
    const std::optional<OutputRef> other = wiring_.Another(node, node.inputs[0]);
    if (!other) return false;
    node.inputs.insert(node.inputs.begin() + choices_.Between(kNoneOrOne), *other);
    graph_.SetAttr(node.id, "N", static_cast<int64_t>(node.inputs.size()));
    return true;
  }

  bool JoinTurned(Node& node) {
    if (node.op != "Merge" || node.inputs.size() < 2) return false;
    std::ranges::reverse(node.inputs);
    return true;
  }

  bool JoinOneLess(Node& node) {
    if (node.op != "Merge" || node.inputs.size() < 2) return false;
    const uint32_t at = choices_.Below(node.inputs.size());
    if (node.inputs[at].node > node.id) return false;
    node.inputs.erase(node.inputs.begin() + at);
    graph_.SetAttr(node.id, "N", static_cast<int64_t>(node.inputs.size()));
    return true;
  }

  // Where something else has come, too, live or dead.
  bool JoinLater(Node& node) {
    if (node.op != "Merge" || !wiring_.IsPlaced(node)) return false;
    const std::vector<NodeId> earlier = wiring_.Earlier(node);
    if (earlier.empty()) return false;
    node.control_inputs.push_back(choices_.Of(earlier));
    return true;
  }

  // In every iteration, or in the first alone.
  bool EnterOtherwise(Node& node) {
    if (!IsEnter(node)) return false;
    const Result<bool> constant = BoolAttr(node, "is_constant");
    graph_.SetAttr(node.id, "is_constant", !(constant.ok() && *constant));
    return true;
  }

  bool RunAheadOtherwise(Node& node) {
    if (!IsEnter(node)) return false;
    static const std::vector<int64_t> parallel = {1, 2, 3, 10};
    graph_.SetAttr(node.id, "parallel_iterations", choices_.Of(parallel));
    return true;
  }

  bool FetchAnother(Node& node) {
    if (!wiring_.IsPlaced(node) || node.op == "Placeholder") return false;
    if (choices_.Chance(kEvenly)) {
      sample_.targets.push_back(node.name);
      return true;
    }
    const OutputRef output{node.id, choices_.Chance(kSometimes) ? 1 : 0};
    if (wiring_.FrameOf(node.id) != FrameTree::kRoot || !wiring_.IsPlain(output)) return false;
    const std::string name = OutputName(graph_, output);
    if (std::ranges::find(sample_.fetches, name) != sample_.fetches.end()) return false;
    sample_.fetches.insert(sample_.fetches.begin(), name);
    return true;
  }

  // What only a fetch asks for is needed no more: of this node, or of all others.
  bool FetchLess(Node& node) {
    const auto is_of_node = [&](const std::string& fetch) {
      return fetch.substr(0, fetch.find(':')) == node.name;
    };
    if (sample_.fetches.size() < 2 || std::ranges::none_of(sample_.fetches, is_of_node))
      return false;
    const bool drops_others = choices_.Chance(kEvenly);
    std::erase_if(sample_.fetches,
                  [&](const std::string& fetch) { return is_of_node(fetch) != drops_others; });
    return true;
  }

  // A loop variable fails as it goes round, or may, and nobody fetches what leaves the loop of it.
  bool FailGoingRound(Node& node) {
    if (!IsNextIteration(node) || !wiring_.Is(node.inputs[0], DType::kInt32)) return false;
    const NodeId id = node.id;
    const OutputRef input = node.inputs[0];
    const NodeId divisor = wiring_.Add("Const", {});
    graph_.SetAttr(divisor, "dtype", DType::kInt32);
    graph_.SetAttr(divisor, "value", Tensor::Scalar<int32_t>(choices_.Chance(kMostly) ? 0 : 1));
    graph_.mutable_node(divisor).control_inputs = {input.node};
    const NodeId quotient = wiring_.Add("FloorDiv", {input, {divisor, 0}}, DType::kInt32);
    graph_.mutable_node(id).inputs[0] = {quotient, 0};
    const auto leaves_with_it = [&](const std::string& fetch) {
      const NodeId exit = graph_.Find(fetch);
      if (exit == NodeId::kNone || !IsExit(graph_.node(exit))) return false;
      const Node& branch = graph_.node(graph_.node(exit).inputs[0].node);
      if (!IsSwitch(branch)) return false;
      const std::vector<OutputRef>& merged = graph_.node(branch.inputs[0].node).inputs;
      return std::ranges::find(merged, OutputRef{id, 0}) != merged.end();
    };
    const bool has_others = !std::ranges::all_of(sample_.fetches, leaves_with_it);
    if (has_others) std::erase_if(sample_.fetches, leaves_with_it);
    return true;
  }

  bool FeedAnother(Node& node) { return feeding_.FeedAnother(node); }
  bool FeedAnotherShape(Node& node) { return feeding_.FeedAnotherShape(node); }
  bool FeedInside(Node& node) { return feeding_.FeedInside(node); }

  Choices& choices_;
  const bool keeps_variables_;
  const Swarm& recipes_;
  GraphSample& sample_;
  Graph& graph_;
  Wiring wiring_;
  FeedAltering feeding_;
};

// The frames of the whole graph, where there are such.
std::optional<FrameTree> FramesOf(const GraphSample& sample) {
  Result<FrameTree> frames = AssignFrames(sample.graph, AllNodes(sample.graph), {});
  return frames.ok() ? std::optional(*std::move(frames)) : std::nullopt;
}

GraphSample Make(Choices& choices, bool keeps_variables) {
  const Program program = Canonical(GenerateProgram(choices, Small(choices.Chance(kSometimes))));
  Result<Lowered> lowered = Lower(program);
  TAGFLOW_CHECK(lowered.ok());
  GraphSample sample;
  for (int run = 0; run < program.runs; ++run) {
    sample.runs.push_back(FeedsOf(program, *lowered, run));
  }
  sample.fetches = lowered->fetches;
  sample.graph = std::move(lowered->graph);
  const Swarm recipes(Recipes().size(), choices);
  const int alterations = choices.Between(kSeveral);
  std::optional<FrameTree> frames = FramesOf(sample);
  for (int i = 0; i < alterations && frames; ++i) {
    GraphSample changed = sample.Clone();
    if (!Altering(choices, changed, *frames, keeps_variables, recipes).Alter()) continue;
    if (!ValidateGraph(changed.graph).empty()) continue;
    std::optional<FrameTree> changed_frames = FramesOf(changed);
    if (!changed_frames) continue;
    sample = std::move(changed);
    frames = std::move(changed_frames);
  }
  return sample;
}

}  // namespace

GraphSample MakeAltered(Choices& choices) { return Make(choices, true); }
GraphSample MakeAlteredForgetful(Choices& choices) { return Make(choices, false); }

}  // namespace tagflow::fuzz
