#include "graph/switch_predicate.h"

#include <algorithm>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

bool HandsOnItsInput(const Node& node) {
  return (node.op == "Identity" || IsLoopCond(node)) && node.inputs.size() == 1;
}

}  // namespace

OutputRef AskedTensor(const Graph& graph, const FeedSet& fed, OutputRef predicate) {
  OutputRef tensor = predicate;
  while (!fed.Contains(tensor) && HandsOnItsInput(graph.node(tensor.node))) {
    const OutputRef input = graph.node(tensor.node).inputs[0];
    if (MayChangeBetween(graph, fed, input)) break;
    tensor = input;
  }
  return tensor;
}

bool MayChangeBetween(const Graph& graph, const FeedSet& fed, OutputRef asked) {
  const OpDef* def = graph.node(asked.node).def;
  return !fed.Contains(asked) && def != nullptr &&
         std::ranges::any_of(def->outputs, [](const ArgDef& arg) { return arg.is_ref; });
}

int32_t NumWays(const Node& chooser) {
  if (IsSwitch(chooser)) return 2;
  const Result<int64_t> outputs = IntAttr(chooser, "num_outs");
  return outputs.ok() ? static_cast<int32_t>(*outputs) : 1;
}

}  // namespace tagflow
