// Places more random graphs than the default test has time for; prints how greedy did.
//   arguments: seed, graphs

#include <cstdio>
#include <cstdlib>

#include "fuzz/placement/survey.h"

int main(int argc, char** argv) {
  using namespace tagflow::fuzz;  // NOLINT
  const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
  const PlacementSurvey survey = SurveyPlacements(seed, count);
  std::printf("seed %llu: %s", static_cast<unsigned long long>(seed), survey.ToString().c_str());
  if (survey.problem) std::printf("%s\n", survey.problem->c_str());
  return survey.problem ? 1 : 0;
}
