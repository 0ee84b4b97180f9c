#ifndef TAGFLOW_GRAPH_BUILDER_SCOPE_H_
#define TAGFLOW_GRAPH_BUILDER_SCOPE_H_

// Scope: a handle onto a graph under construction, with what it adds to the nodes made through it:
// a name prefix, a device, a colocation, control inputs, and the branch or loop part they go into.
// Scopes are cheap values; the With… functions give a changed copy and leave the original alone.
//
//   Scope scope = Scope::Root();
//   Output x = Placeholder(scope, DType::kFloat, {});
//   Output y = Tanh(scope.WithOpName("y"), x * 2 + 1);
//   Result<Graph> graph = scope.Finish();
//
// The first error of a graph sticks: later calls do nothing and give invalid Outputs, and Finish
// returns that error. So a chain of calls needs one check at its end.
//
// Thread safety: none; one thread builds a graph.

#include <memory>
#include <string_view>
#include <vector>

#include "graph/builder/context.h"
#include "graph/builder/output.h"
#include "graph/builder/while_context.h"
#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow {

class Scope {
 public:
  // A new, empty graph over the ops of `registry`, which must outlive everything made from it.
  static Scope Root(const OpRegistry& registry = OpRegistry::Standard());
  // To go on building a graph that was made elsewhere, loaded for instance: node ids and names
  // stay. Its tensors are had from Find; those of a loop are no use outside it, as ever.
  // Nodes of ops that nobody defined may be in it: what needs them is refused later.
  //   Errors: INVALID_ARGUMENT for nodes whose shapes cannot fit.
  static Result<Scope> Open(Graph graph);
  // Where the operators (x + y) make their nodes: the scope of the branch or body function that is
  // running, else the root of the graph that `output` belongs to. REQUIRES: output has a state().
  static Scope Current(const Output& output);

  Scope(std::shared_ptr<internal::BuildState> state, internal::ScopeData data)
      : state_(std::move(state)), data_(std::move(data)) {}

  // A scope of names below this one: "layer/…", or "layer_1/…" where there is a "layer" already.
  Scope SubScope(std::string_view name) const;
  // The next op made through the result is called `name` (name_1 where that is taken).
  Scope WithOpName(std::string_view name) const;
  // As in a NodeDef: "/device:CPU:0", or "" for any.
  Scope WithDevice(std::string_view device) const;
  // On the device of `op`, by the attr _class.
  Scope ColocateWith(const Operation& op) const;
  // Nodes made through the result wait for `ops`. In a branch or loop `ops` may be outside it: the
  // edge is carried in. A Cond or WhileLoop made through the result waits as a whole.
  Scope WithControlDependencies(const std::vector<Operation>& ops) const;
  Scope WithoutControlDependencies() const;

  const Status& status() const;
  bool ok() const { return status().ok(); }
  // Makes `status`, if an error and the first one, the graph's.
  void Fail(const Status& status) const;

  // A copy of the graph so far; building may go on. Node ids are those of Output::ref().
  //   Errors: the first error of any call; FAILED_PRECONDITION inside a branch or body function.
  Result<Graph> Finish() const;
  const Graph& graph() const;
  // A tensor by its name ("node" or "node:1").
  //   Errors: FindOutput's; UNIMPLEMENTED for one of an op that nobody defined.
  Result<Output> Find(std::string_view tensor_name) const;

  // Makes input `index` of `op` another tensor of the same type: how a hand-made loop is closed. No
  // capture is made: both must be of one frame.
  void ReplaceInput(const Operation& op, int index, const Output& input) const;
  // Makes `op` wait for `control`, both of one frame.
  void AddControlInput(const Operation& op, const Operation& control) const;
  // Sets what shape inference could not know.
  void SetShape(const Output& output, const PartialShape& shape) const;

  // The loops made so far, a loop before those inside it. Those made with create_while_context off
  // are there too, with `listed` false.
  std::vector<WhileContext> while_contexts() const;

  // The full name a node called `name`, or else `fallback`, gets (before it is made unique).
  std::string OpName(std::string_view fallback) const;
  const internal::ScopeData& data() const { return data_; }
  const std::shared_ptr<internal::BuildState>& state() const { return state_; }

 private:
  std::shared_ptr<internal::BuildState> state_;
  internal::ScopeData data_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_SCOPE_H_
