#ifndef TAGFLOW_TRANSFORM_PLACEMENT_MEASURED_TIMES_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_MEASURED_TIMES_H_

// What a run has measured of a graph's nodes, as a small table of text:
//
//   # node          mean ns   firings of a step
//   body/MatMul       81230         250
//   body/Add            410         250
//
// A node that is not in the table is estimated. Blank lines and what follows a '#' say nothing.
//
// Tested by measured_times_test.cc.

#include <map>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow {

struct MeasuredTime {
  double mean_ns = 0;  // of one firing
  double firings = 0;  // of one step, on average
};
using MeasuredTimes = std::map<std::string, MeasuredTime, std::less<>>;  // by node name

// Errors: INVALID_ARGUMENT naming the line and what should be there.
Result<MeasuredTimes> ParseMeasuredTimes(std::string_view text);
// Gives the same times when it is read again.
std::string MeasuredTimesText(const MeasuredTimes& times);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_MEASURED_TIMES_H_
