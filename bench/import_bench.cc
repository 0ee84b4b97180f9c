// How long a GraphDef takes to become a Graph: parsing and import of bytes in memory. The graph is
// wide10k's, at other sizes: node 0 is fed, and node k takes the minimum, maximum or difference of
// two nodes before it, drawn by a linear congruential generator.

#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>

#include <cstdint>
#include <string>

#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow {
namespace {

class Draw {
 public:
  uint32_t Below(uint32_t n) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % n;
  }

 private:
  uint32_t state_ = 12345;
};

std::string NodeName(uint32_t k) { return k == 0 ? "x" : "n" + std::to_string(k); }

std::string RandomScalars(uint32_t nodes) {
  static constexpr const char* kOps[] = {"Minimum", "Maximum", "Sub"};
  GraphDef def;
  NodeDef* x = def.add_node();
  x->set_name("x");
  x->set_op("Placeholder");
  (*x->mutable_attr())["dtype"].set_type(DT_FLOAT);
  (*x->mutable_attr())["shape"].mutable_shape();
  Draw draw;
  for (uint32_t k = 1; k <= nodes; ++k) {
    NodeDef* node = def.add_node();
    node->set_name(NodeName(k));
    node->set_op(kOps[(k - 1) % 3]);
    node->add_input(NodeName(draw.Below(k)));
    node->add_input(NodeName(draw.Below(k)));
    (*node->mutable_attr())["T"].set_type(DT_FLOAT);
  }
  return def.SerializeAsString();
}

// A rate turned over is a time: it is printed as "603.1ns".
void PerNode(benchmark::State& state) {
  state.counters["per_node"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_BytesToGraph(benchmark::State& state) {
  const std::string bytes = RandomScalars(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) {
    Result<Graph> graph = ImportGraphFromBytes(bytes);
    if (!graph.ok()) state.SkipWithError(graph.status().ToString().c_str());
    benchmark::DoNotOptimize(graph);
    state.PauseTiming();  // while the graph is taken down
    graph = Graph();
    state.ResumeTiming();
  }
  PerNode(state);
}
BENCHMARK(BM_BytesToGraph)->Arg(1000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// The parser's share.
void BM_Parse(benchmark::State& state) {
  const std::string bytes = RandomScalars(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) {
    google::protobuf::Arena arena;
    auto* def = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
    if (!def->ParseFromString(bytes)) state.SkipWithError("cannot parse");
  }
  PerNode(state);
}
BENCHMARK(BM_Parse)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_Export(benchmark::State& state) {
  const std::string bytes = RandomScalars(static_cast<uint32_t>(state.range(0)));
  const Result<Graph> graph = ImportGraphFromBytes(bytes);
  if (!graph.ok()) return state.SkipWithError(graph.status().ToString().c_str());
  for (auto _ : state) {
    const Result<std::string> out = ExportGraphToBytes(*graph);
    benchmark::DoNotOptimize(out);
  }
  PerNode(state);
}
BENCHMARK(BM_Export)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tagflow
