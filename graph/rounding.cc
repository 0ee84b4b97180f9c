#include "graph/rounding.h"

#include <algorithm>

#include "graph/op_def.h"

namespace tagflow {
namespace {

// Two tensors of one dtype, and no attr that says what to add up; rows of three, as of a cross
// product, are sums of two terms.
bool IsOfElements(const OpDef& op) { return op.inputs.size() == 2 && op.attrs.size() == 1; }

}  // namespace

bool LeavesRemainders(Rounding rounding) {
  return rounding == Rounding::kOfRemainders || rounding == Rounding::kOfManySteps;
}

bool IsConversion(const OpDef& op) {
  return op.FindAttr("SrcT") != nullptr && op.FindAttr("DstT") != nullptr;
}

Rounding RoundingOf(const OpDef& op) {
  if (op.rounding.has_value()) return *op.rounding;
  if (IsConversion(op)) return Rounding::kToNearest;
  const bool has_triples = std::ranges::any_of(
      op.inputs, [](const ArgDef& arg) { return arg.role == ArgRole::kTriples; });
  return IsOfElements(op) && !has_triples ? Rounding::kOfElements : Rounding::kOfSums;
}

}  // namespace tagflow
