#include "reference/kernels/lists.h"

#include <gtest/gtest.h>

#include "graph/tensor_list.h"
#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

TEST(Lists, ASoleOwnerIsChangedInPlace) {
  OpRunner runner;
  const AttrMap floats = {{"element_dtype", DType::kFloat}};
  Tensor list = runner.Run("TensorListReserve", {Int(-1), Int(0)}, floats)->tensors[0];
  list = runner.Run("TensorListPushBack", {std::move(list), Floats({1, 2})})->tensors[0];
  list = runner.Run("TensorListPushBack", {std::move(list), Float(3)})->tensors[0];
  EXPECT_TRUE(TensorList::In(list)->Get(0).unique());
}

}  // namespace
}  // namespace tagflow::reference
