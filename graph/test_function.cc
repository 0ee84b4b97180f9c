#include "graph/test_function.h"

#include <memory>
#include <utility>

namespace tagflow {

ArgDef TestArg(const std::string& name, DType dtype) {
  ArgDef arg;
  arg.name = name;
  arg.dtype = dtype;
  return arg;
}

FunctionNode TestConst(const std::string& name, const Tensor& value) {
  return {
      name, "Const", "", {}, {{"dtype", AttrValue(value.dtype())}, {"value", AttrValue(value)}}};
}

FunctionDef TestFunction(const std::string& name, DType x, DType y, std::vector<FunctionNode> nodes,
                         const std::string& returns) {
  Function function;
  function.op.name = name;
  function.op.inputs = {TestArg("x", x)};
  function.op.outputs = {TestArg("y", y)};
  function.nodes = std::move(nodes);
  function.returns = {returns};
  return {name, "", std::make_shared<const Function>(std::move(function))};
}

}  // namespace tagflow
