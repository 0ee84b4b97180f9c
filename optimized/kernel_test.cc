#include "optimized/kernel.h"

#include <gtest/gtest.h>

#include "optimized/resources.h"

namespace tagflow::optimized {
namespace {

// Two inputs and an output in three slots.
class Firing {
 public:
  Firing(Tensor a, Tensor b, bool is_last) : slots_{std::move(a), std::move(b), Tensor()} {
    args_[0] = {0, is_last};
    args_[1] = {1, is_last};
    context.Point(args_, outputs_, 2);
  }

 private:
  Tensor slots_[3];
  Arg args_[2];
  uint32_t outputs_[1] = {2};
  StepServices services_;

 public:
  KernelContext context{slots_, services_};
};

TEST(KernelContextTest, TheResultReusesTheFirstInputThatFits) {
  Firing firing(Tensor::Vector<int32_t>({1, 2}), Tensor::Vector<float>({1, 2}), true);
  const void* data = firing.context.input(1).raw_data();
  const Result<Tensor*> out = firing.context.Allocate(0, DType::kFloat, Dims{2}, {0, 1});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ((*out)->raw_data(), data);
}

TEST(KernelContextTest, NothingIsReusedThatOthersMayRead) {
  Firing still_read(Tensor::Vector<float>({1}), Tensor::Vector<float>({2}), false);
  const void* data = still_read.context.input(0).raw_data();
  EXPECT_NE((*still_read.context.Allocate(0, DType::kFloat, Dims{1}, {0, 1}))->raw_data(), data);

  const Tensor value = Tensor::Vector<float>({1});
  Firing shared(value, value, true);
  EXPECT_NE((*shared.context.Allocate(0, DType::kFloat, Dims{1}, {0, 1}))->raw_data(),
            value.raw_data());
}

TEST(KernelContextTest, TakingMovesTheLastUseOnly) {
  Firing last(Tensor::Vector<float>({1}), Tensor(), true);
  last.context.Take(0);
  EXPECT_FALSE(last.context.input(0).has_value());
  Firing kept(Tensor::Vector<float>({1}), Tensor(), false);
  kept.context.Take(0);
  EXPECT_TRUE(kept.context.input(0).has_value());
}

TEST(KernelContextTest, AReferenceNamesItsVariable) {
  auto variable = std::make_shared<Variable>("v");
  Firing firing(VariableReference(variable), Tensor::Scalar<float>(1), false);
  EXPECT_EQ(*firing.context.variable(0), variable);
  EXPECT_EQ(firing.context.variable(1).status().code(), Code::kInvalidArgument);
  firing.context.set_output_variable(0, variable);
  EXPECT_EQ(&ReferencedVariable(firing.context.output(0)), variable.get());
}

TEST(BoundKernelTest, HoldsFunctionsAndWhatTheyCapture) {
  Firing firing(Tensor::Scalar<int32_t>(4), Tensor(), false);
  const BoundKernel plain([](KernelContext& context) {
    context.output(0).SetScalar(context.input(0).inline_value<int32_t>() + 1);
    return Status();
  });
  EXPECT_TRUE(plain(firing.context).ok());
  EXPECT_EQ(firing.context.output(0).inline_value<int32_t>(), 5);
  const int32_t by = 10;
  const BoundKernel capturing([by](KernelContext& context) {
    context.output(0).SetScalar(by);
    return Status();
  });
  EXPECT_TRUE(capturing(firing.context).ok());
  EXPECT_EQ(firing.context.output(0).inline_value<int32_t>(), 10);
}

TEST(KernelRegistryTest, AnOpHasOneKernel) {
  KernelRegistry registry;
  const Binder bind = [](const Binding&) {
    return Result<BoundKernel>(BoundKernel([](KernelContext&) { return Status(); }));
  };
  EXPECT_TRUE(registry.Register("A", bind, Cost::kHeavy).ok());
  EXPECT_EQ(registry.Register("A", bind).code(), Code::kAlreadyExists);
  EXPECT_EQ(registry.Find("A")->cost, Cost::kHeavy);
  EXPECT_EQ(registry.Find("B"), nullptr);
  EXPECT_EQ(registry.Ops(), std::vector<std::string>{"A"});
}

}  // namespace
}  // namespace tagflow::optimized
