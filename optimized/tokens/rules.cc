#include "optimized/tokens/rules.h"

#include <algorithm>
#include <cstring>

#include "optimized/errors.h"

namespace tagflow::optimized::tokens {

Status CheckPredicate(const Tensor& predicate) {
  if (predicate.rank() == 0) return Status();
  return PredicateIsNoScalar(predicate.dims());
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

}  // namespace tagflow::optimized::tokens
