#ifndef TAGFLOW_OPTIMIZED_FORMULAS_REDUCTIONS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_REDUCTIONS_H_

// Reductions: elements are brought into int64_t, uint64_t, double or std::complex<double> and
// folded into a total, which is brought back once at the end; so the result has the accuracy of
// double, and integers wrap at their own width.
//
// The order is part of the result, and the shape alone says it. A stretch of elements that lie side
// by side and have one total is folded in lanes, element i into lane i mod 8, and the lanes then in
// pairs: compilers make vectors of it. Elements that had to be brought into another type are folded
// in blocks.
//
// A formula has these static functions, for the wide types A that it is meant for. Finish and
// Settled may be missing.
//
// - A Start<A>(size_t size): the total of no elements, of a dtype of `size` bytes.
// - A Next(A total, A x): the total with one more element.
// - A Merge(A x, A y): the total of two, of which x comes first.
// - A Finish(A total, size_t size, int64_t elements): what is given out.
// - A Settled(A total, const X* x, int64_t count): the total of all these x, where lanes lose what
//   depends on their order.
//
// Tested by conformance/ops/reduction.ops.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

// ---- Formulas ----

struct Sum {
  template <Number A>
  static A Start(size_t) {
    return 0;
  }
  template <Number A>
  static A Next(A sum, A x) {
    return Plus(sum, x);
  }
  template <Number A>
  static A Merge(A x, A y) {
    return Plus(x, y);
  }
};

struct Prod {
  template <Number A>
  static A Start(size_t) {
    return 1;
  }
  template <Number A>
  static A Next(A product, A x) {
    return Times(product, x);
  }
  template <Number A>
  static A Merge(A x, A y) {
    return Times(x, y);
  }
};

// The mean of integers is their exact sum divided towards zero; of no elements it is NaN for floats
// and 0 for others.
struct Mean : Sum {
  template <Number A>
  static A Finish(A sum, size_t, int64_t elements) {
    if constexpr (!Floating<A>) {
      if (elements == 0) return 0;
    }
    if constexpr (Integer<A>) {
      return sum / static_cast<A>(elements);
    } else {
      return sum / static_cast<double>(elements);
    }
  }
};

// Of integers the root, rounded down, of the sum of squares once that has wrapped in the dtype; 0
// where it is negative.
struct EuclideanNorm : Sum {
  template <Number A>
  static A Next(A sum, A x) {
    if constexpr (Complex<A>) {
      return sum + std::norm(x);
    } else {
      return Plus(sum, Times(x, x));
    }
  }
  template <Number A>
  static A Finish(A sum, size_t size, int64_t) {
    if constexpr (Integer<A>) {
      const int unused = 64 - 8 * static_cast<int>(size);
      const A wrapped = static_cast<A>(static_cast<uint64_t>(sum) << unused) >> unused;
      return wrapped > 0 ? static_cast<A>(std::sqrt(static_cast<double>(wrapped))) : A(0);
    } else {
      return std::sqrt(sum);
    }
  }
};

// Extremes: of no elements the farthest value the dtype has; of some NaN if any is NaN, and of
// zeros the last.
template <typename X>
double LastZero(double extreme, const X* x, int64_t count) {
  if (extreme != 0) return extreme;
  while (count > 0 && x[count - 1] != X(0)) --count;
  return count > 0 ? static_cast<double>(x[count - 1]) : extreme;
}
struct Max {
  template <Real A>
  static A Start(size_t size) {
    if constexpr (std::same_as<A, uint64_t>) return 0;
    if constexpr (std::same_as<A, int64_t>) {
      return std::numeric_limits<int64_t>::min() >> (64 - 8 * static_cast<int>(size));
    }
    return static_cast<A>(-std::numeric_limits<double>::infinity());
  }
  template <Real A>
  static A Next(A max, A x) {
    return max > x || max != max ? max : x;
  }
  template <Real A>
  static A Merge(A x, A y) {
    return Next(x, y);
  }
  template <std::floating_point X>
  static double Settled(double max, const X* x, int64_t count) {
    return LastZero(max, x, count);
  }
};
struct Min {
  template <Real A>
  static A Start(size_t size) {
    if constexpr (Integer<A>) {
      return std::numeric_limits<A>::max() >> (64 - 8 * static_cast<int>(size));
    }
    return static_cast<A>(std::numeric_limits<double>::infinity());
  }
  template <Real A>
  static A Next(A min, A x) {
    return min < x || min != min ? min : x;
  }
  template <Real A>
  static A Merge(A x, A y) {
    return Next(x, y);
  }
  template <std::floating_point X>
  static double Settled(double min, const X* x, int64_t count) {
    return LastZero(min, x, count);
  }
};

// Booleans are folded as the integers 0 and 1.
struct All {
  template <std::same_as<int64_t> A>
  static A Start(size_t) {
    return 1;
  }
  static int64_t Next(int64_t all, std::same_as<int64_t> auto x) { return all & x; }
  static int64_t Merge(int64_t x, int64_t y) { return x & y; }
};
struct Any {
  template <std::same_as<int64_t> A>
  static A Start(size_t) {
    return 0;
  }
  static int64_t Next(int64_t any, std::same_as<int64_t> auto x) { return any | x; }
  static int64_t Merge(int64_t x, int64_t y) { return x | y; }
};

struct HalfOfSquares : Sum {
  static double Next(double sum, std::same_as<double> auto x) { return sum + x * x; }
  static double Finish(double sum, size_t, int64_t) { return sum / 2; }
};

// ---- Folding ----

inline constexpr int64_t kLanes = 8;
// Elements of a type that is not folded as it is, in a block.
inline constexpr int64_t kFoldBlock = 256;

// A: the wide type; the elements are of it or brought into it.
template <typename F, typename A, typename X>
[[gnu::always_inline]] inline A FoldLanes(const X* x, int64_t count) {
  A lanes[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = F::Next(F::template Start<A>(sizeof(A)), static_cast<A>(x[lane]));
  }
  for (int64_t i = kLanes; i < count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = F::Next(lanes[lane], static_cast<A>(x[i + lane]));
    }
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) {
      lanes[lane] = F::Merge(lanes[lane], lanes[lane + half]);
    }
  }
  if constexpr (requires { F::Settled(lanes[0], x, count); }) {
    return F::Settled(lanes[0], x, count);
  }
  return lanes[0];
}
// The total with `count` more elements.
template <typename F, typename A, typename X>
[[gnu::always_inline]] inline A FoldStretch(A total, const X* x, int64_t count) {
  int64_t i = 0;
  if (count >= 2 * kLanes) {
    i = count / kLanes * kLanes;
    total = F::Merge(total, FoldLanes<F, A>(x, i));
  }
  for (; i < count; ++i) total = F::Next(total, static_cast<A>(x[i]));
  return total;
}

template <typename F, typename A>
A Finished(A total, size_t size, int64_t elements) {
  if constexpr (requires { F::Finish(total, size, elements); }) {
    return F::Finish(total, size, elements);
  }
  return total;
}

// ---- Whole tensors of numbers and bool ----

template <typename T>
using Wide = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<std::is_same_v<T, bool>, int64_t,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

// out[row] = the total of a row of x, whose rows lie one behind the other.
template <typename F, typename T>
[[gnu::always_inline]] inline void FoldRows(const T* x, T* out, int64_t rows, int64_t columns) {
  using A = Wide<T>;
  constexpr int64_t kBlock =
      std::is_same_v<A, T> ? std::numeric_limits<int64_t>::max() : kFoldBlock;
  for (int64_t row = 0; row < rows; ++row, x += columns) {
    A total = F::template Start<A>(sizeof(T));
    for (int64_t done = 0; done < columns;) {
      const int64_t count = std::min(kBlock, columns - done);
      total = FoldStretch<F, A>(total, x + done, count);
      done += count;
    }
    out[row] = static_cast<T>(Finished<F>(total, sizeof(T), columns));
  }
}

// out[column] = the total of a column of x: several columns at once, for vectors.
template <typename F, typename T>
[[gnu::always_inline]] inline void FoldColumns(const T* x, T* out, int64_t rows, int64_t columns) {
  using A = Wide<T>;
  const auto fold = [&]<int64_t kCount>(int64_t first) {
    A totals[kCount];
    for (int64_t i = 0; i < kCount; ++i) totals[i] = F::template Start<A>(sizeof(T));
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = x + row * columns + first;
      for (int64_t i = 0; i < kCount; ++i) totals[i] = F::Next(totals[i], static_cast<A>(from[i]));
    }
    for (int64_t i = 0; i < kCount; ++i) {
      out[first + i] = static_cast<T>(Finished<F>(totals[i], sizeof(T), rows));
    }
  };
  int64_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) fold.template operator()<kLanes>(column);
  for (; column < columns; ++column) fold.template operator()<1>(column);
}

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_REDUCTIONS_H_
