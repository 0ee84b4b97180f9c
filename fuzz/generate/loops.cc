#include "fuzz/generate/loops.h"

#include <algorithm>
#include <utility>

#include "fuzz/generate/loop_variables.h"
#include "fuzz/generate/operations.h"
#include "fuzz/generate/repeat.h"
#include "fuzz/generate/shapes.h"
#include "fuzz/generate/statements.h"
#include "fuzz/generate/stores.h"

namespace tagflow::fuzz {
namespace {

class LoopMaker {
 public:
  LoopMaker(Maker& maker, const Count& count, std::vector<Carried> carried, bool reads,
            bool acts = false)
      : maker_(maker),
        count_(count),
        reads_(reads),
        acts_(acts),
        given_(carried.size()),
        variables_(std::move(carried)) {
    statement_.op = Op::kWhile;
    statement_.loop = count.loop;
  }

  std::vector<ValueId> Make() {
    AddVariables(maker_, count_.most, variables_);
    statement_.operands.push_back(count_.bound);
    for (const Carried& variable : variables_) statement_.operands.push_back(variable.initial);
    MakeTest();
    MakeBody();
    return Finish();
  }

 private:
  // What is known of the variable inside the loop.
  Fact Inside(const Carried& variable) const {
    Fact fact = variable.fact;
    fact.slope = maker_.limits.smooth || !fact.exact ? 1 : 0;
    return fact;
  }

  std::vector<ValueId> BindParameters(Block& block, const Fact& counter) {
    block.parameters.push_back(maker_.Bind(TensorType(count_.loop.counter), counter));
    maker_.MarkUsed(block.parameters[0]);
    maker_.varying.push_back(block.parameters[0]);
    for (const Carried& variable : variables_) {
      const Fact fact = Inside(variable);
      const ValueId id = maker_.Bind(variable.type, fact);
      block.parameters.push_back(id);
      const bool number = variable.type.is_scalar() && variable.type.dtype != DType::kBool;
      if (number && fact.exact && fact.finite()) maker_.varying.push_back(id);
    }
    return block.parameters;
  }

  void MakeTest() {
    Block block;
    maker_.Enter(&block, ScopeKind::kCondition, std::max(count_.most, 0) + 1);
    BindParameters(block, count_.after);
    // Arrays and stacks count on all trips.
    if (given_ == 0 && !count_.loop.bound_inside && maker_.choices.Chance(kSometimes)) {
      if (maker_.choices.Chance(kEvenly)) MakeStatements(maker_, 1);
      if (maker_.choices.Chance(kSometimes) && maker_.choices.Chance(maker_.profile.effects))
        MakeEffect(maker_);
      block.results.push_back(Continues());
    }
    maker_.Leave();
    statement_.blocks.push_back(std::move(block));
  }

  // Mostly true, so that most loops go on for a while.
  ValueId Continues() {
    const ValueId predicate = RandomPredicate(maker_);
    const DType dtype = maker_.choices.Chance(kEvenly) ? DType::kInt32 : DType::kDouble;
    const ValueId x = maker_.PickExact(dtype);
    const ValueId bound = maker_.Scalar(dtype, maker_.choices.Between(kEitherSign));
    const auto below = TryElementwise(maker_, Op::kLess, {x, bound}, DType::kBool);
    return below ? Elementwise(maker_, Op::kLogicalOr, {predicate, *below}) : predicate;
  }

  void MakeBody() {
    Block block;
    maker_.Enter(&block, ScopeKind::kBody, std::max(count_.most, 1));
    const std::vector<ValueId> parameters = BindParameters(block, count_.during);
    maker_.counters.push_back(parameters[0]);
    for (size_t i = 0; i < given_; ++i) OpenStore(variables_[i], parameters[i + 1]);
    if (reads_) ReadArray(maker_);
    if (BoundIsPositive() && maker_.choices.Chance(kSometimes)) DivideByBound();
    maker_.Spend(4.0 * static_cast<double>(variables_.size()) + 9);
    MakeStatements(maker_, NestedCount(maker_));
    if (acts_) MakeEffect(maker_);
    block.results.resize(variables_.size(), ValueId::kNone);
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (i < given_) {
        block.results[i] = CloseStore(variables_[i], parameters[i + 1], i);
      } else {
        block.results[i] = NextValue(i, parameters, block.results);
      }
      maker_.MarkUsed(block.results[i]);
      if (variables_[i].type.kind == Kind::kTensor) {
        variables_[i].fact.active |= maker_.fact(block.results[i]).active;
      }
    }
    maker_.Leave();
    statement_.blocks.push_back(std::move(block));
  }

  // Whether the body only runs where the bound is an integer above 0.
  bool BoundIsPositive() const {
    const Loop& loop = count_.loop;
    return loop.compare == Op::kLess && loop.start >= 0 && loop.step > 0 &&
           !IsFloatDType(loop.counter) && !loop.bound_inside && maker_.fact(count_.bound).hi > 0;
  }
  // What fails when it is computed although the body does not run.
  void DivideByBound() {
    const DType dtype = count_.loop.counter;
    const Op op = maker_.choices.Chance(kEvenly) ? Op::kFloorMod : Op::kFloorDiv;
    const ValueId x =
        maker_.choices.Chance(kEvenly) ? maker_.PickExact(dtype) : maker_.Scalar(dtype, 17);
    Fact divisor = maker_.fact(count_.bound);
    divisor.lo = std::max(divisor.lo, 1.0);
    const Fact operands[] = {maker_.fact(x), divisor};
    const std::optional<Fact> fact = Apply(op, operands, dtype, dtype, maker_.limits);
    if (fact) maker_.Emit(op, {x, count_.bound}, TensorType(dtype), *fact);
  }

  void OpenStore(Carried& variable, ValueId parameter) {
    if (variable.role == Role::kWrite) {
      ArrayState array = variable.array;
      array.value = parameter;
      array.writable = false;
      maker_.arrays.push_back(array);
    } else if (variable.role == Role::kPop) {
      Statement pop;
      pop.op = Op::kStackPop;
      pop.operands = {parameter};
      const ValueId value =
          maker_.BindHidden(TensorType(variable.type.dtype, variable.type.dims), variable.fact);
      popped_ = maker_.BindHidden(variable.type, variable.fact);
      pop.outputs = {value, popped_};
      maker_.Write(std::move(pop));
      maker_.Show(value);
    }
  }

  ValueId CloseStore(const Carried& variable, ValueId parameter, size_t i) {
    const bool branches = maker_.depth() < maker_.profile.depth && maker_.choices.Chance(kSeldom);
    switch (variable.role) {
      case Role::kWrite: {
        ArrayState array = variable.array;
        array.value = parameter;
        const ValueId counter = maker_.counters.back();
        return branches ? WriteInBranches(maker_, array, counter)
                        : WriteArray(maker_, array, counter);
      }
      case Role::kPush:
        return branches ? PushInBranches(maker_, parameter, variable.fact)
                        : PushStack(maker_, parameter, variable.fact);
      case Role::kPop:
        return popped_;
      default:
        return i < given_ ? parameter : ValueId::kNone;
    }
  }

  ValueId NextValue(size_t i, const std::vector<ValueId>& parameters,
                    const std::vector<ValueId>& results) {
    const Carried& variable = variables_[i];
    const ValueId self = parameters[i + 1];
    const size_t other = FindVariable(variables_, variable.type.dtype, variable.type.dims, i);
    ValueId next = ValueId::kNone;
    switch (variable.role) {
      case Role::kSwap:
        return other < variables_.size() ? parameters[other + 1] : self;
      case Role::kTurn:
        return parameters[variable.from + 1];
      case Role::kSame:
        if (other < i) return results[other];
        break;
      case Role::kConstant:
        next = maker_.RandomConstant(variable.type);
        break;
      case Role::kCapture:
        next = maker_.OfType(variable.type);
        break;
      case Role::kInitial:
        return variable.initial;
      case Role::kGrow:
        return Grown(variable, self);
      case Role::kUpdate:
        next = Updated(variable, self);
        break;
      default:
        return self;
    }
    if (next == ValueId::kNone || maker_.type(next) != variable.type) return self;
    next = BroughtInto(maker_, next, variable.fact);
    return next == ValueId::kNone ? self : next;
  }

  ValueId Grown(const Carried& variable, ValueId self) {
    const ValueId row = BroughtInto(maker_, maker_.PickScalar(variable.type.dtype), variable.fact);
    if (row == ValueId::kNone) return self;
    return Appended(maker_, self, row);
  }

  ValueId Updated(const Carried& variable, ValueId self) {
    ValueId from = ValueId::kNone;
    for (const ValueId id : maker_.Unused(6)) {
      if (id != self && maker_.type(id) == variable.type) from = id;
    }
    if (variable.fact.exact && from != ValueId::kNone && !maker_.fact(from).exact) {
      from = ValueId::kNone;
    }
    if (from == ValueId::kNone) from = maker_.OfType(variable.type);
    if (from == ValueId::kNone || maker_.choices.Chance(kSometimes)) return from;
    if (variable.fact.exact && !maker_.fact(from).exact) return ValueId::kNone;
    static constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul};
    static constexpr Odds kWeights[] = {kEvenly, kSometimes, kSometimes};
    Op op = kOps[maker_.choices.Weighted(kWeights)];
    if (variable.type.dtype == DType::kBool) op = Op::kLogicalOr;
    return Elementwise(maker_, op, {self, from});
  }

  std::vector<ValueId> Finish() {
    std::vector<ValueId> outputs;
    outputs.push_back(maker_.BindHidden(TensorType(count_.loop.counter), count_.after));
    for (const Carried& variable : variables_) {
      Fact fact = Inside(variable);
      fact.slope = std::max(fact.slope, maker_.fact(variable.initial).slope);
      outputs.push_back(maker_.BindHidden(variable.type, fact));
    }
    statement_.outputs = outputs;
    maker_.Write(std::move(statement_));
    maker_.Spend(static_cast<double>(6 + 2 * variables_.size()));
    for (const ValueId id : outputs) maker_.Show(id);
    outputs.erase(outputs.begin());
    outputs.resize(given_);
    return outputs;
  }

  Maker& maker_;
  const Count count_;
  const bool reads_;
  const bool acts_;
  const size_t given_;
  std::vector<Carried> variables_;
  Statement statement_;
  ValueId popped_ = ValueId::kNone;
};

}  // namespace

std::vector<ValueId> MakeLoopWith(Maker& maker, const Count& count, std::vector<Carried> carried,
                                  bool reads) {
  return LoopMaker(maker, count, std::move(carried), reads).Make();
}

void MakeActingLoop(Maker& maker) {
  LoopMaker(maker, RandomCount(maker, TripsLeft(maker)), {}, false, true).Make();
}

void MakeLoop(Maker& maker) {
  const double before = maker.left();
  MakeLoopWith(maker, RandomCount(maker, TripsLeft(maker)), {});
  const double work = before - maker.left();
  if (!maker.choices.Chance(kRarely) || maker.left() < 3 * work) return;
  // Equal loops, one after the other.
  const int times = maker.choices.Between(kOneOrTwo);
  RepeatLast(maker, times);
  maker.Spend(times * work / maker.times());
}

}  // namespace tagflow::fuzz
