// tagflow partition: a graph for each device.

#include "transform/partition/partition.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/file.h"
#include "cli/placing.h"
#include "cli/progress_line.h"
#include "cli/read_graph.h"
#include "cli/report.h"
#include "conformance/command/args.h"
#include "graph/device_name.h"
#include "graph/io/export.h"
#include "graph/unknown_ops.h"
#include "transform/lower/lower.h"
#include "transform/placement/graph_costs.h"
#include "transform/placement/placement.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kHelp =
    R"(tagflow partition GRAPH --devices NAME,NAME... [--by-cost] --out DIR [--fetch NAME]...

Cuts a TensorFlow graph into a graph for each device, joined by _Send and _Recv, and writes them to
DIR/part_0.pb, part_1.pb, ... in the order of --devices. GRAPH is a GraphDef, binary or text: its
content says which.

  --devices LIST  the devices there are, by commas: /device:CPU:0,/device:CPU:1. A node goes where
                  its device attr says, in whole or in part; one that says nothing goes to the
                  first, but Switch, Merge and Exit go with what they take. Nodes that share a
                  variable, a reference or a handle are together, and so are those that ask for it
                  (_class: "loc:@NAME")
  --by-cost       a node that says nothing goes where the step is estimated to be over soonest:
                  `tagflow show --placement` explains
  --compress      floats cross as bfloat16: 16 bits of each are lost
  --recvs WHEN    when a device receives: late, the default: as late as the critical path allows, by
                  the estimates of `tagflow show --placement`, so that less memory is taken;
                  at-once: as soon as an iteration begins
  --out DIR       where to; it is made if it is not there
  --fetch NAME    a tensor that is to be fetched; --target NAME, a node to be run. Only what these
                  need is in the parts; without any, everything is. May be given again
  --feed NAME     a tensor that will be fed, so that what it is computed from is not needed
  --text          as text: part_0.pbtxt, ...

A tensor crosses once for each device that takes it, dead or live: a branch not taken is told to the
other side by dead tokens. A loop that is on several devices has a loop on each, which counts along:

  again/_loop_enter -> _loop_merge -> _loop_switch -> _loop_next, back to the Merge

It takes the predicate of the loop's LoopCond, which is sent to every device once per iteration, and
its Merge lets the iteration's Recvs begin. So a loop over devices needs a LoopCond that ends all of
its variables. An Enter or NextIteration is wherever something takes it. Whoever runs the parts runs
all Sends. The rules are [partition.1] to [partition.5] in docs/semantics.md.

  $ tagflow partition g.pb --devices /device:CPU:0,/device:CPU:1 --fetch out --out parts
  parts/part_0.pb  /device:CPU:0  31 nodes, 3 Sends, 1 Recv
  parts/part_1.pb  /device:CPU:1  17 nodes, 1 Send, 3 Recvs
  $ tagflow show parts/part_1.pb

Exit code: 0 fine; 1 the graph cannot be cut so; 2 the command line makes no sense; 3 the graph cannot
be read, or DIR not be written.
)";

const std::vector<OptionSpec> kOptions = {{"--devices"},     {"--by-cost", false},  {"--out"},
                                          {"--fetch"},       {"--target"},          {"--feed"},
                                          {"--text", false}, {"--compress", false}, {"--recvs"},
                                          {"--help", false}};

int UsageError(const Status& status) {
  std::fprintf(stderr, "%sSee 'tagflow partition --help'.\n", ErrorText(status).c_str());
  return kExitUsage;
}

int Failed(const Status& status, int exit_code) {
  std::fputs(ErrorText(status).c_str(), stderr);
  return exit_code;
}

Result<Placement> PlacementFor(const Graph& graph, const CallSpec& call,
                               const std::vector<std::string>& devices, const Args& args,
                               const OpLibrary& library) {
  const ProgressLine line("placing");
  if (!args.Has("--by-cost")) return PlaceAsAsked(graph, devices);
  TAGFLOW_ASSIGN_OR_RETURN(const DeviceCatalog catalog, CatalogOf(devices, {}, library));
  PlacementOptions options;
  options.call = call;
  TAGFLOW_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, catalog, options));
  return std::move(report.placement);
}

Result<std::vector<DevicePart>> Parts(const Graph& graph, const CallSpec& call,
                                      const Placement& placement, RecvStart recvs,
                                      bool compresses_floats) {
  const ProgressLine line("cutting");
  PartitionOptions options;
  options.recvs = recvs;
  options.compresses_floats = compresses_floats;
  // Only late ones ask what things cost.
  if (recvs == RecvStart::kAtOnce) return PartitionCall(graph, call, placement, options);
  std::vector<DeviceInfo> devices;
  for (const std::string& name : placement.devices) {
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceName parsed, ParseDeviceName(name));
    devices.push_back({name, parsed.kind.value_or("CPU")});
  }
  const CostOptions costs;
  const GraphCosts graph_costs(graph, devices, costs);
  options.times = StepTimesBy(graph_costs, graph);
  return PartitionCall(graph, call, placement, options);
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Contents(const Graph& graph) {
  auto count = [&](std::string_view op) {
    const std::vector<NodeId> ids = graph.NodeIds();
    return std::ranges::count_if(ids, [&](NodeId id) { return graph.node(id).op == op; });
  };
  return Counted(static_cast<int64_t>(graph.num_nodes()), "node") + ", " +
         Counted(count("_Send"), "Send") + ", " + Counted(count("_Recv"), "Recv");
}

Status WritePart(const DevicePart& part, const std::string& path, bool as_text) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, as_text ? ExportGraphToText(part.graph)
                                                            : ExportGraphToBytes(part.graph));
  return WriteFile(path, bytes);
}

int WriteParts(const std::vector<DevicePart>& parts, const std::string& folder, bool as_text) {
  if (Status status = MakeFolder(folder); !status.ok()) return Failed(status, kExitBadInput);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string path = folder + "/part_" + std::to_string(i) + (as_text ? ".pbtxt" : ".pb");
    const Status status = WritePart(parts[i], path, as_text);
    if (!status.ok()) return Failed(status, kExitBadInput);
    std::printf("%s  %s  %s\n", path.c_str(), parts[i].device.c_str(),
                Contents(parts[i].graph).c_str());
  }
  return kExitOk;
}

}  // namespace

int PartitionCommand(const std::vector<std::string>& words, const OpLibrary& library) {
  const Result<Args> args = Args::Parse(words, kOptions);
  if (!args.ok()) return UsageError(args.status());
  if (args->Has("--help")) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kExitOk;
  }
  if (args->operands().size() != 1) return UsageError(InvalidArgument("partition takes one graph"));
  if (!args->Has("--devices") || !args->Has("--out")) {
    return UsageError(InvalidArgument("partition needs --devices and --out"));
  }
  const Result<std::vector<std::string>> devices = DevicesOf(args->Last("--devices"));
  if (!devices.ok()) return UsageError(devices.status());
  const Result<RecvStart> recvs = RecvStartOf(*args);
  if (!recvs.ok()) return UsageError(recvs.status());
  Result<Graph> graph = ReadGraph(args->operands()[0], library.ops);
  if (!graph.ok()) return Failed(graph.status(), kExitBadInput);
  LowerFunctions(*graph);
  StandInForUnknownOps(*graph);
  const Result<CallSpec> call = CallOf(*graph, *args);
  if (!call.ok()) return Failed(call.status(), kExitBadInput);
  const Result<Placement> placement = PlacementFor(*graph, *call, *devices, *args, library);
  if (!placement.ok()) return Failed(placement.status(), kExitFailed);
  Result<std::vector<DevicePart>> parts =
      Parts(*graph, *call, *placement, *recvs, args->Has("--compress"));
  if (!parts.ok()) return Failed(parts.status(), kExitFailed);
  for (DevicePart& part : *parts) RestoreUnknownOps(part.graph);
  return WriteParts(*parts, args->Last("--out"), args->Has("--text"));
}

}  // namespace tagflow::cli
