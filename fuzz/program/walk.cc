#include "fuzz/program/walk.h"

#include <algorithm>

namespace tagflow::fuzz {
namespace {

template <typename AnyBlock, typename Visit>
void WalkStatements(AnyBlock& block, const Visit& visit) {
  for (auto& statement : block.statements) {
    visit(statement);
    for (auto& inner : statement.blocks) WalkStatements(inner, visit);
  }
}

void WalkBlocks(const Block& block, const Statement* owner, int depth,
                const std::function<void(const Block&, const Statement*, int)>& visit) {
  visit(block, owner, depth);
  for (const Statement& statement : block.statements) {
    for (const Block& inner : statement.blocks) WalkBlocks(inner, &statement, depth + 1, visit);
  }
}

template <typename AnyBlock, typename Visit>
void WalkUses(AnyBlock& block, const Visit& visit) {
  for (auto& statement : block.statements) {
    for (auto& id : statement.operands) visit(id);
    for (auto& id : statement.after) visit(id);
    for (auto& inner : statement.blocks) WalkUses(inner, visit);
  }
  for (auto& id : block.results) visit(id);
}

template <typename AnyBlock, typename Visit>
void WalkBindings(AnyBlock& block, const Visit& visit) {
  for (auto& id : block.parameters) visit(id);
  for (auto& statement : block.statements) {
    for (auto& id : statement.outputs) visit(id);
    for (auto& inner : statement.blocks) WalkBindings(inner, visit);
  }
}

}  // namespace

void ForEachStatement(const Block& block, const std::function<void(const Statement&)>& visit) {
  WalkStatements(block, visit);
}

void ForEachStatement(Block& block, const std::function<void(Statement&)>& visit) {
  WalkStatements(block, visit);
}

void ForEachBlock(const Block& block,
                  const std::function<void(const Block&, const Statement*, int)>& visit) {
  WalkBlocks(block, nullptr, 0, visit);
}

void ForEachBinding(const Program& program, const std::function<void(ValueId)>& visit) {
  for (const Input& input : program.inputs) visit(input.value);
  WalkBindings(program.body, visit);
}

void ForEachUse(const Block& block, const std::function<void(ValueId)>& visit) {
  WalkUses(block, visit);
}

void ForEachUse(Block& block, const std::function<void(ValueId&)>& visit) {
  WalkUses(block, visit);
}

int Depth(const Program& program) {
  int deepest = 0;
  ForEachBlock(program.body, [&](const Block&, const Statement*, int depth) {
    deepest = std::max(deepest, depth);
  });
  return deepest;
}

int64_t Size(const Program& program) {
  auto size = static_cast<int64_t>(program.inputs.size());
  ForEachStatement(program.body, [&](const Statement&) { ++size; });
  return size;
}

Program Canonical(const Program& program) {
  Program canonical = program;
  canonical.types.clear();
  std::vector<ValueId> numbered(program.types.size(), ValueId::kNone);
  ForEachBinding(program, [&](ValueId id) {
    if (Index(id) >= numbered.size() || numbered[Index(id)] != ValueId::kNone) return;
    numbered[Index(id)] = canonical.NewValue(program.type(id));
  });
  const auto renumber = [&](ValueId& id) {
    if (Index(id) < numbered.size()) id = numbered[Index(id)];
  };
  for (Input& input : canonical.inputs) renumber(input.value);
  WalkBindings(canonical.body, renumber);
  WalkUses(canonical.body, renumber);
  return canonical;
}

}  // namespace tagflow::fuzz
