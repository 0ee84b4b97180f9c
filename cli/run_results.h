#ifndef TAGFLOW_CLI_RUN_RESULTS_H_
#define TAGFLOW_CLI_RUN_RESULTS_H_

// What `tagflow run` prints and writes in the end, as its options say.

#include <string>
#include <vector>

#include "conformance/command/args.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device.h"
#include "optimized/observer_stats.h"

namespace tagflow::cli {

// Writes files and prints the values, of the fetches in order, and the figures that are asked for.
//   names: of the fetches, as users know them
//   Errors: of writing the files; then nothing is printed
Status DeliverResults(const Args& args, const std::vector<std::string>& names,
                      const std::vector<Tensor>& values, const optimized::StatsObserver& stats,
                      const optimized::DeviceReport& devices);

// Prints the error, where to look for help if the exit code says so, and, where a step was run, the
// figures that are asked for.
void ReportFailure(const Args& args, const Status& failure, int exit_code,
                   const optimized::StatsObserver& stats);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_RUN_RESULTS_H_
