#ifndef TAGFLOW_FUZZ_MUTANTS_MUTANT_SESSION_H_
#define TAGFLOW_FUZZ_MUTANTS_MUTANT_SESSION_H_

// A session of the reference as a mutant has it.

#include <memory>
#include <string>
#include <vector>

#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

class MutantSession {
 public:
  // devices: as in SessionOptions. `mutant` must outlive the session.
  MutantSession(Graph graph, const Mutant& mutant, std::vector<std::string> devices = {});

  // As reference::Session::Run, as wrong as the mutant is. Always bounded: without a limit of its
  // own a step gets one of a million firings.
  Result<std::vector<Tensor>> Run(const Call& call, const reference::RunOptions& options = {});

 private:
  Result<std::vector<Tensor>> RunStep(Call call, const reference::RunOptions& options);
  Result<reference::Session*> SessionFor(Call& call);
  Result<std::unique_ptr<reference::Session>> Open(Graph graph) const;

  Graph graph_;
  const Mutant& mutant_;
  std::vector<std::string> devices_;
  reference::KernelRegistry kernels_;
  std::unique_ptr<reference::Session> session_;
  Call first_call_;
  Past past_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_MUTANT_SESSION_H_
