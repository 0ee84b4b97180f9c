#ifndef TAGFLOW_GRAPH_BUILDER_OP_BUILDER_H_
#define TAGFLOW_GRAPH_BUILDER_OP_BUILDER_H_

// Making any op, by its name. The named helpers of ops.h are one line of this each.

#include <string_view>
#include <vector>

#include "graph/builder/input.h"
#include "graph/builder/output.h"
#include "graph/builder/scope.h"

namespace tagflow {

// Adds a node of op `op`. What the inputs tell (type attrs, lengths, lists of types) need not be
// given in `attrs`.
//   Op(scope, "AddV2", {x, 1})                 1 becomes a constant of x's type
//   Op(scope, "ConcatV2", {{x, y}, 0})         a list argument is a list …
//   Op(scope, "AddN", {x, y, z})               … or flat, where the op has one list only
//   Op(scope, "Cast", {x}, {{"DstT", DType::kInt32}})
// Tensors made outside the branch or loop that `scope` is in are captured.
//   Errors (kept by the scope): NOT_FOUND for an op nobody defined; INVALID_ARGUMENT for a wrong
//   number of inputs, inputs of different types under one type attr, a type the op does not take,
//   an attr that is missing, unknown or of another kind, shapes that cannot fit.
Operation Op(const Scope& scope, std::string_view op, std::vector<Input> inputs = {},
             AttrMap attrs = {});

// A Const node.
Output Const(const Scope& scope, Tensor value);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_OP_BUILDER_H_
