// The step that several threads run, or a simulated schedule.

#include "optimized/tokens/step_impl.h"

namespace tagflow::optimized::tokens {

template class Step<Concurrent>;

}  // namespace tagflow::optimized::tokens
