#ifndef TAGFLOW_FUZZ_DIRECT_ARRANGE_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_ARRANGE_IMPL_H_

// Definitions for arrange.h, instantiated once for each R. Most operations are a view: a shape, a
// stride for each dimension and an offset.

#include <algorithm>
#include <string>

#include "fuzz/direct/arrange.h"
#include "fuzz/direct/integers.h"
#include "fuzz/direct/strides.h"

namespace tagflow::fuzz {

// No tensor of a program may have more elements.
constexpr int64_t kMostElements = int64_t{1} << 24;

inline bool Refuse(const char* op, const std::string& what, Situation& situation) {
  situation.error = InvalidArgument(std::string(op) + " of " + what);
  return false;
}

// Whether a tensor of dims can be made.
inline bool CheckDims(const char* op, DimsView dims, Situation& situation) {
  const Result<int64_t> count = NumElements(dims);
  if (count.ok() && *count <= kMostElements) return true;
  Refuse(op, "too large or negative dims " + DimsString(dims), situation);
  if (count.ok()) situation.error = ResourceExhausted(situation.error.message());
  return false;
}

// The elements of x at `indices`, of shape dims.
template <typename R>
Value<R> Picked(const Value<R>& x, Dims dims, const std::vector<int64_t>& indices) {
  const auto pick = [&]<typename E>(E) {
    const E* from = x.template data<E>();
    std::vector<E> values;
    values.reserve(indices.size());
    for (int64_t index : indices) values.push_back(from[index]);
    return Value<R>::Of(x.dtype, std::move(dims), std::move(values));
  };
  return x.is_real() ? pick(R()) : pick(int64_t());
}

// The same elements under other dims. REQUIRES: as many
template <typename R>
Value<R> WithDims(const Value<R>& x, Dims dims) {
  const auto copy = [&]<typename E>(E) {
    const E* from = x.template data<E>();
    return Value<R>::Of(x.dtype, std::move(dims), std::vector<E>(from, from + x.size()));
  };
  return x.is_real() ? copy(R()) : copy(int64_t());
}

template <typename R>
Value<R> Reshape(const Value<R>& x, const Numbers& numbers, Situation& situation) {
  Dims dims = numbers;
  const auto open = std::find(dims.begin(), dims.end(), -1);
  const auto size = static_cast<int64_t>(x.size());
  if (open != dims.end()) {
    *open = 1;
    const int64_t rest = CheckDims("Reshape", dims, situation) ? *NumElements(dims) : 0;
    *open = rest == 0 ? -1 : size / rest;
  }
  if (!CheckDims("Reshape", dims, situation)) return {};
  if (*NumElements(dims) != size) {
    Refuse("Reshape", DimsString(x.dims()) + " to " + DimsString(numbers), situation);
    return {};
  }
  return WithDims(x, std::move(dims));
}

// From [-rank, rank) to [0, rank); -1 where it is not in there.
inline int64_t AxisFromStart(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return -1;
  return axis < 0 ? axis + signed_rank : axis;
}

template <typename R>
Value<R> ExpandDims(const Value<R>& x, int64_t axis, Situation& situation) {
  const int64_t at = AxisFromStart(axis, x.dims().size() + 1);
  if (at < 0) {
    Refuse("ExpandDims", DimsString(x.dims()), situation);
    return {};
  }
  Dims dims(x.dims().begin(), x.dims().end());
  dims.insert(dims.begin() + at, 1);
  return WithDims(x, std::move(dims));
}

template <typename R>
Value<R> Concat(const Value<R>& x, const Value<R>& y, int64_t axis, Situation& situation) {
  const int64_t at = AxisFromStart(axis, x.dims().size());
  Dims dims(x.dims().begin(), x.dims().end());
  Dims other(y.dims().begin(), y.dims().end());
  if (at < 0 || dims.size() != other.size()) {
    Refuse("Concat", DimsString(dims) + " and " + DimsString(other), situation);
    return {};
  }
  const int64_t x_length = std::exchange(dims[at], 0);
  const int64_t y_length = std::exchange(other[at], 0);
  if (dims != other) {
    Refuse("Concat", DimsString(x.dims()) + " and " + DimsString(y.dims()), situation);
    return {};
  }
  dims[at] = x_length + y_length;
  if (!CheckDims("Concat", dims, situation)) return {};
  int64_t inner = 1;
  for (size_t i = at + 1; i < dims.size(); ++i) inner *= dims[i];
  const auto join = [&]<typename E>(E) {
    const E* xs = x.template data<E>();
    const E* ys = y.template data<E>();
    std::vector<E> values;
    values.reserve(x.size() + y.size());
    while (values.size() < x.size() + y.size()) {
      values.insert(values.end(), xs, xs + x_length * inner);
      values.insert(values.end(), ys, ys + y_length * inner);
      xs += x_length * inner;
      ys += y_length * inner;
    }
    return Value<R>::Of(x.dtype, std::move(dims), std::move(values));
  };
  return x.is_real() ? join(R()) : join(int64_t());
}

template <typename R>
Value<R> Slice(const Value<R>& x, const Numbers& numbers, Situation& situation) {
  const DimsView from = x.dims();
  const size_t rank = from.size();
  const std::vector<int64_t> strides = RowMajorStrides(from);
  Dims dims;
  int64_t offset = 0;
  bool fits = numbers.size() == 2 * rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    const int64_t begin = numbers[i];
    const int64_t size = numbers[rank + i] == -1 ? from[i] - begin : numbers[rank + i];
    fits = begin >= 0 && size >= 0 && begin <= from[i] && size <= from[i] - begin;
    dims.push_back(size);
    offset += begin * strides[i];
  }
  if (!fits) {
    Refuse("Slice", DimsString(from) + " by " + DimsString(numbers), situation);
    return {};
  }
  return Picked(x, dims, StridedIndices(dims, strides, offset));
}

template <typename R>
Value<R> Pack(std::span<const Value<R>* const> items, Situation& situation) {
  const Value<R>& first = *items[0];
  Dims dims(first.dims().begin(), first.dims().end());
  dims.insert(dims.begin(), static_cast<int64_t>(items.size()));
  for (const Value<R>* item : items) {
    if (item->dtype == first.dtype && std::ranges::equal(item->dims(), first.dims())) continue;
    Refuse("Pack", DimsString(first.dims()) + " and " + DimsString(item->dims()), situation);
    return {};
  }
  if (!CheckDims("Pack", dims, situation)) return {};
  const auto join = [&]<typename E>(E) {
    std::vector<E> values;
    values.reserve(items.size() * first.size());
    for (const Value<R>* item : items) {
      const E* from = item->template data<E>();
      values.insert(values.end(), from, from + item->size());
    }
    return Value<R>::Of(first.dtype, std::move(dims), std::move(values));
  };
  return first.is_real() ? join(R()) : join(int64_t());
}

template <typename R>
Value<R> ElementAt(const Value<R>& x, int64_t index, Situation& situation) {
  if (x.is_scalar() || x.dims()[0] == 0) {
    Refuse("ElementAt", DimsString(x.dims()), situation);
    return {};
  }
  Dims dims(x.dims().begin() + 1, x.dims().end());
  std::vector<int64_t> strides = RowMajorStrides(x.dims());
  const int64_t offset = FloorRemainder(index, x.dims()[0]) * strides[0];
  strides.erase(strides.begin());
  return Picked(x, dims, StridedIndices(dims, strides, offset));
}

// Each dimension becomes two, the outer of which does not move in x.
template <typename R>
Value<R> Tile(const Value<R>& x, const Numbers& multiples, Situation& situation) {
  const DimsView from = x.dims();
  const std::vector<int64_t> own = RowMajorStrides(from);
  if (multiples.size() != from.size() ||
      std::ranges::any_of(multiples, [](int64_t m) { return m < 0 || m > kMostElements; })) {
    Refuse("Tile", DimsString(from) + " by " + DimsString(multiples), situation);
    return {};
  }
  Dims dims;
  Dims split;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < from.size(); ++i) {
    dims.push_back(from[i] * multiples[i]);
    split.insert(split.end(), {multiples[i], from[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  if (!CheckDims("Tile", dims, situation)) return {};
  return Picked(x, dims, StridedIndices(split, strides));
}

template <typename R>
Value<R> Transpose(const Value<R>& x, const Numbers& permutation, Situation& situation) {
  const DimsView from = x.dims();
  Numbers sorted = permutation;
  std::ranges::sort(sorted);
  bool fits = sorted.size() == from.size();
  for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
  if (!fits) {
    Refuse("Transpose", DimsString(from) + " by " + DimsString(permutation), situation);
    return {};
  }
  const std::vector<int64_t> own = RowMajorStrides(from);
  Dims dims;
  std::vector<int64_t> strides;
  for (int64_t axis : permutation) {
    dims.push_back(from[axis]);
    strides.push_back(own[axis]);
  }
  return Picked(x, dims, StridedIndices(dims, strides));
}

template <typename R>
Value<R> Fill(const Value<R>& scalar, const Numbers& dims, Situation& situation) {
  if (!CheckDims("Fill", dims, situation)) return {};
  return Picked(scalar, dims, std::vector<int64_t>(static_cast<size_t>(*NumElements(dims)), 0));
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_ARRANGE_IMPL_H_
