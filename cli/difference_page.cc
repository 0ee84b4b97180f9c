#include "cli/difference_page.h"

#include <algorithm>
#include <utility>

#include "cli/explore/explore_json.h"
#include "cli/explore/page.h"

namespace tagflow::cli {
namespace {

// Firings that the page holds: more of them nobody goes through.
constexpr size_t kMostFirings = 100'000;

// Where the events of a call are among those of the trace.
struct Range {
  size_t begin;
  size_t end;
};

Range EventsOf(const fuzz::TokenTrace& trace, size_t call) {
  const auto of = [](const fuzz::TokenEvent& event) { return event.call; };
  const auto found = std::ranges::equal_range(trace.events, call, {}, of);
  const auto begin = static_cast<size_t>(found.begin() - trace.events.begin());
  return {begin, begin + found.size()};
}

reference::TraceEvent FiringOf(const fuzz::TokenEvent& event, const Graph& graph, Range range) {
  reference::TraceEvent firing;
  firing.node = &graph.node(event.node);
  firing.tag = event.tag;
  firing.dead = event.dead;
  firing.outputs = event.outputs;
  for (const int64_t input : event.inputs) {
    firing.inputs.push_back(input < 0 ? -1 : input - static_cast<int64_t>(range.begin));
  }
  return firing;
}

}  // namespace

std::string DifferencePage(const std::string& title, const fuzz::CallSequence& calls,
                           const ComparedTraces& traces) {
  const std::optional<fuzz::TokenDifference>& first = traces.first;
  const size_t call = first.has_value() ? first->call : calls.calls.size() - 1;
  const Range range = EventsOf(traces.expected, call);
  ExploredStep step;
  step.feeds = calls.calls[call].feeds;
  step.total = static_cast<int64_t>(range.end - range.begin);
  for (size_t i = range.begin; i < std::min(range.end, range.begin + kMostFirings); ++i) {
    step.firings.push_back(FiringOf(traces.expected.events[i], calls.graph, range));
  }
  if (call + 1 == calls.calls.size()) step.status = traces.expected.status;
  ComparedRun& other = step.other.emplace();
  other.name = traces.actual_name;
  other.against = traces.expected_name;
  if (first.has_value()) other.first = ToText(*first, other.name, other.against);
  for (auto& [event, text] : AllDifferences(calls, traces.actual, traces.expected)) {
    if (event < range.begin || event - range.begin >= step.firings.size()) continue;
    other.differences.emplace(event - range.begin, std::move(text));
  }
  return PageWith(ExploreJson(title, calls.graph, step));
}

}  // namespace tagflow::cli
