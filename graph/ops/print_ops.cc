// Prints every op's definition in one line, with attrs and allowed types in the order of their
// names, for ops/compare_with_tensorflow.py.

#include <algorithm>
#include <iostream>

#include "graph/op_def.h"

namespace tagflow {
namespace {

std::string Text(const ArgDef& arg) {
  std::string type = arg.type_list_attr + arg.type_attr;
  if (type.empty()) type = DTypeName(arg.dtype);
  if (!arg.number_attr.empty()) type = arg.number_attr + " * " + type;
  return arg.name + ": " + (arg.is_ref ? "Ref(" + type + ")" : type);
}

std::string Text(const AttrDef& attr) {
  std::string text = attr.name + ": " + AttrKindName(attr.kind);
  std::vector<std::string> allowed = attr.allowed_strings;
  for (const DType dtype : attr.allowed_types) allowed.push_back(DTypeName(dtype));
  std::ranges::sort(allowed);
  for (const std::string& name : allowed) text += " " + name;
  if (attr.minimum.has_value()) text += " >= " + std::to_string(*attr.minimum);
  if (attr.default_value.has_value()) text += " = " + attr.default_value->ToString();
  return text;
}

template <typename Items>
std::string Joined(const Items& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : "; ") + Text(item);
  return text;
}

void Print(const OpDef& op) {
  std::vector<AttrDef> attrs = op.attrs;
  std::ranges::sort(attrs, {}, &AttrDef::name);
  std::cout << op.name << " | " << Joined(op.inputs) << " | " << Joined(op.outputs) << " | "
            << Joined(attrs) << " |" << (op.is_stateful ? " stateful" : "")
            << (op.is_commutative ? " commutative" : "")
            << (op.allows_uninitialized_input ? " uninitialized" : "") << "\n";
}

}  // namespace
}  // namespace tagflow

int main() {
  for (const tagflow::OpDef* op : tagflow::OpRegistry::Standard().All()) tagflow::Print(*op);
  return 0;
}
