#include "fuzz/generate/operations.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fuzz/generate/chains.h"
#include "fuzz/generate/literals.h"
#include "fuzz/generate/shapes.h"
#include "fuzz/program/scalar.h"

namespace tagflow::fuzz {
namespace {

struct Chance {
  Op op;
  Odds weight;
};

// The first of each table is the simplest.
constexpr Chance kFloatOps[] = {
    {Op::kIdentity, kRarely}, {Op::kAdd, kSometimes},       {Op::kSub, kSometimes},
    {Op::kMul, kSometimes},   {Op::kDiv, kSeldom},          {Op::kMaximum, kSeldom},
    {Op::kMinimum, kSeldom},  {Op::kNeg, kRarely},          {Op::kAbs, kRarely},
    {Op::kSquare, kSeldom},   {Op::kSqrt, kRarely},         {Op::kSign, kRarely},
    {Op::kExp, kRarely},      {Op::kLog, kRarely},          {Op::kSin, kRarely},
    {Op::kCos, kRarely},      {Op::kTanh, kSeldom},         {Op::kSigmoid, kRarely},
    {Op::kSelect, kSeldom},   {Op::kCast, kSeldom},         {Op::kZerosLike, kRarely},
    {Op::kOnesLike, kRarely}, {Op::kStopGradient, kRarely},
};
constexpr Chance kSmoothOps[] = {
    {Op::kIdentity, kRarely},  {Op::kAdd, kSometimes},  {Op::kSub, kSeldom},
    {Op::kMul, kSometimes},    {Op::kDiv, kSeldom},     {Op::kNeg, kRarely},
    {Op::kSquare, kSeldom},    {Op::kSqrt, kSeldom},    {Op::kExp, kSeldom},
    {Op::kLog, kSeldom},       {Op::kSin, kSeldom},     {Op::kCos, kSeldom},
    {Op::kTanh, kSeldom},      {Op::kSigmoid, kSeldom}, {Op::kSelect, kRarely},
    {Op::kZerosLike, kRarely},
};
constexpr Chance kIntegerOps[] = {
    {Op::kIdentity, kRarely}, {Op::kAdd, kSometimes},   {Op::kSub, kSeldom},
    {Op::kMul, kSeldom},      {Op::kFloorDiv, kSeldom}, {Op::kFloorMod, kSeldom},
    {Op::kMaximum, kSeldom},  {Op::kMinimum, kSeldom},  {Op::kNeg, kRarely},
    {Op::kAbs, kRarely},      {Op::kSquare, kRarely},   {Op::kSign, kRarely},
    {Op::kSelect, kSeldom},   {Op::kCast, kSeldom},     {Op::kZerosLike, kRarely},
    {Op::kOnesLike, kRarely},
};
constexpr Chance kBoolOps[] = {
    {Op::kIdentity, kRarely},     {Op::kLess, kSeldom},       {Op::kLessEqual, kRarely},
    {Op::kGreater, kSeldom},      {Op::kEqual, kRarely},      {Op::kNotEqual, kRarely},
    {Op::kGreaterEqual, kRarely}, {Op::kLogicalNot, kRarely}, {Op::kLogicalAnd, kRarely},
    {Op::kLogicalOr, kRarely},    {Op::kSelect, kRarely},     {Op::kCast, kRarely},
};

Op Draw(Maker& maker, std::span<const Chance> table) { return maker.choices.ByWeight(table).op; }

// x and y, or y and x.
std::vector<ValueId> InSomeOrder(Maker& maker, ValueId x, ValueId y) {
  if (maker.choices.Chance(kSometimes)) return {y, x};
  return {x, y};
}

bool IsBinary(Op op) { return op >= Op::kAdd && op <= Op::kLogicalOr; }
bool IsComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }

// Within [-4, 4], by the means the profile allows.
ValueId Tamed(Maker& maker, ValueId x) {
  const DType dtype = maker.type(x).dtype;
  if (!maker.fact(x).finite()) return maker.RandomConstant(TensorType(dtype));
  const bool smooth =
      maker.limits.smooth || (!maker.limits.exact && maker.choices.Chance(kSometimes));
  if (smooth) {
    if (const auto sine = TryElementwise(maker, Op::kSin, {x}, dtype)) return *sine;
  }
  Fact small;
  small.lo = -4;
  small.hi = 4;
  small.exact = maker.fact(x).exact;
  const ValueId out = BroughtInto(maker, x, small);
  return out == ValueId::kNone ? maker.RandomConstant(TensorType(dtype)) : out;
}

// Away from 0, and positive; of an integer, which is only divided by, perhaps negative.
ValueId Positive(Maker& maker, ValueId x) {
  const DType dtype = maker.type(x).dtype;
  if (!IsFloatDType(dtype)) {
    const ValueId positive = Elementwise(maker, Op::kMaximum, {x, maker.Scalar(dtype, 1)});
    return maker.choices.Chance(kEvenly) ? Elementwise(maker, Op::kNeg, {positive}) : positive;
  }
  if (!maker.limits.smooth) {
    const ValueId magnitude = Elementwise(maker, Op::kAbs, {x});
    return Elementwise(maker, Op::kMaximum, {magnitude, maker.Scalar(dtype, 0.5)});
  }
  const ValueId square = Elementwise(maker, Op::kSquare, {x});
  return Elementwise(maker, Op::kAdd, {square, maker.Scalar(dtype, 0.5)});
}

// The operands after repair; false when nothing was left to do.
void Repair(Maker& maker, Op op, std::vector<ValueId>& operands) {
  const bool divides = op == Op::kDiv || op == Op::kFloorDiv || op == Op::kFloorMod;
  if (divides && maker.fact(operands[1]).lo < 0.125) operands[1] = Positive(maker, operands[1]);
  if (op == Op::kSqrt || op == Op::kLog) {
    if (maker.fact(operands[0]).hi > 1000) operands[0] = Tamed(maker, operands[0]);
    operands[0] = Positive(maker, operands[0]);
  }
  for (ValueId& operand : operands) {
    const Fact& fact = maker.fact(operand);
    const bool large = !fact.finite() || std::max(-fact.lo, fact.hi) > 4 || fact.slope > 8;
    const DType dtype = maker.type(operand).dtype;
    const bool positive = divides || op == Op::kSqrt || op == Op::kLog;
    if (IsFloatDType(dtype) && large && !positive) operand = Tamed(maker, operand);
  }
}

std::optional<Dims> Broadcast(const Dims& x, const Dims& y, int64_t most_elements) {
  const bool known = Known(x) && Known(y);
  // Two dims that are not known need not be the same.
  if (x == y && !known) return std::nullopt;
  if (x.empty()) return y;
  if (y.empty()) return x;
  const Dims& longer = x.size() > y.size() ? x : y;
  const Dims& shorter = x.size() > y.size() ? y : x;
  if (!known && longer.size() == shorter.size()) return std::nullopt;
  Dims out = longer;
  const size_t more = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& dim = out[more + i];
    if (dim == shorter[i] && dim >= 0) continue;
    if (!known || (dim != 1 && shorter[i] != 1)) return std::nullopt;
    dim = dim == 1 ? shorter[i] : dim;
  }
  return !known || Elements(out) <= most_elements ? std::optional(out) : std::nullopt;
}

// Another shape that broadcasts with `dims`, which are known: of fewer dimensions, with a 1 here
// and there, or longer where `dims` has a 1.
Dims BroadcastDims(Maker& maker, const Dims& dims) {
  Dims out = dims;
  if (out.size() > 1 && maker.choices.Chance(kEvenly)) out.erase(out.begin());
  for (int64_t& dim : out) {
    if (dim == 1) {
      dim = maker.choices.Between(kFew);
    } else if (maker.choices.Chance(kSometimes)) {
      dim = 1;
    }
  }
  if (out.size() < 2 && maker.choices.Chance(kEvenly)) {
    out.insert(out.begin(), maker.choices.Between(kFew));
  }
  return out;
}

// A tensor that is no scalar and broadcasts with x, whose dims are known, but differs in shape.
ValueId Broadcasting(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  for (int tries = 0; tries < 4; ++tries) {
    const ValueId id = maker.Pick(type.dtype, false);
    const Dims& dims = maker.type(id).dims;
    if (dims != type.dims && Known(dims) && Broadcast(type.dims, dims, MostElements(maker)))
      return id;
  }
  return maker.RandomConstant(TensorType(type.dtype, BroadcastDims(maker, type.dims)));
}

// A tensor of the dtype that goes with `x`: a scalar, or one of its shape, or another that
// broadcasts.
ValueId Companion(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  if (type.dims.empty() || maker.choices.Chance(kSometimes)) return maker.PickScalar(type.dtype);
  if (Known(type.dims) && maker.choices.Chance(kEvenly)) return Broadcasting(maker, x);
  const ValueId id = maker.OfType(type);
  return id == ValueId::kNone ? maker.PickScalar(type.dtype) : id;
}

ValueId PickTensor(Maker& maker, DType dtype, bool scalar) {
  if (scalar) return maker.PickScalar(dtype);
  const ValueId id = maker.Pick(dtype, false);
  return id == ValueId::kNone ? maker.RandomConstant(TensorType(dtype, RandomDims(maker))) : id;
}

ValueId RandomSelect(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  const ValueId y = maker.OfType(type);
  if (y == ValueId::kNone) return x;
  // Of tensors, by elements or all at once.
  const bool by_elements = !type.dims.empty() && Known(type.dims) && maker.choices.Chance(kEvenly);
  const ValueId predicate =
      by_elements ? maker.OfType(TensorType(DType::kBool, type.dims)) : RandomPredicate(maker);
  return Elementwise(maker, Op::kSelect, {predicate, x, y});
}

// A statement whose value is not on offer to other statements.
ValueId Hidden(Maker& maker, Statement statement, DType dtype, const Fact& fact) {
  const ValueId id = maker.BindHidden(TensorType(dtype), fact);
  statement.outputs.push_back(id);
  maker.Write(std::move(statement));
  return id;
}

ValueId HiddenScalar(Maker& maker, Tensor literal) {
  Statement statement;
  statement.op = Op::kConst;
  statement.literal = std::move(literal);
  const DType dtype = statement.literal.dtype();
  const Fact fact = FactOf(statement.literal);
  return Hidden(maker, std::move(statement), dtype, fact);
}

// Two floats made 16 bits long, and what comes of them made a float again.
std::optional<ValueId> OfSixteenBits(Maker& maker) {
  static constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul};
  constexpr int kDigits = 8000, kPrime = 1021;  // numbers up to 8 of endless digits
  const DType dtype = maker.choices.Chance(kEvenly) ? DType::kHalf : DType::kBFloat16;
  const Op op = maker.choices.Of(kOps);
  const double digits = static_cast<double>(maker.choices.Below(kDigits)) / kPrime;
  ValueId operands[] = {maker.PickExact(DType::kFloat), ValueId::kNone};
  const Fact& known = maker.fact(operands[0]);
  if (std::max(-known.lo, known.hi) > 100) return std::nullopt;
  operands[1] = HiddenScalar(maker, ScalarOf(DType::kFloat, digits));
  const Fact facts[] = {maker.fact(operands[0]), maker.fact(operands[1])};
  const std::optional<Fact> fact = Apply(op, facts, DType::kFloat, DType::kFloat, maker.limits);
  if (!fact) return std::nullopt;
  Statement statement;
  statement.op = op;
  for (const ValueId operand : operands) {
    Statement cast;
    cast.op = Op::kCast;
    cast.operands = {operand};
    statement.operands.push_back(Hidden(maker, std::move(cast), dtype, maker.fact(operand)));
  }
  const ValueId result = Hidden(maker, std::move(statement), dtype, *fact);
  return maker.Emit(Op::kCast, {result}, TensorType(DType::kFloat), *fact);
}

// A float that an integer cannot hold, or just can: fractions, ends of the dtypes, and beyond. Not
// on offer to other statements, which are to stay tame.
ValueId OddFloat(Maker& maker, DType dtype) {
  static constexpr double kNumbers[] = {
      2.75,         -2.75,           -0.5,     0.99,    -1e10,  3e9,   -3e9,
      2147483647.5, -2147483648.875, 0x1p31,   -0x1p31, 0x1p32, 1e19,  -1e19,
      0x1p63,       -0x1p63,         0x1.8p62, -7e18,   1e30,   -1e30, 4294967297.5};
  return HiddenScalar(maker, maker.profile.specials && maker.choices.Chance(kEvenly)
                                 ? RandomTensor(maker.choices, dtype, {}, true)
                                 : ScalarOf(dtype, maker.choices.Of(kNumbers)));
}

ValueId RandomCast(Maker& maker, DType to, bool scalar) {
  DType from = RandomDType(maker);
  if (from == to) from = to == DType::kInt32 ? DType::kInt64 : DType::kInt32;
  const bool to_integer = to == DType::kInt32 || to == DType::kInt64;
  const bool cuts = to_integer || (maker.profile.specials && to == DType::kBool);
  const bool odd = cuts && scalar && IsFloatDType(from) && maker.choices.Chance(kSometimes);
  ValueId x = odd ? OddFloat(maker, from) : PickTensor(maker, from, scalar);
  if (!IsFloatDType(from) && IsFloatDType(to) && from != DType::kBool &&
      std::max(-maker.fact(x).lo, maker.fact(x).hi) > 1000) {
    x = Elementwise(maker, Op::kFloorMod, {x, maker.Scalar(from, 17)});
  }
  if (const auto cast = TryElementwise(maker, Op::kCast, {x}, to)) return *cast;
  return PickTensor(maker, to, scalar);
}

// A number that is not the same every time, rather of a loop close by.
ValueId Varying(Maker& maker) {
  const uint32_t count = static_cast<uint32_t>(maker.varying.size());
  const uint32_t near = maker.choices.Chance(kEvenly) ? std::min(count, 3u) : count;
  return maker.varying[count - 1 - maker.choices.Below(near)];
}

ValueId RandomComparison(Maker& maker, Op op, bool scalar) {
  static constexpr DType kCompared[] = {DType::kInt32, DType::kDouble, DType::kFloat,
                                        DType::kInt64};
  const DType dtype = maker.choices.Of(kCompared);
  if (!scalar) {
    const ValueId x = PickTensor(maker, dtype, false);
    const auto operands = InSomeOrder(maker, x, Companion(maker, x));
    if (const auto out = TryElementwise(maker, op, operands, DType::kBool)) {
      return *out;
    }
  }
  const bool varies = !maker.varying.empty() && maker.choices.Chance(kEvenly);
  const ValueId x = varies ? Varying(maker) : maker.PickExact(dtype);
  const DType own = maker.type(x).dtype;
  const ValueId y =
      maker.choices.Chance(kEvenly) ? maker.PickExact(own) : maker.RandomConstant(TensorType(own));
  if (const auto out = TryElementwise(maker, op, {x, y}, DType::kBool)) return *out;
  return maker.Scalar(DType::kBool, 0);
}

// The shape of the result; none where the operands do not go together.
std::optional<Dims> ResultDims(const Maker& maker, Op op, const std::vector<ValueId>& operands) {
  const Dims& first = maker.type(operands[0]).dims;
  if (op == Op::kSelect) {
    const Dims& condition = first;
    const Dims& dims = maker.type(operands[1]).dims;
    if (!Known(dims) || dims != maker.type(operands[2]).dims) return std::nullopt;
    return condition.empty() || condition == dims ? std::optional(dims) : std::nullopt;
  }
  if (operands.size() == 1) return first;
  return Broadcast(first, maker.type(operands[1]).dims, MostElements(maker));
}

}  // namespace

DType RandomDType(Maker& maker) {
  static constexpr DType kDTypes[] = {DType::kDouble, DType::kFloat, DType::kInt32, DType::kInt64,
                                      DType::kBool};
  static constexpr Odds kWeights[] = {kSometimes, kSometimes, kSometimes, kSeldom, kSeldom};
  static constexpr Odds kSmooth[] = {kMostly, kRarely, kRarely, kNever, kRarely};
  static constexpr Odds kTensors[] = {kEvenly, kSometimes, kSeldom, kRarely, kRarely};
  if (maker.profile.tensors) return kDTypes[maker.choices.Weighted(kTensors)];
  return kDTypes[maker.choices.Weighted(maker.profile.differentiable ? kSmooth : kWeights)];
}

std::optional<ValueId> TryElementwise(Maker& maker, Op op, std::vector<ValueId> operands,
                                      DType result) {
  const std::optional<Dims> dims = ResultDims(maker, op, operands);
  if (!dims) return std::nullopt;
  std::array<Fact, 3> facts;
  for (size_t i = 0; i < operands.size(); ++i) facts[i] = maker.fact(operands[i]);
  const DType dtype = maker.type(operands[op == Op::kSelect ? 1 : 0]).dtype;
  std::optional<Fact> fact =
      Apply(op, std::span(facts).first(operands.size()), dtype, result, maker.limits);
  if (!fact) return std::nullopt;
  for (size_t i = 0; i < operands.size(); ++i) {
    // Of operands that broadcast, the one with the result's shape says how many elements.
    if (maker.type(operands[i]).dims != *dims) continue;
    fact->least = facts[i].least;
    fact->most = facts[i].most;
  }
  if (Known(*dims)) fact->least = fact->most = static_cast<int32_t>(Elements(*dims));
  return maker.Emit(op, std::move(operands), TensorType(result, *dims), *fact);
}

ValueId Elementwise(Maker& maker, Op op, std::vector<ValueId> operands) {
  const DType dtype = maker.type(operands.back()).dtype;
  if (const auto out = TryElementwise(maker, op, operands, dtype)) return *out;
  Repair(maker, op, operands);
  if (const auto out = TryElementwise(maker, op, operands, dtype)) return *out;
  return operands.back();
}

ValueId RandomOf(Maker& maker, DType dtype, bool scalar) {
  const bool smooth = maker.profile.differentiable;
  std::span<const Chance> table = kFloatOps;
  if (smooth) table = kSmoothOps;
  if (!IsFloatDType(dtype)) table = kIntegerOps;
  if (dtype == DType::kBool) table = kBoolOps;
  Op op = Draw(maker, table);
  if (op == Op::kIdentity && maker.profile.stop_gradients) op = Op::kStopGradient;
  if (IsComparison(op)) return RandomComparison(maker, op, scalar);
  if (op == Op::kCast && dtype == DType::kFloat && scalar && !smooth &&
      maker.choices.Chance(kMostly)) {
    if (const auto out = OfSixteenBits(maker)) return *out;
  }
  if (op == Op::kCast) return RandomCast(maker, dtype, scalar);
  const ValueId x = PickTensor(maker, dtype, scalar);
  if (op == Op::kSelect) return RandomSelect(maker, x);
  if (IsBinary(op)) return Elementwise(maker, op, InSomeOrder(maker, x, Companion(maker, x)));
  return Elementwise(maker, op, {x});
}

ValueId RandomOperation(Maker& maker) {
  if (maker.profile.tensors && maker.choices.Chance(kSometimes)) return RandomChain(maker);
  if (maker.choices.Chance(kSometimes)) return RandomRearrangement(maker);
  const DType dtype = RandomDType(maker);
  const Odds tensors = maker.profile.tensors ? kMostly : kSometimes;
  return RandomOf(maker, dtype, !maker.choices.Chance(tensors));
}

ValueId RandomPredicate(Maker& maker) {
  enum { kConstant, kComparison, kCounter, kPicked, kLogical };
  static constexpr Odds kWeights[] = {kSeldom, kEvenly, kSometimes, kSeldom, kSeldom};
  size_t way = maker.choices.Weighted(kWeights);
  if (way == kCounter && maker.counters.empty()) way = kComparison;
  switch (way) {
    case kConstant:
      return maker.RandomConstant(TensorType(DType::kBool));
    case kCounter: {
      const ValueId counter = maker.choices.Of(maker.counters);
      const DType dtype = maker.type(counter).dtype;
      if (IsFloatDType(dtype)) {
        const ValueId bound = maker.Scalar(dtype, maker.choices.Between(kFew));
        return *TryElementwise(maker, Op::kLess, {counter, bound}, DType::kBool);
      }
      const int modulus = maker.choices.Between(kTwoToFour);
      const ValueId rest =
          Elementwise(maker, Op::kFloorMod, {counter, maker.Scalar(dtype, modulus)});
      const ValueId which = maker.Scalar(dtype, maker.choices.Between(0, modulus - 1));
      return *TryElementwise(maker, Op::kEqual, {rest, which}, DType::kBool);
    }
    case kPicked:
      return maker.PickScalar(DType::kBool);
    case kLogical: {
      const ValueId x = maker.PickScalar(DType::kBool);
      return Elementwise(maker, Op::kLogicalAnd, {x, maker.PickScalar(DType::kBool)});
    }
    default: {
      static constexpr Op kOps[] = {Op::kLess, Op::kGreater, Op::kLessEqual, Op::kEqual};
      return RandomComparison(maker, maker.choices.Of(kOps), true);
    }
  }
}

ValueId RandomIndex(Maker& maker, int size) {
  const ValueId x = maker.PickExact(DType::kInt32);
  if (maker.fact(x).lo >= 0 && maker.fact(x).hi < size) return x;
  return Elementwise(maker, Op::kFloorMod, {x, maker.Scalar(DType::kInt32, size)});
}

ValueId BroughtInto(Maker& maker, ValueId x, const Fact& wanted) {
  const DType dtype = maker.type(x).dtype;
  const auto fits = [&](ValueId id) {
    const Fact& fact = maker.fact(id);
    if (wanted.exact && !fact.exact) return false;
    const bool grows = fact.slope > 1 && (maker.limits.smooth || !fact.exact);
    return fact.Within(wanted) && (wanted.slope == 0 || !grows);
  };
  if (fits(x)) return x;
  if (wanted.exact && !maker.fact(x).exact) return ValueId::kNone;
  // One that comes of inexact numbers, in a loop; nothing here takes it.
  if (dtype == DType::kBool) return ValueId::kNone;
  ValueId out = x;
  const bool clamps = !IsFloatDType(dtype) || !maker.limits.smooth;
  if (clamps && (wanted.exact || maker.choices.Chance(kEvenly))) {
    const ValueId most = maker.Scalar(dtype, wanted.hi);
    const ValueId least = maker.Scalar(dtype, wanted.lo);
    const auto below = TryElementwise(maker, Op::kMinimum, {out, most}, dtype);
    if (!below) return ValueId::kNone;
    const auto within = TryElementwise(maker, Op::kMaximum, {*below, least}, dtype);
    if (!within) return ValueId::kNone;
    out = *within;
  } else if (IsFloatDType(dtype) && !maker.fact(out).Within(wanted)) {
    const auto bent = TryElementwise(maker, Op::kTanh, {out}, dtype);
    if (!bent) return ValueId::kNone;
    out = *bent;
  }
  if (fits(out)) return out;
  // A power of two, so that nothing is rounded.
  const double scale = std::exp2(-std::ceil(std::log2(std::max(maker.fact(out).slope, 2.0))));
  const auto scaled = TryElementwise(maker, Op::kMul, {out, maker.Scalar(dtype, scale)}, dtype);
  return scaled && fits(*scaled) ? *scaled : ValueId::kNone;
}

}  // namespace tagflow::fuzz
