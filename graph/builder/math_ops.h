#ifndef TAGFLOW_GRAPH_BUILDER_MATH_OPS_H_
#define TAGFLOW_GRAPH_BUILDER_MATH_OPS_H_

// Arithmetic, comparisons, logic, reductions and products. Each is one node of the op in the
// comment (or of its own name); operands broadcast as in NumPy, and a number may stand for either.

#include "graph/builder/op_builder.h"

namespace tagflow {

Output Add(const Scope& scope, const Input& x, const Input& y);  // AddV2
Output Sub(const Scope& scope, const Input& x, const Input& y);
Output Mul(const Scope& scope, const Input& x, const Input& y);
Output Div(const Scope& scope, const Input& x, const Input& y);      // integers: towards zero
Output RealDiv(const Scope& scope, const Input& x, const Input& y);  // not for integers
Output FloorDiv(const Scope& scope, const Input& x, const Input& y);
Output FloorMod(const Scope& scope, const Input& x, const Input& y);  // sign of y
Output Pow(const Scope& scope, const Input& x, const Input& y);
Output Maximum(const Scope& scope, const Input& x, const Input& y);
Output Minimum(const Scope& scope, const Input& x, const Input& y);

Output Neg(const Scope& scope, const Input& x);
Output Abs(const Scope& scope, const Input& x);
Output Sign(const Scope& scope, const Input& x);
Output Square(const Scope& scope, const Input& x);
Output Sqrt(const Scope& scope, const Input& x);
Output Exp(const Scope& scope, const Input& x);
Output Log(const Scope& scope, const Input& x);
Output Sin(const Scope& scope, const Input& x);
Output Cos(const Scope& scope, const Input& x);
Output Tanh(const Scope& scope, const Input& x);
Output Sigmoid(const Scope& scope, const Input& x);
Output Cast(const Scope& scope, const Input& x, DType to);

Output Equal(const Scope& scope, const Input& x, const Input& y);
Output NotEqual(const Scope& scope, const Input& x, const Input& y);
Output Less(const Scope& scope, const Input& x, const Input& y);
Output LessEqual(const Scope& scope, const Input& x, const Input& y);
Output Greater(const Scope& scope, const Input& x, const Input& y);
Output GreaterEqual(const Scope& scope, const Input& x, const Input& y);
Output LogicalAnd(const Scope& scope, const Input& x, const Input& y);
Output LogicalOr(const Scope& scope, const Input& x, const Input& y);
Output LogicalNot(const Scope& scope, const Input& x);
// Elementwise: both sides are computed (Cond computes one).
Output Select(const Scope& scope, const Input& condition, const Input& x,
              const Input& y);  // SelectV2

// Over `axis` (a dimension or several; negative ones count from the last).
Output Sum(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);
Output Mean(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);
Output Max(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);
Output Min(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);
Output All(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);
Output Any(const Scope& scope, const Input& x, const Input& axis, bool keep_dims = false);

Output MatMul(const Scope& scope, const Input& a, const Input& b, bool transpose_a = false,
              bool transpose_b = false);
Output AddN(const Scope& scope, const OutputList& xs);

// Operators make their nodes in the branch or body that is being built, else at the root (with
// neither the device nor the names of a Scope: use the functions for those). On integers / and %
// are FloorDiv and FloorMod, so that (a / b) * b + a % b is a; otherwise / is RealDiv.
#define TAGFLOW_BINARY_OPERATOR(op)                      \
  Output operator op(const Output& x, const Output& y);  \
  Output operator op(const Output& x, const Literal& y); \
  Output operator op(const Literal& x, const Output& y);
TAGFLOW_BINARY_OPERATOR(+)
TAGFLOW_BINARY_OPERATOR(-)
TAGFLOW_BINARY_OPERATOR(*)
TAGFLOW_BINARY_OPERATOR(/)
TAGFLOW_BINARY_OPERATOR(%)
#undef TAGFLOW_BINARY_OPERATOR
Output operator-(const Output& x);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_MATH_OPS_H_
