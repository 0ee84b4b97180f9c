#include "graph/builder/effects.h"

#include <algorithm>
#include <string_view>

namespace tagflow::internal {
namespace {

constexpr std::string_view kQuietPrefixes[] = {"TensorArray", "Stack", "Ref",   "Random",
                                               "Stateless",   "_Send", "_Recv", "_Host"};

bool IsQuiet(std::string_view op) {
  return std::any_of(std::begin(kQuietPrefixes), std::end(kQuietPrefixes),
                     [op](std::string_view prefix) { return op.starts_with(prefix); });
}

}  // namespace

bool IsEffect(const Node& node) {
  if (node.def == nullptr || node.def->inputs.empty()) return false;
  if (node.def->only_looks || IsQuiet(node.op)) return false;
  // Assignments to reference variables are not marked stateful: they take the reference.
  const bool takes_ref = std::any_of(node.def->inputs.begin(), node.def->inputs.end(),
                                     [](const ArgDef& arg) { return arg.is_ref; });
  return node.def->is_stateful || takes_ref;
}

}  // namespace tagflow::internal
