#include "fuzz/direct/collections_impl.h"
#include "fuzz/direct/control_impl.h"
#include "fuzz/direct/evaluator_impl.h"

namespace tagflow::fuzz {

template class Evaluator<Dual<Dual<Dual<double>>>>;

}  // namespace tagflow::fuzz
