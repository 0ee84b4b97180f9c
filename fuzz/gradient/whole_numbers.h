#ifndef TAGFLOW_FUZZ_GRADIENT_WHOLE_NUMBERS_H_
#define TAGFLOW_FUZZ_GRADIENT_WHOLE_NUMBERS_H_

// Programs whose gradients are exact: what is computed in floats are small whole numbers, added,
// subtracted and multiplied. Where nothing is rounded, nothing depends on the order of a sum, and
// gradients can be compared bit for bit.

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// The program with whole numbers from -2 to 2 for its inputs, variables and literals of floats, and
// with simpler operations in place of those that leave the whole numbers.
Program WholeNumbers(Program program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_WHOLE_NUMBERS_H_
