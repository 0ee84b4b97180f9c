#include "fuzz/features/features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fuzz/program/scalar.h"

namespace tagflow::fuzz {
namespace {

enum class Place : uint8_t { kProgram, kBranch, kTest, kBody };

// How a value came to be.
struct Origin {
  const Statement* by = nullptr;  // null: an input or a parameter
  int depth = 0;                  // of the block that binds it; 0: the program
  bool parameter = false;
  bool counter = false;  // of a loop, inside it
};

bool HaveEqualOps(const Block& a, const Block& b) {
  const auto equal = [](const Statement& x, const Statement& y) {
    return x.op == y.op && x.numbers == y.numbers &&
           std::ranges::equal(x.blocks, y.blocks, HaveEqualOps);
  };
  return std::ranges::equal(a.statements, b.statements, equal);
}

bool AreEqualLoops(const Statement& a, const Statement& b) {
  return a.op == Op::kWhile && b.op == Op::kWhile && a.operands == b.operands &&
         a.loop.step == b.loop.step && std::ranges::equal(a.blocks, b.blocks, HaveEqualOps);
}

bool IsFloat(DType dtype) { return dtype == DType::kFloat || dtype == DType::kDouble; }

template <typename T>
bool IsSpecial(const Tensor& tensor) {
  for (const T element : tensor.flat<T>()) {
    if (!std::isfinite(element) || (element != 0 && std::fabs(element) < 1e-30)) return true;
  }
  return false;
}

bool HasSpecial(const Tensor& tensor) {
  if (tensor.dtype() == DType::kFloat) return IsSpecial<float>(tensor);
  return tensor.dtype() == DType::kDouble && IsSpecial<double>(tensor);
}

// The base of the finders: the program, what was found in it, and the blocks around the statement
// that is looked at.
class Looking {
 protected:
  explicit Looking(const Program& program) : program_(program), origins_(program.types.size()) {}

  struct Around {
    Place place;
    const Statement* owner;
    int64_t captures = 0;
    std::map<ValueId, int> uses;  // of values from outside
  };

  void Add(Feature feature) { out_.has.set(static_cast<size_t>(feature)); }
  void AddIf(bool condition, Feature feature) {
    if (condition) Add(feature);
  }
  int depth() const { return static_cast<int>(around_.size()) - 1; }
  bool Inside(Place place) const {
    return std::any_of(around_.begin(), around_.end(),
                       [&](const Around& block) { return block.place == place; });
  }
  Origin& origin(ValueId id) { return origins_[Index(id)]; }
  bool IsOutside(ValueId id) { return origin(id).depth < depth(); }
  bool IsConstant(ValueId id) {
    return origin(id).by != nullptr && origin(id).by->op == Op::kConst;
  }

  const Program& program_;
  Features out_;
  std::vector<Origin> origins_;
  std::vector<Around> around_;
};

// Numbers and shapes that a statement computes with.
class NumberFinder : protected Looking {
 protected:
  using Looking::Looking;

  void LookAt(const Tensor& tensor) {
    AddIf(HasSpecial(tensor), Feature::kSpecials);
    if (tensor.dtype() != DType::kDouble) return;
    for (const double element : tensor.flat<double>()) {
      const bool is_float = std::fabs(element) > 1e30 || static_cast<float>(element) == element;
      AddIf(std::isfinite(element) && !is_float, Feature::kLongFraction);
    }
  }

  void LookAtNumbers(const Statement& statement) {
    const Op op = statement.op;
    const std::vector<ValueId>& operands = statement.operands;
    if (op == Op::kConst && HasSpecial(statement.literal)) special_.insert(statement.outputs[0]);
    if (op >= Op::kAdd && op <= Op::kLogicalOr) {
      LookAtBroadcast(statement);
      LookAtSize(statement);
      const DType dtype = program_.type(operands[0]).dtype;
      AddIf(dtype == DType::kHalf || dtype == DType::kBFloat16, Feature::kSixteenBits);
    }
    const bool selects = op == Op::kSelect && !program_.type(operands[0]).dims.empty();
    AddIf(selects, Feature::kSelectByElements);
    if (op >= Op::kSum && op <= Op::kMin) {
      const Type& type = program_.type(operands[0]);
      AddIf(op == Op::kMean && !IsFloat(type.dtype), Feature::kIntegerMean);
      AddIf(std::ranges::count(type.dims, 0) > 0, Feature::kEmptyReduction);
    }
    if (op == Op::kMax || op == Op::kMin || op == Op::kMaximum || op == Op::kMinimum) {
      for (const ValueId id : operands) AddIf(special_.contains(id), Feature::kSpecialExtreme);
    }
    if (op == Op::kFloorDiv || op == Op::kFloorMod) {
      LookAtDivisor(operands[1]);
      const Around& around = around_.back();
      AddIf(around.place == Place::kBody && around.owner->operands[0] == operands[1],
            Feature::kDivisionByBound);
    }
    if (op == Op::kCast) LookAtCast(operands[0], program_.type(statement.outputs[0]).dtype);
  }

  void LookAtSize(const Statement& statement) {
    constexpr int64_t kBlock = 128;
    int64_t elements = 1;
    for (const int64_t dim : program_.type(statement.outputs[0]).dims) elements *= dim;
    AddIf(elements > kBlock, Feature::kLargeTensor);
    for (const ValueId id : statement.operands) {
      const Statement* by = origin(id).by;
      if (statement.op != Op::kAdd || by == nullptr || by->op != Op::kMatMul) continue;
      AddIf(program_.type(by->operands[0]).dims[1] == 1, Feature::kOuterSum);
    }
  }

  void LookAtBroadcast(const Statement& statement) {
    const Dims& x = program_.type(statement.operands[0]).dims;
    const Dims& y = program_.type(statement.operands[1]).dims;
    if (x.empty() || y.empty() || x == y) return;
    AddIf(x.size() != y.size(), Feature::kBroadcastRanks);
    bool stretched = false;
    for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
      stretched |= x[x.size() - i] != y[y.size() - i];
    }
    AddIf(stretched, Feature::kBroadcastOnes);
    const bool compares = statement.op >= Op::kLess && statement.op <= Op::kNotEqual;
    AddIf(compares, Feature::kBroadcastCompared);
  }

  // One of several is negative, or the divisor is what Neg gives.
  void LookAtDivisor(ValueId id) {
    const Statement* by = origin(id).by;
    if (by == nullptr) return;
    AddIf(by->op == Op::kNeg, Feature::kNegativeDivisor);
    if (by->op != Op::kConst) return;
    const Tensor& literal = by->literal;
    const auto is_negative = [](auto element) { return element < 0; };
    AddIf(literal.dtype() == DType::kInt32
              ? std::ranges::any_of(literal.flat<int32_t>(), is_negative)
              : std::ranges::any_of(literal.flat<int64_t>(), is_negative),
          Feature::kNegativeDivisor);
  }

  void LookAtCast(ValueId from, DType to) {
    if (to != DType::kInt32 && to != DType::kInt64) return;
    if (!IsConstant(from) || !IsFloat(program_.type(from).dtype)) return;
    Add(Feature::kFloatToInteger);
    const Tensor& literal = origin(from).by->literal;
    if (literal.num_elements() != 1 || literal.rank() != 0) return;
    const double most = to == DType::kInt32 ? 0x1p31 : 0x1p63;
    AddIf(std::fabs(NumberOf(literal)) > most, Feature::kFloatBeyondInteger);
  }

  std::set<ValueId> special_;  // literals and inputs that have special numbers
};

// How a loop counts.
class LoopFinder : protected NumberFinder {
 protected:
  using NumberFinder::NumberFinder;

  void LookAtLoop(const Statement& statement) {
    const Loop& loop = statement.loop;
    AddIf(loop.counter == DType::kInt32, Feature::kInt32Counter);
    AddIf(loop.counter == DType::kInt64, Feature::kInt64Counter);
    AddIf(loop.counter == DType::kFloat, Feature::kFloatCounter);
    AddIf(loop.counter == DType::kDouble, Feature::kDoubleCounter);
    AddIf(loop.step == 1, Feature::kStepOne);
    AddIf(loop.step == -1, Feature::kStepMinusOne);
    AddIf(std::fabs(loop.step) > 1, Feature::kStepLarger);
    AddIf(std::fabs(loop.step) < 1, Feature::kStepFraction);
    AddIf(loop.compare == Op::kNotEqual, Feature::kNotEqualCompare);
    AddIf(loop.compare == Op::kLessEqual || loop.compare == Op::kGreaterEqual,
          Feature::kOrEqualCompare);
    AddIf(loop.bound_inside, Feature::kBoundInside);
    AddIf(!statement.blocks[0].results.empty(), Feature::kOwnTest);
    AddIf(loop.maximum_iterations >= 0, Feature::kMaximumIterations);
    AddIf(loop.parallel_iterations == 1, Feature::kParallelOne);
    AddIf(loop.parallel_iterations == 2, Feature::kParallelTwo);
    AddIf(loop.parallel_iterations == 10, Feature::kParallelTen);
    AddIf(loop.parallel_iterations > 1000, Feature::kParallelHuge);
    AddIf(loop.swap_memory, Feature::kSwapMemory);
    AddIf(!loop.back_prop, Feature::kNoBackProp);
    const ValueId bound = statement.operands[0];
    AddIf(origin(bound).parameter && Inside(Place::kBody), Feature::kBoundOfOuterLoop);
    if (!IsConstant(bound)) return Add(Feature::kDataBound);
    const bool counted = loop.maximum_iterations < 0 && statement.blocks[0].results.empty();
    if (counted) CountTrips(loop, origin(bound).by->literal);
  }

  void CountTrips(const Loop& loop, const Tensor& literal) {
    const double step = std::fabs(loop.step);
    const double toward = (NumberOf(literal) - loop.start) * (loop.step > 0 ? 1 : -1);
    const double distance = std::clamp(toward, 0.0, loop.most);
    const bool equal = loop.compare == Op::kLessEqual || loop.compare == Op::kGreaterEqual;
    const double steps = distance / step;
    const double trips = equal ? std::floor(steps) + 1 : std::ceil(steps);
    AddIf(distance > 0 && steps == std::floor(steps), Feature::kBoundHit);
    AddIf(steps != std::floor(steps), Feature::kBoundJumped);
    AddIf(trips == 0, Feature::kZeroTrips);
    AddIf(trips == 1, Feature::kOneTrip);
    AddIf(trips == 2, Feature::kTwoTrips);
    const double parallel = static_cast<double>(loop.parallel_iterations);
    AddIf(trips == parallel - 1 && trips > 0, Feature::kTripsBelowParallel);
    AddIf(trips == parallel, Feature::kTripsEqualParallel);
    AddIf(trips == parallel + 1, Feature::kTripsAboveParallel);
    AddIf(trips >= 20, Feature::kManyTrips);
  }
};

// Nesting, captures, variables of loops, stores and effects.
class Finder : LoopFinder {
 public:
  explicit Finder(const Program& program) : LoopFinder(program) {}

  Features Find() {
    out_.size = Size(program_);
    if (program_.runs > 1) Add(Feature::kSeveralRuns);
    for (const Input& input : program_.inputs) {
      for (const Tensor& feed : input.feeds) {
        LookAt(feed);
        if (HasSpecial(feed)) special_.insert(input.value);
      }
    }
    Walk(program_.body, Place::kProgram, nullptr);
    return out_;
  }

 private:
  void Use(ValueId id) {
    for (size_t i = around_.size(); i > 1; --i) {
      if (origin(id).depth >= static_cast<int>(i) - 1) break;
      ++around_[i - 1].captures;
    }
    if (IsOutside(id)) ++around_.back().uses[id];
    if (IsOutside(id) && around_.back().place == Place::kTest) Add(Feature::kCaptureInTest);
    used_in_[id] = true;
  }

  void Walk(const Block& block, Place place, const Statement* owner) {
    around_.push_back({place, owner, 0, {}});
    out_.depth = std::max(out_.depth, depth());
    for (size_t i = 0; i < block.parameters.size(); ++i) {
      origin(block.parameters[i]) = {nullptr, depth(), true, i == 0};
    }
    for (const Statement& statement : block.statements) {
      AddIf(&statement != block.statements.data() && AreEqualLoops(*(&statement - 1), statement),
            Feature::kLoopRepeated);
      WalkStatement(statement, place);
    }
    for (const ValueId id : block.results) Use(id);
    for (const auto& [id, uses] : around_.back().uses) CountCapture(id, uses);
    if (place == Place::kBranch) LookAtBranch(block);
    if (place == Place::kBody) LookAtBody(block, *owner);
    AddIf(place == Place::kBranch && around_.back().captures == 0, Feature::kBranchWithoutCaptures);
    AddIf(place == Place::kBody && around_.back().captures == 0, Feature::kBodyWithoutCaptures);
    around_.pop_back();
  }

  void CountCapture(ValueId id, int uses) {
    const int out = depth() - origin(id).depth;
    ++out_.captures_by_level[static_cast<size_t>(std::min(out, 3))];
    ++out_.captures_by_uses[static_cast<size_t>(std::min(uses, 3) - 1)];
    AddIf(out == 1, Feature::kCaptureOneOut);
    AddIf(out == 2, Feature::kCaptureTwoOut);
    AddIf(out >= 3, Feature::kCaptureThreeOut);
    AddIf(uses == 1, Feature::kCaptureOnce);
    AddIf(uses > 1, Feature::kCaptureManyTimes);
  }

  void LookAtBranch(const Block& block) {
    AddIf(block.statements.empty(), Feature::kEmptyBranch);
    for (const ValueId id : block.results) {
      AddIf(IsOutside(id), Feature::kBareCaptureFromBranch);
      AddIf(!IsOutside(id) && IsConstant(id), Feature::kBareConstantFromBranch);
    }
  }

  void LookAtBody(const Block& body, const Statement& loop) {
    AddIf(body.results.empty(), Feature::kNoVariable);
    for (size_t i = 0; i < body.results.size(); ++i) {
      const ValueId next = body.results[i];
      AddIf(next == body.parameters[i + 1], Feature::kPassedThrough);
      AddIf(next != body.parameters[i + 1] && origin(next).parameter && !IsOutside(next),
            Feature::kSwapped);
      AddIf(std::count(body.results.begin(), body.results.end(), next) > 1, Feature::kDuplicated);
      AddIf(IsOutside(next), Feature::kBareCaptureFromBody);
      AddIf(!IsOutside(next) && IsConstant(next), Feature::kConstantNext);
      const ValueId initial = loop.operands[i + 1];
      AddIf(around_.back().uses.count(initial) > 0, Feature::kVariableAndCapture);
      AddIf(!used_in_[body.parameters[i + 1]], Feature::kUnusedVariable);
    }
  }

  void WalkStatement(const Statement& statement, Place place) {
    ++out_.ops[static_cast<size_t>(statement.op)];
    for (const ValueId id : statement.operands) Use(id);
    LookAtEdges(statement, place);
    if (statement.op == Op::kConst) {
      LookAt(statement.literal);
      AddIf(place == Place::kBranch, Feature::kSourcelessInBranch);
      AddIf(place == Place::kBody, Feature::kSourcelessInBody);
    }
    LookAtStores(statement, place);
    LookAtNumbers(statement);
    if (statement.op == Op::kCond || statement.op == Op::kCase) WalkBranches(statement);
    if (statement.op == Op::kWhile) WalkLoop(statement);
    for (const ValueId id : statement.outputs) origin(id) = {&statement, depth(), false, false};
  }

  void LookAtEdges(const Statement& statement, Place place) {
    for (const ValueId id : statement.after) {
      Add(Feature::kControlEdge);
      AddIf(place == Place::kBranch, Feature::kControlEdgeInBranch);
      AddIf(place == Place::kBody, Feature::kControlEdgeInBody);
      AddIf(IsOutside(id), Feature::kControlEdgeFromOutside);
      AddIf(!statement.blocks.empty(), Feature::kControlEdgeToBlocks);
    }
  }

  void LookAtStores(const Statement& statement, Place place) {
    const bool in_loop = Inside(Place::kBody);
    const bool in_branch = place == Place::kBranch;
    switch (statement.op) {
      case Op::kArrayWrite:
        AddIf(in_loop, Feature::kArrayWrittenInLoop);
        AddIf(in_branch && IsOutside(statement.operands[0]), Feature::kArrayThroughBranches);
        break;
      case Op::kArrayRead:
        AddIf(in_loop, Feature::kArrayReadInLoop);
        AddIf(in_branch, Feature::kArrayReadInBranch);
        break;
      case Op::kArrayGather:
        Add(Feature::kArrayGathered);
        break;
      case Op::kStackPush:
        AddIf(place == Place::kBody, Feature::kStackPushedInLoop);
        AddIf(in_branch, Feature::kStackInBranch);
        break;
      case Op::kStackPop:
        AddIf(place == Place::kBody, Feature::kStackPoppedInLoop);
        break;
      case Op::kAssignAdd:
        AddIf(in_branch, Feature::kAddInBranch);
        AddIf(place == Place::kBody, Feature::kAddInBody);
        AddIf(place == Place::kTest, Feature::kAddInTest);
        break;
      case Op::kAssign:
        Add(Feature::kAssignVariable);
        break;
      case Op::kRead:
        Add(Feature::kReadVariable);
        break;
      default:
        break;
    }
  }

  void WalkBranches(const Statement& statement) {
    AddIf(Inside(Place::kBody), Feature::kBranchInLoop);
    AddIf(Inside(Place::kBranch), Feature::kBranchInBranch);
    AddIf(Inside(Place::kTest), Feature::kBranchInTest);
    AddIf(depth() >= 2, Feature::kThreeDeep);
    AddIf(statement.op == Op::kCase, Feature::kCase);
    AddIf(statement.outputs.empty(), Feature::kBranchesWithoutResults);
    if (statement.op == Op::kCond) LookAtPredicate(statement.operands[0]);
    bool effects = false;
    for (const Block& block : statement.blocks) {
      for (const Statement& inner : block.statements) {
        effects |= inner.op == Op::kAssignAdd || inner.op == Op::kAssign;
      }
      Walk(block, Place::kBranch, &statement);
    }
    AddIf(statement.outputs.empty() && effects, Feature::kEffectOnlyBranches);
    LookAtResults(statement);
  }

  void LookAtPredicate(ValueId predicate) {
    const Statement* by = origin(predicate).by;
    if (by == nullptr) return;
    AddIf(by->op == Op::kConst, Feature::kConstantPredicate);
    if (by->op < Op::kLess || by->op > Op::kNotEqual) return;
    Add(Feature::kComparedPredicate);
    for (const ValueId id : by->operands) {
      AddIf(origin(id).counter, Feature::kPredicateOfCounter);
      const Statement* from = origin(id).by;
      if (from == nullptr || from->op != Op::kFloorMod) continue;
      AddIf(origin(from->operands[0]).counter, Feature::kPredicateOfCounter);
    }
  }

  void LookAtResults(const Statement& statement) {
    if (statement.blocks.size() < 2) return;
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      const ValueId first = statement.blocks[0].results[i];
      const ValueId second = statement.blocks[1].results[i];
      AddIf(program_.type(first) != program_.type(second), Feature::kBranchShapesDiffer);
      if (first == second || !IsConstant(first) || !IsConstant(second)) continue;
      AddIf(BitwiseEqual(origin(first).by->literal, origin(second).by->literal),
            Feature::kSameConstantInBothBranches);
    }
  }

  void WalkLoop(const Statement& statement) {
    AddIf(Inside(Place::kBody), Feature::kLoopInLoop);
    AddIf(Inside(Place::kBranch), Feature::kLoopInBranch);
    AddIf(depth() >= 2, Feature::kThreeDeep);
    for (size_t i = 1; i < statement.operands.size(); ++i) {
      for (size_t k = 1; k < i; ++k) {
        AddIf(statement.operands[i] == statement.operands[k], Feature::kSameInitialValue);
      }
      for (const int64_t dim : program_.type(statement.outputs[i]).dims) {
        AddIf(dim < 0, Feature::kShapeChanges);
      }
    }
    LookAtLoop(statement);
    int loops = 1;
    for (const Around& block : around_) loops += block.place == Place::kBody;
    out_.loop_depth = std::max(out_.loop_depth, loops);
    Walk(statement.blocks[0], Place::kTest, &statement);
    Walk(statement.blocks[1], Place::kBody, &statement);
  }

  std::map<ValueId, bool> used_in_;
};

size_t TripBucket(int64_t trips) {
  constexpr int64_t kLast[] = {0, 1, 2, 8, 11, 31, 99};
  size_t bucket = 0;
  while (bucket < std::size(kLast) && trips > kLast[bucket]) ++bucket;
  return bucket;
}

bool HasLoop(const Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const Statement& s) {
    return s.op == Op::kWhile || std::any_of(s.blocks.begin(), s.blocks.end(), HasLoop);
  });
}

// Which branches were taken, over the conds and cases in order of the text.
void LookAtBranchings(const Block& block, const std::vector<uint8_t>& taken, size_t& next,
                      Features& out) {
  for (const Statement& statement : block.statements) {
    if (statement.op == Op::kCond || statement.op == Op::kCase) {
      const unsigned bits = next < taken.size() ? taken[next] : 0;
      ++next;
      ++out.branchings;
      const unsigned all = (1u << statement.blocks.size()) - 1;
      if (statement.blocks.size() > 1 && bits == all) {
        ++out.both_branches;
        out.has.set(static_cast<size_t>(Feature::kBothBranches));
      }
      for (size_t i = 0; i < statement.blocks.size(); ++i) {
        if ((bits >> i & 1) != 0 || !HasLoop(statement.blocks[i])) continue;
        out.has.set(static_cast<size_t>(Feature::kDeadLoop));
      }
    }
    for (const Block& inner : statement.blocks) LookAtBranchings(inner, taken, next, out);
  }
}

}  // namespace

Features FeaturesOf(const Program& program, const Activity* activity) {
  Features out = Finder(program).Find();
  if (activity == nullptr) return out;
  out.operations = activity->operations;
  out.skipped = activity->skipped;
  if (out.skipped > 0) out.has.set(static_cast<size_t>(Feature::kDeadRegion));
  for (const int64_t trips : activity->trips) ++out.trips[TripBucket(trips)];
  size_t next = 0;
  LookAtBranchings(program.body, activity->branches, next, out);
  return out;
}

}  // namespace tagflow::fuzz
