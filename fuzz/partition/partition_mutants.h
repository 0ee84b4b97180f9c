#ifndef TAGFLOW_FUZZ_PARTITION_PARTITION_MUTANTS_H_
#define TAGFLOW_FUZZ_PARTITION_PARTITION_MUTANTS_H_

// The mutants of the rules on many devices: the partitioner with one fault each, and what tells it
// from the standard. Those of all other rules, which a graph on one device can show, are in
// fuzz/mutants.
//
// Tested by partition_mutants_test.cc: every label [partition.*] of docs/semantics.md has one, and
// all are found.

#include <string>
#include <vector>

#include "transform/partition/partition.h"

namespace tagflow::fuzz {

struct PartitionMutant {
  std::string name;   // unique: the label, then words
  std::string rule;   // the label in docs/semantics.md
  std::string about;  // what it does wrong
  PartitionFault fault = PartitionFault::kNone;
};

// In order of the standard.
const std::vector<PartitionMutant>& PartitionMutants();

struct FaultFound {
  std::string by;   // "conds of 2 ops"
  std::string why;  // what was not as it must be
};

// The first that finds the fault: all small conds and loops on all placements, then graphs with
// state. Nothing found: `by` is empty.
FaultFound FindFault(PartitionFault fault);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_PARTITION_MUTANTS_H_
