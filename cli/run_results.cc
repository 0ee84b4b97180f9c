#include "cli/run_results.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/device_options.h"
#include "cli/file.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "cli/result_text.h"
#include "cli/stats_table.h"
#include "conformance/command/json.h"
#include "transform/placement/measured_times.h"

namespace tagflow::cli {
namespace {

Status WriteTimes(const optimized::StatsObserver& stats, const std::string& path) {
  const auto steps = static_cast<double>(stats.steps().count);
  MeasuredTimes times;
  for (const auto& [node, op, ran] : stats.ByNode()) {
    const auto count = static_cast<double>(ran.count);
    times[node] = {static_cast<double>(ran.total_ns) / count, count / steps};
  }
  return WriteFile(path, MeasuredTimesText(times));
}

std::string StatsField(const optimized::StatsObserver& stats) {
  return ",\"stats\":" + StatsJson(ReportOf(stats));
}

void PrintText(const Args& args, const std::vector<std::string>& names,
               const std::vector<Tensor>& values, const std::vector<std::string>& paths,
               const optimized::StatsObserver& stats, const optimized::DeviceReport& devices) {
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%s: ", names[i].c_str());
    WriteResult(values[i], args.Has("--full"),
                [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    std::putchar('\n');
  }
  if (args.Has("--stats")) std::printf("\n%s", StatsText(ReportOf(stats)).c_str());
  std::fputs(DeviceText(devices).c_str(), stderr);
  const bool tells_how = args.Has("--stats") && !devices.devices.empty();
  if (tells_how) std::fprintf(stderr, "the call ran by %s\n", devices.about.c_str());
  for (const std::string& path : paths) std::fprintf(stderr, "wrote %s\n", path.c_str());
}

void PrintJson(const Args& args, const std::vector<std::string>& names,
               const std::vector<Tensor>& values, const std::vector<std::string>& paths,
               const optimized::StatsObserver& stats) {
  std::string json = "{" + OutputsJson(names, values) + ",\"files\":[";
  for (size_t i = 0; i < paths.size(); ++i) json += (i == 0 ? "" : ",") + JsonString(paths[i]);
  std::printf("%s]%s}\n", json.c_str(), args.Has("--stats") ? StatsField(stats).c_str() : "");
}

}  // namespace

Status DeliverResults(const Args& args, const std::vector<std::string>& names,
                      const std::vector<Tensor>& values, const optimized::StatsObserver& stats,
                      const optimized::DeviceReport& devices) {
  std::vector<std::string> paths;
  if (args.Has("--out")) {
    TAGFLOW_ASSIGN_OR_RETURN(paths, WriteOutputs(args.Last("--out"), names, values));
  }
  if (args.Has("--times")) {
    paths.push_back(args.Last("--times"));
    TAGFLOW_RETURN_IF_ERROR(WriteTimes(stats, paths.back()));
  }
  if (args.Has("--json")) {
    PrintJson(args, names, values, paths, stats);
  } else {
    PrintText(args, names, values, paths, stats, devices);
  }
  return Status();
}

void ReportFailure(const Args& args, const Status& failure, int exit_code,
                   const optimized::StatsObserver& stats) {
  std::fputs(ErrorText(failure).c_str(), stderr);
  if (exit_code == kExitUsage) std::fputs("See 'tagflow run --help'.\n", stderr);
  // Of a step that failed.
  const bool has_stats = args.Has("--stats") && stats.steps().count > 0;
  if (args.Has("--json")) {
    std::printf("{\"error\":%s%s}\n", ErrorJson(failure).c_str(),
                has_stats ? StatsField(stats).c_str() : "");
  } else if (has_stats) {
    std::printf("%s", StatsText(ReportOf(stats)).c_str());
  }
}

}  // namespace tagflow::cli
