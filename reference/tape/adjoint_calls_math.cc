// Calls of arithmetic, reductions, scans and segments.

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

void AddUnary(Numbers& numbers, AdjointCalls& calls) {
  for (const char* op : {"Neg", "Abs", "Sign", "Square", "Exp", "Expm1", "Sin", "Cos", "Tan",
                         "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Sigmoid"}) {
    calls.push_back({op, {numbers({}, 0.1, 1.3)}});
    calls.push_back({op, {numbers({2, 3}, -1.3, -0.1)}});
  }
  for (const char* op : {"Sqrt", "Rsqrt", "Reciprocal", "Inv", "Log", "Log1p"}) {
    calls.push_back({op, {numbers({4}, 0.2, 3)}});
  }
  for (const char* op : {"Asin", "Acos", "Atanh"}) calls.push_back({op, {numbers({4}, -0.8, 0.8)}});
  calls.push_back({"Acosh", {numbers({4}, 1.2, 3)}});
  calls.push_back({"Cast", {numbers({3}, -1, 1)}, {{"DstT", DType::kDouble}}});
}

void AddBinary(Numbers& numbers, AdjointCalls& calls) {
  const std::pair<Dims, Dims> shapes[] = {{{}, {}},      {{3}, {}},        {{}, {2, 2}},
                                          {{2, 3}, {3}}, {{2, 1}, {1, 3}}, {{0, 2}, {1}},
                                          {{1}, {1}},    {{1, 2}, {2}},    {{2}, {2, 1, 2}}};
  for (const char* op :
       {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan", "SquaredDifference",
        "Pow", "Maximum", "Minimum", "Xlogy", "Xlog1py", "Xdivy", "Atan2"}) {
    for (const auto& [x, y] : shapes) {
      calls.push_back({op, {numbers(x, 0.5, 1.5), numbers(y, 2, 4)}});
      calls.push_back({op, {numbers(x, 2, 4), numbers(y, 0.5, 1.5)}});
    }
  }
  // Away from the jumps.
  for (const char* op : {"FloorMod", "Mod", "TruncateMod"}) {
    calls.push_back({op, {numbers({3}, 5.1, 5.9), numbers({}, 1.9, 2.1)}});
    calls.push_back({op, {numbers({3}, -5.9, -5.1), numbers({}, 1.9, 2.1)}});
  }
  calls.push_back({"NextAfter", {numbers({3}, 0.5, 1), numbers({}, 2, 3)}});
  calls.push_back({"Atan2", {numbers({3}, -1, 1), numbers({3}, -2, -1)}});
}

void AddGradients(Numbers& numbers, AdjointCalls& calls) {
  for (const char* op :
       {"TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"}) {
    calls.push_back({op, {numbers({2, 2}, 0.3, 2), numbers({2, 2}, -1, 1)}});
  }
}

void AddChoices(Numbers& numbers, AdjointCalls& calls) {
  const Tensor some = Tensor::Of<bool>(Dims{3}, std::array<bool, 3>{true, false, true});
  calls.push_back({"Select", {some, numbers({3}, -1, 1), numbers({3}, -1, 1)}});
  calls.push_back({"Select", {some, numbers({3, 2}, -1, 1), numbers({3, 2}, -1, 1)}});
  calls.push_back({"Select", {Tensor::Scalar(false), numbers({3}, -1, 1), numbers({3}, -1, 1)}});
  calls.push_back({"SelectV2", {some, numbers({2, 1}, -1, 1), numbers({}, -1, 1)}});
  calls.push_back({"ClipByValue", {numbers({9}, -3, 3), numbers({}, -2, -1), numbers({}, 1, 2)}});
  calls.push_back({"ClipByValue", {numbers({9}, -3, 3), numbers({9}, -2, -1), numbers({9}, 1, 2)}});
  calls.push_back({"AddN", {numbers({2}, 0, 1), numbers({2}, 0, 1), numbers({2}, 0, 1)}});
  calls.push_back({"AccumulateNV2",
                   {numbers({2}, 0, 1), numbers({2}, 0, 1)},
                   {{"shape", PartialShape(Dims{2})}}});
}

void AddScans(Numbers& numbers, AdjointCalls& calls) {
  for (const char* op : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        const AttrMap attrs = {{"exclusive", exclusive}, {"reverse", reverse}};
        calls.push_back({op, {numbers({5}, -1, 1), Int(0)}, attrs});
        calls.push_back({op, {numbers({2, 3, 2}, -1, 1), Int(-2)}, attrs});
        calls.push_back({op, {numbers({2, 1}, -1, 1), Int(1)}, attrs});
        calls.push_back({op, {numbers({0, 2}, -1, 1), Int(0)}, attrs});
      }
    }
  }
  const Tensor zeros = Tensor::Vector<double>({2, 0, 3, 0, 5});
  for (const bool exclusive : {false, true}) {
    calls.push_back({"Cumprod", {zeros, Int(0)}, {{"exclusive", exclusive}}});
    calls.push_back({"Cumprod", {zeros, Int(0)}, {{"exclusive", exclusive}, {"reverse", true}}});
  }
}

// Doubles with a zero, infinities and NaN among them.
Tensor Wild() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return Tensor::Vector<double>({0, 2, kInfinity, std::nan(""), 0});
}

// Whose derivative is that of the line behind their steps; inside, below, above and at the ends of
// ranges.
void AddQuantizations(AdjointCalls& calls) {
  const auto floats = [](const Dims& dims, const std::vector<float>& values) {
    return Tensor::Of<float>(dims, values);
  };
  const Tensor x = floats({4, 2}, {-9, -2, -6, 0.25F, 0, 4, 6, 9});
  calls.push_back({"FakeQuantWithMinMaxArgs", {x}, {{"num_bits", 4}}, {}, 1});
  calls.push_back({"FakeQuantWithMinMaxArgs", {x}, {{"min", 0.0F}, {"max", 1.0F}}, {}, 1});
  for (const float max : {4.0F, -4.0F, 0.0F}) {
    const std::vector<Tensor> inputs = {x, Float(-0.0F), Float(max)};
    calls.push_back({"FakeQuantWithMinMaxVars", inputs, {{"narrow_range", true}}, {}, 1});
  }
  calls.push_back({"FakeQuantWithMinMaxVarsPerChannel",
                   {x, floats({2}, {-6, 0}), floats({2}, {6, 4})},
                   {{"num_bits", 2}, {"narrow_range", true}},
                   {},
                   1});
}

}  // namespace

AdjointCalls CornerCalls() {
  const Tensor x = Tensor::Vector<double>({-1, 0, 0, 6, 7});
  const Tensor y = Tensor::Vector<double>({1, 0, 2, 6, 7});
  const Tensor zeros = Tensor::Vector<double>({0, 0, 0, 0, 0});
  AdjointCalls calls;
  for (const char* op : {"Abs", "Sign", "Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softsign"}) {
    calls.push_back({op, {x}});
  }
  for (const char* op : {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftsignGrad"}) {
    calls.push_back({op, {y, x}});
  }
  for (const char* op : {"Maximum", "Minimum"}) calls.push_back({op, {x, y}});
  calls.push_back({"ClipByValue", {x, Tensor::Scalar(0.0), Tensor::Scalar(6.0)}});
  calls.push_back({"Pow", {x, Tensor::Vector<double>({2, 2, 1, 0, 1})}});
  calls.push_back({"DivNoNan", {y, zeros}});
  calls.push_back({"MulNoNan", {Wild(), zeros}});
  for (const char* op : {"Xlogy", "Xlog1py", "Xdivy"}) calls.push_back({op, {zeros, zeros}});
  for (const char* op : {"BesselI0e", "BesselI1", "BesselI1e", "BesselJ1"}) {
    calls.push_back({op, {zeros}});
  }
  calls.push_back({"Spence", {Tensor::Vector<double>({1, 0.5})}});
  AddQuantizations(calls);
  for (const char* op : {"Max", "Min"}) {
    calls.push_back({op, {x, Ints({0})}});
    calls.push_back({op, {zeros, Ints({0})}});
  }
  calls.push_back({"NthElement", {zeros, Int(1)}});
  for (const std::string op : {"Max", "Min", "Prod"}) {
    calls.push_back({"Segment" + op, {zeros, Ints({0, 0, 2, 2, 2})}});
    calls.push_back({"UnsortedSegment" + op, {zeros, Ints({2, 0, -1, 2, 2}), Int(4)}});
  }
  return calls;
}

AdjointCalls MathCalls() {
  Numbers numbers;
  AdjointCalls calls;
  AddUnary(numbers, calls);
  AddBinary(numbers, calls);
  AddGradients(numbers, calls);
  AddChoices(numbers, calls);
  return calls;
}

AdjointCalls ReductionCalls() {
  Numbers numbers;
  AdjointCalls calls;
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"}) {
    for (const std::vector<int32_t>& axes :
         std::vector<std::vector<int32_t>>{{}, {0}, {1}, {-1}, {0, 2}, {2, -3}, {0, 1, 2}}) {
      for (const bool keep : {false, true}) {
        calls.push_back({op, {numbers({2, 3, 2}, 0.5, 2), Ints(axes)}, {{"keep_dims", keep}}});
      }
    }
    calls.push_back({op, {numbers({2, 3}, 0.5, 2), Int(-1)}});
    calls.push_back({op, {numbers({}, 0.5, 2), Ints({})}});
  }
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    calls.push_back({op, {numbers({0, 2}, 0, 1), Ints({1})}});
  }
  const std::vector<double> zeros = {2, 0, 3, 0, 5, 0};
  calls.push_back({"Prod", {Tensor::Of<double>(Dims{3, 2}, zeros), Ints({0})}});
  calls.push_back({"Prod", {Tensor::Of<double>(Dims{3, 2}, zeros), Ints({1})}});
  calls.push_back({"Prod", {Tensor::Of<double>(Dims{3, 2}, zeros), Ints({1, 0})}});
  calls.push_back({"L2Loss", {numbers({2, 3}, -1, 1)}});
  AddScans(numbers, calls);
  calls.push_back({"NthElement", {numbers({5}, -1, 1), Int(0)}});
  calls.push_back({"NthElement", {numbers({2, 1, 3}, -1, 1), Int(1)}, {{"reverse", true}}});
  calls.push_back({"NthElement", {numbers({0, 2}, -1, 1), Int(1)}});
  return calls;
}

AdjointCalls SegmentCalls() {
  Numbers numbers;
  const Tensor sorted = Ints({0, 0, 2, 2, 2});
  const Tensor unsorted = Ints({3, 0, -1, 3, 1});
  const Tensor pairs = Ints(Dims{2, 2}, {1, 0, -1, 1});
  AdjointCalls calls;
  for (const std::string op : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    calls.push_back({"Segment" + op, {numbers({5}, 0.5, 2), sorted}});
    calls.push_back({"Segment" + op, {numbers({5, 2}, 0.5, 2), sorted}});
    if (op == "Mean") continue;
    calls.push_back({"UnsortedSegment" + op, {numbers({5}, 0.5, 2), unsorted, Int(5)}});
    calls.push_back({"UnsortedSegment" + op, {numbers({5, 2}, 0.5, 2), unsorted, Int(4)}});
    calls.push_back({"UnsortedSegment" + op, {numbers({2, 2, 3}, 0.5, 2), pairs, Int(2)}});
  }
  const Tensor a_zero = Tensor::Vector<double>({0, 2, 3, 4, 5});
  calls.push_back({"SegmentProd", {a_zero, sorted}});
  calls.push_back({"UnsortedSegmentProd", {a_zero, unsorted, Int(4)}});
  const Tensor zeros = Tensor::Vector<double>({0, 0, 0, 4, 0});
  calls.push_back({"SegmentProd", {zeros, sorted}});
  calls.push_back({"UnsortedSegmentProd", {zeros, unsorted, Int(4)}});
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    calls.push_back({op, {numbers({4, 2}, -1, 1), Ints({3, 0, 3, 3, 1}), sorted}});
    calls.push_back({op, {numbers({3}, -1, 1), Ints({2, 0}), Ints({1, 1})}});
    const std::string name(op);
    const Tensor rows = numbers({3, 2}, -1, 1);
    const Tensor indices = Ints({3, 0, 3, 3, 1});
    calls.push_back({name + "WithNumSegments", {numbers({4, 2}, -1, 1), indices, sorted, Int(4)}});
    calls.push_back({name + "Grad", {rows, indices, sorted, Int(5)}});
    calls.push_back({name + "Grad", {numbers({2}, -1, 1), Ints({1, 1}), Ints({1, 0}), Int(2)}});
    calls.push_back({name + "GradV2", {rows, indices, sorted, Int(5)}});
  }
  const Tensor counted = Ints(Dims{2, 3}, {1, 0, 4, 2, 1, 1});
  calls.push_back({"Bincount", {counted, Int(4), numbers({2, 3}, -1, 1)}});
  calls.push_back({"Bincount", {counted, Int(0), numbers({2, 3}, -1, 1)}});
  calls.push_back({"Bincount", {counted, Int(4), numbers({0}, -1, 1)}});
  calls.push_back({"DenseBincount", {counted, Int(4), numbers({2, 3}, -1, 1)}});
  calls.push_back({"DenseBincount", {counted, Int(4), numbers({0, 0}, -1, 1)}});
  calls.push_back({"DenseBincount", {Ints({1, 0, 1}), Int(2), numbers({3}, -1, 1)}});
  calls.push_back(
      {"DenseBincount", {counted, Int(4), numbers({2, 3}, -1, 1)}, {{"binary_output", true}}});
  return calls;
}

}  // namespace tagflow::reference
