#include "cli/show_placement.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "cli/file.h"
#include "cli/placing.h"
#include "cli/progress_line.h"
#include "cli/stats_table.h"
#include "transform/lower/lower.h"
#include "transform/placement/measured_times.h"

namespace tagflow::cli {
namespace {

Result<MeasuredTimes> TimesOf(const Args& args) {
  if (!args.Has("--times")) return MeasuredTimes();
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, ReadFile(args.Last("--times")));
  return ParseMeasuredTimes(text);
}

}  // namespace

std::string PlacementText(const Graph& graph, const PlacementReport& report) {
  std::vector<std::vector<std::string>> estimates = {{"a step, as estimated", "", ""}};
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const PlacementCandidate& candidate = report.candidates[i];
    estimates.push_back({"  " + candidate.name, TimeText(candidate.makespan_ns),
                         i == report.chosen            ? "chosen"
                         : candidate.lacks_memory >= 0 ? "does not fit the memory"
                                                       : ""});
  }
  std::vector<std::vector<std::string>> nodes = {{"node", "op", "device", "why"}};
  int left_out = 0;
  for (const NodeId id : graph.NodeIds()) {
    const std::string& why = report.reasons[Index(id)];
    left_out += why == "not needed" ? 1 : 0;
    if (why == "not needed") continue;
    nodes.push_back(
        {graph.node(id).name, graph.node(id).op, report.placement.device_of[Index(id)], why});
  }
  std::string text = AlignedText(estimates, 3) + "\n" + AlignedText(nodes, 4);
  if (left_out > 0) text += "and " + CountText(left_out) + " that the call does not need\n";
  return text;
}

PlacementFailure ShowPlacement(const Graph& graph, const Args& args, const OpLibrary& library) {
  Graph lowered = graph.Clone();  // what the engine places
  LowerFunctions(lowered);
  const Result<std::vector<std::string>> devices = DevicesOf(args.Last("--devices"));
  if (!devices.ok()) return {devices.status(), kExitUsage};
  const Result<DeviceCatalog> catalog = CatalogOf(*devices, args.All("--without"), library);
  if (!catalog.ok()) return {catalog.status(), kExitUsage};
  Result<CallSpec> call = CallOf(lowered, args);
  if (!call.ok()) return {call.status(), kExitBadInput};
  Result<MeasuredTimes> times = TimesOf(args);
  if (!times.ok()) return {times.status(), kExitBadInput};
  PlacementOptions options{args.Has("--soft-placement"), *std::move(call), {}};
  options.costs.measured = *std::move(times);
  const Result<PlacementReport> report = [&] {
    const ProgressLine line("placing");
    return Place(lowered, *catalog, options);
  }();
  if (!report.ok()) return {report.status(), kExitFailed};
  std::fputs(PlacementText(lowered, *report).c_str(), stdout);
  return {};
}

}  // namespace tagflow::cli
