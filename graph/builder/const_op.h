#ifndef TAGFLOW_GRAPH_BUILDER_CONST_OP_H_
#define TAGFLOW_GRAPH_BUILDER_CONST_OP_H_

// Constants from C++ values, of exactly the type they have there: Const(scope, 1.5f) is a float,
// Const(scope, 1.5) a double.

#include <string>
#include <vector>

#include "graph/builder/op_builder.h"
#include "graph/tensor.h"

namespace tagflow {

// A scalar.
template <typename T>
requires requires { DTypeOf<T>::value; }
Output Const(const Scope& scope, T value) { return Const(scope, Tensor::Scalar(std::move(value))); }
inline Output Const(const Scope& scope, const char* text) {
  return Const(scope, Tensor::Scalar(std::string(text)));
}

// A vector. (Not of bool: std::vector<bool> has no elements to copy from; use the form with dims.)
template <typename T>
Output Const(const Scope& scope, const std::vector<T>& values) {
  return Const(scope, Tensor::Vector(values));
}

// Elements in row-major order.
//   Errors: INVALID_ARGUMENT when `dims` has another number of elements.
template <typename T>
Output Const(const Scope& scope, const Dims& dims, const std::vector<T>& values) {
  Result<int64_t> elements = NumElements(dims);
  if (!elements.ok() || *elements != static_cast<int64_t>(values.size())) {
    scope.Fail(InvalidArgument("a constant of shape " + DimsString(dims) + " does not have " +
                               std::to_string(values.size()) + " elements"));
    return Output(scope.state(), OutputRef{});
  }
  return Const(scope, Tensor::Vector(values).Reshaped(dims));
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_CONST_OP_H_
