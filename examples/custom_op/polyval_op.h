#ifndef TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_OP_H_
#define TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_OP_H_

#include "graph/op_def.h"

namespace polyval {

// Registers the op Examples>Polyval: what a graph may write. No engine is needed for it.
tagflow::Status RegisterOps(tagflow::OpRegistry& registry);

}  // namespace polyval

#endif  // TAGFLOW_EXAMPLES_CUSTOM_OP_POLYVAL_OP_H_
