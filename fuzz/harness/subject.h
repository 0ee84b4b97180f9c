#ifndef TAGFLOW_FUZZ_HARNESS_SUBJECT_H_
#define TAGFLOW_FUZZ_HARNESS_SUBJECT_H_

// Whatever runs programs: the tree's evaluator, the reference in this process, or an engine behind
// the protocol of conformance/engine.proto.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/graphs/sample.h"
#include "fuzz/mutants/mutant.h"
#include "fuzz/program/program.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

struct Answers {
  std::vector<std::vector<Tensor>> runs;  // per run: the results, then the variables
  int64_t firings = 0;                    // of the reference; else 0
};

// What may be asked of an engine. By default what any engine can.
struct Capabilities {
  bool limits_firings = false;         // ends a step of a graph that has fired so often
  bool has_our_codes = false;          // its errors have the codes that they have on the reference
  bool runs_our_passes = false;        // what transform/simplify makes of a graph may be run on it
  bool explains_dead_fetches = false;  // naming the nodes that the reference names
};

// Used by one thread.
class Subject {
 public:
  virtual ~Subject() = default;
  // Runs all runs of the program in one session. The reference gives up on a step after
  // `max_firings`: one that never ends would fill the memory before its time is up.
  //   Errors: UNIMPLEMENTED when the subject lacks something; ABORTED when it died and
  //   DEADLINE_EXCEEDED when it did not answer in time (it starts afresh with the next program);
  //   anything else is how the program failed there.
  Result<Answers> Run(const Program& program, int64_t max_firings = kFiringsMost) {
    return DoRun(program, max_firings);
  }
  // Calls of the sample's graph, in one session, one after the other whatever becomes of them; one
  // error where there is no session.
  //   Errors: as above; how a call failed is INTERNAL, and its message begins with "CODE: ".
  virtual std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                            const std::vector<GraphCall>& calls);
  virtual Capabilities capabilities() const { return {}; }

 protected:
  static constexpr int64_t kFiringsMost = 5'000'000;
  virtual Result<Answers> DoRun(const Program& program, int64_t max_firings) = 0;
};

struct SubjectOptions {
  // "direct"; "reference", or "reference:SEED" for a random order of ready nodes; or what
  // conformance/engines.h understands: a built-in engine or a command line.
  std::string name = "reference";
  double timeout_s = 10;           // per program
  const Mutant* mutant = nullptr;  // what the reference in this process is; null: right
};

//   Errors: the engine cannot be started; INVALID_ARGUMENT for a seed that is no number.
Result<std::unique_ptr<Subject>> MakeSubject(const SubjectOptions& options);

// Whether the name stands for the reference in this process, and the seed of its order (0: none).
//   Errors: INVALID_ARGUMENT for a seed that is no number.
struct ReferenceName {
  bool is_reference = false;
  uint64_t seed = 0;
};
Result<ReferenceName> ParseReferenceName(const std::string& name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SUBJECT_H_
