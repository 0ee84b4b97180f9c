#include "fuzz/generate/shapes.h"

#include <algorithm>
#include <cmath>

#include "fuzz/generate/literals.h"
#include "fuzz/generate/operations.h"

namespace tagflow::fuzz {
namespace {

// The fact of a value of known dims with the elements of x, or some of them.
Fact Sized(Fact fact, const Dims& dims) {
  if (Known(dims)) fact.least = fact.most = static_cast<int32_t>(Elements(dims));
  return fact;
}

ValueId Rearranged(Maker& maker, Op op, std::vector<ValueId> operands, Dims dims,
                   std::vector<int64_t> numbers) {
  Fact fact = maker.fact(operands[0]);
  const DType dtype = maker.type(operands[0]).dtype;
  fact = Sized(fact, dims);
  return maker.Emit(op, std::move(operands), TensorType(dtype, std::move(dims)), fact,
                    std::move(numbers));
}

ValueId PickArray(Maker& maker) {
  const DType dtype = RandomDType(maker);
  const ValueId id = maker.Pick(dtype, false);
  return id == ValueId::kNone ? maker.RandomConstant(TensorType(dtype, RandomDims(maker))) : id;
}

// A reduction of no elements, to a scalar or to some. The operand is not on offer to others.
ValueId ReducedNothing(Maker& maker, Op op, DType dtype) {
  static const std::vector<Dims> shapes = {{0}, {0, 2}, {2, 0}, {0, 0}};
  const Dims dims = maker.choices.Of(shapes);
  Statement statement;
  statement.op = Op::kConst;
  statement.literal = RandomTensor(maker.choices, dtype, dims, false);
  const ValueId x = maker.BindHidden(TensorType(dtype, dims), FactOf(statement.literal));
  statement.outputs.push_back(x);
  maker.Write(std::move(statement));
  std::vector<int64_t> axes;
  Dims left;
  if (dims.size() == 2 && maker.choices.Chance(kEvenly)) {
    axes = {dims[0] == 0 ? 0 : 1};
    left = {dims[dims[0] == 0 ? 1 : 0]};
  }
  return maker.Emit(op, {x}, TensorType(dtype, left), Sized(Anything(dtype), left), axes);
}

// A constant for a reduction to be seen by; of special floats, one with a NaN among them.
ValueId FreshArray(Maker& maker, DType dtype) {
  Tensor literal = RandomTensor(maker.choices, dtype, RandomDims(maker), maker.profile.specials);
  if (maker.profile.specials && IsFloatDType(dtype)) {
    const uint32_t at = maker.choices.Below(static_cast<size_t>(literal.num_elements()));
    if (dtype == DType::kFloat) literal.mutable_flat<float>()[at] = NAN;
    if (dtype == DType::kDouble) literal.mutable_flat<double>()[at] = NAN;
  }
  return maker.EmitLiteral(std::move(literal));
}

ValueId Reduced(Maker& maker, ValueId x) {
  if (maker.type(x).dtype == DType::kBool) return x;
  const bool fresh = maker.choices.Chance(kSeldom);
  if (fresh) x = FreshArray(maker, maker.type(x).dtype);
  const Type type = maker.type(x);
  static constexpr Op kOps[] = {Op::kSum, Op::kSum, Op::kMax, Op::kMean, Op::kMin, Op::kMean};
  Op op = maker.choices.Of(kOps);
  if (fresh && !IsFloatDType(type.dtype)) op = Op::kMean;
  if (fresh && !maker.fact(x).finite()) op = maker.choices.Chance(kEvenly) ? Op::kMax : Op::kMin;
  if (maker.profile.specials && !fresh && maker.choices.Chance(kEvenly)) {
    return ReducedNothing(maker, op, type.dtype);
  }
  const Fact operands[] = {maker.fact(x)};
  const std::optional<Fact> fact = Apply(op, operands, type.dtype, type.dtype, maker.limits);
  if (!fact) return x;
  Dims dims;
  std::vector<int64_t> axes;
  if (Known(type.dims) && type.dims.size() == 2 && maker.choices.Chance(kEvenly)) {
    const size_t axis = maker.choices.Below(type.dims.size());
    axes = {static_cast<int64_t>(axis)};
    dims = {type.dims[1 - axis]};
  }
  return maker.Emit(op, {x}, TensorType(type.dtype, dims), Sized(*fact, dims), axes);
}

ValueId Product(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  if (type.dims.size() != 2 || !Known(type.dims) || !IsFloatDType(type.dtype) ||
      maker.limits.exact) {
    return Reduced(maker, x);
  }
  ValueId y = maker.Pick(type.dtype, false);
  if (maker.type(y).dims.size() != 2 || maker.type(y).dims[0] != type.dims[1]) {
    y = maker.RandomConstant(TensorType(type.dtype, {type.dims[1], maker.choices.Between(kFew)}));
  }
  const ValueId product = ProductOf(maker, x, y);
  return product == ValueId::kNone ? x : product;
}

ValueId Reshaped(Maker& maker, ValueId x) {
  const Dims& dims = maker.type(x).dims;
  if (!Known(dims)) return x;
  const int64_t n = Elements(dims);
  Dims to = {n};
  if (dims.size() == 1) to = n % 2 == 0 ? Dims{2, n / 2} : Dims{1, n};
  return Rearranged(maker, Op::kReshape, {x}, to, to);
}

ValueId Expanded(Maker& maker, ValueId x) {
  Dims dims = maker.type(x).dims;
  if (dims.size() > 1) return Reshaped(maker, x);
  const int axis = maker.choices.Between(0, static_cast<int>(dims.size()));
  dims.insert(dims.begin() + axis, 1);
  return Rearranged(maker, Op::kExpandDims, {x}, dims, {axis});
}

ValueId Concatenated(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  const ValueId y = maker.OfType(type);
  const Fact fact = maker.fact(x);
  if (y == ValueId::kNone || fact.most + maker.fact(y).most > MostElements(maker)) return x;
  const int axis =
      Known(type.dims) ? maker.choices.Between(0, static_cast<int>(type.dims.size()) - 1) : 0;
  Dims dims = type.dims;
  int64_t& dim = dims[static_cast<size_t>(axis)];
  if (dim >= 0) dim *= 2;
  Fact both = Either(fact, maker.fact(y));
  both.least = fact.least + maker.fact(y).least;
  both.most = fact.most + maker.fact(y).most;
  return maker.Emit(Op::kConcat, {x, y}, TensorType(type.dtype, dims), both, {axis});
}

ValueId Sliced(Maker& maker, ValueId x) {
  const Dims dims = maker.type(x).dims;
  if (!Known(dims)) return Reduced(maker, x);
  std::vector<int64_t> begins, sizes;
  for (const int64_t dim : dims) {
    const int begin = dim == 0 ? 0 : maker.choices.Between(0, static_cast<int>(dim) - 1);
    begins.push_back(begin);
    sizes.push_back(dim == 0 ? 0 : maker.choices.Between(1, static_cast<int>(dim) - begin));
  }
  std::vector<int64_t> numbers = begins;
  numbers.insert(numbers.end(), sizes.begin(), sizes.end());
  return Rearranged(maker, Op::kSlice, {x}, sizes, numbers);
}

ValueId Packed(Maker& maker) {
  const DType dtype = RandomDType(maker);
  const int n = maker.choices.Between(kFew);
  std::vector<ValueId> rows;
  Fact fact;
  for (int i = 0; i < n; ++i) {
    rows.push_back(maker.PickScalar(dtype));
    fact = i == 0 ? maker.fact(rows[0]) : Either(fact, maker.fact(rows.back()));
  }
  const Dims dims = {n};
  return maker.Emit(Op::kPack, rows, TensorType(dtype, dims), Sized(fact, dims));
}

ValueId Element(Maker& maker, ValueId x) {
  const Dims& dims = maker.type(x).dims;
  if (dims[0] < 1) return x;
  const Dims rest(dims.begin() + 1, dims.end());
  const ValueId index = maker.PickExact(DType::kInt32);
  Fact fact = maker.fact(x);
  fact.least = fact.most = 1;
  fact.active = fact.active || maker.fact(index).active;
  return maker.Emit(Op::kElementAt, {x, index}, TensorType(maker.type(x).dtype, rest),
                    Sized(fact, rest));
}

ValueId Tiled(Maker& maker, ValueId x) {
  Dims dims = maker.type(x).dims;
  const Fact fact = maker.fact(x);
  if (!Known(dims) || fact.most * 2 > MostElements(maker)) return Reduced(maker, x);
  std::vector<int64_t> multiples(dims.size(), 1);
  const size_t axis = maker.choices.Below(dims.size());
  multiples[axis] = 2;
  dims[axis] *= 2;
  return Rearranged(maker, Op::kTile, {x}, dims, multiples);
}

// Of two axes, the one after the other; of more, which no permutation but the inverse turns back,
// in any order.
ValueId Transposed(Maker& maker, ValueId x) {
  if (maker.type(x).dims.size() == 2 && maker.choices.Chance(kSometimes)) x = Expanded(maker, x);
  const Dims dims = maker.type(x).dims;
  if (dims.size() < 2) return Expanded(maker, x);
  std::vector<int64_t> order = {1, 0};
  if (dims.size() > 2) order = maker.choices.Permutation(static_cast<int64_t>(dims.size()));
  Dims transposed;
  for (const int64_t axis : order) transposed.push_back(dims[static_cast<size_t>(axis)]);
  return Rearranged(maker, Op::kTranspose, {x}, transposed, order);
}

ValueId Filled(Maker& maker) {
  const ValueId x = maker.PickScalar(RandomDType(maker));
  const Dims dims = RandomDims(maker);
  return Rearranged(maker, Op::kFill, {x}, dims, dims);
}

ValueId Measured(Maker& maker, ValueId x) {
  static constexpr Op kOps[] = {Op::kSize, Op::kRank, Op::kShape};
  const Op op = maker.choices.Of(kOps);
  const int rank = static_cast<int>(maker.type(x).dims.size());
  Fact fact;
  fact.hi = op == Op::kRank ? rank : maker.fact(x).most;
  const Dims dims = op == Op::kShape ? Dims{rank} : Dims{};
  return maker.Emit(op, {x}, TensorType(DType::kInt32, dims), Sized(fact, dims));
}

}  // namespace

bool Known(const Dims& dims) { return std::find(dims.begin(), dims.end(), -1) == dims.end(); }

int64_t Elements(const Dims& dims) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  return n;
}

int64_t MostElements(const Maker& maker) { return maker.profile.tensors ? 700 : kMostElements; }

Dims RandomDims(Maker& maker) {
  // What chains of kernels take block by block, row by row, and a column for a product with a row.
  static const std::vector<Dims> large = {{150},   {4, 40}, {300},   {40},   {4, 1},
                                          {1, 40}, {3},     {5, 40}, {2, 3}, {4, 40}};
  if (maker.profile.tensors) return maker.choices.Of(large);
  static const std::vector<Dims> shapes = {{2},    {3},    {2, 2}, {1},    {2, 3}, {4},
                                           {3, 2}, {1, 2}, {2, 1}, {1, 3}, {3, 1}};
  return maker.choices.Of(shapes);
}

ValueId RandomRearrangement(Maker& maker) {
  enum {
    kPack,
    kReduce,
    kElement,
    kFill,
    kConcat,
    kSlice,
    kProduct,
    kReshape,
    kExpand,
    kTile,
    kTranspose,
    kMeasure
  };
  static constexpr Odds kWeights[] = {kSeldom, kSometimes, kSeldom, kSeldom, kSeldom, kSeldom,
                                      kSeldom, kRarely,    kRarely, kRarely, kRarely, kSeldom};
  const size_t way = maker.choices.Weighted(kWeights);
  if (way == kPack) return Packed(maker);
  if (way == kFill) return Filled(maker);
  const ValueId x = PickArray(maker);
  switch (way) {
    case kReduce:
      return Reduced(maker, x);
    case kElement:
      return Element(maker, x);
    case kConcat:
      return Concatenated(maker, x);
    case kSlice:
      return Sliced(maker, x);
    case kProduct:
      return Product(maker, x);
    case kReshape:
      return Reshaped(maker, x);
    case kExpand:
      return Expanded(maker, x);
    case kTile:
      return Tiled(maker, x);
    case kTranspose:
      return Transposed(maker, x);
    default:
      return Measured(maker, x);
  }
}

ValueId ProductOf(Maker& maker, ValueId x, ValueId y) {
  const Type type = maker.type(x);
  const Fact& a = maker.fact(x);
  const Fact& b = maker.fact(y);
  if (!a.finite() || !b.finite()) return ValueId::kNone;
  const double left = std::max(-a.lo, a.hi), right = std::max(-b.lo, b.hi);
  const double terms = static_cast<double>(type.dims[1]);
  Fact fact = Either(a, b);
  fact.hi = terms * left * right;
  fact.lo = -fact.hi;
  fact.exact = false;
  fact.slope = terms * (left * b.slope + right * a.slope);
  if (fact.hi > maker.limits.magnitude || fact.slope > maker.limits.slope) return ValueId::kNone;
  const Dims dims = {type.dims[0], maker.type(y).dims[1]};
  return maker.Emit(Op::kMatMul, {x, y}, TensorType(type.dtype, dims), Sized(fact, dims));
}

ValueId SumOf(Maker& maker, ValueId x) {
  const Type type = maker.type(x);
  const Fact operands[] = {maker.fact(x)};
  std::optional<Fact> fact = Apply(Op::kSum, operands, type.dtype, type.dtype, maker.limits);
  if (!fact) return ValueId::kNone;
  fact->least = fact->most = 1;
  return maker.Emit(Op::kSum, {x}, TensorType(type.dtype), *fact);
}

ValueId Appended(Maker& maker, ValueId x, ValueId row) {
  const Type type = maker.type(x);
  const ValueId vector =
      maker.Emit(Op::kExpandDims, {row}, TensorType(type.dtype, {1}), maker.fact(row), {0});
  Fact fact = Either(maker.fact(x), maker.fact(row));
  fact.least = maker.fact(x).least + 1;
  fact.most = maker.fact(x).most + 1;
  const Dims dims = {type.dims[0] < 0 ? -1 : type.dims[0] + 1};
  return maker.Emit(Op::kConcat, {x, vector}, TensorType(type.dtype, dims), fact, {0});
}

}  // namespace tagflow::fuzz
