#include "fuzz/generate/fact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tagflow::fuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Greatest(const Fact& x) { return std::max(std::fabs(x.lo), std::fabs(x.hi)); }

// The least and greatest of the four, for a product or a quotient.
void Hull(Fact& out, double a, double b, double c, double d) {
  out.lo = std::min({a, b, c, d});
  out.hi = std::max({a, b, c, d});
}

bool IsFloat(DType dtype) { return dtype == DType::kFloat || dtype == DType::kDouble; }

// Integers wrap: beyond the dtype's range nothing is known.
Fact Wrapped(Fact fact, DType dtype) {
  const Fact all = Anything(dtype);
  if (fact.Within(all)) return fact;
  fact.lo = all.lo;
  fact.hi = all.hi;
  return fact;
}

std::optional<Fact> OneOperand(Op op, const Fact& x, Fact out, DType dtype, DType result) {
  switch (op) {
    case Op::kIdentity:
    case Op::kStopGradient:
      return out;
    case Op::kNeg:
      out.lo = -x.hi;
      out.hi = -x.lo;
      return out;
    case Op::kAbs:
      out.lo = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
      out.hi = Greatest(x);
      // The least integer is its own negative.
      if (!IsFloat(dtype) && x.lo <= Anything(dtype).lo) out.lo = x.lo;
      return out;
    case Op::kSquare:
      out.lo = x.lo > 0 ? x.lo * x.lo : x.hi < 0 ? x.hi * x.hi : 0;
      out.hi = Greatest(x) * Greatest(x);
      out.slope = 2 * Greatest(x) * x.slope;
      return out;
    case Op::kZerosLike:
    case Op::kOnesLike:
      out.lo = out.hi = op == Op::kOnesLike ? 1 : 0;
      out.exact = true;
      out.slope = 0;
      return out;
    case Op::kLogicalNot:
      out.lo = 0;
      out.hi = 1;
      return out;
    case Op::kCast:
      if (result == DType::kBool) out.lo = 0, out.hi = 1;
      if (!IsFloat(result)) out.lo = std::trunc(out.lo), out.hi = std::trunc(out.hi);
      return Wrapped(out, result);
    default:
      return std::nullopt;
  }
}

// Needs limits that the interval alone tells.
std::optional<Fact> Function(Op op, const Fact& x, Fact out, const Limits& limits) {
  const bool margin = limits.smooth || !x.exact;
  out.exact = false;
  switch (op) {
    case Op::kSqrt:
      if (x.lo < (margin ? 1.0 / 64 : 0)) return std::nullopt;
      out.lo = std::sqrt(x.lo);
      out.hi = std::sqrt(x.hi);
      out.slope = x.slope / (2 * std::max(out.lo, 1e-3));
      out.exact = x.exact;
      return out;
    case Op::kExp:
      if (x.hi > 5 || x.lo < -30) return std::nullopt;
      out.lo = std::exp(x.lo);
      out.hi = std::exp(x.hi);
      out.slope = out.hi * x.slope;
      return out;
    case Op::kLog:
      if (x.lo < 1.0 / 64) return std::nullopt;
      out.lo = std::log(x.lo);
      out.hi = std::log(x.hi);
      out.slope = x.slope / x.lo;
      return out;
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
      if (Greatest(x) > 1000) return std::nullopt;
      out.lo = -1;
      out.hi = 1;
      return out;
    case Op::kSigmoid:
      if (Greatest(x) > 30) return std::nullopt;
      out.lo = 0;
      out.hi = 1;
      out.slope = x.slope / 4;
      return out;
    default:
      return std::nullopt;
  }
}

std::optional<Fact> Quotient(const Fact& x, const Fact& y, Fact out, bool specials) {
  if (y.lo < 0.125 && y.hi > -0.125) {
    if (!specials) return std::nullopt;
    out.lo = -kInfinity;
    out.hi = kInfinity;
    return out;
  }
  const double least = std::min(std::fabs(y.lo), std::fabs(y.hi));
  Hull(out, x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi);
  out.slope = x.slope / least + Greatest(x) * y.slope / (least * least);
  return out;
}

std::optional<Fact> IntegerQuotient(Op op, const Fact& x, const Fact& y, Fact out, DType dtype) {
  if (y.lo <= 0 && y.hi >= 0) return std::nullopt;  // dividing an integer by zero is an error
  if (op == Op::kFloorDiv) {
    Hull(out, std::floor(x.lo / y.lo), std::floor(x.lo / y.hi), std::floor(x.hi / y.lo),
         std::floor(x.hi / y.hi));
    return Wrapped(out, dtype);
  }
  out.lo = y.lo > 0 ? 0 : y.lo + 1;
  out.hi = y.lo > 0 ? y.hi - 1 : 0;
  return out;
}

std::optional<Fact> TwoOperands(Op op, const Fact& x, const Fact& y, Fact out, DType dtype,
                                const Limits& limits) {
  switch (op) {
    case Op::kAdd:
      out.lo = x.lo + y.lo;
      out.hi = x.hi + y.hi;
      return out;
    case Op::kSub:
      out.lo = x.lo - y.hi;
      out.hi = x.hi - y.lo;
      return out;
    case Op::kMul:
      Hull(out, x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi);
      out.slope = Greatest(x) * y.slope + Greatest(y) * x.slope;
      return out;
    case Op::kDiv:
      return Quotient(x, y, out, limits.specials);
    case Op::kFloorDiv:
    case Op::kFloorMod:
      return IntegerQuotient(op, x, y, out, dtype);
    case Op::kMaximum:
    case Op::kMinimum: {
      const bool most = op == Op::kMaximum;
      out.lo = most ? std::max(x.lo, y.lo) : std::min(x.lo, y.lo);
      out.hi = most ? std::max(x.hi, y.hi) : std::min(x.hi, y.hi);
      // NaN comes through.
      if (!x.finite() || !y.finite()) out.lo = -kInfinity, out.hi = kInfinity;
      out.slope = std::max(x.slope, y.slope);
      return out;
    }
    case Op::kLogicalAnd:
    case Op::kLogicalOr:
      out.lo = 0;
      out.hi = 1;
      return out;
    default:
      return std::nullopt;
  }
}

// Of integers: their sum, which must not wrap, divided towards zero.
std::optional<Fact> IntegerMean(const Fact& x, Fact out, DType dtype) {
  const double most = std::max(std::fabs(x.lo), std::fabs(x.hi)) * x.most;
  if (most > Anything(dtype).hi / 2) return std::nullopt;
  return out;
}

std::optional<Fact> Reduction(Op op, const Fact& x, Fact out, DType dtype, const Limits& limits) {
  // Of these numbers the extremes are NaN or one of them, in any order.
  const bool extreme = op == Op::kMax || op == Op::kMin;
  if (IsFloat(dtype) && !x.finite() && !(extreme && limits.specials)) return std::nullopt;
  switch (op) {
    case Op::kSum:
      out.lo = std::min(x.lo * x.most, x.lo * x.least);
      out.hi = std::max(x.hi * x.most, x.hi * x.least);
      out.slope = x.slope * x.most;
      out.exact = x.exact && !IsFloat(dtype);
      return Wrapped(out, dtype);
    case Op::kMean:
      if (x.least < 1) return std::nullopt;
      if (!IsFloat(dtype)) return IntegerMean(x, out, dtype);
      out.exact = false;
      return out;
    case Op::kMax:
    case Op::kMin:
      if (x.least < 1) return std::nullopt;
      return out;
    default:
      return std::nullopt;
  }
}

bool IsComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }
bool IsReduction(Op op) { return op >= Op::kSum && op <= Op::kMin; }
bool IsFunction(Op op) { return op >= Op::kSqrt && op <= Op::kSigmoid; }
bool HasKink(Op op) {
  return op == Op::kAbs || op == Op::kMaximum || op == Op::kMinimum || op == Op::kMax ||
         op == Op::kMin || op == Op::kSign;
}

std::optional<Fact> Selected(std::span<const Fact> operands, Fact out) {
  if (!operands[0].exact) return std::nullopt;
  const Fact either = Either(operands[1], operands[2]);
  out.lo = either.lo;
  out.hi = either.hi;
  out.slope = either.slope;
  return out;
}

std::optional<Fact> Raw(Op op, std::span<const Fact> operands, Fact out, DType dtype, DType result,
                        const Limits& limits) {
  const Fact& x = operands[0];
  if (IsComparison(op) || op == Op::kSign) {
    if (!out.exact) return std::nullopt;
    out.lo = op == Op::kSign ? -1 : 0;
    out.hi = 1;
    out.slope = 0;
    if (op == Op::kSign && !x.finite()) return std::nullopt;
    return out;
  }
  if (op == Op::kCast && IsFloat(dtype) && !IsFloat(result) && !x.exact) return std::nullopt;
  if (op == Op::kSelect) return Selected(operands, out);
  if (IsReduction(op)) return Reduction(op, x, out, dtype, limits);
  if (IsFunction(op) && !x.finite()) return std::nullopt;
  if (IsFunction(op)) return Function(op, x, out, limits);
  if (operands.size() == 2) return TwoOperands(op, x, operands[1], out, dtype, limits);
  return OneOperand(op, x, out, dtype, result);
}

}  // namespace

bool Fact::finite() const { return std::isfinite(lo) && std::isfinite(hi); }

Fact Either(const Fact& a, const Fact& b) {
  Fact out;
  out.lo = std::min(a.lo, b.lo);
  out.hi = std::max(a.hi, b.hi);
  out.exact = a.exact && b.exact;
  out.active = a.active || b.active;
  out.slope = std::max(a.slope, b.slope);
  out.least = std::min(a.least, b.least);
  out.most = std::max(a.most, b.most);
  return out;
}

Fact Anything(DType dtype) {
  Fact out;
  switch (dtype) {
    case DType::kBool:
      out.hi = 1;
      break;
    case DType::kInt32:
      out.lo = std::numeric_limits<int32_t>::min();
      out.hi = std::numeric_limits<int32_t>::max();
      break;
    case DType::kInt64:
      out.lo = static_cast<double>(std::numeric_limits<int64_t>::min());
      out.hi = static_cast<double>(std::numeric_limits<int64_t>::max());
      break;
    default:
      out.lo = -kInfinity;
      out.hi = kInfinity;
  }
  return out;
}

std::optional<Fact> Apply(Op op, std::span<const Fact> operands, DType dtype, DType result,
                          const Limits& limits) {
  Fact out = operands[0];
  for (const Fact& operand : operands.subspan(1)) {
    out.exact = out.exact && operand.exact;
    out.active = out.active || operand.active;
    out.slope += operand.slope;
  }
  const bool smooth = limits.smooth && (IsFloat(dtype) || IsFloat(result));
  if (smooth && HasKink(op)) return std::nullopt;
  std::optional<Fact> fact = Raw(op, operands, out, dtype, result, limits);
  if (!fact) return fact;
  // An exact value has no error to magnify; an inexact one has its own at least.
  if (!limits.smooth) fact->slope = fact->exact ? 0 : std::max(fact->slope, 1.0);
  if (limits.exact && !fact->exact) return std::nullopt;
  if (!IsFloat(result)) return Wrapped(*fact, result);
  if (std::isnan(fact->lo) || std::isnan(fact->hi) || !fact->finite()) {
    if (!limits.specials || !fact->exact) return std::nullopt;
    fact->lo = -kInfinity;
    fact->hi = kInfinity;
    return fact;
  }
  const double magnitude = limits.magnitude;
  if (std::max(std::fabs(fact->lo), std::fabs(fact->hi)) > magnitude) return std::nullopt;
  if (fact->slope > limits.slope && !fact->exact) return std::nullopt;
  if (fact->slope > limits.slope && limits.smooth) return std::nullopt;
  return fact;
}

}  // namespace tagflow::fuzz
