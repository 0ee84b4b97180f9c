#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_PROGRAMS_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_PROGRAMS_H_

// Loops over a GPU and the host, to be checked and to be timed beside JAX and PyTorch
// (gpu_peers.py has the same programs under the same names).
//
// Tested by gpu_programs_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/suite_counts.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/session.h"

namespace tagflow::conformance {

struct GpuProgram {
  std::string name;
  Graph graph;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets = {};
  std::vector<std::string> first = {};  // targets of a step before all others
  int64_t iterations = 0;               // of the innermost loop
  double error_max = 0;                 // of a result beside the host's; 0: the same bits
};

// scale: of the numbers of iterations; 1 to be timed
//   Errors: none that is not a mistake of the program's own
Result<std::vector<GpuProgram>> GpuPrograms(double scale);

struct GpuRun {
  std::vector<Tensor> values;
  double seconds = 0;  // of the fastest step
  std::string about;   // how the call runs (Callable::about and Notes)
};
// A session of the program's graph on the GPU, where that has kernels, and the host, behind the
// step before all others.
//   Errors: of the session
Result<std::unique_ptr<optimized::Session>> OpenOnGpu(
    const GpuProgram& program, optimized::NativeChoice native = optimized::NativeChoice::kAlways);

// All of it on the host, or on the GPU where it has kernels: each of one node, or those that follow
// each other as one.   Errors: of the session and the step
enum class GpuWay { kHost, kOneByOne, kFused };
Result<GpuRun> RunGpuProgram(const GpuProgram& program, GpuWay way, int steps);

// Two lines, fused first: name, microseconds per iteration, how it runs.
std::vector<std::string> TimesOf(const GpuProgram& program);

// Runs them on the GPU and on the host; counts one test for each, fused and node by node.
SuiteCounts CompareGpuPrograms(double scale);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_PROGRAMS_H_
