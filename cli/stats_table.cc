#include "cli/stats_table.h"

#include <algorithm>
#include <cstdio>

#include "cli/report.h"
#include "conformance/command/json.h"

namespace tagflow::cli {
namespace {

using optimized::KernelStats;
using Row = optimized::StatsObserver::Row;
using Cells = std::vector<std::string>;

constexpr size_t kNodesShown = 20;

std::string ShareText(int64_t part, int64_t whole) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

Cells CellsOf(Cells names, const KernelStats& stats, int64_t whole) {
  const int64_t mean = stats.count == 0 ? 0 : stats.total_ns / stats.count;
  for (const std::string& cell :
       {CountText(stats.count), TimeText(stats.total_ns), ShareText(stats.total_ns, whole),
        TimeText(mean), TimeText(stats.min_ns), TimeText(stats.max_ns)}) {
    names.push_back(cell);
  }
  return names;
}

std::string OpTable(const StatsReport& report) {
  std::vector<Cells> rows = {{"op", "kernels", "total", "share", "mean", "min", "max"}};
  for (const Row& row : report.ops) {
    rows.push_back(CellsOf({row.op}, row.stats, report.kernels.total_ns));
  }
  return AlignedText(rows, 1);
}

std::string NodeTable(const StatsReport& report) {
  std::vector<Cells> rows = {{"node", "op", "kernels", "total", "share", "mean", "min", "max"}};
  const size_t shown = std::min(kNodesShown, report.nodes.size());
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = report.nodes[i];
    rows.push_back(CellsOf({row.node, row.op}, row.stats, report.kernels.total_ns));
  }
  std::string text = AlignedText(rows, 2);
  if (shown < report.nodes.size()) {
    text += "and " + CountText(static_cast<int64_t>(report.nodes.size() - shown)) +
            " nodes more, which --json has\n";
  }
  return text;
}

std::string RowJson(const Row& row) {
  const std::string node = row.node.empty() ? "" : "\"node\":" + JsonString(row.node) + ",";
  return "{" + node + "\"op\":" + JsonString(row.op) +
         ",\"count\":" + std::to_string(row.stats.count) +
         ",\"total_ns\":" + std::to_string(row.stats.total_ns) +
         ",\"min_ns\":" + std::to_string(row.stats.min_ns) +
         ",\"max_ns\":" + std::to_string(row.stats.max_ns) + "}";
}

std::string RowsJson(const std::vector<Row>& rows) {
  std::string json;
  for (const Row& row : rows) json += (json.empty() ? "" : ",") + RowJson(row);
  return "[" + json + "]";
}

}  // namespace

StatsReport ReportOf(const optimized::StatsObserver& stats) {
  return {stats.steps(), stats.kernels(), optimized::StatsObserver::ClockCostNs(), stats.ByOp(),
          stats.ByNode()};
}

std::string StatsText(const StatsReport& report) {
  const std::string text =
      CountText(report.steps.count) + (report.steps.count == 1 ? " step" : " steps") + " in " +
      TimeText(report.steps.total_ns) + "; " + CountText(report.kernels.count) + " kernels in " +
      TimeText(report.kernels.total_ns) + ". Each time holds a look at the clock, " +
      TimeText(report.clock_ns) + ".\n";
  if (report.ops.empty()) return text;
  return text + "\n" + OpTable(report) + "\n" + NodeTable(report);
}

std::string StatsJson(const StatsReport& report) {
  return "{\"steps\":" + std::to_string(report.steps.count) +
         ",\"steps_ns\":" + std::to_string(report.steps.total_ns) +
         ",\"kernels\":" + std::to_string(report.kernels.count) +
         ",\"kernels_ns\":" + std::to_string(report.kernels.total_ns) +
         ",\"clock_ns\":" + std::to_string(report.clock_ns) + ",\"ops\":" + RowsJson(report.ops) +
         ",\"nodes\":" + RowsJson(report.nodes) + "}";
}

std::string TimeText(double ns) {
  char text[32];
  if (ns < 999.5) {
    std::snprintf(text, sizeof(text), "%.0f ns", ns);
  } else if (ns < 999.5e3) {
    std::snprintf(text, sizeof(text), "%.3g us", ns / 1e3);
  } else if (ns < 999.5e6) {
    std::snprintf(text, sizeof(text), "%.3g ms", ns / 1e6);
  } else {
    std::snprintf(text, sizeof(text), "%.2f s", ns / 1e9);
  }
  return text;
}

std::string CountText(int64_t count) {
  std::string text = std::to_string(count);
  for (int i = static_cast<int>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<size_t>(i), 1, ',');
  }
  return text;
}

std::string AlignedText(const std::vector<std::vector<std::string>>& rows, size_t names) {
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      text += (i == 0 ? "" : "  ") + (i < names ? row[i] + blanks : blanks + row[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace tagflow::cli
