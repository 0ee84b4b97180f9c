// Larger sizes than the default test has time for; prints what was covered.
//   arguments: cond, loop, waiting or nested; ops in the body; devices; parallel_iterations; all,
//   each or pairs, of orders of messages: of all together, at each device, of every pair

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "fuzz/partition/check_small_graphs.h"

int main(int argc, char** argv) {
  using namespace tagflow::fuzz;  // NOLINT
  const std::map<std::string, Surroundings> all_surroundings = {{"cond", Surroundings::kCond},
                                                                {"loop", Surroundings::kLoop},
                                                                {"waiting", Surroundings::kWaiting},
                                                                {"nested", Surroundings::kNested}};
  const std::map<std::string, Orders> all_orders = {
      {"all", Orders::kAll}, {"each", Orders::kAtEachDevice}, {"pairs", Orders::kEveryPair}};
  Space space;
  const auto surroundings = all_surroundings.find(argc > 1 ? argv[1] : "loop");
  const auto orders = all_orders.find(argc > 5 ? argv[5] : "each");
  if (surroundings == all_surroundings.end() || orders == all_orders.end()) {
    std::printf("the first is one of cond, loop, waiting, nested; the fifth of all, each, pairs\n");
    return 2;
  }
  space.surroundings = surroundings->second;
  space.body = argc > 2 ? std::atoi(argv[2]) : 2;
  space.devices = argc > 3 ? std::atoi(argv[3]) : 2;
  space.parallel_iterations = argc > 4 ? std::atoi(argv[4]) : 10;
  space.orders = orders->second;
  const Coverage coverage = CheckSmallGraphs(space);
  std::printf("%s, %d ops, %d devices, parallel_iterations %lld, orders %s: %s\n",
              surroundings->first.c_str(), space.body, space.devices,
              static_cast<long long>(space.parallel_iterations), orders->first.c_str(),
              coverage.ToString().c_str());
  if (coverage.problem) std::printf("%s\n", coverage.problem->c_str());
  return coverage.problem ? 1 : 0;
}
