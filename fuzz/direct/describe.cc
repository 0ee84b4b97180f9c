#include "fuzz/direct/describe.h"

#include <vector>

#include "fuzz/program/walk.h"

namespace tagflow::fuzz {

std::string Describe(const Program& program, const Statement& statement) {
  std::vector<int> numbers(program.types.size(), -1);
  int next = 0;
  ForEachBinding(program, [&](ValueId id) { numbers[Index(id)] = next++; });
  const auto list = [&](const std::vector<ValueId>& ids) {
    std::string text;
    for (ValueId id : ids) {
      text += (text.empty() ? "v" : ", v") + std::to_string(numbers[Index(id)]);
    }
    return text;
  };
  std::string text = list(statement.outputs);
  if (!text.empty()) text += " = ";
  return text + std::string(OpName(statement.op)) + "(" + list(statement.operands) + ")";
}

}  // namespace tagflow::fuzz
