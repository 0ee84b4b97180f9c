// What kernels do with the memory of their inputs: take it, share it, change it where it is.

#include <gtest/gtest.h>

#include <utility>

#include "graph/tensor_list.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

// The outputs, with inputs that nobody else holds: an initializer list would hold copies.
template <typename... Inputs>
std::vector<Tensor> Outputs(OpRunner& runner, const std::string& op, AttrMap attrs,
                            Inputs... inputs) {
  std::vector<Tensor> values;
  (values.push_back(std::move(inputs)), ...);
  return *runner.Run(op, std::move(values), std::move(attrs));
}

TEST(MemoryTest, TheLastUseOfAValueMovesIt) {
  OpRunner runner;
  for (const char* op : {"Identity", "Reshape"}) {
    Tensor value = Floats({1, 2, 3});
    const void* data = value.raw_data();
    const auto outputs = op == std::string("Identity")
                             ? Outputs(runner, op, {}, std::move(value))
                             : Outputs(runner, op, {}, std::move(value), Ints({3, 1}));
    EXPECT_EQ(outputs[0].raw_data(), data) << op;
    EXPECT_TRUE(outputs[0].unique()) << op;
  }
}

TEST(MemoryTest, LargeRowsShareTheMemoryOfTheWhole) {
  OpRunner runner;
  const Tensor value = Empty(DType::kFloat, Dims{3, 1000});
  const auto rows = Outputs(runner, "Unpack", {{"num", 3}}, value);
  EXPECT_EQ(rows[1].raw_data(), value.data<float>() + 1000);
  EXPECT_EQ(DimsString(rows[1].dims()), "[1000]");
}

TEST(MemoryTest, ASumIsWrittenOverAnInput) {
  OpRunner runner;
  Tensor x = Floats({1, 2, 3});
  const void* data = x.raw_data();
  const auto sum = Outputs(runner, "AddV2", {}, Float(1), std::move(x));
  EXPECT_EQ(sum[0].raw_data(), data);
  EXPECT_EQ(sum[0].DebugString(), "float[3] [2, 3, 4]");
}

TEST(MemoryTest, ManyElementsOfWidenedDTypesMayBeWrittenOver) {
  std::vector<int16_t> values(1000), doubled(1000), less(1000);
  for (int i = 0; i < 1000; ++i) {
    values[i] = static_cast<int16_t>(i * 40);
    doubled[i] = static_cast<int16_t>(i * 80);
    less[i] = static_cast<int16_t>(i * 40 - 7);
  }
  OpRunner runner;
  const auto sum = Outputs(runner, "AddV2", {}, Tensor::Vector(values), Tensor::Vector(values));
  EXPECT_TRUE(BitwiseEqual(sum[0], Tensor::Vector(doubled)));
  const auto difference =
      Outputs(runner, "Sub", {}, Tensor::Vector(values), Tensor::Scalar<int16_t>(7));
  EXPECT_TRUE(BitwiseEqual(difference[0], Tensor::Vector(less)));
}

TEST(MemoryTest, ATensorMayUpdateItself) {
  OpRunner runner;
  const Tensor x = Ints({1, 2, 3});
  EXPECT_EQ(runner.Text("TensorScatterUpdate", {x, Ints(Dims{3, 1}, {1, 2, 0}), x}),
            "int32[3] [3, 1, 2]");
}

TEST(MemoryTest, AListThatNobodyElseHoldsIsChangedWhereItIs) {
  for (const OpRunner::Inputs inputs : {OpRunner::Inputs::kLast, OpRunner::Inputs::kShared}) {
    const bool is_last = inputs == OpRunner::Inputs::kLast;
    OpRunner runner(inputs);
    const AttrMap floats = {{"element_dtype", DType::kFloat}};
    Tensor list = Outputs(runner, "TensorListFromTensor", {}, Floats({1, 2}), Int(-1))[0];
    const TensorList* const before = TensorList::In(list);
    Tensor pushed = Outputs(runner, "TensorListPushBack", floats, std::move(list), Float(3))[0];
    EXPECT_EQ(TensorList::In(pushed) == before, is_last);
    const TensorList* const longer = TensorList::In(pushed);
    const auto popped = Outputs(runner, "TensorListPopBack", floats, std::move(pushed), Int(-1));
    EXPECT_EQ(TensorList::In(popped[0]) == longer, is_last);
  }
}

TEST(MemoryTest, NobodyKeepsAnOldListForItself) {
  OpRunner runner(OpRunner::Inputs::kShared);
  const AttrMap floats = {{"element_dtype", DType::kFloat}};
  Tensor list = Outputs(runner, "TensorListReserve", floats, Int(-1), Int(0))[0];
  list = Outputs(runner, "TensorListPushBack", {}, std::move(list), Floats({1, 2}))[0];
  list = Outputs(runner, "TensorListPushBack", {}, std::move(list), Float(3))[0];
  EXPECT_TRUE(TensorList::In(list)->Get(0).unique());
}

TEST(MemoryTest, AVariableThatNobodyReadIsUpdatedWhereItIs) {
  for (const OpRunner::Inputs inputs : {OpRunner::Inputs::kLast, OpRunner::Inputs::kShared}) {
    for (const char* op : {"AssignSub", "ScatterAdd", "StridedSliceAssign"}) {
      OpRunner runner(inputs);
      auto variable = std::make_shared<Variable>(
          "v", Variable::Contents{DType::kInt32, {}, *Ints({1, 2}).Clone()});
      const Tensor v = VariableReference(variable);
      const Tensor before = variable->value();
      const auto update = [&] {
        return op == std::string("AssignSub")    ? Outputs(runner, op, {}, v, Ints({1, 1}))
               : op == std::string("ScatterAdd") ? Outputs(runner, op, {}, v, Ints({0}), Int(5))
                                                 : Outputs(runner, op, {{"T", DType::kInt32}}, v,
                                                           Ints({0}), Ints({1}), Ints({1}), Int(5));
      };
      update();
      EXPECT_EQ(before.DebugString(), "int32[2] [1, 2]") << op;
      const void* data = variable->value().raw_data();
      update();
      EXPECT_EQ(variable->value().raw_data(), data) << op;
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized
