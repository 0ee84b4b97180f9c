#include "fuzz/generate/loop_variables.h"

#include <algorithm>
#include <utility>

#include "fuzz/generate/literals.h"
#include "fuzz/generate/operations.h"

namespace tagflow::fuzz {
namespace {

constexpr int32_t kLongest = 32;  // elements of a vector that grows

// What a variable that starts as `initial` is kept to.
Fact Declared(Maker& maker, ValueId initial) {
  const Fact& start = maker.fact(initial);
  const DType dtype = maker.type(initial).dtype;
  Fact fact = start;
  if (!start.finite()) {
    const Fact all = Anything(dtype);
    fact.lo = all.lo;
    fact.hi = all.hi;
    fact.slope = 1;
    return fact;
  }
  if (IsFloatDType(dtype)) {
    fact.lo = std::min(start.lo, -2.0);
    fact.hi = std::max(start.hi, 2.0);
    fact.exact = start.exact && (maker.limits.exact ||
                                 maker.choices.Chance(maker.limits.smooth ? kSeldom : kMostly));
    fact.slope = 1;
    return fact;
  }
  const Fact all = Anything(dtype);
  const bool small = start.lo >= -20 && start.hi <= 20 && maker.choices.Chance(kEvenly);
  fact.lo = small ? std::min(start.lo, -10.0) : all.lo;
  fact.hi = small ? std::max(start.hi, 10.0) : all.hi;
  if (dtype == DType::kBool) fact = all;
  return fact;
}

class VariableMaker {
 public:
  VariableMaker(Maker& maker, int most, std::vector<Carried>& variables)
      : maker_(maker), most_(most), given_(variables.size()), variables_(variables) {}

  void Make() {
    AddVariables();
    Unify();
  }

 private:
  void AddVariables() {
    static constexpr Odds kCounts[] = {kSeldom, kEvenly, kSometimes, kSeldom, kSeldom};
    const size_t more = maker_.choices.Weighted(kCounts);
    for (size_t i = 0; i < more; ++i) {
      Carried variable;
      const bool again = variables_.size() > given_ && maker_.choices.Chance(kSometimes);
      if (maker_.choices.Chance(maker_.profile.shape_changes) && AddGrowing()) continue;
      // The same value twice, sometimes.
      variable.initial = again ? variables_.back().initial : PickInitial();
      if (maker_.type(variable.initial).kind != Kind::kTensor) continue;
      variable.type = maker_.type(variable.initial);
      if (std::count(variable.type.dims.begin(), variable.type.dims.end(), -1) > 0) continue;
      variable.fact = Declared(maker_, variable.initial);
      variable.role = DrawRole();
      variables_.push_back(std::move(variable));
    }
    if (maker_.choices.Chance(kRarely)) AddTurning();
  }

  // Variables of one type that change places: in one round, in several, some not at all.
  void AddTurning() {
    const DType dtype = RandomDType(maker_);
    const size_t first = variables_.size();
    const std::vector<int64_t> places =
        maker_.choices.Permutation(maker_.choices.Between(kTwoToFour));
    for (const int64_t place : places) {
      Carried variable;
      variable.initial = maker_.PickScalar(dtype);
      variable.type = maker_.type(variable.initial);
      variable.fact = Declared(maker_, variable.initial);
      variable.role = Role::kTurn;
      variable.from = first + static_cast<size_t>(place);
      variables_.push_back(std::move(variable));
    }
  }

  ValueId PickInitial() {
    const DType dtype = RandomDType(maker_);
    if (maker_.choices.Chance(kSometimes)) {
      const ValueId id = maker_.Pick(dtype, false);
      if (id != ValueId::kNone) return id;
    }
    return maker_.PickScalar(dtype);
  }

  Role DrawRole() {
    static constexpr Role kRoles[] = {Role::kPass,     Role::kUpdate,  Role::kSwap,   Role::kSame,
                                      Role::kConstant, Role::kCapture, Role::kInitial};
    static constexpr Odds kWeights[] = {kSeldom, kMostly, kSeldom, kRarely,
                                        kRarely, kRarely, kRarely};
    // Tensors from outside, whose memory a loop must not take while it goes on.
    static constexpr Odds kOfTensors[] = {kSeldom, kEvenly,    kSeldom, kRarely,
                                          kRarely, kSometimes, kSeldom};
    return kRoles[maker_.choices.Weighted(maker_.profile.tensors ? kOfTensors : kWeights)];
  }

  bool AddGrowing() {
    if (most_ > 16) return false;
    const DType dtype = RandomDType(maker_);
    const int length = maker_.choices.Between(kUpToTwo);
    Carried variable;
    variable.initial = maker_.RandomConstant(TensorType(dtype, {length}));
    variable.type = TensorType(dtype, {-1});
    variable.role = Role::kGrow;
    variable.fact = Declared(maker_, variable.initial);
    variable.fact.least = length;
    variable.fact.most = std::min(length + most_, kLongest);
    variables_.push_back(std::move(variable));
    return true;
  }

  // Variables of one type may become one another, so they are kept to the same bounds.
  void Unify() {
    for (size_t i = given_; i < variables_.size(); ++i) {
      Carried& variable = variables_[i];
      if (variable.role == Role::kGrow) continue;
      const size_t first =
          FindVariable(variables_, variable.type.dtype, variable.type.dims, variables_.size());
      Fact& shared = variables_[first].fact;
      shared = Either(shared, variable.fact);
      for (Carried& other : variables_) {
        if (other.type == variable.type && other.role != Role::kGrow) other.fact = shared;
      }
    }
  }

  Maker& maker_;
  const int most_;
  const size_t given_;
  std::vector<Carried>& variables_;
};

}  // namespace

void AddVariables(Maker& maker, int most, std::vector<Carried>& variables) {
  VariableMaker(maker, most, variables).Make();
}

size_t FindVariable(const std::vector<Carried>& variables, DType dtype, const Dims& dims,
                    size_t but) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const Carried& other = variables[i];
    if (i != but && other.type == TensorType(dtype, dims) && other.role != Role::kGrow) return i;
  }
  return variables.size();
}

}  // namespace tagflow::fuzz
