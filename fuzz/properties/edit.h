#ifndef TAGFLOW_FUZZ_PROPERTIES_EDIT_H_
#define TAGFLOW_FUZZ_PROPERTIES_EDIT_H_

// Tools to change programs with.

#include <functional>
#include <unordered_map>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Copies statements and blocks, with new values for those they bind.
class Copier {
 public:
  explicit Copier(Program& program) : program_(program) {}

  // From now on copies have `to` in place of `from`.
  void Rename(ValueId from, ValueId to) { names_[Index(from)] = to; }
  void Rename(const std::vector<ValueId>& from, const std::vector<ValueId>& to);

  ValueId Of(ValueId id) const;
  std::vector<ValueId> Of(const std::vector<ValueId>& ids) const;
  std::vector<Statement> Copy(const std::vector<Statement>& statements);
  Statement Copy(const Statement& statement);
  Block Copy(const Block& block);

 private:
  std::vector<ValueId> Bind(const std::vector<ValueId>& ids);

  Program& program_;
  std::unordered_map<size_t, ValueId> names_;
};

// Appends statements to a list.
class Writer {
 public:
  Writer(Program& program, std::vector<Statement>& statements)
      : program_(program), statements_(statements) {}

  ValueId Do(Op op, const Type& type, std::vector<ValueId> operands);
  ValueId Const(Tensor value);
  void Add(Statement statement) { statements_.push_back(std::move(statement)); }
  void Add(std::vector<Statement> statements);

 private:
  Program& program_;
  std::vector<Statement>& statements_;
};

// A statement by its place.
struct Place {
  Block* block = nullptr;
  size_t index = 0;
  Statement& statement() const { return block->statements[index]; }
};

// Every place, at any depth, that `wanted` holds for; valid until a statement is added or removed.
std::vector<Place> PlacesOf(Program& program, const std::function<bool(const Statement&)>& wanted);

// Puts others in place of a statement.
void Replace(const Place& place, std::vector<Statement> statements);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_EDIT_H_
