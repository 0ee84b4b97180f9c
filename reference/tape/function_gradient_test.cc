// Tests: function_gradient.cc

#include "reference/tape/function_gradient.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "graph/builder/builder.h"

namespace tagflow::reference {
namespace {

TEST(FunctionGradient, IsOneForEachArgument) {
  const Scope scope = Scope::Root();
  const Output x = Placeholder(scope, DType::kFloat);
  const Output n = Placeholder(scope, DType::kInt32);
  const Output unused = Placeholder(scope, DType::kHalf);
  const Output y = x * x;
  FunctionBody body{
      *scope.Finish(), {x.ref().node, n.ref().node, unused.ref().node}, {y.ref(), n.ref()}, {}};
  const auto gradients = GradientOfFunction(
      body, {Tensor::Vector<float>({3, 4}), Tensor::Scalar(7), Tensor::Scalar(Half())},
      {Tensor::Vector<float>({1, 10}), Tensor::Scalar(1)});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  ASSERT_EQ(gradients->size(), 3u);
  EXPECT_EQ((*gradients)[0].data<float>()[0], 6);
  EXPECT_EQ((*gradients)[0].data<float>()[1], 80);
  EXPECT_EQ(*(*gradients)[1].data<int32_t>(), 0);
  EXPECT_EQ((*gradients)[2].dtype(), DType::kHalf);
}

// y = op(x)
FunctionDef FunctionOf(const std::string& name, FunctionNode node, const std::string& result) {
  Function function;
  function.op.name = name;
  for (auto* args : {&function.op.inputs, &function.op.outputs}) {
    ArgDef arg;
    arg.name = args == &function.op.inputs ? "x" : "y";
    arg.dtype = DType::kFloat;
    args->push_back(arg);
  }
  function.nodes = {std::move(node)};
  function.returns = {result};
  return {name, "", std::make_shared<const Function>(std::move(function))};
}

TEST(FunctionGradient, OfACallIsRefused) {
  Graph caller;
  caller.library.Add(
      FunctionOf("f", {"s", "Square", "", {"x"}, {{"T", AttrValue(DType::kFloat)}}}, "s:y"));
  caller.library.Add(FunctionOf("g", {"c", "f", "", {"x"}, {}}, "c:y"));
  const auto body = InstantiateFunction(caller, {"g", {}}, "call");
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  const auto gradients = GradientOfFunction(*body, {Tensor::Scalar(3.0f)}, {Tensor::Scalar(1.0f)});
  EXPECT_EQ(gradients.status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow::reference
