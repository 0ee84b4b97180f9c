#include "graph/test_node.h"

#include <algorithm>
#include <utility>

#include "graph/op_def.h"

namespace tagflow {
namespace {

void SetAbsent(Node& node, const std::string& name, AttrValue value) {
  const bool is_set = std::any_of(node.attrs.begin(), node.attrs.end(),
                                  [&](const auto& attr) { return attr.first == name; });
  if (!name.empty() && !is_set) node.attrs.emplace_back(name, std::move(value));
}

void Infer(Node& node, const std::vector<DType>& inputs) {
  size_t lists = 0;
  for (const ArgDef& arg : node.def->inputs) lists += arg.number_attr.empty() ? 0 : 1;
  const size_t singles = node.def->inputs.size() - lists;
  const size_t per_list = lists == 0 ? 0 : (inputs.size() - singles) / lists;
  size_t next = 0;
  for (const ArgDef& arg : node.def->inputs) {
    if (!arg.type_list_attr.empty()) {
      AttrList types;
      for (; next < inputs.size(); ++next) types.types.push_back({inputs[next], false});
      SetAbsent(node, arg.type_list_attr, std::move(types));
      continue;
    }
    SetAbsent(node, arg.number_attr, static_cast<int64_t>(per_list));
    if (next < inputs.size()) SetAbsent(node, arg.type_attr, inputs[next]);
    next += arg.number_attr.empty() ? 1 : per_list;
  }
}

}  // namespace

Result<Node> TestNode(const std::string& name, const std::string& op,
                      const std::vector<DType>& inputs, AttrMap attrs) {
  Node node;
  node.name = name;
  node.op = op;
  node.def = OpRegistry::Standard().Find(op);
  if (node.def == nullptr) return NotFound("no definition of op " + op);
  node.attrs = std::move(attrs);
  Infer(node, inputs);
  std::sort(node.attrs.begin(), node.attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return node;
}

}  // namespace tagflow
