#include "fuzz/direct/describe.h"

#include <vector>

#include "fuzz/program/walk.h"

namespace tagflow::fuzz {

std::string ValueName(const Program& program, ValueId id) {
  int next = 0;
  std::string name = "v?";
  ForEachBinding(program, [&](ValueId bound) {
    if (bound == id) name = "v" + std::to_string(next);
    ++next;
  });
  return name;
}

std::string Describe(const Program& program, const Statement& statement) {
  const auto list = [&](const std::vector<ValueId>& ids) {
    std::string text;
    for (ValueId id : ids) text += (text.empty() ? "" : ", ") + ValueName(program, id);
    return text;
  };
  std::string text = list(statement.outputs);
  if (!text.empty()) text += " = ";
  return text + std::string(OpName(statement.op)) + "(" + list(statement.operands) + ")";
}

}  // namespace tagflow::fuzz
