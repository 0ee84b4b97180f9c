// Every derivative against what the op itself does when an input moves a little.
//
// Tests: adjoint.cc, adjoints_array.cc, adjoints_control.cc, adjoints_math.cc, adjoints_matrix.cc,
//        adjoints_reduction.cc, adjoints_slice.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "graph/op_def.h"
#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

std::mt19937 random_bits(20);  // NOLINT: one sequence for the whole test

Tensor Doubles(Dims dims, double least, double most) {
  std::uniform_real_distribution<double> draw(least, most);
  std::vector<double> values(static_cast<size_t>(*NumElements(dims)));
  for (double& value : values) value = draw(random_bits);
  return Tensor::Of<double>(dims, values);
}

bool IsReal(const Tensor& tensor) { return tensor.dtype() == DType::kDouble; }

// A firing of one op, and how its outputs are weighed into the one number that is differentiated.
struct Firing {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs;
  Node node;
  std::vector<Tensor> outputs;
  std::vector<std::vector<double>> weights;

  std::vector<Tensor> Run() const {
    OpRunner runner;
    const auto outputs =
        runner.Run(op, std::vector<OpRunner::Input>(inputs.begin(), inputs.end()), attrs);
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status().ToString();
    return outputs.ok() ? outputs->tensors : std::vector<Tensor>();
  }
  double Weighed() const {
    double sum = 0;
    const std::vector<Tensor> now = Run();
    for (size_t k = 0; k < now.size(); ++k) {
      const std::vector<double> values = ToDoubles(now[k]);
      for (size_t i = 0; i < values.size(); ++i) sum += weights[k][i] * values[i];
    }
    return sum;
  }
  double FiniteDifference(size_t slot, size_t i) {
    const Tensor before = inputs[slot];
    Tensor moved = *before.Clone();
    const double h = 1e-5;
    moved.mutable_data<double>()[i] += h;
    inputs[slot] = *moved.Clone();
    const double above = Weighed();
    moved.mutable_data<double>()[i] -= 2 * h;
    inputs[slot] = moved;
    const double below = Weighed();
    inputs[slot] = before;
    return (above - below) / (2 * h);
  }
};

Firing Fire(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs) {
  std::sort(attrs.begin(), attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Firing firing{op, std::move(inputs), std::move(attrs), {}, {}, {}};
  firing.node.name = "node";
  firing.node.op = op;
  firing.node.def = OpRegistry::Standard().Find(op);
  firing.node.attrs = firing.attrs;
  firing.outputs = firing.Run();
  for (const Tensor& output : firing.outputs) {
    firing.weights.push_back(ToDoubles(Doubles({output.num_elements()}, 0.5, 2)));
  }
  return firing;
}

std::vector<Adjoint> Adjoints(Firing& firing, const AdjointTable& table) {
  std::vector<Adjoint> from(firing.outputs.size()), to(firing.inputs.size());
  std::vector<const Adjoint*> from_pointers;
  std::vector<Adjoint*> to_pointers;
  for (size_t k = 0; k < from.size(); ++k) {
    from[k].gradient = firing.weights[k];
    from[k].magnitude = firing.weights[k];
    from_pointers.push_back(&from[k]);
  }
  for (size_t slot = 0; slot < to.size(); ++slot) {
    to[slot].Reach(firing.inputs[slot].num_elements());
    to_pointers.push_back(IsReal(firing.inputs[slot]) ? &to[slot] : nullptr);
  }
  const AdjointFunction* function = table.Find(firing.op);
  EXPECT_TRUE(function != nullptr && *function != nullptr) << firing.op;
  FiringPartials partials(firing.node, firing.inputs, firing.outputs, from_pointers, to_pointers);
  EXPECT_TRUE((*function)(partials).ok()) << firing.op;
  return to;
}

// How many derivatives differ from the finite differences.
int Wrong(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {},
          const AdjointTable& table = AdjointTable::Standard()) {
  Firing firing = Fire(op, std::move(inputs), std::move(attrs));
  if (firing.outputs.empty()) return 1;
  const std::vector<Adjoint> adjoints = Adjoints(firing, table);
  int wrong = 0;
  for (size_t slot = 0; slot < firing.inputs.size(); ++slot) {
    if (!IsReal(firing.inputs[slot])) continue;
    for (size_t i = 0; i < adjoints[slot].gradient.size(); ++i) {
      const double expected = firing.FiniteDifference(slot, i);
      const double bound = 1e-6 * (1 + adjoints[slot].magnitude[i]);
      EXPECT_GE(adjoints[slot].magnitude[i] * (1 + 1e-12), std::abs(adjoints[slot].gradient[i]));
      if (!(std::abs(adjoints[slot].gradient[i] - expected) <= bound)) ++wrong;
    }
  }
  return wrong;
}

Tensor IntTensor(const std::vector<int32_t>& values) { return Tensor::Vector(values); }

TEST(Adjoints, OfFunctionsOfOneNumber) {
  const std::vector<std::string> anywhere = {"Neg", "Abs",  "Sign",    "Square", "Exp",
                                             "Sin", "Cos",  "Tanh",    "Expm1",  "Sigmoid",
                                             "Erf", "Relu", "Softplus"};
  for (const std::string& op : anywhere) {
    EXPECT_EQ(Wrong(op, {Doubles({}, 0.1, 2)}), 0) << op;
    EXPECT_EQ(Wrong(op, {Doubles({2, 3}, -2, -0.1)}), 0) << op;
  }
  for (const char* op : {"Sqrt", "Rsqrt", "Reciprocal", "Inv", "Log", "Log1p"}) {
    EXPECT_EQ(Wrong(op, {Doubles({4}, 0.2, 3)}), 0) << op;
  }
  EXPECT_EQ(Wrong("Cast", {Doubles({3}, -1, 1)}, {{"DstT", DType::kDouble}}), 0);
}

TEST(Adjoints, OfFunctionsOfTwoNumbersOverAllWaysToBroadcast) {
  const std::vector<std::pair<Dims, Dims>> shapes = {
      {{}, {}}, {{3}, {}}, {{}, {2, 2}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}, {{0, 2}, {1}}};
  for (const char* op : {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan",
                         "SquaredDifference", "Pow", "Maximum", "Minimum"}) {
    for (const auto& [x, y] : shapes) {
      EXPECT_EQ(Wrong(op, {Doubles(x, 0.5, 1.5), Doubles(y, 2, 4)}), 0) << op;
      EXPECT_EQ(Wrong(op, {Doubles(x, 2, 4), Doubles(y, 0.5, 1.5)}), 0) << op;
    }
  }
  // Away from the jumps.
  for (const char* op : {"FloorMod", "Mod", "TruncateMod"}) {
    EXPECT_EQ(Wrong(op, {Doubles({3}, 5.1, 5.9), Doubles({}, 1.9, 2.1)}), 0) << op;
    EXPECT_EQ(Wrong(op, {Doubles({3}, -5.9, -5.1), Doubles({}, 1.9, 2.1)}), 0) << op;
  }
}

TEST(Adjoints, OfGradientsThatAreOpsOfTheirOwn) {
  for (const char* op :
       {"TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"}) {
    EXPECT_EQ(Wrong(op, {Doubles({2, 2}, 0.3, 2), Doubles({2, 2}, -1, 1)}), 0) << op;
  }
  EXPECT_EQ(Wrong("ReluGrad", {Doubles({4}, -1, 1), Tensor::Vector<double>({1, -1, 2, -2})}), 0);
}

TEST(Adjoints, OfChoices) {
  const Tensor some = Tensor::Vector(std::vector<int32_t>{1, 0, 1});
  OpRunner runner;
  const Tensor condition = (*runner.Run("Cast", {some}, {{"DstT", DType::kBool}})).tensors[0];
  EXPECT_EQ(Wrong("Select", {condition, Doubles({3}, -1, 1), Doubles({3}, -1, 1)}), 0);
  EXPECT_EQ(Wrong("Select", {condition, Doubles({3, 2}, -1, 1), Doubles({3, 2}, -1, 1)}), 0);
  EXPECT_EQ(Wrong("Select", {Tensor::Scalar(false), Doubles({3}, -1, 1), Doubles({3}, -1, 1)}), 0);
  EXPECT_EQ(Wrong("SelectV2", {condition, Doubles({2, 1}, -1, 1), Doubles({}, -1, 1)}), 0);
  EXPECT_EQ(Wrong("AddN", {Doubles({2}, 0, 1), Doubles({2}, 0, 1), Doubles({2}, 0, 1)}), 0);
}

TEST(Adjoints, OfReductionsOverAnyAxes) {
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    for (const std::vector<int32_t>& axes :
         std::vector<std::vector<int32_t>>{{}, {0}, {1}, {-1}, {0, 2}, {0, 1, 2}}) {
      for (const bool keep : {false, true}) {
        EXPECT_EQ(Wrong(op, {Doubles({2, 3, 2}, 0.5, 2), IntTensor(axes)}, {{"keep_dims", keep}}),
                  0)
            << op;
      }
    }
    EXPECT_EQ(Wrong(op, {Doubles({0, 2}, 0, 1), IntTensor({1})}), 0) << op;
  }
}

TEST(Adjoints, AMaximumThatSeveralShareIsSharedOutAndMaximumFollowsItsFirstOperand) {
  Firing max = Fire("Max", {Tensor::Vector<double>({1, 3, 3}), IntTensor({0})}, {});
  max.weights = {{1}};
  EXPECT_EQ(Adjoints(max, AdjointTable::Standard())[0].gradient,
            (std::vector<double>{0, 0.5, 0.5}));
  Firing two = Fire("Minimum", {Tensor::Scalar(2.0), Tensor::Scalar(2.0)}, {});
  two.weights = {{1}};
  EXPECT_EQ(Adjoints(two, AdjointTable::Standard())[0].gradient, std::vector<double>{1});
  EXPECT_EQ(Adjoints(two, AdjointTable::Standard())[1].gradient, std::vector<double>{0});
  Firing abs = Fire("Abs", {Tensor::Scalar(0.0)}, {});
  EXPECT_EQ(Adjoints(abs, AdjointTable::Standard())[0].gradient, std::vector<double>{0});
}

TEST(Adjoints, OfProductsOfMatrices) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Tensor x = Doubles(a ? Dims{3, 2} : Dims{2, 3}, -1, 1);
      const Tensor y = Doubles(b ? Dims{4, 3} : Dims{3, 4}, -1, 1);
      EXPECT_EQ(Wrong("MatMul", {x, y}, {{"transpose_a", a}, {"transpose_b", b}}), 0);
      const Tensor xs = Doubles(a ? Dims{2, 1, 3, 2} : Dims{2, 1, 2, 3}, -1, 1);
      const Tensor ys = Doubles(b ? Dims{3, 1, 3} : Dims{3, 3, 1}, -1, 1);
      EXPECT_EQ(Wrong("BatchMatMulV2", {xs, ys}, {{"adj_x", a}, {"adj_y", b}}), 0);
    }
  }
  EXPECT_EQ(Wrong("BiasAdd", {Doubles({2, 2, 3}, -1, 1), Doubles({3}, -1, 1)}), 0);
  EXPECT_EQ(Wrong("BiasAdd", {Doubles({2, 3, 1, 2}, -1, 1), Doubles({3}, -1, 1)},
                  {{"data_format", "NCHW"}}),
            0);
}

TEST(Adjoints, OfOpsThatMoveElements) {
  const Tensor x = Doubles({2, 3, 2}, -1, 1);
  EXPECT_EQ(Wrong("Identity", {x}), 0);
  EXPECT_EQ(Wrong("IdentityN", {x, Doubles({2}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("Reshape", {x, IntTensor({4, 3})}), 0);
  EXPECT_EQ(Wrong("ExpandDims", {x, Int(-2)}), 0);
  EXPECT_EQ(Wrong("Squeeze", {Doubles({1, 2, 1}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("BroadcastTo", {Doubles({2, 1}, 0, 1), IntTensor({3, 2, 2})}), 0);
  EXPECT_EQ(Wrong("Fill", {IntTensor({2, 2}), Doubles({}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("Tile", {x, IntTensor({2, 1, 3})}), 0);
  EXPECT_EQ(Wrong("Tile", {x, IntTensor({0, 1, 3})}), 0);
  EXPECT_EQ(Wrong("Transpose", {x, IntTensor({2, 0, 1})}), 0);
}

TEST(Adjoints, OfOpsThatJoinAndCut) {
  const Tensor x = Doubles({2, 3, 2}, -1, 1);
  const Tensor y = Doubles({2, 1, 2}, -1, 1);
  EXPECT_EQ(Wrong("ConcatV2", {x, y, x, Int(1)}), 0);
  EXPECT_EQ(Wrong("ConcatV2", {x, x, Int(-1)}), 0);
  EXPECT_EQ(Wrong("Concat", {Int(1), x, y}), 0);
  EXPECT_EQ(Wrong("Split", {Int(1), x}, {{"num_split", 3}}), 0);
  EXPECT_EQ(Wrong("SplitV", {x, IntTensor({2, 0, 1}), Int(-2)}, {{"num_split", 3}}), 0);
  for (const int axis : {0, 1, -1}) {
    EXPECT_EQ(Wrong("Pack", {x, x}, {{"axis", axis}}), 0) << axis;
    EXPECT_EQ(Wrong("Unpack", {x}, {{"axis", axis}, {"num", axis == 1 ? 3 : 2}}), 0) << axis;
  }
  EXPECT_EQ(Wrong("DynamicStitch", {IntTensor({0, 2}), IntTensor({1, 0}), Doubles({2, 2}, 0, 1),
                                    Doubles({2, 2}, 0, 1)}),
            0);
}

TEST(Adjoints, OfOpsThatChooseByIndex) {
  const Tensor x = Doubles({3, 4, 2}, -1, 1);
  EXPECT_EQ(Wrong("Slice", {x, IntTensor({1, 0, 1}), IntTensor({2, 3, 1})}), 0);
  EXPECT_EQ(Wrong("Slice", {x, IntTensor({1, 0, 1}), IntTensor({-1, -1, 0})}), 0);
  EXPECT_EQ(Wrong("Gather", {x, IntTensor({2, 0, 2})}), 0);
  EXPECT_EQ(Wrong("GatherV2",
                  {x, Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{3, 0, 0, 1}), Int(-2)}),
            0);
  EXPECT_EQ(
      Wrong("GatherV2", {x, Tensor::Of<int32_t>(Dims{3, 1}, std::vector<int32_t>{3, 0, 1}), Int(1)},
            {{"batch_dims", 1}}),
      0);
  EXPECT_EQ(
      Wrong("GatherNd", {x, Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{2, 3, 0, 1})}), 0);
  for (const int axis : {0, 1, -1}) {
    EXPECT_EQ(Wrong("OneHot", {IntTensor({1, 5, 0}), Int(2), Doubles({}, 0, 1), Doubles({}, 2, 3)},
                    {{"axis", axis}}),
              0);
  }
}

TEST(Adjoints, OfStridedSlices) {
  const Tensor x = Doubles({3, 4, 2}, -1, 1);
  const auto wrong = [&](std::vector<int32_t> begin, std::vector<int32_t> end,
                         std::vector<int32_t> strides, AttrMap masks) {
    return Wrong("StridedSlice", {x, IntTensor(begin), IntTensor(end), IntTensor(strides)}, masks);
  };
  EXPECT_EQ(wrong({1, 0}, {3, 4}, {1, 2}, {}), 0);
  EXPECT_EQ(wrong({-1, -1}, {-4, -6}, {-1, -2}, {}), 0);
  EXPECT_EQ(wrong({9, 3}, {-9, 0}, {-2, -3}, {{"begin_mask", 1}, {"end_mask", 3}}), 0);
  EXPECT_EQ(
      wrong({1, 0, -1}, {2, 0, 0}, {1, 1, 1}, {{"shrink_axis_mask", 5}, {"ellipsis_mask", 2}}), 0);
  EXPECT_EQ(wrong({0, 0, 1}, {0, 0, 2}, {1, 1, 1}, {{"new_axis_mask", 1}, {"ellipsis_mask", 2}}),
            0);
  EXPECT_EQ(wrong({2}, {1}, {1}, {}), 0);  // nothing
}

TEST(Adjoints, AWrongOneIsFound) {
  AdjointTable table = AdjointTable::Standard();
  table.Set("Sin", [](FiringPartials& firing) {
    firing.Add(0, 0, 0, 0, 0.9 * std::cos(ToDoubles(firing.input(0))[0]));
    return Status();
  });
  EXPECT_EQ(Wrong("Sin", {Tensor::Scalar(0.5)}, {}, table), 1);
}

bool MayBeReal(const OpDef& op, const ArgDef& arg) {
  if (arg.dtype != DType::kInvalid) return IsFloating(arg.dtype);
  const AttrDef* attr = op.FindAttr(arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr);
  if (attr == nullptr) return true;
  const std::vector<DType>& types = attr->allowed_types;
  return types.empty() || std::any_of(types.begin(), types.end(), IsFloating);
}

// Ops that the tape refuses by name, having no adjoint of them. The list only gets shorter.
constexpr std::string_view kWithoutAdjoint = R"(
  AccumulateNV2 Acos Acosh ApplyAdagrad ApplyAdagradV2 ApplyAdam ApplyGradientDescent
  ApplyMomentum ApplyRMSProp Asin Asinh Atan Atan2 Atanh BatchMatMul BatchMatMulV3 BatchToSpace
  BatchToSpaceND Betainc BiasAddGrad BiasAddV1 Bincount Bitcast CheckNumerics CheckNumericsV2
  Cholesky ClipByValue ConjugateTranspose Cosh Cross Cumprod Cumsum CumulativeLogsumexp DeepCopy
  DenseBincount DepthToSpace DestroyTemporaryVariable Diag DiagPart Digamma DynamicPartition
  Einsum Elu EluGrad Erfc Erfinv EuclideanNorm GuaranteeConst Igamma IgammaGradA Igammac
  InplaceAdd InplaceSub InplaceUpdate L2Loss LeakyRelu LeakyReluGrad Lgamma LinSpace ListDiff
  LogMatrixDeterminant LogSoftmax MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart
  MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixInverse MatrixSetDiag
  MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve MirrorPad MirrorPadGrad Ndtri
  NextAfter Pad PadV2 ParallelDynamicStitch Polygamma Print RandomShuffle Relu6 Relu6Grad Reverse
  ReverseSequence ReverseV2 Roll ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNd
  ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdNonAliasingAdd ScatterNdSub ScatterNdUpdate
  SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Selu SeluGrad Sinh Snapshot Softmax
  SoftmaxCrossEntropyWithLogits SoftplusGrad Softsign SoftsignGrad SpaceToBatch SpaceToBatchND
  SpaceToDepth SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum
  SparseSoftmaxCrossEntropyWithLogits StatelessRandomBinomial StatelessRandomGammaV2
  StatelessRandomGammaV3 StatelessRandomPoisson StridedSliceAssign StridedSliceGrad Tan
  TensorScatterAdd
  TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate
  TopK TopKV2 Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 UnsortedSegmentMax
  UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy Xlog1py Xlogy Zeta
)";

TEST(Adjoints, AreThereForEveryOpThatTakesAndGivesRealNumbersButTheListed) {
  std::istringstream listed{std::string(kWithoutAdjoint)};
  std::set<std::string> without(std::istream_iterator<std::string>(listed), {});
  for (const OpDef* op : OpRegistry::Standard().All()) {
    const auto may_be_real = [&](const ArgDef& arg) { return MayBeReal(*op, arg); };
    const bool needed = std::any_of(op->inputs.begin(), op->inputs.end(), may_be_real) &&
                        std::any_of(op->outputs.begin(), op->outputs.end(), may_be_real);
    const bool is_there = AdjointTable::Standard().Find(op->name) != nullptr;
    const bool is_listed = without.erase(op->name) > 0;
    EXPECT_TRUE(needed || !is_listed) << op->name << " needs none";
    EXPECT_TRUE(!needed || is_there != is_listed) << op->name;
  }
  EXPECT_TRUE(without.empty()) << *without.begin() << " is listed, and no op";
}

}  // namespace
}  // namespace tagflow::reference
