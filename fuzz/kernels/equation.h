#ifndef TAGFLOW_FUZZ_KERNELS_EQUATION_H_
#define TAGFLOW_FUZZ_KERNELS_EQUATION_H_

// Equations of Einsum, and shapes that suit them: letters in any order, twice in a term, in one
// term alone, kept or summed over; and an ellipsis, whose dimensions may be one where the other
// term's are many.

#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

struct Equation {
  std::string text;
  std::vector<Dims> dims;  // of each term
};

Equation DrawEquation(int64_t terms, Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_EQUATION_H_
