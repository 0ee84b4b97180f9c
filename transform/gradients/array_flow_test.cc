#include "transform/gradients/array_flow.h"

#include <gtest/gtest.h>

#include "graph/builder/builder.h"

namespace tagflow {
namespace {

TEST(ArrayFlows, AreFoundThroughControlFlow) {
  Scope scope = Scope::Root();
  const TensorArray array(scope, 3, DType::kInt64);
  const Output number = Const(scope, 1.5f);
  const OutputList results = WhileLoop(
      scope, {Const(scope, 0), array.flow(), number},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, array.WithFlow(v[1]).Write(s, v[0], Const(s, int64_t{4})).flow(), v[2]};
      });
  const auto flows = FindArrayFlows(scope.graph());
  EXPECT_EQ(flows.at(array.flow().ref()), DType::kInt64);
  EXPECT_EQ(flows.at(results[1].ref()), DType::kInt64);
  EXPECT_FALSE(flows.contains(array.handle().ref()));
  EXPECT_FALSE(flows.contains(results[0].ref()));
  EXPECT_FALSE(flows.contains(results[2].ref()));
}

TEST(ArrayFlows, OfGradientArraysHaveTheDTypeOfTheArray) {
  Scope scope = Scope::Root();
  const TensorArray array(scope, 3, DType::kDouble);
  const TensorArray gradient = array.Gradient(scope, "g");
  const TensorArray again = gradient.Gradient(scope, "g");  // whose array is out of sight
  const auto flows = FindArrayFlows(scope.graph());
  EXPECT_EQ(flows.at(gradient.flow().ref()), DType::kDouble);
  EXPECT_EQ(flows.at(again.flow().ref()), DType::kFloat);
}

}  // namespace
}  // namespace tagflow
