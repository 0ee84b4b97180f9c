#include "optimized/tokens/rules.h"

#include <algorithm>
#include <cstring>

namespace tagflow::optimized::tokens {

Status CheckPredicate(const Tensor& predicate) {
  if (predicate.rank() == 0) return Status();
  return InvalidArgument("a predicate must be a scalar; this one has shape " +
                         DimsString(predicate.dims()) + ": reduce it, with All or Any")
      .WithRule("switch.2");
}

uint32_t ChosenOutput(const Tensor& predicate, uint32_t outputs) {
  if (predicate.dtype() == DType::kBool) return predicate.scalar<bool>() ? 1 : 0;
  const int32_t index = predicate.scalar<int32_t>();  // of _SwitchN: out of range is the last
  return index < 0 || static_cast<uint32_t>(index) >= outputs ? outputs - 1
                                                              : static_cast<uint32_t>(index);
}

std::string WhyUnequal(const Tensor& first, const Tensor& second) {
  if (!first.has_value() || !second.has_value()) {
    return "what comes as a reference, or lies in the memory of a device, is not compared";
  }
  const DimsView dims = first.dims();
  if (first.dtype() != second.dtype() || !std::ranges::equal(dims, second.dims())) {
    return "one is " + DTypeName(first.dtype()) + DimsString(dims) + ", the other " +
           DTypeName(second.dtype()) + DimsString(second.dims());
  }
  const size_t bytes = first.byte_size();
  if (bytes == 0 || first.raw_data() == second.raw_data()) return "";
  return std::memcmp(first.raw_data(), second.raw_data(), bytes) == 0 ? ""
                                                                      : "they hold other values";
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

}  // namespace tagflow::optimized::tokens
