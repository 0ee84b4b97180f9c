// What each stage of the product costs as a graph grows:
//
//   growth FAMILY [SIZES]
//
// makes SIZES (5) graphs of a family, each twice as large as the one before, takes each through the
// stages, and prints a line for each graph and stage:
//
//   FAMILY N STAGE IN OUT PEAK
//
// where IN and OUT are what went in and came out (bytes of graphs, files and texts, values,
// firings of the reference), and PEAK the bytes that were allocated at a time beside what was there
// before. Under callgrind, which counts the instructions, each line has a profile whose description
// names it: growth_test.py reads both.
//
// Without a family: prints their names and what grows in them.

#include <malloc.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/describe.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "optimized/session.h"
#include "reference/session.h"
#include "tools/growth/families.h"
#include "transform/gradients/gradients.h"
#include "transform/partition/partition.h"

namespace {

// Of what operator new gave and operator delete did not get back. One thread.
int64_t live_bytes = 0;
int64_t peak_bytes = 0;

void* Allocated(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<int64_t>(malloc_usable_size(block));
  peak_bytes = std::max(peak_bytes, live_bytes);
  return block;
}
void Release(void* block) {
  if (block != nullptr) live_bytes -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return Allocated(std::malloc(size)); }
void* operator new[](size_t size) { return Allocated(std::malloc(size)); }
void* operator new(size_t size, std::align_val_t alignment) {
  const auto multiple = static_cast<size_t>(alignment);
  return Allocated(std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple));
}
void operator delete(void* block) noexcept { Release(block); }
void operator delete[](void* block) noexcept { Release(block); }
void operator delete(void* block, size_t) noexcept { Release(block); }
void operator delete[](void* block, size_t) noexcept { Release(block); }
void operator delete(void* block, std::align_val_t) noexcept { Release(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { Release(block); }

namespace tagflow::growth {
namespace {

// In bytes, about as a file has it: names of nested scopes are as long as the nest is deep.
size_t SizeOf(const Graph& graph) {
  size_t size = 0;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    size += 16 + node.name.size();
    for (const OutputRef& input : node.inputs) size += graph.node(input.node).name.size();
    for (const NodeId control : node.control_inputs) size += graph.node(control).name.size();
  }
  return size;
}

// A stage: gives what came out, by its size.
using Work = std::function<Result<size_t>()>;

class Meter {
 public:
  Meter(std::string_view family, int n) : label_(std::string(family) + " " + std::to_string(n)) {}

  // Takes `work` into account as a stage that gets `in`. A stage that cannot be had for the graph,
  // as straight code for what needs tokens, is left out, and the reason is printed.
  Status Measure(const std::string& stage, size_t in, const Work& work) const {
    const int64_t before = live_bytes;
    peak_bytes = before;
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    const Result<size_t> out = work();
    const std::string line = label_ + " " + stage;
    CALLGRIND_DUMP_STATS_AT(line.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
    if (out.status().code() == Code::kUnimplemented) {
      std::printf("# %s: %s\n", line.c_str(), out.status().message().c_str());
      return Status();
    }
    if (!out.ok()) return out.status();
    std::printf("%s %zu %zu %lld\n", line.c_str(), in, *out,
                static_cast<long long>(peak_bytes - before));
    std::fflush(stdout);
    return Status();
  }

 private:
  const std::string label_;
};

Result<Graph> Copy(const Graph& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ExportGraphToBytes(graph));
  return ImportGraphFromBytes(bytes);
}

Status MeasureFiles(const Meter& meter, const Graph& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ExportGraphToBytes(graph));
  TAGFLOW_RETURN_IF_ERROR(meter.Measure("import", bytes.size(), [&]() -> Result<size_t> {
    TAGFLOW_ASSIGN_OR_RETURN(const Graph imported, ImportGraphFromBytes(bytes));
    return SizeOf(imported);
  }));
  return meter.Measure("show", SizeOf(graph), [&]() -> Result<size_t> {
    std::string problem;
    return cli::DescribeGraph(graph, cli::FramesOrRoot(graph, problem)).size();
  });
}

Result<Graph> WithGradient(const Member& member, std::string& name) {
  TAGFLOW_ASSIGN_OR_RETURN(Graph copy, Copy(member.graph));
  TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(std::move(copy)));
  TAGFLOW_ASSIGN_OR_RETURN(const Output y, scope.Find(member.of));
  TAGFLOW_ASSIGN_OR_RETURN(const Output x, scope.Find(member.wrt));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradient, Gradients(scope, {y}, {x}));
  name = gradient[0].name();
  return scope.Finish();
}

std::vector<std::string> FeedNames(const Member& member) {
  std::vector<std::string> names;
  for (const auto& [name, value] : member.feeds) names.push_back(name);
  return names;
}

struct EngineRow {
  std::string name;
  optimized::SessionOptions options;
};

std::vector<EngineRow> Engines() {
  std::vector<EngineRow> rows(4);
  rows[0].name = "straight";
  rows[0].options.executor = optimized::ExecutorChoice::kStraight;
  rows[1].name = "tokens";
  rows[1].options.executor = optimized::ExecutorChoice::kTokens;
  rows[2].name = "simplified";
  rows[2].options.passes = Passes::All();
  rows[2].options.simplify_if_worthwhile = false;
  rows[3].name = "devices";
  rows[3].options.devices = {"/device:CPU:0", "/device:CPU:1"};
  return rows;
}

Status MeasureEngine(const Meter& meter, const Member& member, const EngineRow& engine,
                     const std::string& suffix) {
  const size_t in = SizeOf(member.graph);
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, Copy(member.graph));
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           optimized::Session::Create(std::move(graph), engine.options));
  const optimized::Callable* callable = nullptr;
  TAGFLOW_RETURN_IF_ERROR(
      meter.Measure("plan-" + engine.name + suffix, in, [&]() -> Result<size_t> {
        TAGFLOW_ASSIGN_OR_RETURN(callable,
                                 session->MakeCallable(FeedNames(member), member.fetches));
        return 0;
      }));
  if (callable == nullptr) return Status();
  return meter.Measure("run-" + engine.name + suffix, in, [&]() -> Result<size_t> {
    std::vector<Tensor> feeds;
    for (const auto& [name, value] : member.feeds) feeds.push_back(value);
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> values, callable->Run(std::move(feeds)));
    return values.size();
  });
}

Status MeasureReference(const Meter& meter, const Member& member, const std::string& suffix) {
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, Copy(member.graph));
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, reference::Session::Create(std::move(graph)));
  return meter.Measure("run-reference" + suffix, SizeOf(member.graph), [&]() -> Result<size_t> {
    int64_t firings = 0;
    reference::RunOptions options;
    options.firings = &firings;
    TAGFLOW_RETURN_IF_ERROR(session->Run(member.feeds, member.fetches, {}, options).status());
    return static_cast<size_t>(firings);
  });
}

// Every other node on another device.
Status MeasurePartition(const Meter& meter, const Member& member) {
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec call,
                           ResolveCall(member.graph, FeedNames(member), member.fetches, {}));
  Placement placement{{"/device:CPU:0", "/device:CPU:1"}, {}};
  placement.device_of.resize(member.graph.id_limit());
  for (size_t i = 0; i < placement.device_of.size(); ++i) {
    placement.device_of[i] = placement.devices[i % 2];
  }
  return meter.Measure("partition", SizeOf(member.graph), [&]() -> Result<size_t> {
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<DevicePart> parts,
                             PartitionCall(member.graph, call, placement));
    size_t size = 0;
    for (const DevicePart& part : parts) size += SizeOf(part.graph);
    return size;
  });
}

Status MeasureMember(const Meter& meter, const Member& member) {
  TAGFLOW_RETURN_IF_ERROR(MeasureFiles(meter, member.graph));
  for (const EngineRow& engine : Engines()) {
    TAGFLOW_RETURN_IF_ERROR(MeasureEngine(meter, member, engine, ""));
  }
  TAGFLOW_RETURN_IF_ERROR(MeasureReference(meter, member, ""));
  TAGFLOW_RETURN_IF_ERROR(MeasurePartition(meter, member));
  Member gradient{Graph(), member.feeds, {}, "", ""};
  TAGFLOW_RETURN_IF_ERROR(meter.Measure("grad", SizeOf(member.graph), [&]() -> Result<size_t> {
    gradient.fetches.emplace_back();
    TAGFLOW_ASSIGN_OR_RETURN(gradient.graph, WithGradient(member, gradient.fetches[0]));
    return SizeOf(gradient.graph);
  }));
  if (gradient.graph.NodeIds().empty()) return Status();
  for (const EngineRow& engine : Engines()) {
    if (engine.name == "devices") continue;
    TAGFLOW_RETURN_IF_ERROR(MeasureEngine(meter, gradient, engine, "-grad"));
  }
  return MeasureReference(meter, gradient, "-grad");
}

Status MeasureFamily(const Family& family, int sizes) {
  for (int i = 0, n = family.least; i < sizes; ++i, n *= 2) {
    TAGFLOW_ASSIGN_OR_RETURN(const Member member, family.make(n));
    TAGFLOW_RETURN_IF_ERROR(MeasureMember(Meter(family.name, n), member));
  }
  return Status();
}

int Main(int argc, char** argv) {
  CALLGRIND_STOP_INSTRUMENTATION;
  if (argc < 2) {
    for (const Family& family : Families()) {
      std::printf("%s: n %s\n", std::string(family.name).c_str(),
                  std::string(family.grows).c_str());
    }
    return 0;
  }
  const Family* const family = FindFamily(argv[1]);
  if (family == nullptr) {
    std::fprintf(stderr, "there is no family '%s'\n", argv[1]);
    return 1;
  }
  const Status status = MeasureFamily(*family, argc > 2 ? std::atoi(argv[2]) : 5);
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", argv[1], status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::growth

int main(int argc, char** argv) { return tagflow::growth::Main(argc, argv); }
