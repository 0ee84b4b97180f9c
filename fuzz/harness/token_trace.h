#ifndef TAGFLOW_FUZZ_HARNESS_TOKEN_TRACE_H_
#define TAGFLOW_FUZZ_HARNESS_TOKEN_TRACE_H_

// What an engine's tokens were, whoever the engine is: all of them from the reference, which
// traces; from an engine that can only be asked for tensors, those of the root frame.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "conformance/op_library.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/lower/lower.h"
#include "fuzz/mutants/mutant.h"
#include "fuzz/program/program.h"
#include "graph/graph.h"
#include "reference/history.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// Steps of one session.
struct CallSequence {
  Graph graph;
  std::vector<GraphCall> calls;
  // Of the reference; a mutant has the standard ones.
  const reference::KernelRegistry* kernels = &reference::KernelRegistry::Standard();
};

// The initial step, if there is one, then one call per run.
CallSequence CallsOf(const Program& program, Lowered lowered);
//   Errors: of the graph's import, of feeds that cannot be read.
Result<CallSequence> CallsOf(const conformance::Case& test, const OpLibrary& library = {});

// One firing: what a node gave under one tag.
struct TokenEvent {
  size_t call = 0;
  NodeId node = NodeId::kNone;  // by name: a mutant may have given it another id
  std::string name;             // "add (AddV2)"
  std::string tag;
  bool dead = false;
  std::vector<int64_t> inputs;  // by data input: the event it came from; -1: a feed, or none came
  std::vector<reference::TraceEvent::Output> outputs;
  std::string error;  // of an engine that was asked for this tensor; empty: none
};

struct TokenTrace {
  std::vector<TokenEvent> events;  // in order of firing
  Status status;                   // of the first call that failed; it is the last one made
  bool partial = false;            // what is not there may still have happened
};

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // `guide`: the reference's trace of the same calls, which says what there is to ask for.
  //   Errors: the calls cannot be made at all.
  virtual Result<TokenTrace> Trace(const CallSequence& calls, const TokenTrace& guide) = 0;
};

// `name`: "reference", "reference:SEED", or an engine (conformance/engines.h). `mutant`: what the
// reference is; null: right.
//   Errors: as MakeSubject.
Result<std::unique_ptr<TokenSource>> MakeTokenSource(const std::string& name, double timeout_s,
                                                     const Mutant* mutant = nullptr);

// The reference by the standard's rules, first come, first served: the guide for others.
Result<TokenTrace> TraceReference(const CallSequence& calls, double timeout_s);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_TOKEN_TRACE_H_
