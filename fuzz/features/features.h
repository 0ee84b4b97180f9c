#ifndef TAGFLOW_FUZZ_FEATURES_FEATURES_H_
#define TAGFLOW_FUZZ_FEATURES_FEATURES_H_

// What a program has in it that engines have got wrong: kinds of nesting, of captures, of loop
// variables, of counting, of stores and effects; and what happened when it was run.

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

enum class Feature : uint8_t {
  // Nesting.
  kLoopInLoop,
  kLoopInBranch,
  kBranchInLoop,
  kBranchInBranch,
  kThreeDeep,
  kCase,
  kBranchInTest,
  kLoopRepeated,
  // Captures.
  kCaptureOneOut,
  kCaptureTwoOut,
  kCaptureThreeOut,
  kCaptureOnce,
  kCaptureManyTimes,
  kBranchWithoutCaptures,
  kBodyWithoutCaptures,
  kCaptureInTest,
  kBareCaptureFromBranch,
  kBareCaptureFromBody,
  kBareConstantFromBranch,
  kSameConstantInBothBranches,
  kSourcelessInBranch,
  kSourcelessInBody,
  kEmptyBranch,
  kBranchesWithoutResults,
  kEffectOnlyBranches,
  kBranchShapesDiffer,
  // Loop variables.
  kNoVariable,
  kPassedThrough,
  kSwapped,
  kDuplicated,
  kSameInitialValue,
  kVariableAndCapture,
  kConstantNext,
  kShapeChanges,
  kUnusedVariable,
  // Counting.
  kInt32Counter,
  kInt64Counter,
  kFloatCounter,
  kDoubleCounter,
  kStepOne,
  kStepMinusOne,
  kStepLarger,
  kStepFraction,
  kBoundHit,
  kBoundJumped,
  kNotEqualCompare,
  kOrEqualCompare,
  kDataBound,
  kBoundOfOuterLoop,
  kBoundInside,
  kOwnTest,
  kMaximumIterations,
  kZeroTrips,
  kOneTrip,
  kTwoTrips,
  kTripsBelowParallel,  // one less
  kTripsEqualParallel,
  kTripsAboveParallel,  // one more
  kManyTrips,
  kParallelOne,
  kParallelTwo,
  kParallelTen,
  kParallelHuge,
  kSwapMemory,
  kNoBackProp,
  // Predicates.
  kConstantPredicate,
  kComparedPredicate,
  kPredicateOfCounter,
  // Stores and effects.
  kArrayWrittenInLoop,
  kArrayReadInLoop,
  kArrayReadInBranch,
  kArrayThroughBranches,
  kArrayGathered,
  kStackPushedInLoop,
  kStackPoppedInLoop,
  kStackInBranch,
  kAddInBranch,
  kAddInBody,
  kReadVariable,
  kAssignVariable,
  kAddInTest,
  // Control edges.
  kControlEdge,
  kControlEdgeInBranch,
  kControlEdgeInBody,
  kControlEdgeFromOutside,
  kControlEdgeToBlocks,  // a cond, case or loop waits
  // Numbers and shapes.
  kBroadcastRanks,     // operands of different ranks, neither a scalar
  kBroadcastOnes,      // a dimension of 1 is stretched
  kBroadcastCompared,  // either, by a comparison
  kLongFraction,       // a double that is no float
  kSelectByElements,
  kIntegerMean,
  kNegativeDivisor,  // of integers
  kFloatToInteger,   // of a literal
  kFloatBeyondInteger,
  kSixteenBits,      // arithmetic of half or bfloat16
  kDivisionByBound,  // of its loop, whose body would not run if that was 0
  kSeveralRuns,
  kSpecials,
  kSpecialExtreme,  // Max, Min, Maximum or Minimum of special numbers as they were given
  kEmptyReduction,
  kLargeTensor,  // arithmetic on more elements than a block of a loop has
  kOuterSum,     // a term is added to the product of a column and a row
  // When run.
  kDeadRegion,
  kDeadLoop,
  kBothBranches,
};
constexpr size_t kNumFeatures = static_cast<size_t>(Feature::kBothBranches) + 1;

// "loop in loop", …
std::string_view FeatureName(Feature feature);

struct Features {
  std::bitset<kNumFeatures> has;
  int64_t size = 0;
  int depth = 0;       // of blocks
  int loop_depth = 0;  // of loops in loops
  std::array<int64_t, kNumOps> ops = {};
  std::array<int64_t, 4> captures_by_level = {};  // from 1, 2, 3 and more levels out; [0] unused
  std::array<int64_t, 3> captures_by_uses = {};   // used once, twice, more often, in one block
  // When run; 0 without an Activity.
  std::array<int64_t, 8> trips = {};  // loops run 0, 1, 2, 3-8, 9-11, 12-31, 32-99, more times
  int64_t operations = 0;
  int64_t skipped = 0;
  int64_t branchings = 0;     // conds and cases
  int64_t both_branches = 0;  // of them, those that took every branch

  bool Has(Feature feature) const { return has[static_cast<size_t>(feature)]; }
};

// `activity`: of the direct evaluator, or null. REQUIRES: Check(program) is OK.
Features FeaturesOf(const Program& program, const Activity* activity);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_FEATURES_FEATURES_H_
