#include "fuzz/partition/check_small_graphs.h"

#include <algorithm>
#include <utility>

#include "fuzz/partition/expected_messages.h"
#include "fuzz/partition/placed_session.h"
#include "fuzz/partition/stand_ins.h"

namespace tagflow::fuzz {
namespace {

// More than any of these graphs takes.
constexpr int64_t kMostFirings = 10'000;

std::string ValuesText(const Result<std::vector<Tensor>>& values) {
  if (!values.ok()) return values.status().ToString() + "\n";
  std::string text;
  for (const Tensor& value : *values) text += value.DebugString() + "\n";
  return text;
}

// What a call of the whole graph gives, and what happens in it.
struct Whole {
  std::string values;
  std::vector<reference::TraceEvent> events;
};

class Checker {
 public:
  explicit Checker(const Space& space) : space_(space) {}

  Coverage Run() {
    coverage_.graphs = ForEachBody(space_.body, [this](const Body& body) {
      const SmallGraph small =
          BuildSmallGraph(body, space_.surroundings, space_.parallel_iterations);
      const bool mirrored = space_.stand_ins && space_.surroundings == Surroundings::kCond &&
                            MirrorImage(body) < body;
      std::vector<int> devices(small.units.size());
      if (mirrored) {
        ForEachPlacement(1, 0, devices, [this] { ++coverage_.placements, ++coverage_.stood_for; });
      } else {
        CheckGraph(small, body, devices);
      }
      return !coverage_.problem;
    });
    return std::move(coverage_);
  }

 private:
  // devices: room for a placement of its units.
  void CheckGraph(const SmallGraph& small, const Body& body, std::vector<int>& devices) {
    std::vector<Whole> wanted;
    auto session = reference::Session::Create(small.graph.Clone());
    for (const SmallGraph::Call& call : small.calls) {
      Whole& whole = wanted.emplace_back();
      reference::RunOptions options;
      options.max_firings = kMostFirings;
      options.trace = [&](const reference::TraceEvent& event) { whole.events.push_back(event); };
      const Result<std::vector<Tensor>> values =
          (*session)->Run(call.feeds, {small.fetch}, {}, options);
      if (!values.ok()) return Complain(small, "whole: " + values.status().ToString());
      whole.values = ValuesText(values);
    }
    ForEachPlacement(1, 0, devices, [&] {
      ++coverage_.placements;
      if (space_.stand_ins && FindStandIn({body, devices}, space_.surroundings, small)) {
        ++coverage_.stood_for;
      } else {
        CheckPlacement(small, (*session)->graph(), wanted, PlaceUnits(small, devices));
      }
    });
  }

  // Which device each unit is on; a device is used only when those before it are.
  template <typename F>
  void ForEachPlacement(size_t unit, int highest, std::vector<int>& devices, const F& use) {
    if (coverage_.problem) return;
    if (unit == devices.size()) return use();
    for (int device = 0; device <= std::min(highest + 1, space_.devices - 1); ++device) {
      devices[unit] = device;
      ForEachPlacement(unit + 1, std::max(highest, device), devices, use);
    }
  }

  // graph: small.graph, or a copy of it, which `wanted` points to.
  void CheckPlacement(const SmallGraph& small, const Graph& graph, const std::vector<Whole>& wanted,
                      const Placement& placement) {
    std::vector<std::string> feeds;
    for (const auto& [name, value] : small.calls[0].feeds) feeds.push_back(name);
    const Result<CallSpec> call = ResolveCall(graph, feeds, {small.fetch}, {});
    const ExpectedMessages messages(graph, *call, placement);
    PlacedSession session(graph.Clone(), placement, space_.options, *space_.rules);
    for (size_t i = 0; i < wanted.size() && !coverage_.problem; ++i) {
      const std::string sent = space_.messages_too ? messages.After(wanted[i].events) : "";
      CheckCall(small, session, i, wanted[i].values + sent);
    }
  }

  void CheckCall(const SmallGraph& small, PlacedSession& session, size_t call,
                 const std::string& wanted) {
    ++coverage_.calls;
    reference::RunOptions options;
    options.max_firings = kMostFirings;
    auto run = [&](const reference::Delivery& delivery) {
      const auto values =
          session.Run(small.calls[call].feeds, {small.fetch}, {}, options, delivery);
      return ValuesText(values) +
             (values.ok() && space_.messages_too ? TextOf(session.last().sent()) : "");
    };
    const MessageOrders orders = TryMessageOrders(run, wanted, space_.orders);
    coverage_.states += orders.states;
    coverage_.runs += orders.runs;
    if (!orders.problem) return;
    std::string where;
    for (const NodeId id : small.graph.NodeIds()) {
      const std::string& device = session.placement().device_of[Index(id)];
      if (device != "a") where += " " + small.graph.node(id).name + "=" + device;
    }
    Complain(small, small.calls[call].about + ", placed" + where + ":\n" + *orders.problem);
  }

  void Complain(const SmallGraph& small, const std::string& what) {
    coverage_.problem = what + "\n" + fuzz::TextOf(small);
  }

  const Space& space_;
  Coverage coverage_;
};

}  // namespace

void Coverage::Add(const Coverage& other) {
  graphs += other.graphs;
  placements += other.placements;
  stood_for += other.stood_for;
  calls += other.calls;
  states += other.states;
  runs += other.runs;
  if (!problem) problem = other.problem;
}

std::string Coverage::ToString() const {
  return std::to_string(graphs) + " graphs, " + std::to_string(placements) + " placements (" +
         std::to_string(stood_for) + " stood for by others), " + std::to_string(calls) +
         " calls, " + std::to_string(states) + " states, " + std::to_string(runs) + " runs";
}

Coverage CheckSmallGraphs(const Space& space) { return Checker(space).Run(); }

}  // namespace tagflow::fuzz
