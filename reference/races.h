#ifndef TAGFLOW_REFERENCE_RACES_H_
#define TAGFLOW_REFERENCE_RACES_H_

// The race detector: two accesses to one resource, one of them a write, that no chain of data,
// control, frame or iteration edges orders; or a Merge that two live tokens reached which are not
// equal. Spec: [race.1], [race.2]
//
// Works on the history of one run. Happens-before is the same in every order of that run's firings,
// so a race-free history means one outcome whatever the order ([race.3]).

#include <cstdint>
#include <string>
#include <vector>

#include "reference/history.h"

namespace tagflow::reference {

struct Race {
  std::string resource;
  int64_t first = 0;  // firing ids
  int64_t second = 0;
  bool ordered = false;  // a Merge's whose second live token comes after the first in every order
  std::string ToString(const History& history) const;
};

enum class RunOn : uint8_t {
  kOneDevice,
  kDevices,  // the end of a frame or iteration orders nothing across them  Spec: [partition.5]
};

// Every unordered conflicting pair, and every pair of unequal live tokens at one Merge, by (first,
// second), once per resource. On devices: all that some placement may leave unordered.
std::vector<Race> FindRaces(const History& history, RunOn run_on = RunOn::kOneDevice);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RACES_H_
