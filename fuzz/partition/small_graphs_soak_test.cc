// Larger sizes than the default test has time for; prints what was covered.
//   arguments: cond, loop, waiting or nested; ops in the body; devices; parallel_iterations; 2 for
//   two orders of messages in place of all

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "fuzz/partition/check_small_graphs.h"

int main(int argc, char** argv) {
  using namespace tagflow::fuzz;  // NOLINT
  const std::map<std::string, Surroundings> known = {{"cond", Surroundings::kCond},
                                                     {"loop", Surroundings::kLoop},
                                                     {"waiting", Surroundings::kWaiting},
                                                     {"nested", Surroundings::kNested}};
  Space space;
  const auto surroundings = known.find(argc > 1 ? argv[1] : "loop");
  if (surroundings == known.end()) {
    std::printf("'%s' is none of cond, loop, waiting, nested\n", argv[1]);
    return 2;
  }
  space.surroundings = surroundings->second;
  space.body = argc > 2 ? std::atoi(argv[2]) : 2;
  space.devices = argc > 3 ? std::atoi(argv[3]) : 2;
  space.parallel_iterations = argc > 4 ? std::atoi(argv[4]) : 10;
  space.all_orders = argc <= 5;
  const Coverage coverage = CheckSmallGraphs(space);
  std::printf("%s, %d ops, %d devices, parallel_iterations %lld, %s orders: %s\n",
              surroundings->first.c_str(), space.body, space.devices,
              static_cast<long long>(space.parallel_iterations), space.all_orders ? "all" : "two",
              coverage.ToString().c_str());
  if (coverage.problem) std::printf("%s\n", coverage.problem->c_str());
  return coverage.problem ? 1 : 0;
}
