#ifndef TAGFLOW_FUZZ_DIRECT_REDUCTIONS_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_REDUCTIONS_IMPL_H_

// Definitions for reductions.h, instantiated once for each R.

#include <limits>
#include <numeric>
#include <string>

#include "fuzz/direct/integers.h"
#include "fuzz/direct/reductions.h"
#include "fuzz/direct/strides.h"

namespace tagflow::fuzz {

// Terms of a sum in progress.
template <typename R>
struct RunningSum {
  R sum = R(0);
  double magnitude = 0;
  int64_t terms = 0;

  void Add(const R& term) {
    sum = sum + term;
    magnitude += std::fabs(Decisive(term));
    ++terms;
  }
  R Finished(DType dtype) const { return RoundedSum(sum, terms, magnitude, dtype); }
  // The division is one rounding more.
  R Mean(DType dtype) const {
    const auto count = static_cast<double>(terms);
    return RoundedSum(sum / R(count), terms + 1, magnitude / count, dtype);
  }
};

template <typename R>
R SumOf(Op op, const std::vector<R>& terms, DType dtype) {
  RunningSum<R> sum;
  for (const R& term : terms) sum.Add(term);
  return op == Op::kMean ? sum.Mean(dtype) : sum.Finished(dtype);
}

// The greatest (least) element as the reals' Maximum decides, the later of equal ones.
inline double ExtremeOf(Op op, double so_far, double x) {
  if (std::isnan(so_far)) return so_far;
  return (op == Op::kMax ? so_far > x : so_far < x) ? so_far : x;
}

template <typename R>
R MeanOfTies(const std::vector<R>& terms, double extreme) {
  R sum(0);
  double count = 0;
  for (const R& term : terms) {
    if (Decisive(term) != extreme) continue;
    sum = sum + term;
    ++count;
  }
  return count == 0 ? R(extreme) : sum / R(count);
}

inline double Extreme(const std::vector<double>& /*terms*/, double extreme) { return extreme; }
// Every element near enough may be the extreme one.
inline Tracked Extreme(const std::vector<Tracked>& terms, double extreme) {
  double error = 0;
  for (const Tracked& term : terms) {
    const Tracked of_extreme(extreme, 0);
    if (term.value == extreme || Doubtful(term, of_extreme)) error = std::fmax(error, term.error);
  }
  return {extreme, error};
}
template <typename T>
Dual<T> Extreme(const std::vector<Dual<T>>& terms, double extreme) {
  Dual<T> mean = MeanOfTies(terms, extreme);
  SetDecisive(mean, extreme);
  return mean;
}

template <typename R>
R ReducedReals(Op op, const std::vector<R>& terms, DType dtype) {
  if (op == Op::kSum || op == Op::kMean) return SumOf(op, terms, dtype);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double extreme = op == Op::kMax ? -kInfinity : kInfinity;
  for (const R& term : terms) extreme = ExtremeOf(op, extreme, Decisive(term));
  return Extreme(terms, extreme);
}

inline int64_t LeastOf(DType dtype) {
  return dtype == DType::kUInt8 || dtype == DType::kUInt16 || dtype == DType::kUInt32
             ? 0
             : std::numeric_limits<int64_t>::min() >> (64 - 8 * DTypeSize(dtype));
}
inline int64_t GreatestOf(DType dtype) {
  return LeastOf(dtype) == 0 ? std::numeric_limits<int64_t>::max() >> (63 - 8 * DTypeSize(dtype))
                             : -(LeastOf(dtype) + 1);
}

inline int64_t ReducedIntegers(Op op, const std::vector<int64_t>& terms, DType dtype) {
  const bool is_max = op == Op::kMax;
  if (is_max || op == Op::kMin) {
    int64_t extreme = is_max ? LeastOf(dtype) : GreatestOf(dtype);
    for (int64_t term : terms) extreme = is_max ? std::max(extreme, term) : std::min(extreme, term);
    return extreme;
  }
  const int64_t sum = std::accumulate(terms.begin(), terms.end(), int64_t{0}, WrappingAdd);
  if (op == Op::kSum) return Wrapped(sum, dtype);
  return terms.empty() ? 0 : Wrapped(sum / static_cast<int64_t>(terms.size()), dtype);
}

// Which of the dimensions go; nothing for an axis out of range.
inline std::optional<std::vector<bool>> ReducedAxes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<bool> goes(rank, axes.empty());
  for (int64_t axis : axes) {
    const auto signed_rank = static_cast<int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
    goes[static_cast<size_t>(axis < 0 ? axis + signed_rank : axis)] = true;
  }
  return goes;
}

template <typename E, typename R, typename F>
Value<R> ReduceElements(const Value<R>& x, const std::vector<bool>& goes, F reduced) {
  Dims kept;
  Dims gone;
  std::vector<int64_t> kept_strides;
  std::vector<int64_t> gone_strides;
  const std::vector<int64_t> strides = RowMajorStrides(x.dims());
  for (size_t i = 0; i < goes.size(); ++i) {
    (goes[i] ? gone : kept).push_back(x.dims()[i]);
    (goes[i] ? gone_strides : kept_strides).push_back(strides[i]);
  }
  const std::vector<int64_t> offsets = StridedIndices(gone, gone_strides);
  const E* from = x.template data<E>();
  std::vector<E> values;
  std::vector<E> terms(offsets.size());
  for (int64_t start : StridedIndices(kept, kept_strides)) {
    for (size_t i = 0; i < offsets.size(); ++i) terms[i] = from[start + offsets[i]];
    values.push_back(reduced(terms));
  }
  return Value<R>::Of(x.dtype, std::move(kept), std::move(values));
}

template <typename R>
Value<R> Reduce(Op op, const Value<R>& x, const std::vector<int64_t>& axes, Situation& situation) {
  const std::optional<std::vector<bool>> goes = ReducedAxes(axes, x.dims().size());
  if (!goes.has_value() || x.dtype == DType::kBool) {
    situation.error = InvalidArgument(std::string(OpName(op)) + " of " + DTypeName(x.dtype) +
                                      DimsString(x.dims()));
    return {};
  }
  if (x.is_real()) {
    return ReduceElements<R>(
        x, *goes, [&](const std::vector<R>& terms) { return ReducedReals(op, terms, x.dtype); });
  }
  return ReduceElements<int64_t>(x, *goes, [&](const std::vector<int64_t>& terms) {
    return ReducedIntegers(op, terms, x.dtype);
  });
}

template <typename R>
R DotProduct(const R* row, const R* column, int64_t inner, int64_t columns, DType dtype) {
  RunningSum<R> sum;
  for (int64_t k = 0; k < inner; ++k) sum.Add(row[k] * column[k * columns]);
  return sum.Finished(dtype);
}
inline int64_t DotProduct(const int64_t* row, const int64_t* column, int64_t inner,
                          int64_t columns) {
  int64_t sum = 0;
  for (int64_t k = 0; k < inner; ++k) {
    sum = WrappingAdd(sum, WrappingMul(row[k], column[k * columns]));
  }
  return sum;
}

template <typename R>
Value<R> MatMul(const Value<R>& x, const Value<R>& y, Situation& situation) {
  const DimsView a = x.dims();
  const DimsView b = y.dims();
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) {
    situation.error = InvalidArgument("MatMul of " + DimsString(a) + " and " + DimsString(b));
    return {};
  }
  const int64_t rows = a[0], inner = a[1], columns = b[1];
  std::vector<R> reals;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      if (x.is_real()) {
        reals.push_back(DotProduct(x.template data<R>() + i * inner, y.template data<R>() + j,
                                   inner, columns, x.dtype));
      } else {
        const int64_t sum = DotProduct(x.template data<int64_t>() + i * inner,
                                       y.template data<int64_t>() + j, inner, columns);
        integers.push_back(Wrapped(sum, x.dtype));
      }
    }
  }
  if (x.is_real()) return Value<R>::Of(x.dtype, {rows, columns}, std::move(reals));
  return Value<R>::Of(x.dtype, {rows, columns}, std::move(integers));
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_REDUCTIONS_IMPL_H_
