// The step that one thread runs.

#include "optimized/tokens/step_impl.h"

namespace tagflow::optimized::tokens {

template class Step<Sequential>;

}  // namespace tagflow::optimized::tokens
