#include "fuzz/mutants/mutants.h"

#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {

const std::vector<Mutant>& Mutants() {
  static const std::vector<Mutant> mutants = [] {
    std::vector<Mutant> all;
    AddFiringMutants(all);
    AddMergeMutants(all);
    AddLoopMutants(all);
    AddFrameMutants(all);
    AddStepMutants(all);
    AddStateMutants(all);
    AddRaceMutants(all);
    AddGraphMutants(all);
    AddNumberMutants(all);
    AddOpMutants(all);
    return all;
  }();
  return mutants;
}

const std::map<std::string, std::string>& RulesWithoutMutants() {
  static const std::map<std::string, std::string> reasons = {
      {"device.1", "the reference runs each kernel at once"},
      {"functional.call", "programs are written as primitives, and call no functions"},
      {"functional.case", "as functional.call"},
      {"functional.effects", "as functional.call"},
      {"functional.for", "as functional.call"},
      {"functional.gradient", "as functional.call"},
      {"functional.if", "as functional.call"},
      {"functional.names", "as functional.call"},
      {"functional.recursion", "as functional.call"},
      {"functional.strict", "as functional.call"},
      {"functional.while", "as functional.call"},
      {"op.3", "programs have no summaries"},
      {"partition.1",
       "a mutant here runs a graph whole; those of partitions are in fuzz/partition"},
      {"partition.2", "as partition.1"},
      {"partition.3", "as partition.1"},
      {"partition.4", "as partition.1"},
      {"partition.5", "as partition.1"},
      {"resource.4", "the reference runs one step at a time, and no handle outlives its step"},
  };
  return reasons;
}

}  // namespace tagflow::fuzz
