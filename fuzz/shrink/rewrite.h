#ifndef TAGFLOW_FUZZ_SHRINK_REWRITE_H_
#define TAGFLOW_FUZZ_SHRINK_REWRITE_H_

// What the edits are made of.

#include <map>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Where a statement is.
struct Place {
  Block* block = nullptr;
  size_t index = 0;
  Statement& statement() const { return block->statements[index]; }
};

// The statement at `position` in order of the text. REQUIRES: there is one.
Place PlaceOf(Program& program, size_t position);

// Every use of a key becomes one of its value; values may be keys in turn.
void Replace(Program& program, const std::map<ValueId, ValueId>& replacements);

// A tensor of `value`, 1 in each dimension that is not known.
Tensor Filled(const Type& type, double value);

// A statement that binds `id` to the literal.
Statement ConstStatement(ValueId id, Tensor literal);

// What stands for the values of statements that are taken out.
enum class Stand { kZeros, kOnes, kOperands };

// Takes out the statements from position `begin` to before `end`, and what is within them. Arrays
// and stacks stay as they were before; those made there stay. Constants become zeros, or ones.
void TakeOut(Program& program, size_t begin, size_t end, Stand stand);

// Takes out a cond, case or loop; one branch of it, or its body or test run once, stays.
// REQUIRES: it has that block.
void Inline(Program& program, size_t position, size_t block);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_REWRITE_H_
