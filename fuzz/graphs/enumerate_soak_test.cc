// Larger sizes than the default test has time for; prints how many graphs there were.
//   arguments: nodes, control edges, 1 for graphs in a frame

#include <cstdio>
#include <cstdlib>

#include "fuzz/graphs/enumerate.h"

int main(int argc, char** argv) {
  using namespace tagflow::fuzz;  // NOLINT
  EnumerateOptions options;
  options.nodes = argc > 1 ? std::atoi(argv[1]) : 3;
  options.control_edges = argc > 2 ? std::atoi(argv[2]) : 0;
  options.in_frame = argc > 3 && std::atoi(argv[3]) != 0;
  int64_t failures = 0;
  const int64_t count = Enumerate(options, [&](const GraphSample& sample) {
    const auto problem = EnumeratedAgrees(sample);
    if (!problem) return true;
    std::printf("%s\n%s\n", ToText(sample).c_str(), problem->c_str());
    return ++failures < 10;
  });
  std::printf("graphs %lld, failures %lld\n", static_cast<long long>(count),
              static_cast<long long>(failures));
  return failures > 0 ? 1 : 0;
}
