#ifndef TAGFLOW_BENCH_PROGRAMS_H_
#define TAGFLOW_BENCH_PROGRAMS_H_

// The benchmark programs: small graphs, each of which makes one thing expensive. What they compute
// and how they are measured is in docs/benchmarks.md.
//
// Thread safety: everything may be called from several threads at once.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::bench {

// A graph and the call of it that is measured.
struct Program {
  Graph graph;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
};

struct ProgramSpec {
  std::string_view name;
  std::string_view unit;  // what is counted: "iteration"
  int64_t units;          // in a run at full size; times are divided by it
  int64_t size;           // at full size: trips, ops or elements, as `make` takes it
  int64_t small_size;     // for tests on an engine that is not made to be fast
  Result<Program> (*make)(int64_t size);
  std::vector<double> check;  // CheckValue of each fetch at full size
  double tolerance;           // of a check value, relative
};

// In the order in which they are listed, measured and printed.
const std::vector<ProgramSpec>& Programs();
// Null when there is none of that name.
const ProgramSpec* FindProgram(std::string_view name);

// A number that stands for a result: a scalar's value, an array's mean of absolute values. NaN for
// a dtype other than int32 and float.
double CheckValue(const Tensor& value);
// Whether the values are close enough to those expected, one by one.
bool ChecksAgree(const std::vector<double>& values, const std::vector<double>& expected,
                 double tolerance);

}  // namespace tagflow::bench

#endif  // TAGFLOW_BENCH_PROGRAMS_H_
