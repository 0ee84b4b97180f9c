#ifndef TAGFLOW_FUZZ_PLACEMENT_SURVEY_H_
#define TAGFLOW_FUZZ_PLACEMENT_SURVEY_H_

// Random graphs placed, each held to what must hold of it (check.h); and how often greedy lost to
// the simple choices, which are all on one device and round robin. Two of three graphs are random
// programs, one has no program behind it.
//
// Tested by survey_test.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tagflow::fuzz {

struct PlacementSurvey {
  int graphs = 0;   // that were placed
  int refused = 0;  // because of what they ask for
  int64_t nodes = 0;
  int chose_one_device = 0, chose_greedy = 0, chose_round_robin = 0;
  int greedy_lost = 0;  // to any simple choice
  int lost_to_one_device = 0, lost_to_round_robin = 0;
  // By graph, sorted: how many times as long as what was returned the others take.
  std::vector<double> greedy, first_device, best_device, round_robin;
  std::optional<std::string> problem;  // the first, with the seed that shows it

  // The figures, in a few lines.
  std::string ToString() const;
};

// count: of graphs that can be placed. Graph i is the same whatever it is.
PlacementSurvey SurveyPlacements(uint64_t seed, int count);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PLACEMENT_SURVEY_H_
