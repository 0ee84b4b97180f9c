// Tests: function_gradient.cc

#include "reference/tape/function_gradient.h"

#include <gtest/gtest.h>

#include "graph/builder/builder.h"
#include "graph/test_function.h"

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

TEST(FunctionGradient, OfACallIsRefused) {
  Graph caller;
  constexpr DType kFloat = DType::kFloat;
  caller.library.Add(TestFunction("f", kFloat, kFloat,
                                  {{"s", "Square", "", {"x"}, {{"T", AttrValue(kFloat)}}}}, "s:y"));
  caller.library.Add(TestFunction("g", kFloat, kFloat, {{"c", "f", "", {"x"}, {}}}, "c:y"));
  const auto body = InstantiateFunction(caller, {"g", {}}, "call");
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  const auto gradients = GradientOfFunction(*body, {Tensor::Scalar(3.0f)}, {Tensor::Scalar(1.0f)});
  EXPECT_EQ(gradients.status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow::reference
