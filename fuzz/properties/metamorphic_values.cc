// Loop variables in another order or twice, Conds as Selects, whole programs twice.

#include <algorithm>
#include <numeric>
#include <utility>

#include "fuzz/program/retype.h"
#include "fuzz/program/walk.h"
#include "fuzz/properties/edit.h"
#include "fuzz/properties/metamorphic.h"

namespace tagflow::fuzz {
namespace {

// In the place of item i of [first, …) comes item order[i].
void Permute(std::vector<ValueId>& ids, size_t first, const std::vector<size_t>& order) {
  const std::vector<ValueId> old = ids;
  for (size_t i = 0; i < order.size(); ++i) ids[first + i] = old[first + order[i]];
}

// Whether it gives the same whenever it runs, and cannot fail.
bool IsPureAndTotal(const Program& program, const Statement& statement) {
  switch (statement.op) {
    case Op::kFloorDiv:
    case Op::kFloorMod:
    case Op::kElementAt:
    case Op::kCond:
    case Op::kCase:
    case Op::kWhile:
      return false;
    default:
      break;
  }
  if (statement.variable >= 0) return false;
  const auto fixed = [&](ValueId id) {
    const Type& type = program.type(id);
    return type.kind == Kind::kTensor &&
           std::all_of(type.dims.begin(), type.dims.end(), [](int64_t dim) { return dim >= 0; });
  };
  // No objects; and shapes that are known to fit.
  return std::all_of(statement.outputs.begin(), statement.outputs.end(), fixed) &&
         std::all_of(statement.operands.begin(), statement.operands.end(), fixed);
}

bool IsPureCond(const Program& program, const Statement& statement) {
  if (statement.op != Op::kCond || statement.outputs.empty()) return false;
  for (const Block& block : statement.blocks) {
    for (const Statement& inner : block.statements) {
      if (!IsPureAndTotal(program, inner)) return false;
    }
    for (size_t i = 0; i < block.results.size(); ++i) {
      const Type& type = program.type(block.results[i]);
      if (type.kind != Kind::kTensor || type != program.type(statement.outputs[i])) return false;
      if (std::count(type.dims.begin(), type.dims.end(), -1) > 0) return false;
    }
  }
  return true;
}

void SelectInPlaceOfCond(const Place& place) {
  Statement cond = place.statement();
  std::vector<Statement> statements;
  for (Block& block : cond.blocks) {
    std::move(block.statements.begin(), block.statements.end(), std::back_inserter(statements));
  }
  for (size_t i = 0; i < cond.outputs.size(); ++i) {
    Statement select;
    select.op = Op::kSelect;
    select.operands = {cond.operands[0], cond.blocks[0].results[i], cond.blocks[1].results[i]};
    select.outputs = {cond.outputs[i]};
    select.after = cond.after;
    statements.push_back(std::move(select));
  }
  Replace(place, std::move(statements));
}

bool IsScalarSelect(const Program& program, const Statement& statement) {
  return statement.op == Op::kSelect && program.type(statement.operands[0]).is_scalar() &&
         program.type(statement.operands[1]) == program.type(statement.outputs[0]) &&
         program.type(statement.operands[2]) == program.type(statement.outputs[0]);
}

void CondInPlaceOfSelect(const Place& place) {
  Statement cond = place.statement();
  cond.op = Op::kCond;
  cond.blocks.resize(2);
  cond.blocks[0].results = {cond.operands[1]};
  cond.blocks[1].results = {cond.operands[2]};
  cond.operands.resize(1);
  Replace(place, {std::move(cond)});
}

// One more variable that is always equal to variable `j`; about half the uses are of it.
void SplitAt(Program& program, const Place& place, size_t j, Choices& choices) {
  Statement& loop = place.statement();
  const Type type = program.type(loop.outputs[j + 1]);
  const auto share = [&](Block& block, ValueId one, ValueId other) {
    ForEachUse(block, [&](ValueId& id) {
      if (id == one && choices.Chance(kEvenly)) id = other;
    });
  };
  loop.operands.push_back(loop.operands[j + 1]);
  for (Block& block : loop.blocks) {
    const ValueId parameter = program.NewValue(type);
    share(block, block.parameters[j + 1], parameter);
    block.parameters.push_back(parameter);
  }
  const ValueId next = loop.blocks[1].results[j];
  loop.blocks[1].results.push_back(next);
  const ValueId output = program.NewValue(type);
  const ValueId first = loop.outputs[j + 1];
  loop.outputs.push_back(output);
  share(program.body, first, output);
}

}  // namespace

std::optional<Changed> PermuteVariables(const Program& program, Choices& choices) {
  Changed changed{program};
  const std::vector<Place> places = PlacesOf(changed.program, [](const Statement& s) {
    return s.op == Op::kWhile && s.outputs.size() > 2;
  });
  if (places.empty()) return std::nullopt;
  Statement& loop = choices.Of(places).statement();
  std::vector<size_t> order(loop.outputs.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[choices.Below(static_cast<uint32_t>(i))]);
  }
  Permute(loop.operands, 1, order);
  Permute(loop.outputs, 1, order);
  for (Block& block : loop.blocks) Permute(block.parameters, 1, order);
  Permute(loop.blocks[1].results, 0, order);
  return changed;
}

std::optional<Changed> SplitVariable(const Program& program, Choices& choices) {
  Changed changed{program};
  const auto is_tensor = [&](ValueId id) { return program.type(id).kind == Kind::kTensor; };
  const std::vector<Place> places = PlacesOf(changed.program, [&](const Statement& s) {
    return s.op == Op::kWhile && std::any_of(s.outputs.begin() + 1, s.outputs.end(), is_tensor);
  });
  if (places.empty()) return std::nullopt;
  const Place place = choices.Of(places);
  std::vector<size_t> tensors;
  for (size_t j = 1; j < place.statement().outputs.size(); ++j) {
    if (is_tensor(place.statement().outputs[j])) tensors.push_back(j - 1);
  }
  SplitAt(changed.program, place, choices.Of(tensors), choices);
  // Two values of unknown dims are not known to have the same ones.
  if (!Retype(changed.program).ok()) return std::nullopt;
  return changed;
}

std::optional<Changed> CondAgainstSelect(const Program& program, Choices& choices) {
  Changed changed{program};
  const std::vector<Place> conds = PlacesOf(
      changed.program, [&](const Statement& statement) { return IsPureCond(program, statement); });
  const std::vector<Place> selects = PlacesOf(changed.program, [&](const Statement& statement) {
    return IsScalarSelect(program, statement);
  });
  if (conds.empty() && selects.empty()) return std::nullopt;
  const auto which = choices.Below(static_cast<uint32_t>(conds.size() + selects.size()));
  if (which < conds.size()) {
    SelectInPlaceOfCond(conds[which]);
  } else {
    CondInPlaceOfSelect(selects[which - conds.size()]);
  }
  return changed;
}

std::optional<Changed> TwoCopies(const Program& program, Choices& choices) {
  Changed changed{program, true};
  Program& both = changed.program;
  Copier copier(both);
  for (const Input& input : program.inputs) {
    const ValueId again = both.NewValue(program.type(input.value));
    copier.Rename(input.value, again);
    both.inputs.push_back({again, input.feeds});
  }
  both.variables.insert(both.variables.end(), program.variables.begin(), program.variables.end());
  Block second = copier.Copy(program.body);
  const auto shift = static_cast<int>(program.variables.size());
  ForEachStatement(second, [&](Statement& statement) {
    if (statement.variable >= 0) statement.variable += shift;
  });
  std::vector<Statement> merged;
  std::vector<Statement>& first = both.body.statements;
  for (size_t i = 0, j = 0; i < first.size() || j < second.statements.size();) {
    const bool from_first =
        j == second.statements.size() || (i < first.size() && choices.Chance(kEvenly));
    merged.push_back(std::move(from_first ? first[i++] : second.statements[j++]));
  }
  first = std::move(merged);
  both.body.results.insert(both.body.results.end(), second.results.begin(), second.results.end());
  return changed;
}

}  // namespace tagflow::fuzz
