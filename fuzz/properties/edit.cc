#include "fuzz/properties/edit.h"

#include <iterator>
#include <utility>

namespace tagflow::fuzz {
namespace {

void Collect(Block& block, const std::function<bool(const Statement&)>& wanted,
             std::vector<Place>& places) {
  for (size_t i = 0; i < block.statements.size(); ++i) {
    if (wanted(block.statements[i])) places.push_back({&block, i});
    for (Block& inner : block.statements[i].blocks) Collect(inner, wanted, places);
  }
}

}  // namespace

void Copier::Rename(const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
  for (size_t i = 0; i < from.size(); ++i) Rename(from[i], to[i]);
}

ValueId Copier::Of(ValueId id) const {
  const auto found = names_.find(Index(id));
  return found == names_.end() ? id : found->second;
}

std::vector<ValueId> Copier::Of(const std::vector<ValueId>& ids) const {
  std::vector<ValueId> renamed;
  for (const ValueId id : ids) renamed.push_back(Of(id));
  return renamed;
}

std::vector<ValueId> Copier::Bind(const std::vector<ValueId>& ids) {
  std::vector<ValueId> bound;
  for (const ValueId id : ids) {
    const Type type = program_.type(id);
    bound.push_back(program_.NewValue(type));
    Rename(id, bound.back());
  }
  return bound;
}

std::vector<Statement> Copier::Copy(const std::vector<Statement>& statements) {
  std::vector<Statement> copies;
  for (const Statement& statement : statements) copies.push_back(Copy(statement));
  return copies;
}

Statement Copier::Copy(const Statement& statement) {
  Statement copy = statement;
  copy.operands = Of(statement.operands);
  copy.after = Of(statement.after);
  for (size_t i = 0; i < copy.blocks.size(); ++i) copy.blocks[i] = Copy(statement.blocks[i]);
  copy.outputs = Bind(statement.outputs);
  return copy;
}

Block Copier::Copy(const Block& block) {
  Block copy;
  copy.parameters = Bind(block.parameters);
  copy.statements = Copy(block.statements);
  copy.results = Of(block.results);
  return copy;
}

ValueId Writer::Do(Op op, const Type& type, std::vector<ValueId> operands) {
  Statement statement;
  statement.op = op;
  statement.operands = std::move(operands);
  statement.outputs = {program_.NewValue(type)};
  statements_.push_back(std::move(statement));
  return statements_.back().outputs[0];
}

ValueId Writer::Const(Tensor value) {
  const Type type{Kind::kTensor, value.dtype(), Dims(value.dims().begin(), value.dims().end())};
  const ValueId id = Do(Op::kConst, type, {});
  statements_.back().literal = std::move(value);
  return id;
}

void Writer::Add(std::vector<Statement> statements) {
  std::move(statements.begin(), statements.end(), std::back_inserter(statements_));
}

std::vector<Place> PlacesOf(Program& program, const std::function<bool(const Statement&)>& wanted) {
  std::vector<Place> places;
  Collect(program.body, wanted, places);
  return places;
}

void Replace(const Place& place, std::vector<Statement> statements) {
  std::vector<Statement>& list = place.block->statements;
  const auto at = list.begin() + static_cast<ptrdiff_t>(place.index);
  list.insert(list.erase(at), std::make_move_iterator(statements.begin()),
              std::make_move_iterator(statements.end()));
}

}  // namespace tagflow::fuzz
