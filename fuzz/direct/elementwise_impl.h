#ifndef TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_

// Definitions for elementwise.h, instantiated once for each R. Operations are found as functions of
// numbers first and applied to all elements then, so that there is one loop for all of them.

#include <algorithm>
#include <string>

#include "fuzz/direct/elementwise.h"
#include "fuzz/direct/functions.h"
#include "fuzz/direct/strides.h"

namespace tagflow::fuzz {

inline void NotFor(Op op, DType dtype, Situation& situation) {
  situation.error =
      Unimplemented(std::string(OpName(op)) + " of " + DTypeName(dtype) + " is not evaluated");
}

// f of each element, of type In, as an element of type Out.
template <typename Out, typename In, typename R, typename F>
Value<R> MapElements(DType dtype, const Value<R>& x, F f) {
  if (x.is_scalar()) {
    if constexpr (std::is_same_v<Out, R>) {
      return Value<R>::OfReal(dtype, f(*x.template data<In>()));
    } else {
      return Value<R>::OfInteger(dtype, f(*x.template data<In>()));
    }
  }
  std::vector<Out> values;
  values.reserve(x.size());
  const In* from = x.template data<In>();
  for (size_t i = 0; i < x.size(); ++i) values.push_back(f(from[i]));
  return Value<R>::Of(dtype, x.elements->dims, std::move(values));
}

// f of each pair of elements that broadcasting brings together.
template <typename Out, typename In, typename R, typename F>
Value<R> MapPairs(DType dtype, const Value<R>& x, const Value<R>& y, Situation& situation, F f) {
  const In* xs = x.template data<In>();
  const In* ys = y.template data<In>();
  if (x.is_scalar() && y.is_scalar()) {
    if constexpr (std::is_same_v<Out, R>) {
      return Value<R>::OfReal(dtype, f(*xs, *ys));
    } else {
      return Value<R>::OfInteger(dtype, f(*xs, *ys));
    }
  }
  // Most pairs are of one shape, or have a scalar: no indices to work out then.
  if (x.is_scalar() || y.is_scalar() || std::ranges::equal(x.dims(), y.dims())) {
    const Value<R>& whole = x.is_scalar() ? y : x;
    const size_t x_step = x.is_scalar() ? 0 : 1;
    const size_t y_step = y.is_scalar() ? 0 : 1;
    std::vector<Out> values;
    values.reserve(whole.size());
    for (size_t i = 0; i < whole.size(); ++i) values.push_back(f(xs[i * x_step], ys[i * y_step]));
    return Value<R>::Of(dtype, whole.elements->dims, std::move(values));
  }
  std::optional<Dims> dims = CommonDims(x.dims(), y.dims());
  if (!dims.has_value()) {
    situation.error = InvalidArgument("shapes " + DimsString(x.dims()) + " and " +
                                      DimsString(y.dims()) + " do not broadcast");
    return {};
  }
  const std::vector<int64_t> x_of = BroadcastIndices(x.dims(), *dims);
  const std::vector<int64_t> y_of = BroadcastIndices(y.dims(), *dims);
  std::vector<Out> values;
  values.reserve(x_of.size());
  for (size_t i = 0; i < x_of.size(); ++i) values.push_back(f(xs[x_of[i]], ys[y_of[i]]));
  return Value<R>::Of(dtype, std::move(*dims), std::move(values));
}

template <typename R>
Value<R> Unary(Op op, const Value<R>& x, Situation& situation) {
  const DType dtype = x.dtype;
  if (x.is_real()) {
    const auto [function, scale] = RealUnary<R>(op);
    if (function == nullptr) {
      NotFor(op, dtype, situation);
      return {};
    }
    return MapElements<R, R>(dtype, x, [&, f = function, scale = scale](const R& element) -> R {
      if (scale == nullptr) return Rounded(f(element), dtype);
      return RoundedFreely(f(element), scale(Decisive(element)), dtype);
    });
  }
  if (dtype == DType::kBool) {
    const bool is_like = op == Op::kZerosLike || op == Op::kOnesLike;
    if (op != Op::kLogicalNot && !is_like) {
      NotFor(op, dtype, situation);
      return {};
    }
    return MapElements<int64_t, int64_t>(dtype, x, [&](int64_t element) -> int64_t {
      return is_like ? op == Op::kOnesLike : element == 0;
    });
  }
  const auto function = IntegerUnary(op);
  if (function == nullptr) {
    NotFor(op, dtype, situation);
    return {};
  }
  return MapElements<int64_t, int64_t>(
      dtype, x, [&](int64_t element) { return Wrapped(function(element), dtype); });
}

template <typename R>
int64_t RealToInteger(const R& x, DType target, Situation& situation) {
  const double value = Decisive(x);
  const auto convert = [target](double from) -> int64_t {
    return target == DType::kBool ? from != 0 : Wrapped(ToInteger(from, target), target);
  };
  const int64_t result = convert(value);
  const double error = ErrorOf(x);
  if (error > 0 && (convert(value - error) != result || convert(value + error) != result)) {
    situation.undecided = true;
  }
  return result;
}

// Doubles and integers become 16-bit floats by way of float.
template <typename R>
R CastReal(const R& x, DType target) {
  if (target == DType::kDouble) return x;
  return Rounded(Rounded(x, DType::kFloat), target);
}

template <typename R>
Value<R> Cast(const Value<R>& x, DType target, Situation& situation) {
  if (x.is_real() && IsFloating(target)) {
    return MapElements<R, R>(target, x,
                             [&](const R& element) { return CastReal(element, target); });
  }
  if (x.is_real()) {
    return MapElements<int64_t, R>(
        target, x, [&](const R& element) { return RealToInteger(element, target, situation); });
  }
  if (IsFloating(target)) {
    return MapElements<R, int64_t>(target, x, [&](int64_t element) {
      if (target == DType::kDouble) return R(static_cast<double>(element));
      return Rounded(R(static_cast<float>(element)), target);
    });
  }
  return MapElements<int64_t, int64_t>(target, x, [&](int64_t element) -> int64_t {
    return target == DType::kBool ? element != 0 : Wrapped(element, target);
  });
}

// A comparison, or one of the logical operations of bools; nothing when op is neither.
template <typename R>
std::optional<Value<R>> Truth(Op op, const Value<R>& x, const Value<R>& y, Situation& situation) {
  if (op == Op::kLogicalAnd || op == Op::kLogicalOr) {
    const bool is_and = op == Op::kLogicalAnd;
    return MapPairs<int64_t, int64_t>(
        DType::kBool, x, y, situation,
        [&](int64_t a, int64_t b) -> int64_t { return is_and ? a & b : a | b; });
  }
  if (x.is_real()) {
    const auto compare = ComparisonOf<double>(op);
    if (compare == nullptr) return std::nullopt;
    return MapPairs<int64_t, R>(DType::kBool, x, y, situation, [&](const R& a, const R& b) {
      if (Doubtful(a, b)) situation.undecided = true;
      return static_cast<int64_t>(compare(Decisive(a), Decisive(b)));
    });
  }
  const auto compare = ComparisonOf<int64_t>(op);
  if (compare == nullptr) return std::nullopt;
  return MapPairs<int64_t, int64_t>(DType::kBool, x, y, situation, [&](int64_t a, int64_t b) {
    return static_cast<int64_t>(compare(a, b));
  });
}

template <typename R>
Value<R> Binary(Op op, const Value<R>& x, const Value<R>& y, Situation& situation) {
  const DType dtype = x.dtype;
  if (x.is_real()) {
    if (const auto function = RealBinary<R>(op)) {
      return MapPairs<R, R>(dtype, x, y, situation,
                            [&](const R& a, const R& b) { return Rounded(function(a, b), dtype); });
    }
  } else if (dtype != DType::kBool) {
    if (const auto function = IntegerBinary(op)) {
      const bool divides = op == Op::kFloorDiv || op == Op::kFloorMod;
      return MapPairs<int64_t, int64_t>(
          dtype, x, y, situation, [&](int64_t a, int64_t b) -> int64_t {
            if (!divides || b != 0) return Wrapped(function(a, b), dtype);
            situation.error = InvalidArgument("Integer division by zero");
            return 0;
          });
    }
  }
  if (std::optional<Value<R>> truth = Truth(op, x, y, situation)) return std::move(*truth);
  NotFor(op, dtype, situation);
  return {};
}

template <typename E, typename R>
Value<R> SelectElements(const Value<R>& condition, const Value<R>& x, const Value<R>& y,
                        Dims dims) {
  const std::vector<int64_t> condition_of = BroadcastIndices(condition.dims(), dims);
  const std::vector<int64_t> x_of = BroadcastIndices(x.dims(), dims);
  const std::vector<int64_t> y_of = BroadcastIndices(y.dims(), dims);
  const int64_t* choices = condition.template data<int64_t>();
  const E* xs = x.template data<E>();
  const E* ys = y.template data<E>();
  std::vector<E> values;
  values.reserve(x_of.size());
  for (size_t i = 0; i < x_of.size(); ++i) {
    values.push_back(choices[condition_of[i]] != 0 ? xs[x_of[i]] : ys[y_of[i]]);
  }
  return Value<R>::Of(x.dtype, std::move(dims), std::move(values));
}

template <typename R>
Value<R> Select(const Value<R>& condition, const Value<R>& x, const Value<R>& y,
                Situation& situation) {
  if (condition.is_scalar() && x.is_scalar() && y.is_scalar()) {
    return condition.integer != 0 ? x : y;
  }
  std::optional<Dims> dims = CommonDims(x.dims(), y.dims());
  if (dims.has_value()) dims = CommonDims(condition.dims(), *dims);
  if (!dims.has_value()) {
    situation.error = InvalidArgument("Select of " + DimsString(condition.dims()) + ", " +
                                      DimsString(x.dims()) + " and " + DimsString(y.dims()));
    return {};
  }
  return x.is_real() ? SelectElements<R>(condition, x, y, std::move(*dims))
                     : SelectElements<int64_t>(condition, x, y, std::move(*dims));
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_
