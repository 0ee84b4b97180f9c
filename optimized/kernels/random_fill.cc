// Tested by conformance/ops/random.ops.
#include "optimized/kernels/random_fill.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>
#include <type_traits>

namespace tagflow::optimized {
namespace {

// How many numbers a block makes, and what normal numbers are computed in.
template <typename T>
constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
T ElementOf(Wide<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return HalfFromFloat(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16FromFloat(value);
  } else {
    return value;
  }
}

// The bits behind the point of a number in [1, 2), less 1.
float Fraction(uint32_t bits) {
  return std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000) - 1.0f;
}

// The uniform number i of a block.
template <typename T>
T UniformOf(const PhiloxBlock& block, int i) {
  if constexpr (std::is_same_v<T, double>) {
    return UniformDouble(block.HighFirst(i));
  } else if constexpr (std::is_same_v<T, float>) {
    return Fraction(block.words[i]);
  } else {  // as many bits as the short fraction has
    constexpr int kBits = std::is_same_v<T, Half> ? 10 : 7;
    return ElementOf<T>(Fraction(block.words[i] << (23 - kBits)));
  }
}

template <typename R>
std::pair<R, R> BoxMuller(R u, R v) {
  const R angle = static_cast<R>(2 * std::numbers::pi * static_cast<double>(v));
  const R radius = std::sqrt(R{-2} * std::log(std::max(u, static_cast<R>(1e-7))));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

// The normal numbers of a block.
template <typename R>
void NormalsOf(const PhiloxBlock& block, R* numbers) {
  for (int i = 0; i < kPerBlock<R>; i += 2) {
    const auto [first, second] = BoxMuller(UniformOf<R>(block, i), UniformOf<R>(block, i + 1));
    numbers[i] = first;
    numbers[i + 1] = second;
  }
}

// Elements made block by block: make(block, numbers) makes kPerBlock<T> of them.
template <typename T, typename Make>
void FillByBlock(const Philox& stream, void* elements, int64_t count, Make make) {
  T* out = static_cast<T*>(elements);
  int64_t n = 0;
  for (; (n + 1) * kPerBlock<T> <= count; ++n) {
    make(stream.Block(static_cast<uint64_t>(n)), out + n * kPerBlock<T>);
  }
  const int64_t done = n * kPerBlock<T>;
  if (done == count) return;
  T last[kPerBlock<T>];
  make(stream.Block(static_cast<uint64_t>(n)), last);
  std::copy_n(last, count - done, out + done);
}

template <typename T>
void FillUniform(const Philox& stream, void* elements, int64_t count) {
  FillByBlock<T>(stream, elements, count, [](const PhiloxBlock& block, T* numbers) {
    for (int i = 0; i < kPerBlock<T>; ++i) numbers[i] = UniformOf<T>(block, i);
  });
}

template <typename T>
void FillNormal(const Philox& stream, void* elements, int64_t count) {
  FillByBlock<T>(stream, elements, count, [](const PhiloxBlock& block, T* numbers) {
    Wide<T> normals[kPerBlock<T>];
    NormalsOf(block, normals);
    for (int i = 0; i < kPerBlock<T>; ++i) numbers[i] = ElementOf<T>(normals[i]);
  });
}

// How many blocks a number takes is not known before, so each group of numbers that one block would
// make, were none thrown away, has blocks enough to itself.
template <typename T>
void FillTruncatedNormal(const Philox& stream, void* elements, int64_t count) {
  constexpr int64_t kGroup = kPerBlock<T>;
  constexpr uint64_t kBlocks = kGroup * 256 / 4;
  T* out = static_cast<T*>(elements);
  for (int64_t begin = 0; begin < count; begin += kGroup) {
    const Philox group = stream.From(static_cast<uint64_t>(begin / kGroup) * kBlocks);
    const int64_t end = std::min(begin + kGroup, count);
    int64_t next = begin;
    for (uint64_t n = 0; next < end; ++n) {
      Wide<T> normals[kGroup];
      NormalsOf(group.Block(n), normals);
      for (int i = 0; i < kGroup && next < end; ++i) {
        if (std::fabs(normals[i]) < 2) out[next++] = ElementOf<T>(normals[i]);
      }
    }
  }
}

// The integer i of a block, as many bits as T has.
template <typename T>
T BitsOf(const PhiloxBlock& block, int i) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(block.LowFirst(i));
  } else {
    return static_cast<T>(block.words[i]);
  }
}

template <typename T>
void FillFullInt(const Philox& stream, void* elements, int64_t count) {
  FillByBlock<T>(stream, elements, count, [](const PhiloxBlock& block, T* numbers) {
    for (int i = 0; i < kPerBlock<T>; ++i) numbers[i] = BitsOf<T>(block, i);
  });
}

template <typename T>
void FillRange(const Philox& stream, int64_t low, int64_t high, void* elements, int64_t count) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto range =
      static_cast<Unsigned>(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  const auto first = static_cast<Unsigned>(low);
  FillByBlock<T>(stream, elements, count, [&](const PhiloxBlock& block, T* numbers) {
    for (int i = 0; i < kPerBlock<T>; ++i) {
      numbers[i] = static_cast<T>(first + BitsOf<Unsigned>(block, i) % range);
    }
  });
}

}  // namespace

RandomFill FindUniformFill(DType dtype) {
  if (dtype == DType::kFloat) return &FillUniform<float>;
  if (dtype == DType::kDouble) return &FillUniform<double>;
  if (dtype == DType::kHalf) return &FillUniform<Half>;
  return dtype == DType::kBFloat16 ? &FillUniform<BFloat16> : nullptr;
}

RandomFill FindNormalFill(DType dtype) {
  if (dtype == DType::kFloat) return &FillNormal<float>;
  if (dtype == DType::kDouble) return &FillNormal<double>;
  if (dtype == DType::kHalf) return &FillNormal<Half>;
  return dtype == DType::kBFloat16 ? &FillNormal<BFloat16> : nullptr;
}

RandomFill FindTruncatedNormalFill(DType dtype) {
  if (dtype == DType::kFloat) return &FillTruncatedNormal<float>;
  if (dtype == DType::kDouble) return &FillTruncatedNormal<double>;
  if (dtype == DType::kHalf) return &FillTruncatedNormal<Half>;
  return dtype == DType::kBFloat16 ? &FillTruncatedNormal<BFloat16> : nullptr;
}

RandomFill FindFullIntFill(DType dtype) {
  if (dtype == DType::kInt32 || dtype == DType::kUInt32) return &FillFullInt<uint32_t>;
  return dtype == DType::kInt64 || dtype == DType::kUInt64 ? &FillFullInt<uint64_t> : nullptr;
}

void FillInts(const Philox& stream, DType dtype, int64_t low, int64_t high, void* elements,
              int64_t count) {
  if (dtype == DType::kInt32) return FillRange<int32_t>(stream, low, high, elements, count);
  FillRange<int64_t>(stream, low, high, elements, count);
}

double UniformDouble(uint64_t bits) {
  return std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000) - 1.0;
}

std::pair<double, double> NormalPair(double u, double v) { return BoxMuller(u, v); }

namespace {

// Running sums of e^(logit - largest logit), over the finite ones.
void SumUp(std::span<const double> logits, std::vector<double>& sums) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double logit : logits) {
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double sum = 0;
  sums.clear();
  for (const double logit : logits) {
    if (std::isfinite(logit)) sum += std::exp(logit - largest);
    sums.push_back(sum);
  }
}

}  // namespace

std::vector<int64_t> DrawClasses(const Philox& stream, std::span<const double> logits,
                                 int64_t classes, int64_t samples) {
  std::vector<double> sums;
  std::vector<int64_t> drawn;
  const auto width = static_cast<size_t>(classes);
  for (size_t row = 0; row < logits.size(); row += width) {
    SumUp(logits.subspan(row, width), sums);
    for (int64_t i = 0; i < samples; ++i) {
      const PhiloxBlock block = stream.Block(drawn.size() / 2);
      const double uniform = UniformDouble(block.HighFirst(static_cast<int>(drawn.size() % 2)));
      // Without a finite logit, none of the classes: their number.
      const auto place = std::ranges::upper_bound(sums, uniform * sums.back());
      drawn.push_back(place - sums.begin());
    }
  }
  return drawn;
}

}  // namespace tagflow::optimized
