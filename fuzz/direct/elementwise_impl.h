#ifndef TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_

// Definitions for elementwise.h, instantiated once for each R. Operations are found as functions of
// numbers first and applied to all elements then, so that there is one loop for all of them.

#include <string>

#include "fuzz/direct/elementwise.h"
#include "fuzz/direct/integers.h"
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
  std::optional<Dims> dims = BroadcastDims(x.dims(), y.dims());
  if (!dims.has_value()) {
    situation.error = InvalidArgument("shapes " + DimsString(x.dims()) + " and " +
                                      DimsString(y.dims()) + " do not broadcast");
    return {};
  }
  const std::vector<int64_t> x_of = BroadcastIndicesOf(x.dims(), *dims);
  const std::vector<int64_t> y_of = BroadcastIndicesOf(y.dims(), *dims);
  std::vector<Out> values;
  values.reserve(x_of.size());
  for (size_t i = 0; i < x_of.size(); ++i) values.push_back(f(xs[x_of[i]], ys[y_of[i]]));
  return Value<R>::Of(dtype, std::move(*dims), std::move(values));
}

// A function of reals, and what its error is relative to (RoundedFreely); `scale` is null where it
// is rounded alike everywhere.
template <typename R>
struct RealFunction {
  R (*function)(const R&) = nullptr;
  double (*scale)(double) = nullptr;
};

// Near a multiple of pi engines are off by units of 1, not of the result; at 0 by none.
inline double SineScale(double x) { return std::fmin(std::fabs(x), 1); }
inline double CosineScale(double) { return 1; }
inline double NoScale(double) { return 0; }

template <typename R>
RealFunction<R> RealUnary(Op op) {
  switch (op) {
    case Op::kNeg:
      return {[](const R& x) -> R { return -x; }};
    case Op::kAbs:
      return {[](const R& x) -> R { return Abs(x); }};
    case Op::kSign:
      return {[](const R& x) -> R { return Sign(x); }};
    case Op::kSquare:
      return {[](const R& x) -> R { return x * x; }};
    case Op::kSqrt:
      return {[](const R& x) -> R { return Sqrt(x); }};
    case Op::kExp:
      return {[](const R& x) -> R { return Exp(x); }, NoScale};
    case Op::kLog:
      return {[](const R& x) -> R { return Log(x); }, NoScale};
    case Op::kSin:
      return {[](const R& x) -> R { return Sin(x); }, SineScale};
    case Op::kCos:
      return {[](const R& x) -> R { return Cos(x); }, CosineScale};
    case Op::kTanh:
      return {[](const R& x) -> R { return Tanh(x); }, NoScale};
    case Op::kSigmoid:
      return {[](const R& x) -> R { return Sigmoid(x); }, NoScale};
    case Op::kZerosLike:
      return {[](const R&) -> R { return R(0); }};
    case Op::kOnesLike:
      return {[](const R&) -> R { return R(1); }};
    default:
      return {};
  }
}

inline int64_t (*IntegerUnary(Op op))(int64_t) {
  switch (op) {
    case Op::kNeg:
      return [](int64_t x) { return WrappingSub(0, x); };
    case Op::kAbs:
      return [](int64_t x) { return x < 0 ? WrappingSub(0, x) : x; };
    case Op::kSign:
      return [](int64_t x) -> int64_t { return x > 0 ? 1 : x < 0 ? -1 : 0; };
    case Op::kSquare:
      return [](int64_t x) { return WrappingMul(x, x); };
    case Op::kZerosLike:
      return [](int64_t) -> int64_t { return 0; };
    case Op::kOnesLike:
      return [](int64_t) -> int64_t { return 1; };
    default:
      return nullptr;
  }
}

template <typename R>
Value<R> Unary(Op op, const Value<R>& x, Situation& situation) {
  const DType dtype = x.dtype;
  if (x.is_real()) {
    const auto [function, scale] = RealUnary<R>(op);
    const bool single = x.is_single();
    if (function == nullptr) {
      NotFor(op, dtype, situation);
      return {};
    }
    return MapElements<R, R>(dtype, x, [&, f = function, scale = scale](const R& element) -> R {
      if (scale == nullptr) return Rounded(f(element), single);
      return RoundedFreely(f(element), scale(Decisive(element)), single);
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

template <typename R>
Value<R> Cast(const Value<R>& x, DType target, Situation& situation) {
  const bool single = target == DType::kFloat;
  const bool to_real = single || target == DType::kDouble;
  if (x.is_real() && to_real) {
    return MapElements<R, R>(target, x, [&](const R& element) { return Rounded(element, single); });
  }
  if (x.is_real()) {
    return MapElements<int64_t, R>(
        target, x, [&](const R& element) { return RealToInteger(element, target, situation); });
  }
  if (to_real) {
    return MapElements<R, int64_t>(target, x, [&](int64_t element) {
      return R(single ? static_cast<float>(element) : static_cast<double>(element));
    });
  }
  return MapElements<int64_t, int64_t>(target, x, [&](int64_t element) -> int64_t {
    return target == DType::kBool ? element != 0 : Wrapped(element, target);
  });
}

template <typename R>
using RealPairFunction = R (*)(const R&, const R&);

template <typename R>
RealPairFunction<R> RealBinary(Op op) {
  switch (op) {
    case Op::kAdd:
      return [](const R& x, const R& y) -> R { return x + y; };
    case Op::kSub:
      return [](const R& x, const R& y) -> R { return x - y; };
    case Op::kMul:
      return [](const R& x, const R& y) -> R { return x * y; };
    case Op::kDiv:
      return [](const R& x, const R& y) -> R { return x / y; };
    case Op::kMaximum:
      return [](const R& x, const R& y) -> R { return Maximum(x, y); };
    case Op::kMinimum:
      return [](const R& x, const R& y) -> R { return Minimum(x, y); };
    default:
      return nullptr;
  }
}

using IntegerPairFunction = int64_t (*)(int64_t, int64_t);

inline IntegerPairFunction IntegerBinary(Op op) {
  switch (op) {
    case Op::kAdd:
      return WrappingAdd;
    case Op::kSub:
      return WrappingSub;
    case Op::kMul:
      return WrappingMul;
    case Op::kFloorDiv:
      return FloorQuotient;
    case Op::kFloorMod:
      return FloorRemainder;
    case Op::kMaximum:
      return [](int64_t x, int64_t y) { return x > y ? x : y; };
    case Op::kMinimum:
      return [](int64_t x, int64_t y) { return x < y ? x : y; };
    default:
      return nullptr;
  }
}

template <typename T>
bool (*ComparisonOf(Op op))(T, T) {
  switch (op) {
    case Op::kLess:
      return [](T x, T y) { return x < y; };
    case Op::kLessEqual:
      return [](T x, T y) { return x <= y; };
    case Op::kGreater:
      return [](T x, T y) { return x > y; };
    case Op::kGreaterEqual:
      return [](T x, T y) { return x >= y; };
    case Op::kEqual:
      return [](T x, T y) { return x == y; };
    case Op::kNotEqual:
      return [](T x, T y) { return x != y; };
    default:
      return nullptr;
  }
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
      const bool single = x.is_single();
      return MapPairs<R, R>(dtype, x, y, situation, [&](const R& a, const R& b) {
        return Rounded(function(a, b), single);
      });
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
Value<R> SelectElements(const Value<R>& condition, const Value<R>& x, const Value<R>& y) {
  const int64_t* choices = condition.template data<int64_t>();
  const E* xs = x.template data<E>();
  const E* ys = y.template data<E>();
  std::vector<E> values;
  for (size_t i = 0; i < x.size(); ++i) {
    values.push_back(choices[condition.is_scalar() ? 0 : i] != 0 ? xs[i] : ys[i]);
  }
  return Value<R>::Of(x.dtype, Dims(x.dims().begin(), x.dims().end()), std::move(values));
}

template <typename R>
Value<R> Select(const Value<R>& condition, const Value<R>& x, const Value<R>& y,
                Situation& situation) {
  if (condition.is_scalar() && BroadcastDims(x.dims(), y.dims()).has_value() &&
      x.size() == y.size()) {
    return condition.integer != 0 ? x : y;
  }
  if (x.size() != y.size() || condition.size() != x.size()) {
    situation.error = InvalidArgument("Select of " + DimsString(condition.dims()) + ", " +
                                      DimsString(x.dims()) + " and " + DimsString(y.dims()));
    return {};
  }
  return x.is_real() ? SelectElements<R>(condition, x, y)
                     : SelectElements<int64_t>(condition, x, y);
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_ELEMENTWISE_IMPL_H_
