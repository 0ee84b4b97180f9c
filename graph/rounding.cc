#include "graph/rounding.h"

#include <algorithm>
#include <string_view>

namespace tagflow {
namespace {

struct Exception {
  std::string_view op;
  Rounding rounding;
};
// Of which the arguments do not tell.
constexpr Exception kExceptions[] = {
    {"Prod", Rounding::kOfProducts},
    {"Cumprod", Rounding::kOfProducts},
    {"SegmentProd", Rounding::kOfProducts},
    {"UnsortedSegmentProd", Rounding::kOfProducts},
    {"Betainc", Rounding::kOfComplements},
    // Images between their elements, of either sign; cubic curves have weights of either sign, too.
    {"ResizeBilinear", Rounding::kOfRemainders},
    {"ResizeBilinearGrad", Rounding::kOfRemainders},
    {"ResizeBicubic", Rounding::kOfRemainders},
    {"ResizeBicubicGrad", Rounding::kOfRemainders},
    {"AvgPoolGrad", Rounding::kOfRemainders},
    {"AvgPool3DGrad", Rounding::kOfRemainders},
    // Products, sigmoids of them and products of those.
    {"BlockLSTM", Rounding::kOfRemainders},
    {"BlockLSTMGrad", Rounding::kOfRemainders},
    {"BlockLSTMV2", Rounding::kOfRemainders},
    {"BlockLSTMGradV2", Rounding::kOfRemainders},
    {"GRUBlockCell", Rounding::kOfRemainders},
    {"GRUBlockCellGrad", Rounding::kOfRemainders},
    {"LSTMBlockCell", Rounding::kOfRemainders},
    {"LSTMBlockCellGrad", Rounding::kOfRemainders},
};

// Two tensors of one dtype, and no attr that says what to add up; rows of three, as of a cross
// product, are sums of two terms.
bool IsOfElements(const OpDef& op) { return op.inputs.size() == 2 && op.attrs.size() == 1; }

}  // namespace

bool IsConversion(const OpDef& op) {
  return op.FindAttr("SrcT") != nullptr && op.FindAttr("DstT") != nullptr;
}

Rounding RoundingOf(const OpDef& op) {
  const auto exception = std::ranges::find(kExceptions, op.name, &Exception::op);
  if (exception != std::end(kExceptions)) return exception->rounding;
  if (IsConversion(op)) return Rounding::kToNearest;
  const bool has_triples = std::ranges::any_of(
      op.inputs, [](const ArgDef& arg) { return arg.role == ArgRole::kTriples; });
  return IsOfElements(op) && !has_triples ? Rounding::kOfElements : Rounding::kOfSums;
}

}  // namespace tagflow
