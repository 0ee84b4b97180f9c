#ifndef TAGFLOW_FUZZ_GENERATE_STATEMENTS_H_
#define TAGFLOW_FUZZ_GENERATE_STATEMENTS_H_

// Statements of any kind. Each function writes at least one where the next statement goes, and may
// nest blocks of others.

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// At most `count`, fewer when the program is full.
void MakeStatements(Maker& maker, int count);

// How many statements a nested block is to have.
int NestedCount(Maker& maker);

// branches.cc
void MakeCond(Maker& maker);
void MakeCase(Maker& maker);

// loops.cc
void MakeLoop(Maker& maker);
// Of what its body does, and not of what it gives.
void MakeActingLoop(Maker& maker);

// stores.cc: arrays, stacks, variables.
void MakeArrayUse(Maker& maker);
void MakeStackUse(Maker& maker);
void MakeEffect(Maker& maker);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_STATEMENTS_H_
