#include "fuzz/kernels/rounding.h"

#include <cmath>
#include <cstdint>

namespace tagflow::fuzz {
namespace {

template <typename Short>
bool IsNearest(double wanted, Short rounded) {
  const double error = std::abs(wanted - ToFloat(rounded));
  if (!std::isfinite(error)) return true;
  for (const int step : {-1, 1}) {  // the neighbours, of a zero the one that is one
    const Short neighbour{static_cast<uint16_t>(rounded.bits + step)};
    const double other = std::abs(wanted - ToFloat(neighbour));
    if (other < error || (other == error && rounded.bits % 2 == 1)) return false;
  }
  return true;
}

template <typename Short>
bool AllAreNearest(const Tensor& from, const Tensor& to) {
  for (int64_t i = 0; i < from.num_elements(); ++i) {
    if (!IsNearest(from.data<float>()[i], to.data<Short>()[i])) return false;
  }
  return true;
}

}  // namespace

bool AreNearest(const Tensor& from, const Tensor& to) {
  return to.dtype() == DType::kHalf ? AllAreNearest<Half>(from, to)
                                    : AllAreNearest<BFloat16>(from, to);
}

}  // namespace tagflow::fuzz
