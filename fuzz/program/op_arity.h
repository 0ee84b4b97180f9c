#ifndef TAGFLOW_FUZZ_PROGRAM_OP_ARITY_H_
#define TAGFLOW_FUZZ_PROGRAM_OP_ARITY_H_

// How many operands, outputs and numbers an operation takes.

#include "fuzz/program/op.h"

namespace tagflow::fuzz {

struct OpArity {
  static constexpr int kAny = -1;
  int operands = 0;
  int outputs = 1;
  int numbers = 0;
};

// REQUIRES: op is one of the enum's.
OpArity ArityOf(Op op);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_OP_ARITY_H_
