#ifndef TAGFLOW_GRAPH_TEST_FUNCTION_H_
#define TAGFLOW_GRAPH_TEST_FUNCTION_H_

// Small functions for tests:
//   TestFunction("twice", DType::kFloat, DType::kFloat,
//                {{"sum", "AddV2", "", {"x", "x"}, {{"T", AttrValue(DType::kFloat)}}}}, "sum:z")

#include <string>
#include <vector>

#include "graph/function.h"

namespace tagflow {

// y = name(x); `returns` is written as inputs are.
FunctionDef TestFunction(const std::string& name, DType x, DType y, std::vector<FunctionNode> nodes,
                         const std::string& returns);
// An argument of a function; a constant in its body.
ArgDef TestArg(const std::string& name, DType dtype);
FunctionNode TestConst(const std::string& name, const Tensor& value);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TEST_FUNCTION_H_
