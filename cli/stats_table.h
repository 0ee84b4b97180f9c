#ifndef TAGFLOW_CLI_STATS_TABLE_H_
#define TAGFLOW_CLI_STATS_TABLE_H_

// How the figures of `tagflow run --stats` look.

#include <cstdint>
#include <string>
#include <vector>

#include "optimized/observer_stats.h"

namespace tagflow::cli {

struct StatsReport {
  optimized::KernelStats steps;
  optimized::KernelStats kernels;
  int64_t clock_ns = 0;  // what a look at the clock costs; it is in every figure
  std::vector<optimized::StatsObserver::Row> ops, nodes;  // what took longest first
};

StatsReport ReportOf(const optimized::StatsObserver& stats);

// Two tables, ops and the first of the nodes, below a line that sums them up.
std::string StatsText(const StatsReport& report);
// {"steps","steps_ns","kernels","kernels_ns","clock_ns","ops":[…],"nodes":[…]}, a row being
// {"node","op","count","total_ns","min_ns","max_ns"}, of an op without "node".
std::string StatsJson(const StatsReport& report);

// "812 ns", "1.25 us", "31.4 ms", "2.00 s".
std::string TimeText(double ns);
// "1,234,567".
std::string CountText(int64_t count);
// Rows of as many cells each, in columns: the first `names` flush left, the others flush right.
std::string AlignedText(const std::vector<std::vector<std::string>>& rows, size_t names);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_STATS_TABLE_H_
