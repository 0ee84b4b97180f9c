#ifndef TAGFLOW_FUZZ_KERNELS_CALL_CONTEXTS_H_
#define TAGFLOW_FUZZ_KERNELS_CALL_CONTEXTS_H_

// What stands around the call of an op in a graph: what its inputs are, who else reads them or
// makes the same call, through which kernels its results go on, and whether it runs at all. A
// kernel that is right by itself may still be wrong in memory that it may overwrite, or together
// with what an engine makes one kernel with it.
//
// A context is a row of a table (call_contexts.cc). Each changes the results of those before it: so
// any of them go together, and a branch is around all.
//
// Tested by kernels_test.cc.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/kernels/call_graph.h"
#include "fuzz/kernels/call_maker.h"

namespace tagflow::fuzz {

// The names of nodes that contexts add and others look for.
inline constexpr char kAgain[] = "called_again";  // the same call, once more
inline constexpr char kBeside[] = "beside";       // another use of an input

struct CallResult : TypedOutput {
  bool hangs_on_call = true;  // whether it is dead where the call is
};

// A call that is made, and what of it is to be fetched.
struct MadeCall {
  CallGraph& call;
  NodeId called;
  std::vector<CallResult> results;
};

struct CallContext {
  std::string_view name;
  // Of which calls. Null: of all.
  bool (*suits)(const OpDef& op) = nullptr;
  // What the inputs are. Null: as they are drawn.
  bool CallForm::*form = nullptr;
  // What is put around the node. Null: nothing.
  void (*apply)(MadeCall& made) = nullptr;
};

// Up to three different contexts that suit the op, in the order in which they are applied.
std::vector<const CallContext*> DrawContexts(const OpDef& op, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_CALL_CONTEXTS_H_
