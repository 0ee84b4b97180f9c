#ifndef TAGFLOW_FUZZ_MUTANTS_SECTIONS_H_
#define TAGFLOW_FUZZ_MUTANTS_SECTIONS_H_

// The mutants by section of the standard. Each function adds its own.

#include <vector>

#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

void AddFiringMutants(std::vector<Mutant>& mutants);  // token, fire, control, switch
void AddMergeMutants(std::vector<Mutant>& mutants);   // merge
void AddLoopMutants(std::vector<Mutant>& mutants);    // enter, exit, next
void AddFrameMutants(std::vector<Mutant>& mutants);   // frame
void AddStepMutants(std::vector<Mutant>& mutants);    // step, feed, fetch, error
void AddStateMutants(std::vector<Mutant>& mutants);   // resource, ref
void AddRaceMutants(std::vector<Mutant>& mutants);    // order, race, rendezvous
void AddGraphMutants(std::vector<Mutant>& mutants);   // graph
void AddNumberMutants(std::vector<Mutant>& mutants);  // number
void AddOpMutants(std::vector<Mutant>& mutants);      // op

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_SECTIONS_H_
