// See the header for the formulas.
// Tested by conformance/ops/random.ops.

#include "reference/kernels/random_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/broadcast.h"
#include "reference/kernels/element.h"
#include "reference/kernels/random_numbers.h"

namespace tagflow::reference {
namespace {

template <FloatElement C>
using Wide = std::conditional_t<std::is_same_v<C, double>, double, float>;

// A tensor of as many elements as fill(elements) puts there; C is the dtype's computing type.
template <typename C, typename Fill>
Result<Tensor> Filled(DType dtype, DimsView dims, Fill fill) {
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  std::vector<C> elements(static_cast<size_t>(*NumElements(dims)));
  fill(elements);
  return Store(dtype, dims, elements);
}

// f(Computing<C>()) of a floating dtype.
template <typename F>
Result<Tensor> WithFloat(DType dtype, F f) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C> computing) -> Result<Tensor> {
    if constexpr (FloatElement<C>) {
      return f(computing);
    } else {
      return Unimplemented("no random numbers of dtype " + DTypeName(dtype));
    }
  });
}

// f(Computing<C>()) of an integer dtype.
template <typename F>
Result<Tensor> WithInteger(DType dtype, F f) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C> computing) -> Result<Tensor> {
    if constexpr (IntegerElement<C>) {
      return f(computing);
    } else {
      return Unimplemented("no random integers of dtype " + DTypeName(dtype));
    }
  });
}

// As many random bits as the dtype has.
uint64_t Bits(DType dtype, PhiloxWords& words) {
  return DTypeSize(dtype) == 8 ? words.Next64() : words.Next32();
}

}  // namespace

Result<Tensor> DrawUniform(DType dtype, DimsView dims, Philox philox) {
  return WithFloat(dtype, [&]<typename C>(Computing<C>) {
    return Filled<C>(dtype, dims, [&](std::vector<C>& elements) {
      PhiloxWords words(philox);
      for (C& element : elements) element = Uniform<C>(words);
    });
  });
}

Result<Tensor> DrawNormal(DType dtype, DimsView dims, Philox philox) {
  return WithFloat(dtype, [&]<typename C>(Computing<C>) {
    return Filled<C>(dtype, dims, [&](std::vector<C>& elements) {
      PhiloxWords words(philox);
      for (size_t i = 0; i < elements.size(); i += 2) {
        const auto [first, second] = NormalPair<Wide<C>>(words);
        elements[i] = static_cast<C>(first);
        if (i + 1 < elements.size()) elements[i + 1] = static_cast<C>(second);
      }
    });
  });
}

// How many words a number takes is not known before, so each group of numbers that one block would
// make, were none thrown away, has words enough to itself: 256 for a number.
Result<Tensor> DrawTruncatedNormal(DType dtype, DimsView dims, Philox philox) {
  return WithFloat(dtype, [&]<typename C>(Computing<C>) {
    return Filled<C>(dtype, dims, [&](std::vector<C>& elements) {
      constexpr size_t kGroup = std::is_same_v<C, double> ? 2 : 4;
      for (size_t begin = 0; begin < elements.size(); begin += kGroup) {
        PhiloxWords words(philox);
        philox.Skip(kGroup * 256 / 4);
        const size_t end = std::min(begin + kGroup, elements.size());
        for (size_t i = begin; i < end;) {
          const auto [first, second] = NormalPair<Wide<C>>(words);
          if (std::fabs(first) < 2) elements[i++] = static_cast<C>(first);
          if (i < end && std::fabs(second) < 2) elements[i++] = static_cast<C>(second);
        }
      }
    });
  });
}

Result<Tensor> DrawFullInts(DType dtype, DimsView dims, Philox philox) {
  return WithInteger(dtype, [&]<typename C>(Computing<C>) {
    return Filled<C>(dtype, dims, [&](std::vector<C>& elements) {
      PhiloxWords words(philox);
      for (C& element : elements) element = static_cast<C>(Bits(dtype, words));
    });
  });
}

Result<Tensor> DrawInts(DType dtype, DimsView dims, int64_t low, int64_t high, Philox philox) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return Filled<int64_t>(dtype, dims, [&](std::vector<int64_t>& elements) {
    PhiloxWords words(philox);
    for (int64_t& element : elements) {
      element = Plus(low, static_cast<int64_t>(Bits(dtype, words) % range));
    }
  });
}

namespace {

// Running sums of e^(logit - largest logit), over the finite ones.
template <typename C>
std::vector<double> RunningSums(const C* logits, size_t classes) {
  double largest = -std::numeric_limits<double>::infinity();
  const auto at = [&](size_t c) { return static_cast<double>(logits[c]); };
  for (size_t c = 0; c < classes; ++c) {
    if (std::isfinite(at(c))) largest = std::max(largest, at(c));
  }
  double sum = 0;
  std::vector<double> sums;
  for (size_t c = 0; c < classes; ++c) {
    if (std::isfinite(at(c))) sum += std::exp(at(c) - largest);
    sums.push_back(sum);
  }
  return sums;
}

// The class a number of [0, 1) falls into. Without a finite logit, none: their number.
int64_t ClassOf(double uniform, const std::vector<double>& sums) {
  const auto place = std::upper_bound(sums.begin(), sums.end(), uniform * sums.back());
  return place - sums.begin();
}

template <typename C>
std::vector<int64_t> Classes(const Tensor& logits, int64_t samples, Philox philox) {
  const std::vector<C> values = Load<C>(logits);
  const auto classes = static_cast<size_t>(logits.dim(1));
  PhiloxWords words(philox);
  std::vector<int64_t> drawn;
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    const auto sums = RunningSums(values.data() + static_cast<size_t>(row) * classes, classes);
    for (int64_t i = 0; i < samples; ++i) {
      drawn.push_back(ClassOf(Uniform<double>(words), sums));
    }
  }
  return drawn;
}

}  // namespace

Result<Tensor> DrawClasses(DType dtype, const Tensor& logits, int64_t samples, Philox philox) {
  const Dims dims = {logits.dim(0), samples};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return WithComputingType(logits.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
    if constexpr (RealElement<C>) {
      return Store(dtype, dims, Classes<C>(logits, samples, philox));
    } else {
      return Unimplemented("no classes from logits of dtype " + DTypeName(logits.dtype()));
    }
  });
}

}  // namespace tagflow::reference
