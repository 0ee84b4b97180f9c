#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_SIMPLIFY_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_SIMPLIFY_H_

// A call's graph made smaller: a chain of passes, each of which can be turned off and gives a graph
// that means the same. The call's feeds, fetches and targets are the passes' roots and barriers:
// they keep their names, and what a feed replaces is never looked through.
//
// The passes run in turn until none of them changes anything, at most kMaxRounds times; what is
// still possible then stays undone. Errors name the user's nodes, because a node that can fail is
// never renamed.
//
// Before, all Enters of a frame get the parallel_iterations that applies to it ([frame.5]): no pass
// has to look after the one that says so.
//
// A session has other things to do with its time than to copy a large graph for the sake of three
// nodes. Unless told otherwise, Simplify first looks the call over (survey.h), without copying
// anything, and leaves it alone where little is to be had.
//
// Cost: that of the passes, each linear, times kMaxRounds.
// Tested by simplify_test.cc and by the fuzz properties `simplify` and `graphs-simplify`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/call.h"
#include "graph/evaluate.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/simplify/prune.h"

namespace tagflow {

enum class Pass : uint8_t {
  kConstants,   // fold_constants.h
  kSwitches,    // fold_switches.h
  kIdentities,  // remove_identities.h
  kDuplicates,  // merge_equal_nodes.h
  kInvariants,  // hoist_invariants.h
  kVariables,   // remove_dead_variables.h
};
constexpr int kMaxRounds = 8;

// Which passes are on.
class Passes {
 public:
  constexpr Passes() = default;  // none
  static Passes None() { return Passes(); }
  static Passes All();
  // "none", "all", or names between commas.
  //   Errors: INVALID_ARGUMENT listing the names
  static Result<Passes> Parse(std::string_view text);

  constexpr Passes With(Pass pass) const {
    Passes passes = *this;
    passes.bits_ |= 1u << static_cast<int>(pass);
    return passes;
  }
  bool Has(Pass pass) const { return (bits_ >> static_cast<int>(pass) & 1u) != 0; }
  bool empty() const { return bits_ == 0; }

 private:
  uint32_t bits_ = 0;
};

// In the order in which they run.
const std::vector<Pass>& AllPasses();
std::string_view PassName(Pass pass);

// One pass, once. Returns how much it changed: 0 when there was nothing to do. Nodes keep their
// ids; what is needed no more stays in the graph. Without `evaluate`, no constant is folded.
int64_t RunPass(Pass pass, Graph& graph, const CallSpec& call, const Evaluate& evaluate);

struct SimplifyOptions {
  Passes passes;
  Evaluate evaluate;          // what computes constants; null: none are folded
  bool if_worthwhile = true;  // false: whatever it costs
};

// The needed part of the graph, simplified, and the same call of it; nothing where nothing is to be
// done. `valid` is of this call.
std::optional<CallGraph> Simplify(const Graph& graph, const CallSpec& call,
                                  const ValidatedCall& valid, const SimplifyOptions& options);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_SIMPLIFY_H_
