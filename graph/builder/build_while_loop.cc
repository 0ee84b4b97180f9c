#include "graph/builder/build_while_loop.h"

#include "graph/builder/loop_builder.h"

namespace tagflow {
namespace {

std::vector<Output> ToVector(const OutputList& list) { return {list.begin(), list.end()}; }

}  // namespace

Status BuildWhileLoop(const Scope& scope, const std::vector<Output>& inputs,
                      const CondGraphBuilderFn& cond, const BodyGraphBuilderFn& body,
                      const std::string& frame_name, std::vector<Output>* outputs,
                      bool create_while_ctx, Output* cond_output) {
  if (outputs == nullptr) {
    scope.Fail(InvalidArgument("BuildWhileLoop needs a place for its outputs"));
    return scope.status();
  }
  internal::LoopBuilder loop(scope,
                             {.frame_name = frame_name, .create_while_context = create_while_ctx});
  for (const Output& input : inputs) loop.AddVariable(input);
  loop.SetPredicate([&cond](const Scope& inner, const OutputList& values) {
    Output answer;
    inner.Fail(cond(inner, ToVector(values), &answer));
    return answer;
  });
  loop.BuildBody([&body](const Scope& inner, const OutputList& values) {
    std::vector<Output> next;
    inner.Fail(body(inner, ToVector(values), &next));
    return OutputList(std::move(next), inner.state());
  });
  *outputs = ToVector(loop.Finish());
  if (cond_output != nullptr && loop.ok()) *cond_output = loop.loop_cond();
  return scope.status();
}

}  // namespace tagflow
