// Conds and cases: what the branches hold, and what they give.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "fuzz/generate/operations.h"
#include "fuzz/generate/statements.h"
#include "fuzz/generate/stores.h"

namespace tagflow::fuzz {
namespace {

bool Known(const Type& type) {
  return std::find(type.dims.begin(), type.dims.end(), -1) == type.dims.end();
}

// The literal of a constant made in `block`; null if `id` is not one.
const Tensor* LiteralIn(const Block& block, ValueId id) {
  for (size_t i = block.statements.size(); i > 0; --i) {
    const Statement& statement = block.statements[i - 1];
    if (statement.op != Op::kConst || statement.outputs[0] != id) continue;
    return &statement.literal;
  }
  return nullptr;
}

// An array that all branches of a cond hand on, some of them with one more element.
struct SharedArray {
  size_t index = 0;    // in Maker::arrays
  bool always = true;  // every branch has written so far
};

class Branches {
 public:
  Branches(Maker& maker, Op op, ValueId operand)
      : maker_(maker), active_(maker.fact(operand).active) {
    statement_.op = op;
    statement_.operands = {operand};
    outer_ = static_cast<int>(maker.program.types.size());
  }

  // Returns what it gives.
  std::vector<ValueId> Make(int branches) {
    array_ = PickArrayToShare();
    for (int i = 0; i < branches; ++i) MakeBranch(i);
    return Finish();
  }

 private:
  bool IsOuter(ValueId id) const { return static_cast<int>(id) < outer_; }

  std::optional<SharedArray> PickArrayToShare() {
    if (maker_.profile.arrays == kNever || !maker_.choices.Chance(kEvenly)) return std::nullopt;
    for (size_t i = maker_.arrays.size(); i > maker_.first_array_here(); --i) {
      const ArrayState& array = maker_.arrays[i - 1];
      if (array.present && array.writable && array.untouched < array.size) {
        return SharedArray{i - 1, true};
      }
    }
    return std::nullopt;
  }

  void MakeBranch(int index) {
    Block block;
    maker_.Enter(&block, ScopeKind::kBranch);
    MakeStatements(maker_, NestedCount(maker_));
    if (index > 0 && types_.empty()) Act();
    if (index == 0) {
      ChooseResults(block);
    } else {
      MatchResults(block);
    }
    if (array_) HandOnArray(block);
    maker_.Leave();
    statement_.blocks.push_back(std::move(block));
  }

  // What gives nothing is there for what it does, perhaps again and again.
  void Act() {
    if (maker_.profile.effects == kNever || !maker_.choices.Chance(kEvenly)) return;
    const bool repeats = maker_.depth() < maker_.profile.depth && maker_.choices.Chance(kEvenly);
    repeats ? MakeActingLoop(maker_) : MakeEffect(maker_);
  }

  // What the first branch gives decides the types.
  void ChooseResults(Block& block) {
    static constexpr Odds kCounts[] = {kSeldom, kEvenly, kSometimes, kSeldom};
    const size_t count = maker_.choices.Weighted(kCounts);
    if (count == 0) Act();
    if (maker_.choices.Chance(maker_.profile.shape_changes)) {
      // The other branches give vectors of other lengths.
      const int length = maker_.choices.Between(kUpToThree);
      AddResult(block, maker_.RandomConstant(TensorType(RandomDType(maker_), {length})), true);
    }
    const std::vector<ValueId> unused = maker_.Unused(count);
    for (size_t i = 0; i < count; ++i) {
      ValueId id = ValueId::kNone;
      if (maker_.choices.Chance(kMostly)) {
        id = i < unused.size() ? unused[i] : RandomOf(maker_, RandomDType(maker_), true);
      } else {
        id = maker_.choices.Chance(kMostly)
                 ? maker_.AnyVisible()
                 : maker_.RandomConstant(TensorType(RandomDType(maker_)));
      }
      // No other branch could make a value of the same type.
      if (id == ValueId::kNone || (!Known(maker_.type(id)) && !IsOuter(id))) continue;
      AddResult(block, id, true);
    }
  }

  void MatchResults(Block& block) {
    for (size_t i = 0; i < types_.size(); ++i) AddResult(block, Match(i), false);
  }

  ValueId Match(size_t i) {
    const ValueId other = statement_.blocks[0].results[i];
    if (!Known(maker_.type(other))) return other;
    for (const ValueId id : maker_.Unused(6)) {
      if (maker_.type(id) == maker_.type(other)) return id;
    }
    if (types_[i].dims.size() == 1 && maker_.profile.shape_changes != kNever &&
        maker_.choices.Chance(kSometimes)) {
      // As many dimensions are enough.
      const ValueId id = maker_.Pick(types_[i].dtype, false);
      if (id != ValueId::kNone && maker_.type(id).dims.size() == 1) return id;
      const int length = maker_.choices.Between(kFew);
      return maker_.RandomConstant(TensorType(types_[i].dtype, {length}));
    }
    const Tensor* literal = LiteralIn(statement_.blocks[0], other);
    if (literal != nullptr && maker_.choices.Chance(kEvenly)) return maker_.EmitLiteral(*literal);
    if (IsOuter(other) && maker_.choices.Chance(kSometimes)) return other;
    if (types_[i].dims.empty() && maker_.choices.Chance(kEvenly)) {
      const ValueId id = RandomOf(maker_, types_[i].dtype, true);
      if (maker_.type(id) == types_[i]) return id;
    }
    return maker_.OfType(maker_.type(other));
  }

  void AddResult(Block& block, ValueId id, bool first) {
    const size_t i = block.results.size();
    block.results.push_back(id);
    maker_.MarkUsed(id);
    if (first) {
      types_.push_back(maker_.type(id));
      facts_.push_back(maker_.fact(id));
    } else {
      facts_[i] = Either(facts_[i], maker_.fact(id));
      for (size_t k = 0; k < types_[i].dims.size(); ++k) {
        int64_t& dim = types_[i].dims[k];
        if (dim != maker_.type(id).dims[k]) dim = -1;
      }
    }
  }

  void HandOnArray(Block& block) {
    const ArrayState array = maker_.arrays[array_->index];
    ValueId value = array.value;
    if (maker_.choices.Chance(kMostly)) {
      value = WriteArray(maker_, array, maker_.Scalar(DType::kInt32, array.untouched));
    } else {
      array_->always = false;
    }
    block.results.push_back(value);
  }

  std::vector<ValueId> Finish() {
    std::vector<ValueId> shown;
    for (size_t i = 0; i < types_.size(); ++i) {
      facts_[i].active = facts_[i].active || active_;
      shown.push_back(maker_.BindHidden(types_[i], facts_[i]));
      statement_.outputs.push_back(shown.back());
    }
    if (array_) {
      ArrayState& array = maker_.arrays[array_->index];
      array.value = maker_.BindHidden(maker_.type(array.value), array.element);
      if (array_->always && array.written == array.untouched) ++array.written;
      ++array.untouched;
      statement_.outputs.push_back(array.value);
    }
    maker_.Write(std::move(statement_));
    maker_.Spend(static_cast<double>(4 + shown.size()));
    for (const ValueId id : shown) maker_.Show(id);
    return shown;
  }

  Maker& maker_;
  Statement statement_;
  bool active_ = false;
  int outer_ = 0;
  std::optional<SharedArray> array_;
  std::vector<Type> types_;
  std::vector<Fact> facts_;
};

// Adds up two results of one shape, by which one gradient goes back into both.
void AddUp(Maker& maker, const std::vector<ValueId>& some, const std::vector<ValueId>& others) {
  for (const ValueId a : some) {
    for (const ValueId b : others) {
      const Type& type = maker.type(a);
      if (type != maker.type(b) || type.dtype != DType::kDouble || !Known(type)) continue;
      Elementwise(maker, Op::kAdd, {a, b});
      return;
    }
  }
}

}  // namespace

void MakeCond(Maker& maker) {
  const auto make = [&] { return Branches(maker, Op::kCond, RandomPredicate(maker)).Make(2); };
  const std::vector<ValueId> results = make();
  if (maker.limits.smooth && maker.choices.Chance(kSometimes)) AddUp(maker, results, make());
}

void MakeCase(Maker& maker) {
  const ValueId index = maker.PickExact(DType::kInt32);
  Branches(maker, Op::kCase, index).Make(maker.choices.Between(kFew));
}

}  // namespace tagflow::fuzz
