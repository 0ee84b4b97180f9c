#include "fuzz/lower/lower.h"

#include "fuzz/lower/lowering.h"

namespace tagflow::fuzz {

Result<Lowered> Lower(const Program& program) { return Lowering(program).Lower(); }

}  // namespace tagflow::fuzz
