// What holds whatever the order of ready nodes. Tested by properties_test.cc.

#include <algorithm>
#include <map>

#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/naive_static.h"
#include "fuzz/graphs/properties.h"
#include "reference/explore.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostExplored = 60;  // firings of a run that is explored
constexpr int64_t kMostOrders = 150;

std::string Where(size_t run, const ReadyOrder& order) {
  return "run " + std::to_string(run) + ", " + order.ToString() + ": ";
}

// The outcomes of a racing run, or nothing where there are too many orders to know them all.
std::optional<std::vector<reference::Outcome>> OutcomesOf(Observer& observer,
                                                          const GraphSample& sample, size_t run) {
  reference::ExploreOptions options;
  options.max_orders = kMostOrders;
  options.max_firings = 4 * kMostExplored;
  Result<reference::Exploration> explored = reference::Explore(
      observer.session(), sample.runs[run], sample.fetches, sample.targets, options);
  if (!explored.ok() || !explored->exhaustive) return std::nullopt;
  return std::move(explored->outcomes);
}

bool Same(const reference::Outcome& outcome, const RunSeen& seen) {
  if (outcome.status.ok() != seen.status.ok()) return false;
  if (!seen.status.ok()) {
    return outcome.status.code() == seen.status.code() &&
           outcome.status.node() == seen.status.node();
  }
  return reference::Outcome{Status(), seen.values, 0}.ToString() == outcome.ToString();
}

Problem IsKnown(const std::optional<std::vector<reference::Outcome>>& outcomes,
                const RunSeen& seen) {
  if (!outcomes || seen.limited()) return std::nullopt;
  for (const reference::Outcome& outcome : *outcomes) {
    if (outcome.status.code() == Code::kResourceExhausted) {
      return "the exploration says that it covers all orders, and one of them does not end";
    }
  }
  for (const reference::Outcome& outcome : *outcomes) {
    if (Same(outcome, seen)) return std::nullopt;
  }
  std::string text = seen.Result() + " (" + seen.status.message() +
                     ") is none of the outcomes that the exploration found:";
  for (const reference::Outcome& outcome : *outcomes) text += "\n  " + outcome.ToString();
  return text;
}

Problem CheckOrders(const GraphSample& sample, const std::vector<ReadyOrder>& orders,
                    ObserveOptions options) {
  Observer observer(sample);
  for (size_t run = 0; run < sample.runs.size(); ++run) {
    const Forecast forecast = Foresee(observer, run, options);
    const reference::Resources before = observer.session().resources().Clone();
    const bool races = !forecast.races.empty();
    options.order = orders.back();
    if (forecast.errors.empty() && !forecast.limited && RacesIn(observer, run, options) != races) {
      return Where(run, orders.back()) + (races ? "no race" : "a race") +
             ", other than in the first order";
    }
    observer.session().resources() = before.Clone();
    std::optional<std::vector<reference::Outcome>> outcomes;
    if (races && !forecast.limited && forecast.first.events.count <= kMostExplored) {
      outcomes = OutcomesOf(observer, sample, run);
    }
    for (const ReadyOrder& order : orders) {
      options.order = order;
      // An exploration leaves the variables as they were.
      if (&order != &orders.front()) observer.session().resources() = before.Clone();
      const RunSeen seen = observer.ObserveRun(run, options);
      const Problem problem = races ? IsKnown(outcomes, seen) : Misses(forecast, seen);
      if (problem) return Where(run, order) + *problem;
    }
    if (!forecast.certain() || !forecast.first.status.ok()) break;
  }
  return std::nullopt;
}

Problem OrdersAgree(const GraphSample& sample, const std::vector<ReadyOrder>& orders,
                    const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  Problem problem = CheckOrders(sample, orders, options);
  if (!problem) return problem;
  options.keep_events = true;  // once more, to say which
  Problem told = CheckOrders(sample, orders, options);
  return told ? told : problem;
}

// The first and the last firing of each iteration, nested frames included.
struct Extent {
  int64_t first = 0;
  int64_t last = 0;
};

class RunAhead {
 public:
  explicit RunAhead(const GraphSample& sample) : frames_(ReadNaiveCall(sample).frames) {}

  void Note(const std::string& tag) {
    const int64_t now = next_++;
    for (std::string around = tag; !around.empty();) {
      const NaivePlace place(around);
      auto& iterations = seen_[{place.parent, place.name}];
      iterations.try_emplace(place.iteration, Extent{now, now}).first->second.last = now;
      around = place.parent;
    }
  }

  Problem Check() const {
    for (const auto& [frame, iterations] : seen_) {
      const std::string& name = frame.second;
      const int64_t parallel = frames_.at(name).parallel;
      for (const auto& [k, extent] : iterations) {
        const auto later = iterations.lower_bound(k + parallel);
        if (later == iterations.end() || later->second.first > extent.last) continue;
        return "under '" + frame.first + "', " + name + "[" + std::to_string(later->first) +
               "] began before " + name + "[" + std::to_string(k) +
               "] had ended, with parallel_iterations " + std::to_string(parallel);
      }
    }
    return std::nullopt;
  }

 private:
  const std::map<std::string, NaiveFrame> frames_;
  // Of a frame under a tag.
  std::map<std::pair<std::string, std::string>, std::map<int64_t, Extent>> seen_;
  int64_t next_ = 0;
};

// That no node of a frame fires before the nodes that it waits for by control edges have, in its
// iteration: the value of a race-free graph does not always show it.
class Waiting {
 public:
  explicit Waiting(const GraphSample& sample) : graph_(sample.graph), awaited_(graph_.id_limit()) {
    std::vector<bool> fed(graph_.id_limit());
    for (const auto& [name, value] : sample.runs.at(0)) {
      fed[Index(graph_.Find(name.substr(0, name.find(':'))))] = true;
    }
    for (const NodeId id : graph_.NodeIds()) {
      for (const NodeId control : graph_.node(id).control_inputs) {
        // The others fire in another frame or iteration, or do not fire.
        const std::string& op = graph_.node(control).op;
        const bool elsewhere =
            op.ends_with("Enter") || op.ends_with("Exit") || op.ends_with("NextIteration");
        if (!elsewhere && !fed[Index(control)]) awaited_[Index(id)].push_back(control);
      }
    }
  }

  void Note(NodeId node, const std::string& tag) {
    std::vector<bool>& fired = fired_[tag];
    fired.resize(graph_.id_limit());
    for (const NodeId control : awaited_[Index(node)]) {
      if (fired[Index(control)] || problem_) continue;
      problem_ = graph_.node(node).name + "@" + tag + " fired before its control input " +
                 graph_.node(control).name;
    }
    fired[Index(node)] = true;
  }

  const Problem& problem() const { return problem_; }

 private:
  const Graph& graph_;
  std::vector<std::vector<NodeId>> awaited_;
  std::map<std::string, std::vector<bool>> fired_;  // by tag
  Problem problem_;
};

}  // namespace

Problem OrdersAgree(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  return OrdersAgree(sample, OrdersOf(1 + choices.Seed()), rules);
}

Problem TwoOrdersAgree(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  std::vector<ReadyOrder> orders = OrdersOf(1 + choices.Seed());
  const ReadyOrder other = choices.Of(orders);
  return OrdersAgree(sample, {other, {ReadyOrder::Kind::kRandom, 1 + choices.Seed()}}, rules);
}

Problem RunsAheadAsAllowed(const GraphSample& sample, Choices& choices,
                           const reference::Rules& rules) {
  Observer observer(sample);
  const uint64_t seed = 1 + choices.Seed();
  for (const ReadyOrder& order :
       {ReadyOrder{ReadyOrder::Kind::kOldIterationsLast, 0}, {ReadyOrder::Kind::kByNode, seed}}) {
    observer.session().Reset();
    for (const NamedTensors& feeds : sample.runs) {
      RunAhead ahead(sample);
      Waiting waiting(sample);
      reference::RunOptions options;
      options.max_firings = 3000;
      options.order = order.Function();
      options.trace = [&](const reference::TraceEvent& event) {
        ahead.Note(event.tag);
        waiting.Note(event.node->id, event.tag);
      };
      const Status status = observer.session()
                                .RunUnder(rules, feeds, sample.fetches, sample.targets, options)
                                .status();
      for (const Problem& problem : {ahead.Check(), waiting.problem()}) {
        if (problem) return order.ToString() + ": " + *problem;
      }
      if (!status.ok()) break;
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
