// Tests: chain.cc part.cc. Whole chains, with their bits: optimized/straight/chains_test.cc.

#include "optimized/kernels/chain.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "optimized/kernels/part.h"

namespace tagflow::optimized {
namespace {

BoundKernel Bound(const std::string& op) {
  Node node;
  node.name = node.op = op;
  node.def = OpRegistry::Standard().Find(op);
  node.attrs = {{"T", DType::kFloat}};
  if (op == "MatMul")
    node.attrs = {{"T", DType::kFloat}, {"transpose_a", false}, {"transpose_b", false}};
  return *KernelRegistry::Standard().Find(op)->bind(Binding{node, *ResolveSignature(node)});
}

template <typename Part>
bool Is(const std::string& op) {
  const BoundKernel kernel = Bound(op);
  return PartOf(kernel) != nullptr && std::holds_alternative<Part>(*PartOf(kernel));
}

TEST(PartTest, AKernelSaysWhatItComputes) {
  EXPECT_TRUE(Is<const PairLoop*>("Mul"));
  EXPECT_TRUE(Is<const MapLoop*>("Tanh"));
  EXPECT_TRUE(Is<ProductPart>("MatMul"));
  EXPECT_TRUE(Is<AdditionPart>("BiasAddV1"));
  EXPECT_TRUE(Is<ReductionPart>("L2Loss"));
  EXPECT_EQ(PartOf(Bound("Softmax")), nullptr);
  EXPECT_EQ(PartOf(BoundKernel()), nullptr);
}

// out = -(x * y)
ElementChain NegatedProduct() {
  const BoundKernel multiply = Bound("Mul"), negate = Bound("Neg");
  ElementChain chain;
  chain.num_inputs = 2;
  chain.steps = {
      {.kind = ChainStep::Kind::kPair,
       .x = 0,
       .y = 1,
       .pair = *std::get<const PairLoop*>(*PartOf(multiply))},
      {.kind = ChainStep::Kind::kMap, .x = 2, .map = *std::get<const MapLoop*>(*PartOf(negate))}};
  chain.places = {{ChainPlace::Kind::kRoom, 0, 0}, {ChainPlace::Kind::kOutput, 0, 0}};
  chain.outputs = {{3, 0}};
  chain.num_rooms = 1;
  return chain;
}

Tensor Numbers(const Dims& dims, float by) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
  float value = 0;
  for (float& element : tensor.mutable_flat<float>()) element = value += by;
  return tensor;
}

// Nothing where the chain does not run; x may be overwritten.
Tensor RunNegated(Tensor x, Tensor y) {
  Tensor slots[] = {std::move(x), std::move(y), Tensor()};
  const Arg args[] = {{0, 1}, {1, 0}};
  const uint32_t outputs[] = {2};
  const StepServices services;
  KernelContext context(slots, services);
  context.Point(args, outputs, 2);
  return RunChain(NegatedProduct(), context) ? slots[2] : Tensor();
}

TEST(RunChainTest, BlocksAndRows) {
  for (const int64_t columns : {int64_t{1}, kRowMin - 1, kRowMin, int64_t{1000}}) {
    const Tensor x = Numbers({3, columns}, 0.5f), y = Numbers({columns}, 0.25f);
    const Tensor same = RunNegated(x, x), rows = RunNegated(x, y);
    ASSERT_TRUE(same.has_value());
    ASSERT_EQ(rows.has_value(), columns != kRowMin - 1) << "short rows are the kernels'";
    for (int64_t i = 0; i < 3 * columns; ++i) {
      const float xi = x.data<float>()[i];
      EXPECT_EQ(same.data<float>()[i], -(xi * xi));
      if (rows.has_value()) {
        EXPECT_EQ(rows.data<float>()[i], -(xi * y.data<float>()[i % columns]));
      }
    }
  }
}

TEST(RunChainTest, AnInputThatMayBeOverwrittenIs) {
  Tensor x = Numbers({500}, 1);
  const void* const memory = x.raw_data();
  const Tensor out = RunNegated(std::move(x), Tensor::Scalar(2.0f));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out.raw_data(), memory);
  EXPECT_EQ(out.data<float>()[499], -1000);
}

TEST(RunChainTest, WhatDoesNotSuitIsLeft) {
  EXPECT_FALSE(RunNegated(Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)).has_value());
  EXPECT_FALSE(RunNegated(Numbers({3, 40}, 1), Numbers({3, 1}, 1)).has_value());
  EXPECT_FALSE(RunNegated(Numbers({40}, 1), Numbers({41}, 1)).has_value());
  EXPECT_FALSE(RunNegated(Numbers({0}, 1), Numbers({0}, 1)).has_value());
  EXPECT_FALSE(RunNegated(Numbers({1}, 1), Numbers({1}, 1)).has_value());
}

}  // namespace
}  // namespace tagflow::optimized
