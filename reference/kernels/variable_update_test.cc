// What changes variables in part, and what trains them.
// Tests: scatter_rows.cc, training_kernels.cc, variable_access.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class VariableUpdates : public ::testing::Test {
 protected:
  Tensor Handle(const std::string& name) {
    return runner_
        .Run("VarHandleOp", {},
             {{"dtype", DType::kFloat}, {"shape", PartialShape()}, {"shared_name", name}})
        ->tensors[0];
  }
  Tensor Variable(const std::string& name, Tensor value) {
    EXPECT_EQ(runner_.Text("AssignVariableOp", {Handle(name), std::move(value)}), "");
    return Handle(name);
  }
  std::shared_ptr<reference::Variable> Reference(const std::string& name, Tensor value) {
    auto variable =
        *runner_.resources.FindOrCreateVariable({"", name}, value.dtype(), PartialShape());
    variable->value = std::move(value);
    return variable;
  }
  std::string Read(const std::string& name) {
    return runner_.Text("ReadVariableOp", {Handle(name)}, {{"dtype", DType::kFloat}});
  }
  OpRunner runner_;
};

TEST_F(VariableUpdates, TrainingByHandle) {
  const Tensor v = Variable("v", Floats({1, 2}));
  const Tensor a = Variable("a", Floats({0, 4}));
  EXPECT_EQ(runner_.Text("ResourceApplyGradientDescent", {v, Float(0.5), Floats({2, 4})}), "");
  EXPECT_EQ(Read("v"), "float[2] [0, 0]");
  EXPECT_EQ(runner_.Text("ResourceApplyMomentum", {v, a, Float(1), Floats({1, 1}), Float(0.5)}),
            "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [1, 3]float[2] [-1, -3]");
  EXPECT_EQ(runner_.Text("ResourceApplyKerasMomentum", {v, a, Float(1), Floats({1, 1}), Float(1)},
                         {{"use_nesterov", true}}),
            "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [0, 2]float[2] [-2, -2]");
  EXPECT_EQ(runner_.Text("ResourceApplyAdagradV2", {v, a, Float(2), Float(0), Floats({3, 0})},
                         {{"update_slots", true}}),
            "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [9, 2]float[2] [-4, -2]");
}

TEST_F(VariableUpdates, TrainingByReference) {
  auto v = Reference("v", Floats({1})), m = Reference("m", Floats({0})),
       s = Reference("s", Floats({0}));
  EXPECT_EQ(runner_.Text("ApplyAdam", {v, m, s, Float(0.5), Float(0.75), Float(1), Float(0.5),
                                       Float(0.75), Float(0), Floats({4})}),
            "ref float[1] [0]");
  EXPECT_EQ(m->value.DebugString() + s->value.DebugString(), "float[1] [2]float[1] [4]");
  EXPECT_EQ(runner_.Text("ApplyRMSProp",
                         {v, s, m, Float(2), Float(0), Float(0.5), Float(0), Floats({4})}),
            "ref float[1] [-3]");
  EXPECT_EQ(runner_.Text("ApplyAdagrad", {v, s, Float(1), Floats({4})}, {{"update_slots", false}}),
            "ref float[1] [-4]");
}

TEST_F(VariableUpdates, NothingIsWrittenUnlessAllFits) {
  const Tensor v = Variable("v", Floats({1, 2}));
  const Tensor a = Variable("a", Floats({3}));
  const std::string text =
      runner_.Text("ResourceApplyMomentum", {v, a, Float(1), Floats({1, 1}), Float(0.5)});
  EXPECT_TRUE(Contains(text, "INVALID_ARGUMENT")) << text;
  EXPECT_EQ(Read("v"), "float[2] [1, 2]");
  EXPECT_TRUE(Contains(runner_.Text("ResourceApplyMomentum",
                                    {v, Handle("none"), Float(1), Floats({1, 1}), Float(0.5)}),
                       "INTERNAL: variable 'none' has no value"));
  EXPECT_TRUE(
      Contains(runner_.Text("ResourceApplyGradientDescent", {v, Floats({1}), Floats({1, 1})}),
               "must be a scalar"));
  EXPECT_TRUE(Contains(runner_.Text("ResourceScatterAdd", {v, Ints({0, 7}), Floats({1, 1})}),
                       "INVALID_ARGUMENT"));
  EXPECT_EQ(Read("v"), "float[2] [1, 2]");
}

TEST_F(VariableUpdates, RowsAndSlices) {
  const Tensor v = Variable("v", Floats({1, 2, 3}));
  EXPECT_EQ(runner_.Text("ResourceScatterMul", {v, Ints({0, 0}), Floats({2, 5})}), "");
  EXPECT_EQ(runner_.Text("ResourceScatterDiv", {v, Ints({1}), Float(4)}), "");
  EXPECT_EQ(runner_.Text("ResourceScatterMax", {v, Ints({2, 1}), Floats({1, 1})}), "");
  EXPECT_EQ(Read("v"), "float[3] [10, 1, 3]");
  EXPECT_TRUE(Contains(runner_.Text("ResourceScatterDiv", {v, Ints({1}), Float(0)}), "hold 0"));
  EXPECT_EQ(runner_.Text("ResourceScatterNdAdd", {v, Ints(Dims{2, 1}, {2, 2}), Floats({1, 1})}),
            "");
  EXPECT_EQ(runner_.Text("ResourceGather", {v, Ints({2, 0})}, {{"dtype", DType::kFloat}}),
            "float[2] [5, 10]");
  EXPECT_EQ(runner_.Text("ResourceGatherNd", {v, Ints({1})}, {{"dtype", DType::kFloat}}),
            "float[] 1");
  EXPECT_TRUE(
      Contains(runner_.Text("ResourceGather", {v, Ints({2, 0})}, {{"dtype", DType::kInt32}}),
               "wrong dtype"));
  EXPECT_EQ(runner_.Text("ScatterNdUpdate",
                         {Reference("r", Ints({1, 2})), Ints(Dims{1, 1}, {1}), Ints({9})}),
            "ref int32[2] [1, 9]");
  EXPECT_EQ(runner_.Text("ScatterDiv",
                         {Reference("q", Ints({INT32_MIN, 7})), Ints({0, 1}), Ints({-1, -2})}),
            "ref int32[2] [-2147483648, -3]");
  EXPECT_EQ(
      runner_.Text("ScatterDiv", {Reference("s", Ints({INT32_MIN})), Ints({0, 0}), Ints({-1, -2})}),
      "ref int32[1] [1073741824]");
}

TEST_F(VariableUpdates, WhatTheNodeSaysIsWrongBeforeThereIsAVariable) {
  const std::vector<OpRunner::Input> inputs = {Handle("none"), Ints(Dims{1, 1}, {0}), Floats({1})};
  EXPECT_TRUE(Contains(runner_.Text("ResourceScatterNdAdd", inputs), "NOT_FOUND"));
  EXPECT_TRUE(Contains(runner_.Text("ResourceScatterNdAdd", inputs, {{"bad_indices_policy", "?"}}),
                       "INVALID_ARGUMENT"));
}

TEST_F(VariableUpdates, TemporaryVariablesAndCounters) {
  const AttrMap x = {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{2})}, {"var_name", "x"}};
  auto v = runner_.Run("TemporaryVariable", {}, x)->variables[0];
  EXPECT_TRUE(Contains(runner_.Text("TemporaryVariable", {}, x), "ALREADY_EXISTS"));
  EXPECT_EQ(runner_.Text("AssignAdd", {v, Ints({1, 2})}), "ref int32[2] [1, 2]");
  EXPECT_TRUE(
      Contains(runner_.Text("DestroyTemporaryVariable", {v}, {{"var_name", "y"}}), "NOT_FOUND"));
  EXPECT_EQ(runner_.Text("DestroyTemporaryVariable", {v}, {{"var_name", "x"}}), "int32[2] [1, 2]");
  EXPECT_TRUE(
      Contains(runner_.Text("DestroyTemporaryVariable", {v}, {{"var_name", "x"}}), "NOT_FOUND"));
  EXPECT_TRUE(Contains(runner_.Text("TemporaryVariable", {},
                                    {{"dtype", DType::kQInt8}, {"shape", PartialShape(Dims{2})}}),
                       "UNIMPLEMENTED"));
  const Tensor count = Variable("n", Int(2));
  auto up = [&] {
    return runner_.Text("ResourceCountUpTo", {count}, {{"T", DType::kInt32}, {"limit", 3}});
  };
  EXPECT_EQ(up(), "int32[] 2");
  EXPECT_TRUE(Contains(up(), "OUT_OF_RANGE"));
}

}  // namespace
}  // namespace tagflow::reference
