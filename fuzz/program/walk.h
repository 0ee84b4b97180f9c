#ifndef TAGFLOW_FUZZ_PROGRAM_WALK_H_
#define TAGFLOW_FUZZ_PROGRAM_WALK_H_

// Walks over programs, in order of the text: a statement, then what is in its blocks, then the
// next.

#include <functional>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Every statement of the block, and of the blocks within it.
void ForEachStatement(const Block& block, const std::function<void(const Statement&)>& visit);
void ForEachStatement(Block& block, const std::function<void(Statement&)>& visit);

// Every block within `block` and it itself first; depth 0 is its own. `owner` is the statement the
// block belongs to, null for `block`.
void ForEachBlock(
    const Block& block,
    const std::function<void(const Block&, const Statement* owner, int depth)>& visit);

// Every value that is bound, in order of the text: inputs, then each statement's outputs before the
// parameters of its blocks and what these bind.
void ForEachBinding(const Program& program, const std::function<void(ValueId)>& visit);

// Every use of a value in the block and those within it: operands, after, results.
void ForEachUse(const Block& block, const std::function<void(ValueId)>& visit);
// The same, to rename them.
void ForEachUse(Block& block, const std::function<void(ValueId&)>& visit);

// How deep conds, cases and loops are nested; 0 for none.
int Depth(const Program& program);

// The same program with values numbered as they are bound in the text, and no types but theirs.
// Uses of what nothing binds become kNone.
Program Canonical(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_WALK_H_
