#include "optimized/kernels/fused_channels.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

// Two places of two channels, or two channels of two places.
std::vector<float> Finish(const FusedOps& ops, bool second, const std::vector<Tensor>& args) {
  Tensor image = Tensor::Of<float>(second ? Dims{1, 2, 2, 1} : Dims{1, 2, 1, 2},
                                   std::vector<float>{-4, -1, 2, 8});
  EXPECT_TRUE(FinishChannels(ops, {4, second}, args, image).ok());
  const auto values = image.flat<float>();
  return {values.begin(), values.end()};
}

TEST(FusedChannelsTest, BiasesAreOfChannels) {
  const std::vector<Tensor> bias = {Tensor::Vector<float>({1, -2})};
  EXPECT_EQ(Finish({}, false, bias), (std::vector<float>{-3, -3, 3, 6}));
  EXPECT_EQ(Finish({}, true, bias), (std::vector<float>{-3, 0, 0, 6}));
}

TEST(FusedChannelsTest, Activations) {
  const std::vector<Tensor> none = {Tensor::Vector<float>({0, 0})};
  const auto bent = [&](FusedActivation activation) {
    return Finish({.activation = activation, .leakyrelu_alpha = 0.5F}, false, none);
  };
  EXPECT_EQ(bent(FusedActivation::kRelu), (std::vector<float>{0, 0, 2, 8}));
  EXPECT_EQ(bent(FusedActivation::kRelu6), (std::vector<float>{0, 0, 2, 6}));
  EXPECT_EQ(bent(FusedActivation::kLeakyRelu), (std::vector<float>{-2, -0.5F, 2, 8}));
  EXPECT_FLOAT_EQ(bent(FusedActivation::kElu)[1], -0.63212055F);
}

TEST(FusedChannelsTest, Norms) {
  const std::vector<Tensor> args = {Tensor::Vector<float>({2, 3}), Tensor::Vector<float>({1, 0}),
                                    Tensor::Vector<float>({0, -1}), Tensor::Vector<float>({3, 0})};
  EXPECT_EQ(Finish({.normalizes = true, .epsilon = 1}, false, args),
            (std::vector<float>{-3, 0, 3, 27}));
}

TEST(FusedChannelsTest, RefusesArgumentsThatDoNotFit) {
  Tensor image = *Tensor::Allocate(DType::kFloat, Dims{1, 1, 1, 2});
  EXPECT_FALSE(FinishChannels({}, {4, false}, {Tensor::Vector<float>({1})}, image).ok());
}

}  // namespace
}  // namespace tagflow::optimized
