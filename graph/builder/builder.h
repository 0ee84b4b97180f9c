#ifndef TAGFLOW_GRAPH_BUILDER_BUILDER_H_
#define TAGFLOW_GRAPH_BUILDER_BUILDER_H_

// Everything a program needs that builds graphs. docs/builder.md is the guide.

#include "graph/builder/array_ops.h"         // IWYU pragma: export
#include "graph/builder/build_while_loop.h"  // IWYU pragma: export
#include "graph/builder/case.h"              // IWYU pragma: export
#include "graph/builder/cond.h"              // IWYU pragma: export
#include "graph/builder/const_op.h"          // IWYU pragma: export
#include "graph/builder/functional.h"        // IWYU pragma: export
#include "graph/builder/math_ops.h"          // IWYU pragma: export
#include "graph/builder/op_builder.h"        // IWYU pragma: export
#include "graph/builder/scope.h"             // IWYU pragma: export
#include "graph/builder/stack.h"             // IWYU pragma: export
#include "graph/builder/tensor_array.h"      // IWYU pragma: export
#include "graph/builder/variable.h"          // IWYU pragma: export
#include "graph/builder/while_loop.h"        // IWYU pragma: export

#endif  // TAGFLOW_GRAPH_BUILDER_BUILDER_H_
