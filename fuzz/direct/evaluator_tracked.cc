#include "fuzz/direct/collections_impl.h"
#include "fuzz/direct/control_impl.h"
#include "fuzz/direct/evaluator_impl.h"

namespace tagflow::fuzz {

template class Evaluator<Tracked>;

}  // namespace tagflow::fuzz
