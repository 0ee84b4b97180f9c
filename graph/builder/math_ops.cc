#include "graph/builder/math_ops.h"

namespace tagflow {

#define TAGFLOW_BINARY_OP(function, op)                                 \
  Output function(const Scope& scope, const Input& x, const Input& y) { \
    return Op(scope, op, {x, y});                                       \
  }
TAGFLOW_BINARY_OP(Add, "AddV2")
TAGFLOW_BINARY_OP(Sub, "Sub")
TAGFLOW_BINARY_OP(Mul, "Mul")
TAGFLOW_BINARY_OP(Div, "Div")
TAGFLOW_BINARY_OP(RealDiv, "RealDiv")
TAGFLOW_BINARY_OP(FloorDiv, "FloorDiv")
TAGFLOW_BINARY_OP(FloorMod, "FloorMod")
TAGFLOW_BINARY_OP(Pow, "Pow")
TAGFLOW_BINARY_OP(Maximum, "Maximum")
TAGFLOW_BINARY_OP(Minimum, "Minimum")
TAGFLOW_BINARY_OP(Equal, "Equal")
TAGFLOW_BINARY_OP(NotEqual, "NotEqual")
TAGFLOW_BINARY_OP(Less, "Less")
TAGFLOW_BINARY_OP(LessEqual, "LessEqual")
TAGFLOW_BINARY_OP(Greater, "Greater")
TAGFLOW_BINARY_OP(GreaterEqual, "GreaterEqual")
TAGFLOW_BINARY_OP(LogicalAnd, "LogicalAnd")
TAGFLOW_BINARY_OP(LogicalOr, "LogicalOr")
#undef TAGFLOW_BINARY_OP

#define TAGFLOW_UNARY_OP(function) \
  Output function(const Scope& scope, const Input& x) { return Op(scope, #function, {x}); }
TAGFLOW_UNARY_OP(Neg)
TAGFLOW_UNARY_OP(Abs)
TAGFLOW_UNARY_OP(Sign)
TAGFLOW_UNARY_OP(Square)
TAGFLOW_UNARY_OP(Sqrt)
TAGFLOW_UNARY_OP(Exp)
TAGFLOW_UNARY_OP(Log)
TAGFLOW_UNARY_OP(Sin)
TAGFLOW_UNARY_OP(Cos)
TAGFLOW_UNARY_OP(Tanh)
TAGFLOW_UNARY_OP(Sigmoid)
TAGFLOW_UNARY_OP(LogicalNot)
#undef TAGFLOW_UNARY_OP

#define TAGFLOW_REDUCTION(function)                                                        \
  Output function(const Scope& scope, const Input& x, const Input& axis, bool keep_dims) { \
    return Op(scope, #function, {x, axis}, {{"keep_dims", keep_dims}});                    \
  }
TAGFLOW_REDUCTION(Sum)
TAGFLOW_REDUCTION(Mean)
TAGFLOW_REDUCTION(Max)
TAGFLOW_REDUCTION(Min)
TAGFLOW_REDUCTION(All)
TAGFLOW_REDUCTION(Any)
#undef TAGFLOW_REDUCTION

Output Cast(const Scope& scope, const Input& x, DType to) {
  return Op(scope, "Cast", {x}, {{"DstT", to}});
}

Output Select(const Scope& scope, const Input& condition, const Input& x, const Input& y) {
  return Op(scope, "SelectV2", {condition, x, y});
}

Output MatMul(const Scope& scope, const Input& a, const Input& b, bool transpose_a,
              bool transpose_b) {
  return Op(scope, "MatMul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}

Output AddN(const Scope& scope, const OutputList& xs) { return Op(scope, "AddN", {xs}); }

namespace {

Output Apply(std::string_view op, const Output& known, const Input& x, const Input& y) {
  if (known.state() == nullptr) return Output();  // of no graph: the error shows at its next use
  if (op == "/") {
    op = IsInteger(known.dtype()) ? "FloorDiv" : "RealDiv";
  }
  return Op(Scope::Current(known), op, {x, y});
}

}  // namespace

#define TAGFLOW_BINARY_OPERATOR(sign, op)                                                \
  Output operator sign(const Output& x, const Output& y) {                               \
    return Apply(op, x.state() != nullptr ? x : y, x, y);                                \
  }                                                                                      \
  Output operator sign(const Output& x, const Literal& y) { return Apply(op, x, x, y); } \
  Output operator sign(const Literal& x, const Output& y) { return Apply(op, y, x, y); }
TAGFLOW_BINARY_OPERATOR(+, "AddV2")
TAGFLOW_BINARY_OPERATOR(-, "Sub")
TAGFLOW_BINARY_OPERATOR(*, "Mul")
TAGFLOW_BINARY_OPERATOR(/, "/")
TAGFLOW_BINARY_OPERATOR(%, "FloorMod")
#undef TAGFLOW_BINARY_OPERATOR

Output operator-(const Output& x) {
  return x.state() == nullptr ? Output() : Neg(Scope::Current(x), x);
}

}  // namespace tagflow
