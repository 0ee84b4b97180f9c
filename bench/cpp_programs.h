#ifndef TAGFLOW_BENCH_CPP_PROGRAMS_H_
#define TAGFLOW_BENCH_CPP_PROGRAMS_H_

// The benchmark programs as a C++ programmer would write them, without a graph: what the machine
// needs for the same work.

#include <string_view>

#include "bench/engines.h"

namespace tagflow::bench {

// A step of the program at full size; its outputs are those of the graph.
//   Errors: NOT_FOUND for a program that is about graphs and has no such form
Result<Step> PrepareCpp(std::string_view program);

}  // namespace tagflow::bench

#endif  // TAGFLOW_BENCH_CPP_PROGRAMS_H_
