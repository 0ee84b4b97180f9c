#ifndef TAGFLOW_FUZZ_GENERATE_LOOP_VARIABLES_H_
#define TAGFLOW_FUZZ_GENERATE_LOOP_VARIABLES_H_

// The variables of a loop, before it has a body: what each starts as, what it is kept to, and what
// becomes of it.

#include <vector>

#include "fuzz/generate/loops.h"

namespace tagflow::fuzz {

// Adds variables at random to those given, for a loop of at most `most` trips.
void AddVariables(Maker& maker, int most, std::vector<Carried>& variables);

// The first variable of that type but the `but`-th, none that grows; as many as there are variables
// where there is none.
size_t FindVariable(const std::vector<Carried>& variables, DType dtype, const Dims& dims,
                    size_t but);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_LOOP_VARIABLES_H_
