#include "optimized/evaluate.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow::optimized {
namespace {

TEST(EvaluateTest, RunsTheKernelOnceAndLeavesTheInputs) {
  const TestGraph g("a = Placeholder() dtype=float\n y = Sub(a, a)\n s = Split(a, a)",
                    OpRegistry::Standard());
  const Evaluate evaluate = EvaluateWith(KernelRegistry::Standard());
  const std::vector<Tensor> inputs = {Tensor::Vector<float>({5, 6}), Tensor::Vector<float>({2, 4})};
  const Result<std::vector<Tensor>> outputs = evaluate(g.node("y"), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_TRUE(BitwiseEqual((*outputs)[0], Tensor::Vector<float>({3, 2})));
  EXPECT_TRUE(BitwiseEqual(inputs[0], Tensor::Vector<float>({5, 6})));
}

TEST(EvaluateTest, ErrorsAreTheKernels) {
  const TestGraph g("k = Placeholder() dtype=int32\n y = FloorDiv(k, k) T=int32",
                    OpRegistry::Standard());
  const std::vector<Tensor> inputs = {Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(0)};
  EXPECT_EQ(EvaluateWith(KernelRegistry::Standard())(g.node("y"), inputs).status().code(),
            Code::kInvalidArgument);
  const KernelRegistry none;
  EXPECT_EQ(EvaluateWith(none)(g.node("y"), inputs).status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow::optimized
