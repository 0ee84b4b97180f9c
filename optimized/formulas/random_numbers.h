#ifndef TAGFLOW_OPTIMIZED_FORMULAS_RANDOM_NUMBERS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_RANDOM_NUMBERS_H_

// Random numbers of a stream of words (philox.h), in groups that are made apart from each other: as
// many numbers as one block of the stream has bits for, 4 of up to 32 bits or 2 of 64. They are
// TensorFlow's, bit for bit where only IEEE arithmetic is done, else but for the rounding of log,
// sin and cos.
//
//   uniform      the low mantissa bits of a word (of two for double) as a fraction in [0, 1)
//   normal       by Box and Muller: two uniform numbers u, v give sqrt(-2 log u) times sin and cos
//                of 2 pi v; those of 16 bits are rounded floats
//   truncated    the normal numbers that are less than 2 from 0, the others thrown away: where the
//                rounding turns that round, the rest of the group is other numbers
//   integers     low + word mod (high - low), of two words for 64 bits; or all bits as they are
//
// Each is a struct G of which G::Number is the type, G::kSize how many a group has, and
// G(range)(stream, n, numbers) makes group n.
//
// Tested by conformance/ops/random.ops, and by conformance/gpu/host_random_test.cc.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <utility>

#include "graph/dtype.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/philox.h"

namespace tagflow::optimized {

// The integers of [low, high).
struct IntRange {
  int64_t low;
  int64_t high;
};

// ---- Numbers of a block ----

template <typename T>
inline constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;

// The bits behind the point of a number in [1, 2), less 1.
TAGFLOW_ANYWHERE inline float UniformFloat(uint32_t bits) {
  return std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000) - 1.0f;
}
TAGFLOW_ANYWHERE inline double UniformDouble(uint64_t bits) {
  return std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000) - 1.0;
}

// What normal numbers are computed in.
template <typename T>
using NormalsIn = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <typename T>
TAGFLOW_ANYWHERE T NumberFrom(NormalsIn<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return HalfFromFloat(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16FromFloat(value);
  } else {
    return value;
  }
}

// The uniform number i of a block.
template <typename T>
TAGFLOW_ANYWHERE T UniformOf(const PhiloxBlock& block, int i) {
  if constexpr (std::is_same_v<T, double>) {
    return UniformDouble(block.HighFirst(i));
  } else if constexpr (std::is_same_v<T, float>) {
    return UniformFloat(block.words[i]);
  } else {  // as many bits as the short fraction has
    constexpr int kBits = std::is_same_v<T, Half> ? 10 : 7;
    return NumberFrom<T>(UniformFloat(block.words[i] << (23 - kBits)));
  }
}

// Two normal numbers from two uniform ones.
template <typename R>
TAGFLOW_ANYWHERE std::pair<R, R> NormalPair(R u, R v) {
  const R angle = static_cast<R>(2 * std::numbers::pi * static_cast<double>(v));
  const R radius = std::sqrt(R{-2} * std::log(std::max(u, static_cast<R>(1e-7))));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

// The normal numbers of a block.
template <typename R>
TAGFLOW_ANYWHERE void NormalsOf(const PhiloxBlock& block, R* numbers) {
  for (int i = 0; i < kPerBlock<R>; i += 2) {
    const auto [first, second] = NormalPair(UniformOf<R>(block, i), UniformOf<R>(block, i + 1));
    numbers[i] = first;
    numbers[i + 1] = second;
  }
}

// The integer i of a block, as many bits as T has.
template <typename T>
TAGFLOW_ANYWHERE T BitsOf(const PhiloxBlock& block, int i) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(block.LowFirst(i));
  } else {
    return static_cast<T>(block.words[i]);
  }
}

// ---- Groups ----

template <typename T>
struct UniformGroup {
  using Number = T;
  static constexpr int kSize = kPerBlock<T>;
  explicit UniformGroup(const IntRange&) {}
  TAGFLOW_ANYWHERE void operator()(const Philox& stream, uint64_t n, T* numbers) const {
    const PhiloxBlock block = stream.Block(n);
    for (int i = 0; i < kSize; ++i) numbers[i] = UniformOf<T>(block, i);
  }
};

template <typename T>
struct NormalGroup {
  using Number = T;
  static constexpr int kSize = kPerBlock<T>;
  explicit NormalGroup(const IntRange&) {}
  TAGFLOW_ANYWHERE void operator()(const Philox& stream, uint64_t n, T* numbers) const {
    NormalsIn<T> normals[kSize];
    NormalsOf(stream.Block(n), normals);
    for (int i = 0; i < kSize; ++i) numbers[i] = NumberFrom<T>(normals[i]);
  }
};

// How many blocks a number takes is not known before, so each group has blocks enough to itself.
template <typename T>
struct TruncatedNormalGroup {
  using Number = T;
  static constexpr int kSize = kPerBlock<T>;
  explicit TruncatedNormalGroup(const IntRange&) {}
  TAGFLOW_ANYWHERE void operator()(const Philox& stream, uint64_t n, T* numbers) const {
    constexpr uint64_t kBlocks = uint64_t{kSize} * 256 / 4;
    int made = 0;
    for (uint64_t block = n * kBlocks; made < kSize; ++block) {
      NormalsIn<T> normals[kSize];
      NormalsOf(stream.Block(block), normals);
      for (int i = 0; i < kSize && made < kSize; ++i) {
        if (std::fabs(normals[i]) < 2) numbers[made++] = NumberFrom<T>(normals[i]);
      }
    }
  }
};

template <typename T>
struct BitsGroup {
  using Number = T;
  static constexpr int kSize = kPerBlock<T>;
  explicit BitsGroup(const IntRange&) {}
  TAGFLOW_ANYWHERE void operator()(const Philox& stream, uint64_t n, T* numbers) const {
    const PhiloxBlock block = stream.Block(n);
    for (int i = 0; i < kSize; ++i) numbers[i] = BitsOf<T>(block, i);
  }
};

// REQUIRES: low < high, both of type T
template <typename T>
struct RangeGroup {
  using Number = T;
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr int kSize = kPerBlock<T>;
  explicit RangeGroup(const IntRange& of)
      : first(static_cast<Unsigned>(of.low)),
        range(static_cast<Unsigned>(static_cast<uint64_t>(of.high) -
                                    static_cast<uint64_t>(of.low))) {}
  TAGFLOW_ANYWHERE void operator()(const Philox& stream, uint64_t n, T* numbers) const {
    const PhiloxBlock block = stream.Block(n);
    for (int i = 0; i < kSize; ++i) {
      numbers[i] = static_cast<T>(first + BitsOf<Unsigned>(block, i) % range);
    }
  }
  Unsigned first;
  Unsigned range;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_RANDOM_NUMBERS_H_
