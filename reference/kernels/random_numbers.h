#ifndef TAGFLOW_REFERENCE_KERNELS_RANDOM_NUMBERS_H_
#define TAGFLOW_REFERENCE_KERNELS_RANDOM_NUMBERS_H_

// Single random numbers from the words of a Philox stream; random_draws.h has the formulas.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "reference/kernels/element.h"
#include "reference/kernels/philox.h"

namespace tagflow::reference {

// How many of the bits of a random word become a fraction.
template <FloatElement C>
constexpr int kFractionBits = std::is_same_v<C, Short<Half>>       ? 10
                              : std::is_same_v<C, Short<BFloat16>> ? 7
                              : std::is_same_v<C, float>           ? 23
                                                                   : 52;

// A number in [0, 1).
template <FloatElement C>
C Uniform(PhiloxWords& words) {
  uint64_t bits = words.Next32();
  if constexpr (std::is_same_v<C, double>) bits = bits << 32 | words.Next32();
  constexpr uint64_t kOne = uint64_t{1} << kFractionBits<C>;
  return static_cast<C>(static_cast<double>(bits % kOne) / static_cast<double>(kOne));
}

// Two normal numbers. 16-bit floats are made of floats.
template <std::floating_point R>
std::pair<R, R> NormalPair(PhiloxWords& words) {
  const R u = std::max(Uniform<R>(words), static_cast<R>(1e-7));
  const auto angle = static_cast<R>(2 * std::numbers::pi * static_cast<double>(Uniform<R>(words)));
  const R radius = std::sqrt(R{-2} * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RANDOM_NUMBERS_H_
