#include "fuzz/generate/chains.h"

#include <iterator>
#include <vector>

#include "fuzz/generate/operations.h"
#include "fuzz/generate/shapes.h"

namespace tagflow::fuzz {
namespace {

class Chain {
 public:
  Chain(Maker& maker, Type type) : maker_(maker), type_(std::move(type)) {}

  ValueId Make() {
    // Of a value that differs from step to step, so that nothing can be known before.
    Append(Elementwise(maker_, Op::kMul, {maker_.OfType(type_), maker_.PickScalar(type_.dtype)}));
    // Now and then more than an engine fuses into one.
    const bool is_long = maker_.choices.Chance(kRarely);
    const int operations =
        is_long ? maker_.choices.Between(kVeryMany) : maker_.choices.Between(kSeveral);
    for (int i = 0; i < operations; ++i) Append(Operation());
    const ValueId last = Operand();
    if (!maker_.choices.Chance(kEvenly)) return last;
    const ValueId sum = SumOf(maker_, last);
    return sum == ValueId::kNone ? last : sum;
  }

 private:
  // Where an operation could not be applied, what it gives instead may be of another shape.
  void Append(ValueId value) {
    if (maker_.type(value) == type_) made_.push_back(value);
  }

  // What was made last, rather than what was made before.
  ValueId Operand() {
    if (made_.empty()) return maker_.RandomConstant(type_);
    const auto count = static_cast<uint32_t>(made_.size());
    return made_[count - 1 - (maker_.choices.Chance(kSometimes) ? maker_.choices.Below(count) : 0)];
  }

  ValueId Operation() {
    static constexpr Op kBinary[] = {Op::kAdd, Op::kMul, Op::kSub, Op::kDiv, Op::kAdd, Op::kAdd};
    static constexpr Op kUnary[] = {Op::kNeg, Op::kTanh, Op::kSigmoid, Op::kSquare};
    if (maker_.choices.Chance(kSometimes)) {
      const Op op = maker_.choices.Of(kUnary);
      return Elementwise(maker_, op, {Operand()});
    }
    const Op op = maker_.choices.Of(kBinary);
    const ValueId other = Other();
    if (maker_.choices.Chance(kSometimes)) return Elementwise(maker_, op, {other, Operand()});
    return Elementwise(maker_, op, {Operand(), other});
  }

  // Another of the chain, a scalar, a row or column that broadcasts, or a column times a row.
  ValueId Other() {
    enum { kMade, kScalar, kRow, kColumn, kProduct };
    static constexpr Odds kWeights[] = {kEvenly, kSeldom, kSeldom, kSeldom, kSometimes};
    size_t way = maker_.choices.Weighted(kWeights);
    if (type_.dims.size() < 2 && way >= kRow) way = kMade;
    switch (way) {
      case kScalar:
        return maker_.PickScalar(type_.dtype);
      case kRow:
        return maker_.OfType(TensorType(type_.dtype, {type_.dims[1]}));
      case kColumn:
        return Column();
      case kProduct: {
        const ValueId row = maker_.OfType(TensorType(type_.dtype, {1, type_.dims[1]}));
        const ValueId product = ProductOf(maker_, Column(), row);
        if (product == ValueId::kNone) return Operand();
        if (maker_.choices.Chance(kSometimes)) Append(product);  // not for this operation alone
        return product;
      }
      default:
        return Operand();
    }
  }
  ValueId Column() { return maker_.OfType(TensorType(type_.dtype, {type_.dims[0], 1})); }

  Maker& maker_;
  const Type type_;
  std::vector<ValueId> made_;
};

}  // namespace

ValueId RandomChain(Maker& maker) {
  static const std::vector<Dims> shapes = {{40},     {3, 40}, {300}, {40, 3},
                                           {2, 300}, {9, 33}, {1, 1}};
  const DType dtype = maker.choices.Chance(kEvenly) ? DType::kFloat : DType::kDouble;
  return Chain(maker, TensorType(dtype, maker.choices.Of(shapes))).Make();
}

}  // namespace tagflow::fuzz
