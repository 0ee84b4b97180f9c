#ifndef TAGFLOW_FUZZ_GENERATE_REPEAT_H_
#define TAGFLOW_FUZZ_GENERATE_REPEAT_H_

// The same thing written twice: what those stumble over who share, clone or name parts of graphs.

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// Writes the last statement of the present block again, with all that is in it, `times` times.
// REQUIRES: it uses no array or stack up, and there is one.
void RepeatLast(Maker& maker, int times);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_REPEAT_H_
