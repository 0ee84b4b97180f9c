#include "graph/builder/while_loop.h"

#include "graph/builder/const_op.h"
#include "graph/builder/loop_builder.h"
#include "graph/builder/math_ops.h"

namespace tagflow {
namespace {

using internal::LoopBuilder;

// maximum_iterations as a tensor made outside the loop.
Output LimitOf(const Scope& scope, const WhileOptions& options) {
  const Input& limit = options.maximum_iterations;
  if (limit.output() != nullptr) return *limit.output();
  const Scope names = scope.SubScope(options.name + "_limit").WithOpName("maximum_iterations");
  if (limit.literal() != nullptr) return Const(names, limit.literal()->value());
  return limit.tensor() == nullptr ? Output() : Const(names, *limit.tensor());
}

OutputList WithoutCounter(const OutputList& list) {
  return OutputList(std::vector<Output>(list.begin() + 1, list.end()), list[0].state());
}

// The functions of a loop whose variable 0 is a counter that the caller's functions do not see.
PredicateFunction Limited(const PredicateFunction& predicate, const Output& limit) {
  return [predicate, limit](const Scope& scope, const OutputList& v) -> Output {
    const Output goes_on = predicate(scope, WithoutCounter(v));
    return LogicalAnd(scope, Less(scope, v[0], limit), goes_on);
  };
}

BodyFunction Counted(const BodyFunction& body) {
  return [body](const Scope& scope, const OutputList& v) {
    std::vector<Output> next = {Add(scope, v[0], 1)};
    const OutputList rest = body(scope, WithoutCounter(v));
    next.insert(next.end(), rest.begin(), rest.end());
    return OutputList(std::move(next));
  };
}

Status CheckArguments(const OutputList& inputs, const WhileOptions& options) {
  if (inputs.empty()) {
    return InvalidArgument("loop '" + options.name +
                           "' has no loop variable: at least one is needed");
  }
  if (options.shape_invariants.empty() || options.shape_invariants.size() == inputs.size()) {
    return Status();
  }
  return InvalidArgument("loop '" + options.name + "' has " + std::to_string(inputs.size()) +
                         " variables and " + std::to_string(options.shape_invariants.size()) +
                         " shape_invariants: give one for each, or none");
}

}  // namespace

OutputList WhileLoop(const Scope& scope, const OutputList& inputs,
                     const PredicateFunction& predicate, const BodyFunction& body,
                     const WhileOptions& options) {
  scope.Fail(CheckArguments(inputs, options));
  const bool limited = !options.maximum_iterations.empty();
  const Output limit = limited && scope.ok() ? LimitOf(scope, options) : Output();
  LoopBuilder loop(scope, options);
  if (limited) loop.AddCounter(limit);
  for (size_t i = 0; i < inputs.size(); ++i) {
    loop.AddVariable(inputs[i],
                     options.shape_invariants.empty() ? nullptr : &options.shape_invariants[i]);
  }
  loop.SetPredicate(limited ? Limited(predicate, limit) : predicate);
  loop.BuildBody(limited ? Counted(body) : body);
  const OutputList outputs = loop.Finish();
  return limited && !outputs.empty() ? WithoutCounter(outputs) : outputs;
}

}  // namespace tagflow
