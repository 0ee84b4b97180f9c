#include "fuzz/kernels/naive_einsum.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostProducts = 20'000;
constexpr std::string_view kDots = "...";

// A letter; or a dimension of "...", by its place before the end: -1 is the last.
using Label = int;
using Labels = std::vector<Label>;

// Those of a term that has as many dimensions for its dots; nothing where it has none.
std::optional<Labels> LabelsOf(std::string_view term, int64_t dotted) {
  Labels labels;
  const size_t dots = term.find(kDots);
  if (dots == term.npos && dotted > 0) return std::nullopt;
  for (size_t i = 0; i < term.size(); ++i) {
    if (i == dots) {
      for (int64_t place = dotted; place > 0; --place) labels.push_back(static_cast<Label>(-place));
      i += kDots.size() - 1;
    } else if (term[i] < 'a' || term[i] > 'z') {
      return std::nullopt;
    } else {
      labels.push_back(term[i]);
    }
  }
  return labels;
}

int64_t LettersOf(std::string_view term) {
  return std::ranges::count_if(term, [](char c) { return c != '.'; });
}

class Sums {
 public:
  // False: a dimension is not what the others of its label are.
  bool Take(const Labels& labels, const Tensor& input) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t size = input.dims()[i];
      int64_t& known = sizes_.try_emplace(labels[i], size).first->second;
      if (labels[i] < 0 && known == 1) known = size;
      const bool broadcasts = labels[i] < 0 && size == 1;
      if (known != size && !broadcasts) return false;
    }
    terms_.push_back(labels);
    inputs_.push_back(&input);
    return true;
  }

  // How many dimensions the dots of the inputs are.
  int64_t dotted() const {
    return std::ranges::count_if(sizes_, [](const auto& size) { return size.first < 0; });
  }

  std::optional<NaiveSums> Of(const Labels& output) {
    NaiveSums sums;
    for (const Label label : output) {
      if (!sizes_.contains(label)) return std::nullopt;
      sums.dims.push_back(sizes_[label]);
    }
    int64_t elements = 1, products = 1;
    for (const int64_t dim : sums.dims) elements *= dim;
    for (const auto& [label, size] : sizes_) products = std::min(products * size, kMostProducts);
    if (products == kMostProducts || elements > kMostProducts) return std::nullopt;
    sums.values.resize(static_cast<size_t>(elements));
    sums.magnitudes.resize(static_cast<size_t>(elements));
    for (const auto& [label, size] : sizes_) at_[label] = 0;
    for (int64_t i = 0; i < products; ++i, Advance()) {
      double product = 1;
      for (size_t k = 0; k < terms_.size(); ++k) product *= Element(k);
      const size_t place = Place(output, sums.dims);
      sums.values[place] += product;
      sums.magnitudes[place] += std::fabs(product);
    }
    return sums;
  }

 private:
  void Advance() {
    for (auto& [label, index] : at_) {
      if (++index < sizes_[label]) return;
      index = 0;
    }
  }

  size_t Place(const Labels& labels, DimsView dims) {
    int64_t place = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      place = place * dims[i] + (dims[i] == 1 ? 0 : at_[labels[i]]);
    }
    return static_cast<size_t>(place);
  }

  double Element(size_t input) {
    const Tensor& tensor = *inputs_[input];
    const size_t place = Place(terms_[input], tensor.dims());
    return tensor.dtype() == DType::kFloat ? tensor.flat<float>()[place]
                                           : tensor.flat<double>()[place];
  }

  std::map<Label, int64_t> sizes_;
  std::map<Label, int64_t> at_;  // the values that the labels have
  std::vector<Labels> terms_;
  std::vector<const Tensor*> inputs_;
};

}  // namespace

std::optional<NaiveSums> NaiveEinsum(std::string_view equation, const std::vector<Tensor>& inputs) {
  const size_t arrow = equation.find("->");
  if (arrow == equation.npos || inputs.size() > 2) return std::nullopt;
  std::string_view left = equation.substr(0, arrow);
  Sums sums;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t comma = i + 1 < inputs.size() ? left.find(',') : left.size();
    if (comma == left.npos) return std::nullopt;
    const std::string_view term = left.substr(0, comma);
    left.remove_prefix(std::min(comma + 1, left.size()));
    const int64_t dotted = static_cast<int64_t>(inputs[i].dims().size()) - LettersOf(term);
    const std::optional<Labels> labels = LabelsOf(term, dotted);
    if (dotted < 0 || !labels || !sums.Take(*labels, inputs[i])) return std::nullopt;
  }
  const std::optional<Labels> output = LabelsOf(equation.substr(arrow + 2), sums.dotted());
  return output ? sums.Of(*output) : std::nullopt;
}

}  // namespace tagflow::fuzz
