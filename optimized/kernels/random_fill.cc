// Tested by conformance/ops/random.ops.
#include "optimized/kernels/random_fill.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tagflow::optimized {
namespace {

template <typename Group>
void Fill(const Philox& stream, void* elements, int64_t count, const IntRange& range) {
  using T = typename Group::Number;
  constexpr int64_t kSize = Group::kSize;
  const Group make(range);
  T* out = static_cast<T*>(elements);
  int64_t n = 0;
  for (; (n + 1) * kSize <= count; ++n) make(stream, static_cast<uint64_t>(n), out + n * kSize);
  const int64_t done = n * kSize;
  if (done == count) return;
  T last[kSize];
  make(stream, static_cast<uint64_t>(n), last);
  std::copy_n(last, count - done, out + done);
}

template <typename Group>
void FillWith(const Philox& stream, void* elements, int64_t count) {
  Fill<Group>(stream, elements, count, {});
}

template <template <typename> typename Group>
RandomFill FindFloatFill(DType dtype) {
  if (dtype == DType::kFloat) return &FillWith<Group<float>>;
  if (dtype == DType::kDouble) return &FillWith<Group<double>>;
  if (dtype == DType::kHalf) return &FillWith<Group<Half>>;
  return dtype == DType::kBFloat16 ? &FillWith<Group<BFloat16>> : nullptr;
}

}  // namespace

RandomFill FindUniformFill(DType dtype) { return FindFloatFill<UniformGroup>(dtype); }
RandomFill FindNormalFill(DType dtype) { return FindFloatFill<NormalGroup>(dtype); }
RandomFill FindTruncatedNormalFill(DType dtype) {
  return FindFloatFill<TruncatedNormalGroup>(dtype);
}
RandomFill FindFullIntFill(DType dtype) {
  const bool is_wide = dtype == DType::kInt64 || dtype == DType::kUInt64;
  if (dtype == DType::kInt32 || dtype == DType::kUInt32) return &FillWith<BitsGroup<uint32_t>>;
  return is_wide ? &FillWith<BitsGroup<uint64_t>> : nullptr;
}

void FillInts(const Philox& stream, DType dtype, const IntRange& range, void* elements,
              int64_t count) {
  if (dtype == DType::kInt32) return Fill<RangeGroup<int32_t>>(stream, elements, count, range);
  Fill<RangeGroup<int64_t>>(stream, elements, count, range);
}

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
