#include "optimized/errors.h"

namespace tagflow::optimized {

Status PredicateIsNoScalar(DimsView dims) {
  return InvalidArgument("a predicate must be a scalar; this one has shape " + DimsString(dims) +
                         ": reduce it, with All or Any")
      .WithRule("switch.2");
}

Status SecondLiveInput(int first, int second, const std::string& why) {
  return InvalidArgument("Merge can not have more than one valid input: inputs " +
                         std::to_string(first) + " and " + std::to_string(second) +
                         " are both live at one tag, and " + why +
                         "; let one predicate choose between them")
      .WithRule("merge.3");
}

Status SecondLiveExit() {
  return InvalidArgument(
             "Exit is live in two iterations of one frame, and one value may leave it: exit the "
             "Switch output that is live when the loop ends")
      .WithRule("exit.3");
}

Status UninitializedVariable(const std::string& name) {
  return FailedPrecondition("Attempting to use uninitialized value " + name +
                            ": initialize it in an earlier step, or before this read")
      .WithRule("ref.3");
}

Status StillOwed(const std::string& what, const std::string& waits) {
  return FailedPrecondition("starved: nothing can run any more, and " + what + " is still owed" +
                            waits)
      .WithRule("step.2");
}

Status DeadFetch(const std::string& fetch, const std::string& explanation) {
  return InvalidArgument("Retval[0] does not have value: the fetched tensor '" + fetch +
                         "' is dead" + explanation)
      .WithRule("fetch.1");
}

Status StepLimitReached(int64_t max_firings) {
  return ResourceExhausted("step limit reached after " + std::to_string(max_firings) +
                           " firings: a loop may be endless; check its predicate, or raise the "
                           "limit")
      .WithRule("step.3");
}

}  // namespace tagflow::optimized
