// What changes variables in part, and what trains them.
// Tests: variable_rows.cc variable_slices.cc training.cc nd_slices.cc part_update.cc

#include <gtest/gtest.h>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class VariableUpdates : public ::testing::TestWithParam<OpRunner::Inputs> {
 protected:
  std::string Run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return runner_.Text(op, std::move(inputs), std::move(attrs));
  }
  Tensor Handle(const std::string& name) {
    return (*runner_.Run(
        "VarHandleOp", {},
        {{"dtype", DType::kFloat}, {"shape", PartialShape()}, {"shared_name", name}}))[0];
  }
  Tensor Assigned(const std::string& name, const Tensor& value) {
    EXPECT_EQ(Run("AssignVariableOp", {Handle(name), *value.Clone()}), "");
    return Handle(name);
  }
  Tensor Reference(const std::string& name, const Tensor& value) {
    auto variable = std::make_shared<Variable>(name);
    variable->With([&](Variable::Contents& contents) {
      contents = {value.dtype(), PartialShape(), *value.Clone()};
    });
    return VariableReference(std::move(variable));
  }
  static std::string Text(const Tensor& reference) {
    return ReferencedVariable(reference).value().DebugString();
  }
  std::string Read(const std::string& name, DType dtype = DType::kFloat) {
    return Run("ReadVariableOp", {Handle(name)}, {{"dtype", dtype}});
  }
  OpRunner runner_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, VariableUpdates,
                         ::testing::Values(OpRunner::Inputs::kLast, OpRunner::Inputs::kShared));

TEST_P(VariableUpdates, RowsByReference) {
  const Tensor v = Reference("v", Ints(Dims{2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(Run("ScatterAdd", {v, Ints({1, 1}), Ints(Dims{2, 2}, {1, 1, 10, 10})}),
            "ref int32[2,2] [[1, 2], [14, 15]]");
  EXPECT_EQ(Run("ScatterSub", {v, Int(0), Int(1)}), "ref int32[2,2] [[0, 1], [14, 15]]");
  EXPECT_EQ(Run("ScatterUpdate", {v, Ints({1}), Ints(Dims{1, 2}, {8, 9})}),
            "ref int32[2,2] [[0, 1], [8, 9]]");
  EXPECT_EQ(Run("ScatterUpdate", {v, Ints({0, 2}), Int(0)}),
            "INVALID_ARGUMENT: indices[1] = 2 is not in [0, 2)");
  EXPECT_EQ(Text(v), "int32[2,2] [[0, 1], [8, 9]]");
  EXPECT_TRUE(Contains(Run("ScatterAdd", {v, Ints({1}), Ints({1})}),
                       "INVALID_ARGUMENT: Must have updates.shape = indices.shape + "));
  EXPECT_EQ(Run("ScatterMax", {v, Ints({}), Empty(DType::kInt32, Dims{0, 2})}),
            "ref int32[2,2] [[0, 1], [8, 9]]");
  EXPECT_EQ(Run("ScatterDiv", {Reference("q", Ints({INT32_MIN, 7})), Ints({0, 1}), Ints({-1, -2})}),
            "ref int32[2] [-2147483648, -3]");
  EXPECT_TRUE(Contains(Run("ScatterDiv", {v, Ints({0}), Int(0)}), "INVALID_ARGUMENT"));
  EXPECT_EQ(Run("ScatterDiv", {Reference("f", Floats({1})), Ints({0}), Float(0)}),
            "ref float[1] [inf]");
  EXPECT_EQ(Run("ScatterUpdate", {Reference("s", Strings({"a", "b"})), Ints({1}), Strings({"c"})}),
            "ref string[2] [\"a\", \"c\"]");
}

TEST_P(VariableUpdates, RowsByHandle) {
  const Tensor v = Assigned("v", Floats({1, 2, 3}));
  EXPECT_EQ(Run("ResourceScatterMul", {v, Ints({0, 0}), Floats({2, 5})}), "");
  EXPECT_EQ(Run("ResourceScatterDiv", {v, Ints({1}), Float(4)}), "");
  EXPECT_EQ(Run("ResourceScatterMax", {v, Ints({2, 1}), Floats({1, 1})}), "");
  EXPECT_EQ(Read("v"), "float[3] [10, 1, 3]");
  EXPECT_EQ(Run("ResourceScatterMin", {v, Tensor::Vector<int64_t>({0}), Float(9)}), "");
  EXPECT_EQ(Read("v"), "float[3] [9, 1, 3]");
  EXPECT_TRUE(Contains(Run("ResourceScatterDiv", {v, Ints({1}), Float(0)}), "hold 0"));
  EXPECT_TRUE(Contains(Run("ResourceScatterAdd", {v, Ints({1}), Int(1)}), "INVALID_ARGUMENT"));
  EXPECT_TRUE(
      Contains(Run("ResourceScatterAdd", {Handle("none"), Ints({1}), Int(1)}), "NOT_FOUND"));
  EXPECT_TRUE(
      Contains(Run("ResourceScatterMin", {v, Ints({1}), Tensor::Scalar(std::complex<float>(1, 1))}),
               "UNIMPLEMENTED"));
  EXPECT_EQ(Run("ResourceGather", {v, Ints({2, 0})}, {{"dtype", DType::kFloat}}),
            "float[2] [3, 9]");
  EXPECT_TRUE(Contains(Run("ResourceGather", {v, Ints({2, 0})}, {{"dtype", DType::kInt32}}),
                       "wrong dtype"));
  EXPECT_TRUE(
      Contains(Run("ResourceGather", {v, Ints({0})}, {{"batch_dims", 1}, {"dtype", DType::kFloat}}),
               "INVALID_ARGUMENT"));
}

TEST_P(VariableUpdates, ASnapshotStays) {
  const Tensor v = Reference("v", Ints({1, 2}));
  const Tensor before = ReferencedVariable(v).value();
  EXPECT_EQ(Run("ScatterAdd", {v, Ints({0}), Int(5)}), "ref int32[2] [6, 2]");
  EXPECT_EQ(before.DebugString(), "int32[2] [1, 2]");
  const void* data = ReferencedVariable(v).value().raw_data();
  EXPECT_EQ(Run("ScatterAdd", {v, Ints({0}), Int(5)}), "ref int32[2] [11, 2]");
  EXPECT_EQ(ReferencedVariable(v).value().raw_data(), data);
}

TEST_P(VariableUpdates, SlicesByCoordinates) {
  const Tensor v = Assigned("v", Floats({1, 2, 3}));
  const Tensor twice = Ints(Dims{2, 1}, {2, 2});
  EXPECT_EQ(Run("ResourceScatterNdAdd", {v, twice, Floats({1, 1})}), "");
  EXPECT_EQ(Run("ResourceScatterNdSub", {v, Ints(Dims{1, 1}, {0}), Floats({5})}), "");
  EXPECT_EQ(Read("v"), "float[3] [-4, 2, 5]");
  EXPECT_EQ(Run("ResourceGatherNd", {v, Ints({1})}, {{"dtype", DType::kFloat}}), "float[] 2");
  const Tensor outside = Ints(Dims{2, 1}, {0, 3});
  EXPECT_TRUE(
      Contains(Run("ResourceScatterNdUpdate", {v, outside, Floats({7, 7})}), "INVALID_ARGUMENT"));
  EXPECT_EQ(Run("ResourceScatterNdUpdate", {v, outside, Floats({7, 7})},
                {{"bad_indices_policy", "IGNORE"}}),
            "");
  EXPECT_EQ(Read("v"), "float[3] [7, 2, 5]");
  EXPECT_TRUE(Contains(
      Run("ResourceScatterNdUpdate", {v, outside, Floats({7, 7})}, {{"bad_indices_policy", "?"}}),
      "INVALID_ARGUMENT"));
  EXPECT_EQ(
      Run("ScatterNdUpdate", {Reference("r", Ints({1, 2})), Ints(Dims{1, 1}, {1}), Ints({9})}),
      "ref int32[2] [1, 9]");
  EXPECT_EQ(Run("ScatterNdMin", {Reference("m", Ints(Dims{2, 2}, {1, 2, 3, 4})),
                                 Ints(Dims{2, 2}, {1, 1, 0, 0}), Ints({0, 5})}),
            "ref int32[2,2] [[1, 2], [3, 0]]");
  EXPECT_TRUE(Contains(Run("ScatterNdMax", {Reference("e", Empty(DType::kInt32, Dims{0})),
                                            Ints(Dims{1, 1}, {0}), Ints({9})}),
                       "INVALID_ARGUMENT: there is nowhere"));
  EXPECT_TRUE(Contains(Run("ScatterNdUpdate", {Reference("r", Ints({1, 2})), Ints({1}), Ints({9})}),
                       "INVALID_ARGUMENT"));
  const Tensor flags = Assigned("flags", Tensor::Vector<uint8_t>({1}));
  EXPECT_TRUE(Contains(Run("ResourceScatterNdAdd", {flags, Ints(Dims{1, 1}, {0}), Strings({"a"})}),
                       "UNIMPLEMENTED"));
}

TEST_P(VariableUpdates, SlicesByRanges) {
  auto variable = std::make_shared<Variable>("v");
  const Tensor v = VariableReference(variable);
  const auto assign = [&](const Tensor& end, const Tensor& value) {
    return Run("StridedSliceAssign", {v, Ints({0}), end, Ints({1}), value}, {{"T", DType::kInt32}});
  };
  EXPECT_EQ(assign(Ints({1}), Int(9)),
            "FAILED_PRECONDITION: Attempting to use uninitialized value v");
  variable->With([](Variable::Contents& contents) {
    contents = {DType::kInt32, PartialShape(), Ints({1, 2, 3})};
  });
  const Tensor before = variable->value();
  EXPECT_EQ(assign(Ints({2}), Int(9)), "ref int32[3] [9, 9, 3]");
  EXPECT_EQ(before.DebugString(), "int32[3] [1, 2, 3]");
  EXPECT_EQ(assign(Ints({2}), Ints(Dims{1, 2}, {7, 8})), "ref int32[3] [7, 8, 3]");
  EXPECT_EQ(assign(Ints({0}), Ints({7, 7, 7})), "ref int32[3] [7, 8, 3]");
  EXPECT_TRUE(Contains(assign(Ints({2}), Ints({1, 2, 3})), "INVALID_ARGUMENT: Cannot broadcast"));
  EXPECT_TRUE(Contains(assign(Ints({2, 3}), Int(1)), "INVALID_ARGUMENT"));
}

TEST_P(VariableUpdates, SlicesByRangesOfAHandle) {
  const auto assign = [&](const Tensor& value) {
    return Run("ResourceStridedSliceAssign", {Handle("v"), Ints({0}), Ints({1}), Ints({1}), value});
  };
  EXPECT_TRUE(Contains(assign(Int(9)), "NOT_FOUND"));
  Assigned("v", Ints({1, 2}));
  EXPECT_EQ(assign(Int(9)), "");
  EXPECT_EQ(Read("v", DType::kInt32), "int32[2] [9, 2]");
  EXPECT_TRUE(Contains(assign(Float(9)), "INVALID_ARGUMENT"));
}

TEST_P(VariableUpdates, TrainingByHandle) {
  const Tensor v = Assigned("v", Floats({1, 2}));
  const Tensor a = Assigned("a", Floats({0, 4}));
  EXPECT_EQ(Run("ResourceApplyGradientDescent", {v, Float(0.5), Floats({2, 4})}), "");
  EXPECT_EQ(Read("v"), "float[2] [0, 0]");
  EXPECT_EQ(Run("ResourceApplyMomentum", {v, a, Float(1), Floats({1, 1}), Float(0.5)}), "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [1, 3]float[2] [-1, -3]");
  EXPECT_EQ(Run("ResourceApplyKerasMomentum", {v, a, Float(1), Floats({1, 1}), Float(1)},
                {{"use_nesterov", true}}),
            "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [0, 2]float[2] [-2, -2]");
  EXPECT_EQ(Run("ResourceApplyAdagradV2", {v, a, Float(2), Float(0), Floats({3, 0})},
                {{"update_slots", true}}),
            "");
  EXPECT_EQ(Read("a") + Read("v"), "float[2] [9, 2]float[2] [-4, -2]");
}

TEST_P(VariableUpdates, TrainingByReference) {
  const Tensor v = Reference("v", Floats({1}));
  const Tensor m = Reference("m", Floats({0}));
  const Tensor s = Reference("s", Floats({0}));
  EXPECT_EQ(Run("ApplyAdam", {v, m, s, Float(0.5), Float(0.75), Float(1), Float(0.5), Float(0.75),
                              Float(0), Floats({4})}),
            "ref float[1] [0]");
  EXPECT_EQ(Text(m) + Text(s), "float[1] [2]float[1] [4]");
  EXPECT_EQ(Run("ApplyRMSProp", {v, s, m, Float(2), Float(0), Float(0.5), Float(0), Floats({4})}),
            "ref float[1] [-3]");
  EXPECT_EQ(Run("ApplyAdagrad", {v, s, Float(1), Floats({4})}, {{"update_slots", false}}),
            "ref float[1] [-4]");
}

// Each operation of a 16-bit float is rounded: the square of 1 + 2^-7 is 1 + 2^-6.
TEST_P(VariableUpdates, TrainingOfEveryDType) {
  const Tensor half = Reference("h", Tensor::Vector<Half>({HalfFromFloat(1)}));
  EXPECT_EQ(Run("ApplyGradientDescent", {half, Tensor::Scalar(HalfFromFloat(0.5)),
                                         Tensor::Vector<Half>({HalfFromFloat(3)})}),
            "ref half[1] [-0.5]");
  const BFloat16 more = BFloat16FromFloat(1.0078125f);
  const Tensor brain = Reference("b", Tensor::Vector<BFloat16>({BFloat16FromFloat(1.015625f)}));
  EXPECT_EQ(
      Run("ApplyGradientDescent", {brain, Tensor::Scalar(more), Tensor::Vector<BFloat16>({more})}),
      "ref bfloat16[1] [0]");
  const Tensor pair = Reference("c", Tensor::Vector<std::complex<float>>({{1, 1}}));
  EXPECT_EQ(Run("ApplyGradientDescent", {pair, Tensor::Scalar(std::complex<float>(0, 1)),
                                         Tensor::Vector<std::complex<float>>({{1, 0}})}),
            "ref complex64[1] [(1,0)]");
  const Tensor whole = Reference("i", Ints({1}));
  EXPECT_TRUE(Contains(Run("ApplyGradientDescent", {whole, Int(1), Ints({1})}), "UNIMPLEMENTED"));
}

// What becomes of a variable that is two inputs is what its later one becomes.
TEST_P(VariableUpdates, AVariableMayBeTwoInputs) {
  const Tensor v = Reference("v", Floats({8}));
  EXPECT_EQ(Run("ApplyMomentum", {v, v, Float(1), Floats({1}), Float(0.5)}), "ref float[1] [5]");
  EXPECT_EQ(Run("ApplyMomentum", {v, v, Float(1), Floats({1}), Float(0.5)}), "ref float[1] [3.5]");
}

TEST_P(VariableUpdates, NothingIsWrittenUnlessAllFits) {
  const Tensor v = Assigned("v", Floats({1, 2}));
  const Tensor a = Assigned("a", Floats({3}));
  const auto train = [&](const Tensor& sum, const Tensor& rate) {
    return Run("ResourceApplyMomentum", {v, sum, rate, Floats({1, 1}), Float(0.5)});
  };
  EXPECT_TRUE(Contains(train(a, Float(1)), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(train(Handle("none"), Float(1)), "INTERNAL: variable 'none' has no value"));
  EXPECT_TRUE(Contains(train(v, Floats({1})), "must be a scalar"));
  EXPECT_TRUE(Contains(train(Assigned("i", Ints({1, 2})), Float(1)), "INVALID_ARGUMENT"));
  EXPECT_EQ(Read("v"), "float[2] [1, 2]");
  const Tensor none = VariableReference(std::make_shared<Variable>("none"));
  EXPECT_TRUE(
      Contains(Run("ApplyGradientDescent", {none, Float(1), Floats({1})}, {{"T", DType::kFloat}}),
               "FAILED_PRECONDITION"));
}

}  // namespace
}  // namespace tagflow::optimized
