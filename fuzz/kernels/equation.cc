// Tested by kernels_test.cc.

#include "fuzz/kernels/equation.h"

#include <algorithm>
#include <string_view>

namespace tagflow::fuzz {
namespace {

constexpr std::string_view kLetters = "abcd";

class EquationDraw {
 public:
  explicit EquationDraw(Choices& choices) : choices_(choices) {
    for (int64_t& size : sizes_) size = choices.Chance(kSeldom) ? 0 : choices.Between(kFew);
    if (choices.Chance(kEvenly)) ellipsis_.resize(static_cast<size_t>(choices.Between(kUpToThree)));
    for (int64_t& size : ellipsis_) size = choices.Between(kFew);
    is_same_ = choices.Chance(kEvenly);
  }

  Equation Draw(int64_t terms) {
    Equation equation;
    for (int64_t i = 0; i < terms; ++i) {
      const std::string term = is_same_ && i > 0 ? all_ : Term();
      equation.text += (i == 0 ? "" : ",") + term;
      equation.dims.push_back(DimsOf(term));
      all_ += i == 0 || !is_same_ ? term : "";
    }
    equation.text += "->" + Result();
    return equation;
  }

 private:
  std::string Term() {
    std::string term;
    for (int left = choices_.Between(ellipsis_.empty() ? kFew : kUpToThree); left > 0; --left) {
      const char letter = kLetters[choices_.Below(kLetters.size())];
      if (term.find(letter) == term.npos || choices_.Chance(kSometimes)) term += letter;
    }
    if (ellipsis_.empty() || choices_.Chance(kSometimes)) return term;
    const size_t place = choices_.Below(term.size() + 1);
    return term.insert(place, "...");
  }

  // Dimensions of an ellipsis may be fewer, and one.
  Dims EllipsisDims() {
    const size_t left_out = choices_.Chance(kEvenly) ? 0 : choices_.Below(1 + ellipsis_.size());
    Dims dims(ellipsis_.begin() + static_cast<ptrdiff_t>(left_out), ellipsis_.end());
    for (int64_t& dim : dims) dim = choices_.Chance(kSometimes) ? 1 : dim;
    return dims;
  }

  Dims DimsOf(std::string_view term) {
    Dims dims;
    for (size_t i = 0; i < term.size(); ++i) {
      if (term[i] != '.') {
        // Now and then a dimension of one, which stands for no other where it has a name.
        dims.push_back(choices_.Chance(kRarely) ? 1 : sizes_[kLetters.find(term[i])]);
        continue;
      }
      const Dims more = EllipsisDims();
      dims.insert(dims.end(), more.begin(), more.end());
      i += 2;
    }
    return dims;
  }

  // Letters that some term has, each once.
  std::string Result() {
    std::string kept;
    for (const char letter : kLetters) {
      if (all_.find(letter) != all_.npos && choices_.Chance(kEvenly)) kept += letter;
    }
    if (choices_.Chance(kEvenly)) std::ranges::reverse(kept);
    const bool has_ellipsis = all_.find('.') != all_.npos;
    if (!has_ellipsis || choices_.Chance(kRarely)) return kept;
    return kept.insert(choices_.Below(kept.size() + 1), "...");
  }

  Choices& choices_;
  int64_t sizes_[kLetters.size()] = {};
  Dims ellipsis_;
  bool is_same_ = false;  // every term as the first
  std::string all_;       // of the terms so far
};

}  // namespace

Equation DrawEquation(int64_t terms, Choices& choices) { return EquationDraw(choices).Draw(terms); }

}  // namespace tagflow::fuzz
