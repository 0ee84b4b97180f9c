#include "transform/simplify/cannot_fail.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace tagflow {
namespace {

using Ops = std::unordered_set<std::string_view>;

const Ops& OpsOfOne() {
  static const auto& ops = *new Ops{
      "Abs",    "Acos",     "Acosh",    "Asin",      "Asinh", "Atan",     "Atanh",    "Ceil",
      "Conj",   "Cos",      "Cosh",     "Erf",       "Erfc",  "Exp",      "Expm1",    "Floor",
      "Imag",   "Invert",   "IsFinite", "IsInf",     "IsNan", "Log",      "Log1p",    "LogicalNot",
      "Neg",    "OnesLike", "Rank",     "Real",      "Relu",  "Relu6",    "Rint",     "Round",
      "Rsqrt",  "Sigmoid",  "Sign",     "Sin",       "Sinh",  "Softplus", "Softsign", "Sqrt",
      "Square", "Tan",      "Tanh",     "ZerosLike",
  };
  return ops;
}

const Ops& OpsOfTwo() {
  static const auto& ops = *new Ops{
      "Add",     "AddV2",        "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal",
      "Greater", "GreaterEqual", "Less",       "LessEqual", "LogicalAnd", "LogicalOr",
      "Maximum", "Minimum",      "Mul",        "NotEqual",  "Sub",        "SquaredDifference",
  };
  return ops;
}

const Ops& Divisions() {
  static const auto& ops = *new Ops{"Div", "RealDiv", "Atan2"};
  return ops;
}

bool IsFloating(const Node& node) {
  const Result<DType> dtype = TypeAttr(node, "T");
  return dtype.ok() && (*dtype == DType::kFloat || *dtype == DType::kDouble);
}

// Types whose kernels every engine has.
bool IsNumber(const Node& node) {
  const AttrValue* attr = FindAttr(node, "T");
  if (attr == nullptr) return true;  // of fixed types
  const Result<DType> dtype = TypeAttr(node, "T");
  if (!dtype.ok()) return false;
  return IsFloating(node) || *dtype == DType::kInt32 || *dtype == DType::kInt64 ||
         *dtype == DType::kBool;
}

}  // namespace

bool CannotFail(const CallView& view, const Node& node) {
  if (!IsNumber(node)) return false;
  if (OpsOfOne().contains(node.op)) return node.inputs.size() == 1;
  const bool is_division = Divisions().contains(node.op) && IsFloating(node);
  if (node.inputs.size() != 2 || (!is_division && !OpsOfTwo().contains(node.op))) return false;
  return std::ranges::any_of(node.inputs, [&](OutputRef input) {
    const Tensor* value = view.ConstantOf(input);
    return value != nullptr && value->dims().empty();
  });
}

}  // namespace tagflow
