#include "reference/tape/adjoint_calls.h"

#include <algorithm>
#include <utility>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {

bool AdjointCall::Moves(size_t slot) const {
  const DType dtype = inputs[slot].dtype();
  return (dtype == DType::kDouble || dtype == DType::kFloat) &&
         std::find(fixed.begin(), fixed.end(), slot) == fixed.end();
}

std::string AdjointCall::ToString() const {
  std::string text = op + "(";
  for (const Tensor& input : inputs) text += input.DebugString() + ", ";
  for (const auto& [name, value] : attrs) text += name + "=" + value.ToString() + ", ";
  return text + ")";
}

Tensor Numbers::operator()(const Dims& dims, double least, double most) {
  std::uniform_real_distribution<double> draw(least, most);
  std::vector<double> values(static_cast<size_t>(*NumElements(dims)));
  for (double& value : values) value = draw(bits_);
  return Tensor::Of<double>(dims, values);
}

Tensor Numbers::Floats(const Dims& dims, double least, double most) {
  const Tensor doubles = (*this)(dims, least, most);
  std::vector<float> values;
  for (const double value : doubles.flat<double>()) values.push_back(static_cast<float>(value));
  return Tensor::Of<float>(dims, values);
}

AdjointCalls ActivationCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const std::pair<double, double> ranges[] = {{0.1, 2}, {-2, -0.1}};
  for (const auto& [least, most] : ranges) {
    for (const char* op : {"Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"}) {
      calls.push_back({op, {numbers({2, 3}, least, most)}});
    }
    for (const char* op : {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad",
                           "SoftsignGrad", "LeakyReluGrad"}) {
      // An output of Elu is above -1.
      calls.push_back({op, {numbers({4}, -1, 1), numbers({4}, least / 2, most / 2)}});
    }
  }
  calls.push_back({"Relu6", {numbers({3}, 6.1, 9)}});
  calls.push_back({"Relu6Grad", {numbers({3}, -1, 1), numbers({3}, 6.1, 9)}});
  calls.push_back({"LeakyRelu", {numbers({3}, -2, -1)}, {{"alpha", 0.5f}}});
  calls.push_back(
      {"LeakyReluGrad", {numbers({3}, -1, 1), numbers({3}, -2, -1)}, {{"alpha", 0.5f}}});
  return calls;
}

AdjointCalls SoftmaxCalls() {
  Numbers numbers;
  const Tensor labels = Tensor::Of<double>(Dims{2, 3}, std::vector<double>{.2, .3, .5, .6, .4, 0});
  const Tensor one_row = Tensor::Of<double>(Dims{1, 3}, std::vector<double>{.1, .1, .8});
  AdjointCalls calls;
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    calls.push_back({op, {numbers({3}, -2, 2)}});
    calls.push_back({op, {numbers({2, 1, 4}, -2, 2)}});
    calls.push_back({op, {numbers({0, 2}, 0, 1)}});
  }
  const char* const both = "SoftmaxCrossEntropyWithLogits";
  calls.push_back({both, {numbers({2, 3}, -2, 2), labels}});
  calls.push_back({both, {numbers({1, 3}, -2, 2), labels}});
  calls.push_back({both, {numbers({2, 3}, -2, 2), one_row}});
  calls.push_back({both, {numbers({2, 1}, -2, 2), labels}});
  calls.push_back({"SparseSoftmaxCrossEntropyWithLogits", {numbers({2, 3}, -2, 2), Ints({2, 0})}});
  return calls;
}

AdjointCalls SpecialCalls() {
  Numbers numbers;
  AdjointCalls calls = {
      {"Erf", {numbers({2, 2}, -2, 2)}},        {"Erfc", {numbers({2, 2}, -2, 2)}},
      {"Erfinv", {numbers({3}, -0.9, 0.9)}},    {"Ndtri", {numbers({3}, 0.1, 0.9)}},
      {"Lgamma", {numbers({3}, 0.5, 4)}},       {"Lgamma", {numbers({3}, -0.7, -0.3)}},
      {"Digamma", {numbers({3}, 0.5, 4)}},      {"Dawsn", {numbers({2, 3}, -3, 3)}},
      {"Expint", {numbers({2, 2}, 0.2, 4)}},    {"FresnelCos", {numbers({2, 3}, -2, 2)}},
      {"FresnelSin", {numbers({2, 3}, -2, 2)}}, {"Spence", {numbers({3}, 0.1, 0.8)}},
      {"Spence", {numbers({3}, 1.3, 5)}},
  };
  for (const std::string kind : {"I", "K", "J", "Y"}) {
    const bool is_modified = kind == "I" || kind == "K", is_first = kind == "I" || kind == "J";
    for (const std::string order : {"0", "0e", "1", "1e"}) {
      if (order.size() == 2 && !is_modified) continue;
      calls.push_back({"Bessel" + kind + order, {numbers({2, 2}, 0.5, 6)}});
      if (is_first) calls.push_back({"Bessel" + kind + order, {numbers({3}, -6, -0.5)}});
    }
  }
  for (const char* op : {"Igamma", "Igammac"}) {
    const std::pair<Dims, Dims> shapes[] = {{{3}, {3}}, {{}, {2, 2}}, {{2, 1}, {3}}};
    for (const auto& [a, x] : shapes) {
      calls.push_back({op, {numbers(a, 0.5, 3), numbers(x, 0.5, 3)}, {}, {}, 1});
      calls.push_back({op, {numbers(a, 0.5, 3), numbers(x, 0.5, 3)}, {}, {0}});
    }
  }
  const Tensor order = Tensor::Vector<double>({0, 1, 3});
  calls.push_back({"IgammaGradA", {numbers({3}, 0.5, 3), numbers({3}, 0.5, 3)}, {}, {0}});
  calls.push_back({"IgammaGradA", {numbers({}, 0.5, 3), numbers({3}, 0.5, 3)}, {}, {0}});
  calls.push_back({"Polygamma", {order, numbers({3}, 0.5, 3)}, {}, {0}});
  calls.push_back({"Polygamma", {order, numbers({}, 0.5, 3)}, {}, {0}});
  calls.push_back({"Zeta", {numbers({3}, 1.5, 3), numbers({3}, 0.5, 3)}, {}, {0}});
  calls.push_back({"Zeta", {numbers({2, 1}, 1.5, 3), numbers({3}, 0.5, 3)}, {}, {0}});
  const Tensor a = numbers({3}, 0.5, 3), b = numbers({3}, 0.5, 3);
  calls.push_back({"Betainc", {a, b, numbers({3}, 0.2, 0.8)}, {}, {0, 1}});
  calls.push_back({"Betainc", {a, b, numbers({}, 0.2, 0.8)}, {}, {0, 1}});
  return calls;
}

AdjointCalls RandomCalls() {
  const Tensor alpha = Tensor::Vector<double>({0.7, 1, 4});
  const Tensor key = Tensor::Vector<uint64_t>({5});
  const Tensor counter = Tensor::Vector<uint64_t>({6, 7});
  return {
      {"StatelessRandomGammaV2", {Ints({2, 3}), Ints({3, 4}), alpha}, {}, {}, 1},
      {"StatelessRandomGammaV3", {Ints({2, 3}), key, counter, Int(1), alpha}, {}, {}, 1},
  };
}

AdjointCalls AllAdjointCalls() {
  AdjointCalls all;
  for (const auto family : {ActivationCalls, ConvolutionCalls, DecompositionCalls, DiagonalCalls,
                            EinsumCalls, LinalgCalls, MathCalls, MatrixCalls, ReductionCalls,
                            SegmentCalls, SoftmaxCalls, SpecialCalls, NormalizationCalls,
                            PoolingCalls, SequenceCalls, SparseCalls, ImageCalls, RaggedCalls}) {
    for (AdjointCall& call : family()) all.push_back(std::move(call));
  }
  return all;
}

}  // namespace tagflow::reference
