#include "graph/copy_elements.h"

#include <gtest/gtest.h>

#include <string>

namespace tagflow {
namespace {

TEST(CopyElements, CopiesNumbersAndTextsToTheirPlace) {
  const Tensor numbers = Tensor::Vector<int32_t>({1, 2, 3, 4});
  Tensor to = Tensor::Vector<int32_t>({0, 0, 0});
  CopyElements(numbers, 1, to, 0, 2);
  EXPECT_TRUE(BitwiseEqual(to, Tensor::Vector<int32_t>({2, 3, 0})));
  const Tensor texts = Tensor::Vector<std::string>({"a", "b"});
  Tensor other = Tensor::Vector<std::string>({"x", "y", "z"});
  CopyElements(texts, 0, other, 1, 2);
  EXPECT_TRUE(BitwiseEqual(other, Tensor::Vector<std::string>({"x", "a", "b"})));
}

TEST(CopyElements, LeavesEmptyTensorsAlone) {
  Tensor empty = Tensor::Vector<float>({});
  CopyElements(empty, 0, empty, 0, 0);
  EXPECT_EQ(empty.num_elements(), 0);
}

}  // namespace
}  // namespace tagflow
