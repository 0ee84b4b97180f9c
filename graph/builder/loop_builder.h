#ifndef TAGFLOW_GRAPH_BUILDER_LOOP_BUILDER_H_
#define TAGFLOW_GRAPH_BUILDER_LOOP_BUILDER_H_

// One loop, step by step: what WhileLoop, Map and the folds are written with.
//
//   LoopBuilder loop(scope, options);
//   loop.AddVariable(x) …            Enter, Merge
//   loop.SetPredicate(function)      predicate, LoopCond, then the Switches
//   loop.BuildBody(function)         the body; more variables may still be added inside it
//   OutputList results = loop.Finish();   NextIteration, Exit
//
// Once the scope has an error every step does nothing.

#include <functional>
#include <string>
#include <vector>

#include "graph/builder/build_state.h"
#include "graph/builder/while_loop.h"

namespace tagflow::internal {

class LoopBuilder {
 public:
  LoopBuilder(const Scope& scope, const WhileOptions& options);

  // Adds a loop variable; returns its index. Its Enter lies outside the loop, even when it is added
  // from inside the body. `invariant`: see WhileOptions::shape_invariants.
  size_t AddVariable(const Output& initial, const PartialShape* invariant = nullptr);
  // At most `limit` iterations, an integer scalar made outside: adds the counter, variable 0, which
  // the functions must then heed. REQUIRES: no variable yet.
  void AddCounter(const Output& limit);
  // As the body sees variable i; valid once the predicate is set.
  Output body_value(size_t i) const;
  void SetPredicate(const PredicateFunction& predicate);
  // Calls `function` with the scope of the body and the variables; it returns their next values, of
  // those added meanwhile as well.
  void BuildBody(const BodyFunction& function);
  OutputList Finish();

  // Outside the loop, for what the loop needs there.
  const Scope& outer_scope() const { return scope_; }
  // LoopCond's input.
  Output loop_cond() const { return Output(scope_.state(), OutputRef{record().loop_cond, 0}); }
  // Of variable i; valid once the loop is finished.
  Operation next_iteration(size_t i) const {
    return Operation(scope_.state(), record().next_iterations[i]);
  }
  bool ok() const { return scope_.ok(); }

 private:
  struct Variable {
    Output initial;
    PartialShape shape;  // what all iterations have in common
    bool has_invariant = false;
    ArgType type;
  };

  Status Open(const WhileOptions& options);
  Status CheckLimit(const Output& limit) const;
  AttrValue LimitMark() const;
  Result<size_t> TryAddVariable(const Output& initial, const PartialShape* invariant);
  Status TrySetPredicate(const PredicateFunction& predicate);
  Status TryBuildBody(const BodyFunction& function);
  Result<OutputList> TryFinish();
  Status AddSwitch(size_t i);
  Status CheckNext(size_t i, OutputRef next) const;
  Status AddNext(size_t i, OutputRef next, const std::vector<NodeId>& effects);
  Result<std::vector<NodeId>> JoinedEffects();
  Result<NodeId> Add(const std::string& op, ContextId context, std::vector<OutputRef> inputs,
                     AttrMap attrs, std::vector<NodeId> controls = {});
  std::string VariableName(size_t i) const;
  ContextId MakeContext(ContextKind kind);
  Scope ScopeOf(ContextId context) const;
  const WhileContext& record() const { return state_.while_contexts()[frame_]; }
  WhileContext& record() { return state_.while_contexts()[frame_]; }

  Scope scope_;  // named, in the parent context
  BuildState& state_;
  std::string name_;
  size_t frame_ = 0;
  bool run_effects_ = true;
  size_t hidden_ = 0;  // variables that the caller does not know of: the counter
  Output limit_;
  ContextId cond_ = ContextId::kRoot;
  ContextId body_ = ContextId::kRoot;
  std::vector<Variable> variables_;
  AttrMap marks_;  // the underscore attrs of this loop's Enters and LoopCond
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_LOOP_BUILDER_H_
