#include "optimized/observer_stats.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tagflow::optimized {
namespace {

int64_t NsBetween(std::chrono::steady_clock::time_point begin,
                  std::chrono::steady_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
}

std::vector<StatsObserver::Row> Sorted(const std::map<std::string, StatsObserver::Row>& by_name) {
  std::vector<StatsObserver::Row> rows;
  for (const auto& [name, row] : by_name) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.stats.total_ns > b.stats.total_ns;
  });
  return rows;
}

}  // namespace

void KernelStats::Add(int64_t ns) {
  min_ns = count == 0 ? ns : std::min(min_ns, ns);
  max_ns = std::max(max_ns, ns);
  total_ns += ns;
  ++count;
}

void KernelStats::Add(const KernelStats& more) {
  if (more.count == 0) return;
  min_ns = count == 0 ? more.min_ns : std::min(min_ns, more.min_ns);
  max_ns = std::max(max_ns, more.max_ns);
  total_ns += more.total_ns;
  count += more.count;
}

void StatsObserver::StepBegins() { lanes_.Mine().step_begin = Clock::now(); }

void StatsObserver::StepEnds(const Status& /*status*/) {
  Lane& lane = lanes_.Mine();
  lane.steps.Add(NsBetween(lane.step_begin, Clock::now()));
}

void StatsObserver::KernelBegins(const Node& /*node*/, KernelContext& /*context*/) {
  lanes_.Mine().running.push_back({Clock::now(), 0});
}

void StatsObserver::KernelEnds(const Node& node, KernelContext& /*context*/,
                               const Status& /*status*/) {
  const Clock::time_point end = Clock::now();
  Lane& lane = lanes_.Mine();
  const Begun begun = lane.running.back();
  lane.running.pop_back();
  const int64_t ns = NsBetween(begun.begin, end);
  if (!lane.running.empty()) lane.running.back().inner_ns += ns;
  NodeStats& mine = lane.nodes[&node];
  if (mine.name != node.name) {
    if (mine.stats.count > 0) lane.gone.push_back(std::move(mine));
    mine = {node.name, node.op, {}};
  }
  mine.stats.Add(ns - begun.inner_ns);
}

std::vector<StatsObserver::Row> StatsObserver::ByOp() const {
  std::map<std::string, Row> ops;
  for (const Row& row : ByNode()) {
    Row& op = ops[row.op];
    op.op = row.op;
    op.stats.Add(row.stats);
  }
  return Sorted(ops);
}

std::vector<StatsObserver::Row> StatsObserver::ByNode() const {
  std::map<std::string, Row> rows;
  const auto add = [&rows](const NodeStats& one) {
    Row& row = rows[one.name];
    row.node = one.name;
    row.op = one.op;
    row.stats.Add(one.stats);
  };
  for (const auto& lane : lanes_.All()) {
    for (const auto& [node, one] : lane->nodes) add(one);
    std::ranges::for_each(lane->gone, add);
  }
  return Sorted(rows);
}

KernelStats StatsObserver::steps() const {
  KernelStats steps;
  for (const auto& lane : lanes_.All()) steps.Add(lane->steps);
  return steps;
}

KernelStats StatsObserver::kernels() const {
  KernelStats kernels;
  for (const auto& lane : lanes_.All()) {
    for (const auto& [node, one] : lane->nodes) kernels.Add(one.stats);
    for (const NodeStats& one : lane->gone) kernels.Add(one.stats);
  }
  return kernels;
}

int64_t StatsObserver::ClockCostNs() {
  constexpr int kLooks = 1000;
  int64_t least = INT64_MAX;
  for (int i = 0; i < kLooks; ++i) {
    const Clock::time_point begin = Clock::now();
    least = std::min(least, NsBetween(begin, Clock::now()));
  }
  return least;
}

}  // namespace tagflow::optimized
