// A mark and sweep over values. Results, and assignments with all that is around them, are needed;
// what a needed value is made from is needed. A loop variable is needed as a whole: its value at
// the end, its parameters, its next value and its initial one.

#include "fuzz/shrink/cleanup.h"

#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

bool IsAssignment(const Statement& statement) {
  return statement.op == Op::kAssign || statement.op == Op::kAssignAdd;
}

class Marker {
 public:
  explicit Marker(const Program& program)
      : program_(program), sources_(program.types.size()), needed_(program.types.size(), false) {}

  std::vector<bool> Run() {
    CollectBlock(program_.body);
    for (ValueId id : program_.body.results) Need(id);
    MarkAssignments(program_.body);
    return std::move(needed_);
  }

  // Whether the statement is needed although none of its values may be.
  static bool HasEffects(const Statement& statement) {
    bool found = IsAssignment(statement);
    for (const Block& block : statement.blocks) {
      ForEachStatement(block,
                       [&](const Statement& inner) { found = found || IsAssignment(inner); });
    }
    return found;
  }

 private:
  // What a value needs: other values, and the statement that binds it.
  struct Source {
    std::vector<ValueId> values;
    const Statement* statement = nullptr;  // what it needs itself: NeedStatement
  };

  void CollectBlock(const Block& block) {
    for (const Statement& statement : block.statements) {
      for (size_t i = 0; i < statement.outputs.size(); ++i) {
        Source& source = sources_[Index(statement.outputs[i])];
        source.statement = &statement;
        if (statement.op == Op::kCond || statement.op == Op::kCase) {
          for (const Block& inner : statement.blocks) source.values.push_back(inner.results[i]);
        } else if (statement.op == Op::kWhile) {
          source.values = OfVariable(statement, i);
        }
      }
      if (statement.op == Op::kWhile) {
        for (const Block& inner : statement.blocks) {
          for (size_t i = 0; i < inner.parameters.size(); ++i) {
            sources_[Index(inner.parameters[i])] = {OfVariable(statement, i), &statement};
          }
        }
      }
      for (const Block& inner : statement.blocks) CollectBlock(inner);
    }
  }

  static std::vector<ValueId> OfVariable(const Statement& statement, size_t i) {
    if (i == 0) return {};  // the counter; the bound is the statement's own need
    return {statement.operands[i], statement.blocks[1].results[i - 1]};
  }

  void Need(ValueId first) {
    std::vector<ValueId> left = {first};
    while (!left.empty()) {
      const ValueId id = left.back();
      left.pop_back();
      if (needed_[Index(id)]) continue;
      needed_[Index(id)] = true;
      const Source& source = sources_[Index(id)];
      left.insert(left.end(), source.values.begin(), source.values.end());
      if (source.statement != nullptr) PushNeedsOf(*source.statement, left);
    }
  }

  static void PushNeedsOf(const Statement& statement, std::vector<ValueId>& left) {
    left.insert(left.end(), statement.after.begin(), statement.after.end());
    if (statement.op != Op::kWhile) {
      left.insert(left.end(), statement.operands.begin(), statement.operands.end());
      return;
    }
    left.push_back(statement.operands[0]);
    for (ValueId id : statement.blocks[0].results) left.push_back(id);
  }

  void MarkAssignments(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (!HasEffects(statement)) continue;
      std::vector<ValueId> needs;
      PushNeedsOf(statement, needs);
      for (ValueId id : needs) Need(id);
      for (const Block& inner : statement.blocks) MarkAssignments(inner);
    }
  }

  const Program& program_;
  std::vector<Source> sources_;
  std::vector<bool> needed_;
};

class Sweeper {
 public:
  explicit Sweeper(const std::vector<bool>& needed) : needed_(needed) {}

  void SweepBlock(Block& block) {
    std::erase_if(block.statements, [&](const Statement& statement) {
      for (ValueId id : statement.outputs) {
        if (needed_[Index(id)]) return false;
      }
      for (const Block& inner : statement.blocks) {
        for (ValueId id : inner.parameters) {
          if (needed_[Index(id)]) return false;
        }
      }
      return !Marker::HasEffects(statement);
    });
    for (Statement& statement : block.statements) {
      if (statement.op == Op::kCond || statement.op == Op::kCase) SweepOutputs(statement);
      if (statement.op == Op::kWhile) SweepVariables(statement);
      for (Block& inner : statement.blocks) SweepBlock(inner);
    }
  }

 private:
  void SweepOutputs(Statement& statement) {
    for (size_t i = statement.outputs.size(); i-- > 0;) {
      if (needed_[Index(statement.outputs[i])]) continue;
      EraseAt(statement.outputs, i);
      for (Block& inner : statement.blocks) EraseAt(inner.results, i);
    }
  }

  void SweepVariables(Statement& statement) {
    for (size_t i = statement.outputs.size(); i-- > 1;) {
      bool needed = needed_[Index(statement.outputs[i])];
      for (const Block& inner : statement.blocks) {
        needed = needed || needed_[Index(inner.parameters[i])];
      }
      if (needed) continue;
      EraseAt(statement.outputs, i);
      EraseAt(statement.operands, i);
      for (Block& inner : statement.blocks) EraseAt(inner.parameters, i);
      EraseAt(statement.blocks[1].results, i - 1);
    }
  }

  static void EraseAt(std::vector<ValueId>& ids, size_t i) {
    ids.erase(ids.begin() + static_cast<int64_t>(i));
  }

  const std::vector<bool>& needed_;
};

void RemoveVariables(Program& program) {
  std::vector<int> renamed(program.variables.size(), -1);
  ForEachStatement(static_cast<const Program&>(program).body, [&](const Statement& statement) {
    if (statement.variable >= 0) renamed[static_cast<size_t>(statement.variable)] = 0;
  });
  std::vector<Variable> kept;
  for (size_t i = 0; i < renamed.size(); ++i) {
    if (renamed[i] < 0) continue;
    renamed[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(program.variables[i]));
  }
  program.variables = std::move(kept);
  ForEachStatement(program.body, [&](Statement& statement) {
    if (statement.variable >= 0) {
      statement.variable = renamed[static_cast<size_t>(statement.variable)];
    }
  });
}

}  // namespace

void RemoveUnneeded(Program& program) {
  const std::vector<bool> needed = Marker(program).Run();
  std::erase_if(program.inputs, [&](const Input& input) { return !needed[Index(input.value)]; });
  Sweeper(needed).SweepBlock(program.body);
  RemoveVariables(program);
}

}  // namespace tagflow::fuzz
