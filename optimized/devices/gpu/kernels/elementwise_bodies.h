#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_BODIES_H_

// Elementwise kernels, by the formulas of the host's (optimized/formulas), and the tables of the
// ops that are so.
//
// Tested by conformance/gpu/host_bodies_test.cc.

#include <cstdint>
#include <type_traits>

#include "graph/dtype.h"
#include "optimized/devices/fault_place.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/pair_places.h"
#include "optimized/formulas/activations.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/arithmetic.h"
#include "optimized/formulas/comparisons.h"
#include "optimized/formulas/functions.h"
#include "optimized/formulas/gradients.h"

namespace tagflow::optimized {

// An input is in memory, or it is a scalar that the host has: then its pointer is null.
struct PairArgs {
  const void* x;
  const void* y;
  alignas(8) char x_scalar[8];
  alignas(8) char y_scalar[8];
  void* out;
  int64_t count;
  PairPlaces places;
  FaultPlace fault;  // of a formula that refuses pairs
};
struct MapArgs {
  const void* x;
  void* out;
  int64_t count;
};

// Whether a formula refuses some pairs: divisions of integers do.
template <typename F, typename C>
concept RefusingPairs = requires(C x) {
  F::Refuses(x, x);
  F::Refusal();
};

template <typename F, typename C>
struct PairBody {
  using Out = std::invoke_result_t<F, C, C>;
  explicit PairBody(const PairArgs& args)
      : x(static_cast<const C*>(args.x)),
        y(static_cast<const C*>(args.y)),
        x_scalar(*reinterpret_cast<const C*>(args.x_scalar)),
        y_scalar(*reinterpret_cast<const C*>(args.y_scalar)),
        out(static_cast<Out*>(args.out)),
        places(args.places),
        fault(args.fault) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    int64_t x_at = i, y_at = i;
    if (places.rank > 0) places.Find(i, x_at, y_at);
    const C a = x != nullptr ? x[x_at] : x_scalar;
    const C b = y != nullptr ? y[y_at] : y_scalar;
    if constexpr (RefusingPairs<F, C>) {
      if (F::Refuses(a, b) != nullptr) return fault.Note(i);
    }
    out[i] = F()(a, b);
  }
  const C* x;
  const C* y;
  C x_scalar, y_scalar;
  Out* out;
  PairPlaces places;
  FaultPlace fault;
};

template <typename F, typename C>
struct MapBody {
  using Out = std::invoke_result_t<F, C>;
  explicit MapBody(const MapArgs& args)
      : x(static_cast<const C*>(args.x)), out(static_cast<Out*>(args.out)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const { out[i] = F()(x[i]); }
  const C* x;
  Out* out;
};

// Functions of double, of a float too, rounded once.
template <typename F>
struct ByDoubles {
  TAGFLOW_ANYWHERE double operator()(double x) const { return F()(x); }
  TAGFLOW_ANYWHERE float operator()(float x) const {
    return static_cast<float>(F()(static_cast<double>(x)));
  }
};

// Whether a formula calls functions that the host's library and CUDA's compute differently.
template <typename F>
inline constexpr bool kCallsLibrary = false;
template <typename F>
inline constexpr bool kCallsLibrary<ByDoubles<F>> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::Pow> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::Atan2> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::UnlessZero<formulas::TimesLog>> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::UnlessZero<formulas::TimesLog1p>> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::Elu> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::Selu> = true;
template <>
inline constexpr bool kCallsLibrary<formulas::SoftplusGrad> = true;

// Each calls visit.template operator()<F, C>(op, dtype) for every formula and dtype of the table.
template <typename F, typename Visit>
void VisitFloats(const char* op, const Visit& visit) {
  visit.template operator()<F, float>(op, DType::kFloat);
  visit.template operator()<F, double>(op, DType::kDouble);
}
template <typename F, typename Visit>
void VisitNumbers(const char* op, const Visit& visit) {
  VisitFloats<F>(op, visit);
  visit.template operator()<F, int32_t>(op, DType::kInt32);
  visit.template operator()<F, int64_t>(op, DType::kInt64);
}

template <typename Visit>
void ForEachPairKernel(const Visit& visit) {
  VisitNumbers<formulas::Add>("Add", visit);
  VisitNumbers<formulas::Add>("AddV2", visit);
  VisitNumbers<formulas::Sub>("Sub", visit);
  VisitNumbers<formulas::Mul>("Mul", visit);
  VisitNumbers<formulas::Maximum>("Maximum", visit);
  VisitNumbers<formulas::Minimum>("Minimum", visit);
  VisitNumbers<formulas::SquaredDifference>("SquaredDifference", visit);
  VisitNumbers<formulas::Div>("Div", visit);
  VisitFloats<formulas::Div>("RealDiv", visit);
  VisitNumbers<formulas::FloorDiv>("FloorDiv", visit);
  VisitNumbers<formulas::FloorMod>("FloorMod", visit);
  VisitFloats<formulas::DivNoNan>("DivNoNan", visit);
  VisitFloats<formulas::MulNoNan>("MulNoNan", visit);
  VisitFloats<formulas::Pow>("Pow", visit);
  VisitFloats<formulas::Atan2>("Atan2", visit);
  VisitNumbers<formulas::TruncateDiv>("TruncateDiv", visit);
  VisitNumbers<formulas::TruncateMod>("TruncateMod", visit);
  VisitNumbers<formulas::TruncateMod>("Mod", visit);
  VisitFloats<formulas::NextAfter>("NextAfter", visit);
  VisitFloats<formulas::UnlessZero<formulas::Div>>("Xdivy", visit);
  VisitFloats<formulas::UnlessZero<formulas::TimesLog>>("Xlogy", visit);
  VisitFloats<formulas::UnlessZero<formulas::TimesLog1p>>("Xlog1py", visit);
  VisitNumbers<formulas::Equal>("Equal", visit);
  visit.template operator()<formulas::Equal, bool>("Equal", DType::kBool);
  VisitNumbers<formulas::NotEqual>("NotEqual", visit);
  visit.template operator()<formulas::NotEqual, bool>("NotEqual", DType::kBool);
  VisitNumbers<formulas::Less>("Less", visit);
  VisitNumbers<formulas::LessEqual>("LessEqual", visit);
  VisitNumbers<formulas::Greater>("Greater", visit);
  VisitNumbers<formulas::GreaterEqual>("GreaterEqual", visit);
  visit.template operator()<formulas::LogicalAnd, bool>("LogicalAnd", DType::kInvalid);
  visit.template operator()<formulas::LogicalOr, bool>("LogicalOr", DType::kInvalid);
}

// Those whose inputs have one shape.
template <typename Visit>
void ForEachSamePairKernel(const Visit& visit) {
  VisitNumbers<formulas::ReluGrad>("ReluGrad", visit);
  VisitNumbers<formulas::Relu6Grad>("Relu6Grad", visit);
  VisitFloats<formulas::EluGrad>("EluGrad", visit);
  VisitFloats<formulas::SeluGrad>("SeluGrad", visit);
  VisitFloats<formulas::SoftplusGrad>("SoftplusGrad", visit);
  VisitFloats<formulas::SoftsignGrad>("SoftsignGrad", visit);
  VisitFloats<formulas::TanhGrad>("TanhGrad", visit);
  VisitFloats<formulas::SigmoidGrad>("SigmoidGrad", visit);
  VisitFloats<formulas::SqrtGrad>("SqrtGrad", visit);
  VisitFloats<formulas::RsqrtGrad>("RsqrtGrad", visit);
  VisitFloats<formulas::ReciprocalGrad>("ReciprocalGrad", visit);
  VisitFloats<formulas::ReciprocalGrad>("InvGrad", visit);
}

template <typename Visit>
void ForEachMapKernel(const Visit& visit) {
  VisitNumbers<formulas::Neg>("Neg", visit);
  VisitNumbers<formulas::Abs>("Abs", visit);
  VisitNumbers<formulas::Square>("Square", visit);
  VisitNumbers<formulas::Sign>("Sign", visit);
  VisitFloats<formulas::Reciprocal>("Reciprocal", visit);
  VisitFloats<formulas::Reciprocal>("Inv", visit);
  VisitFloats<formulas::Sqrt>("Sqrt", visit);
  VisitFloats<formulas::Floor>("Floor", visit);
  VisitFloats<formulas::Ceil>("Ceil", visit);
  VisitFloats<formulas::Round>("Round", visit);
  VisitFloats<formulas::Round>("Rint", visit);
  VisitFloats<formulas::Exp>("Exp", visit);
  VisitFloats<formulas::Tanh>("Tanh", visit);
  VisitFloats<formulas::Sigmoid>("Sigmoid", visit);
  VisitFloats<ByDoubles<formulas::Log>>("Log", visit);
  VisitFloats<ByDoubles<formulas::Log1p>>("Log1p", visit);
  VisitFloats<ByDoubles<formulas::Expm1>>("Expm1", visit);
  VisitFloats<ByDoubles<formulas::Rsqrt>>("Rsqrt", visit);
  VisitFloats<ByDoubles<formulas::Sin>>("Sin", visit);
  VisitFloats<ByDoubles<formulas::Cos>>("Cos", visit);
  VisitFloats<ByDoubles<formulas::Tan>>("Tan", visit);
  VisitFloats<ByDoubles<formulas::Asin>>("Asin", visit);
  VisitFloats<ByDoubles<formulas::Acos>>("Acos", visit);
  VisitFloats<ByDoubles<formulas::Atan>>("Atan", visit);
  VisitFloats<ByDoubles<formulas::Sinh>>("Sinh", visit);
  VisitFloats<ByDoubles<formulas::Cosh>>("Cosh", visit);
  VisitFloats<ByDoubles<formulas::Asinh>>("Asinh", visit);
  VisitFloats<ByDoubles<formulas::Acosh>>("Acosh", visit);
  VisitFloats<ByDoubles<formulas::Atanh>>("Atanh", visit);
  VisitNumbers<formulas::Relu>("Relu", visit);
  VisitNumbers<formulas::Relu6>("Relu6", visit);
  VisitFloats<formulas::Elu>("Elu", visit);
  VisitFloats<formulas::Selu>("Selu", visit);
  VisitFloats<ByDoubles<formulas::Softplus>>("Softplus", visit);
  VisitFloats<formulas::Softsign>("Softsign", visit);
  VisitFloats<formulas::IsNan>("IsNan", visit);
  VisitFloats<formulas::IsInf>("IsInf", visit);
  VisitFloats<formulas::IsFinite>("IsFinite", visit);
  visit.template operator()<formulas::LogicalNot, bool>("LogicalNot", DType::kInvalid);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_BODIES_H_
