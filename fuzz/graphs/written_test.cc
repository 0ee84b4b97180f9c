#include "fuzz/graphs/written.h"

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

namespace tagflow::fuzz {
namespace {

TEST(Written, ShortListsOfElementsAreFilledUp) {
  const std::vector<Tensor> tensors = {
      Tensor::Vector<float>({1, 2, 3}),
      Tensor::Vector<int8_t>({-1, 2, 3, 3}),
      Tensor::Vector<std::string>({"a", "b", "c"}),
      Tensor::Vector<std::complex<float>>({{1, 2}, {3, 4}, {5, 6}}),
      Tensor::Vector<std::complex<double>>({{2, 2}, {2, 2}}),
      Tensor::Vector<float>({}),
      Tensor::Scalar(7.0),
  };
  for (const Tensor& tensor : tensors) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      Choices choices = Choices::FromSeed(seed);
      const Problem problem = IsFilledUp(tensor, choices);
      EXPECT_FALSE(problem) << tensor.DebugString() << ": " << *problem;
    }
  }
}

TEST(Written, GraphsAreReadAsTheyWere) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Problem problem = IsReadAsWritten(choices);
    EXPECT_FALSE(problem) << *problem;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
