// Numbers and shapes that are off by little. Tested by kernels_test.cc.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzz/kernels/fitting.h"
#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {

// A dimension or two, which some ops take away again.
Tensor Fitting::WithOnesInFront(const Tensor& input) {
  Dims dims(input.dims().begin(), input.dims().end());
  dims.insert(dims.begin(), static_cast<size_t>(choices_.Between(kOneOrTwo)), 1);
  return input.Reshaped(dims);
}

void Fitting::SpoilNumber(Tensor& input) {
  const auto spoil = [&]<typename T>(T) {
    T& number = input.mutable_data<T>()[choices_.Below(static_cast<size_t>(input.num_elements()))];
    const auto wide = static_cast<int64_t>(number);
    const std::vector<int64_t> others = {-1, wide + 1, -2, wide - 1, -wide, INT32_MAX};
    constexpr Odds kWeights[] = {kEvenly, kEvenly, kSeldom, kRarely, kRarely, kRarely};
    number = static_cast<T>(others[choices_.Weighted(kWeights)]);
  };
  if (input.dtype() == DType::kInt32) spoil(int32_t{});
  if (input.dtype() == DType::kInt64) spoil(int64_t{});
}

// One dimension more or less, or one that is longer or shorter by one.
Tensor Fitting::OfAnotherShape(const Tensor& input) {
  Dims dims(input.dims().begin(), input.dims().end());
  const int way = choices_.Between(kUpToThree);
  if (way == 0 || dims.empty()) {
    dims.insert(dims.begin(), 1);
  } else if (way == 1) {
    dims.pop_back();
  } else {
    int64_t& dim = dims[choices_.Below(dims.size())];
    dim = std::max<int64_t>(dim + (choices_.Chance(kEvenly) ? 1 : -1), 0);
  }
  if (!IsWholeNumber(input.dtype())) return DrawTensor(input.dtype(), dims, choices_);
  Tensor other = *Tensor::Allocate(input.dtype(), dims);
  const auto repeat = [&]<typename T>(T) {
    const std::span<const T> from = input.flat<T>();
    const std::span<T> to = other.mutable_flat<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = from.empty() ? T{} : from[i % from.size()];
  };
  if (input.dtype() == DType::kInt8) repeat(int8_t{});
  if (input.dtype() == DType::kInt16) repeat(int16_t{});
  if (input.dtype() == DType::kInt32) repeat(int32_t{});
  if (input.dtype() == DType::kInt64) repeat(int64_t{});
  return other;
}

}  // namespace tagflow::fuzz
