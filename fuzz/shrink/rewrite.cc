#include "fuzz/shrink/rewrite.h"

#include <algorithm>
#include <set>

#include "fuzz/program/literal_text.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

Place Find(Block& block, size_t& left) {
  for (size_t i = 0; i < block.statements.size(); ++i) {
    if (left == 0) return {&block, i};
    --left;
    for (Block& inner : block.statements[i].blocks) {
      const Place found = Find(inner, left);
      if (found.block != nullptr) return found;
    }
  }
  return {};
}

class Taker {
 public:
  Taker(Program& program, size_t begin, size_t end, Stand stand)
      : program_(program), begin_(begin), end_(end), stand_(stand), used_(program.types.size()) {
    ForEachUse(static_cast<const Program&>(program).body,
               [&](ValueId id) { used_[Index(id)] = true; });
    ForEachStatement(static_cast<const Program&>(program).body,
                     [&](const Statement& statement) { RecordBefore(statement); });
  }

  void Run() {
    TakeFrom(program_.body);
    Replace(program_, replacements_);
  }

 private:
  bool IsTensor(ValueId id) const { return program_.type(id).kind == Kind::kTensor; }

  // What an array or stack was before the statement.
  void RecordBefore(const Statement& statement) {
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      const ValueId id = statement.outputs[i];
      if (IsTensor(id)) continue;
      if (statement.op == Op::kCond || statement.op == Op::kCase) {
        before_[id] = statement.blocks[0].results[i];
      } else if (statement.op == Op::kWhile) {
        before_[id] = statement.operands[i];
      } else if (!statement.operands.empty()) {
        before_[id] = statement.operands[0];
      }
    }
  }

  void TakeFrom(Block& block) {
    std::vector<Statement> kept;
    for (Statement& statement : block.statements) {
      const size_t position = position_++;
      if (position < begin_ || position >= end_) {
        for (Block& inner : statement.blocks) TakeFrom(inner);
        kept.push_back(std::move(statement));
        continue;
      }
      for (const Block& inner : statement.blocks) {
        ForEachStatement(inner, [&](const Statement&) { ++position_; });
      }
      StandIn(std::move(statement), kept);
    }
    block.statements = std::move(kept);
  }

  void StandIn(Statement statement, std::vector<Statement>& kept) {
    if (statement.op == Op::kArrayNew || statement.op == Op::kStackNew) {
      if (used_[Index(statement.outputs[0])]) kept.push_back(std::move(statement));
      return;
    }
    std::set<ValueId> inside;
    for (const Block& block : statement.blocks) CollectBound(block, inside);
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      const ValueId id = statement.outputs[i];
      if (!used_[Index(id)]) continue;
      const ValueId other = IsTensor(id) ? Operand(statement, i, inside) : Before(id, inside);
      if (other != ValueId::kNone) {
        replacements_[id] = other;
      } else {
        kept.push_back(
            ConstStatement(id, Filled(program_.type(id), stand_ == Stand::kOnes ? 1 : 0)));
      }
    }
  }

  static void CollectBound(const Block& block, std::set<ValueId>& inside) {
    inside.insert(block.parameters.begin(), block.parameters.end());
    for (const Statement& statement : block.statements) {
      inside.insert(statement.outputs.begin(), statement.outputs.end());
      for (const Block& inner : statement.blocks) CollectBound(inner, inside);
    }
  }

  ValueId Before(ValueId id, const std::set<ValueId>& inside) const {
    do {
      const auto found = before_.find(id);
      if (found == before_.end()) return id;
      id = found->second;
    } while (inside.count(id) > 0);
    return id;
  }

  // An operand, or a result of a branch, that may stand for output i; kNone for none.
  ValueId Operand(const Statement& statement, size_t i, const std::set<ValueId>& inside) const {
    if (stand_ != Stand::kOperands) return ValueId::kNone;
    std::vector<ValueId> choices = statement.operands;
    if (statement.op == Op::kWhile) {
      choices = {statement.operands[i]};
      if (i == 0) choices.clear();
    } else if (!statement.blocks.empty()) {
      choices.clear();
      for (const Block& block : statement.blocks) choices.push_back(block.results[i]);
    }
    const Type& wanted = program_.type(statement.outputs[i]);
    ValueId best = ValueId::kNone;
    for (ValueId id : choices) {
      const Type& type = program_.type(id);
      if (inside.count(id) > 0 || type.kind != wanted.kind || type.dtype != wanted.dtype) continue;
      if (type == wanted) return id;
      if (best == ValueId::kNone) best = id;
    }
    return best;
  }

  Program& program_;
  const size_t begin_, end_;
  const Stand stand_;
  std::vector<bool> used_;
  std::map<ValueId, ValueId> before_;
  std::map<ValueId, ValueId> replacements_;
  size_t position_ = 0;
};

}  // namespace

Place PlaceOf(Program& program, size_t position) { return Find(program.body, position); }

void Replace(Program& program, const std::map<ValueId, ValueId>& replacements) {
  if (replacements.empty()) return;
  ForEachUse(program.body, [&](ValueId& id) {
    // As many steps as there are replacements end any chain; a circle is left as it is.
    for (size_t steps = 0; steps < replacements.size(); ++steps) {
      const auto found = replacements.find(id);
      if (found == replacements.end()) return;
      id = found->second;
    }
  });
}

Tensor Filled(const Type& type, double value) {
  Dims dims = type.dims;
  for (int64_t& dim : dims) dim = dim < 0 ? 1 : dim;
  Result<Tensor> filled = Tensor::Allocate(type.dtype, dims);  // all zeros
  if (!filled.ok()) return Tensor();
  const char* text = type.dtype == DType::kBool ? "true" : "1";
  for (int64_t i = 0; value != 0 && i < filled->num_elements(); ++i) SetElement(*filled, i, text);
  return *std::move(filled);
}

Statement ConstStatement(ValueId id, Tensor literal) {
  Statement constant;
  constant.op = Op::kConst;
  constant.outputs = {id};
  constant.literal = std::move(literal);
  return constant;
}

void TakeOut(Program& program, size_t begin, size_t end, Stand stand) {
  Taker(program, begin, end, stand).Run();
}

void Inline(Program& program, size_t position, size_t block) {
  const Place place = PlaceOf(program, position);
  Statement statement = std::move(place.statement());
  Block& chosen = statement.blocks[block];
  std::vector<Statement> instead;
  std::map<ValueId, ValueId> replacements;
  if (statement.op == Op::kWhile) {
    std::vector<bool> used(program.types.size());
    ForEachUse(static_cast<const Program&>(program).body,
               [&](ValueId id) { used[Index(id)] = true; });
    for (const Block& inner : statement.blocks) {  // which is no longer in the program
      ForEachUse(inner, [&](ValueId id) { used[Index(id)] = true; });
    }
    const auto counter = [&](ValueId id, double value) {
      if (!used[Index(id)]) return;
      Tensor literal = Filled(program.type(id), 0);
      SetElement(literal, 0, NumberText(value));
      instead.push_back(ConstStatement(id, std::move(literal)));
    };
    counter(chosen.parameters[0], statement.loop.start);
    counter(statement.outputs[0], statement.loop.start + (block == 0 ? 0 : statement.loop.step));
    for (size_t i = 1; i < statement.outputs.size(); ++i) {
      replacements[chosen.parameters[i]] = statement.operands[i];
      replacements[statement.outputs[i]] =
          block == 0 ? statement.operands[i] : chosen.results[i - 1];
    }
  } else {
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      replacements[statement.outputs[i]] = chosen.results[i];
    }
  }
  std::ranges::move(chosen.statements, std::back_inserter(instead));
  auto& statements = place.block->statements;
  const auto at = statements.erase(statements.begin() + static_cast<int64_t>(place.index));
  statements.insert(at, std::make_move_iterator(instead.begin()),
                    std::make_move_iterator(instead.end()));
  Replace(program, replacements);
}

}  // namespace tagflow::fuzz
