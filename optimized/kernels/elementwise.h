#ifndef TAGFLOW_OPTIMIZED_KERNELS_ELEMENTWISE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ELEMENTWISE_H_

// Kernels made of a formula (formula.h): a table of the ops' names and formulas is all that most
// families are.
//
// A loop over a row of elements is compiled for each formula and computing type; what rows there
// are, and how elements get into the computing type, is the business of elementwise.cc, which is
// compiled once. Scalars take a way of their own, without memory.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "optimized/formulas/numbers.h"
#include "optimized/kernel.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

// How the elements of an op come and go: the widening of its inputs and output, null where the
// loop takes them as they are.
struct Elements {
  DType input;
  DType output;
  const Widening* load;
  const Widening* store;
};

enum class PairShapes { kBroadcast, kSame };

// What a loop computes, for those who compile it anew (optimized/native/): a formula on numbers of
// one C++ type. kInvalid: of a type that no dtype has.
struct FormulaUse {
  std::string_view name;
  DType computes = DType::kInvalid;
};

// An op on one dtype, bound.
struct PairLoop {
  PairCompute compute;  // null: there is none
  Elements elements;
  PairShapes shapes = PairShapes::kBroadcast;
  double parameter = 0;
  FormulaUse formula = {};
};
struct MapLoop {
  MapCompute compute;
  Elements elements;
  double parameter = 0;
  FormulaUse formula = {};
};

// Computes output 0 from inputs 0 and 1, or from input 0.
//   Errors: INVALID_ARGUMENT for shapes that do not fit, and for what the formula refuses;
//   RESOURCE_EXHAUSTED
Status RunPairs(const PairLoop& loop, KernelContext& context);
// The same with inputs taken to be of other shapes, of as many elements.
Status RunPairs(const PairLoop& loop, KernelContext& context, DimsView x_dims, DimsView y_dims);
Status RunMap(const MapLoop& loop, KernelContext& context);

// ---- Scalars ----

// The functions of bound kernels whose state is a loop: on scalars in place, else the loop. That
// of elements of type T, and that of what no scalar in place is of.
template <typename F, typename T>
Status CallPairs(const void* state, KernelContext& context) {
  const PairLoop& loop = *static_cast<const PairLoop*>(state);
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  if (!x.is_inline() || !y.is_inline()) [[unlikely]] {
    return RunPairs(loop, context);
  }
  const T a = x.inline_value<T>(), b = y.inline_value<T>();
  if constexpr (Refusing<F, T>) {
    if (const char* why = F::Refuses(a, b)) return InvalidArgument(why);
  }
  context.output(0).SetScalar(MakeFormula<F>(loop.parameter)(a, b));
  return Status();
}
Status CallPairs(const void* state, KernelContext& context);

template <typename F, typename C, typename T>
Status CallMap(const void* state, KernelContext& context) {
  const MapLoop& loop = *static_cast<const MapLoop*>(state);
  const Tensor& x = context.input(0);
  if (!x.is_inline()) [[unlikely]] {
    return RunMap(loop, context);
  }
  using Out = std::invoke_result_t<F, C>;
  using Stored = std::conditional_t<std::same_as<Out, C>, T, Out>;
  const C value = static_cast<C>(x.inline_value<T>());
  context.output(0).SetScalar(static_cast<Stored>(MakeFormula<F>(loop.parameter)(value)));
  return Status();
}
Status CallMap(const void* state, KernelContext& context);

// ---- Formulas by dtype ----

// What a formula is compiled to for one computing type: nothing, where it does not take it.
struct PairForm {
  PairCompute compute = nullptr;
  BoundKernel::Function call = nullptr;
  bool gives_bool = false;
  FormulaUse formula = {};
};
struct MapForm {
  MapCompute compute = nullptr;
  BoundKernel::Function call = nullptr;
  bool gives_bool = false;
  FormulaUse formula = {};
};

template <typename F, typename C>
constexpr FormulaUse FormulaUseOf() {
  constexpr bool kIsOfDType = std::is_arithmetic_v<C> && std::is_empty_v<F>;
  if constexpr (kIsOfDType) return {FormulaName<F>(), DTypeOf<C>::value};
  return {};
}

template <typename F, typename C>
constexpr PairCompute PairComputeOf() {
  if constexpr (kIsHot<F, C>) return ComputeHotPairs<F, C>;
  return ComputePairs<F, C>;
}
template <typename F, typename C>
constexpr PairForm PairFormOf() {
  if constexpr (!std::invocable<F, C, C>) {
    return {};
  } else {
    constexpr bool kGivesBool = std::same_as<std::invoke_result_t<F, C, C>, bool>;
    constexpr PairCompute kCompute = PairComputeOf<F, C>();
    constexpr FormulaUse kFormula = FormulaUseOf<F, C>();
    if constexpr (kIsNative<C>) return {kCompute, CallPairs<F, C>, kGivesBool, kFormula};
    return {kCompute, CallPairs, kGivesBool, kFormula};
  }
}
template <typename F, typename C>
constexpr MapCompute MapComputeOf() {
  if constexpr (kIsHot<F, C> && HasSteps<F, C>) return ComputeHotSteps<F, C>;
  if constexpr (kIsHot<F, C>) return ComputeHotMap<F, C>;
  return ComputeMap<F, C>;
}
template <typename F, typename C, typename T = C>
constexpr MapForm MapFormOf() {
  if constexpr (!std::invocable<F, C>) {
    return {};
  } else {
    constexpr bool kGivesBool = std::same_as<std::invoke_result_t<F, C>, bool>;
    constexpr MapCompute kCompute = MapComputeOf<F, C>();
    constexpr FormulaUse kFormula = FormulaUseOf<F, C>();
    if constexpr (kIsNative<T>) return {kCompute, CallMap<F, C, T>, kGivesBool, kFormula};
    return {kCompute, CallMap, kGivesBool, kFormula};
  }
}

// The forms of a formula, one per computing type.
template <typename Form>
struct Forms {
  Form of_bool, of_int32, of_int64, of_uint64, of_float, of_double, of_half, of_bfloat16,
      of_complex64, of_complex128, of_string;
};
using PairForms = Forms<PairForm>;
using MapForms = Forms<MapForm>;

template <typename F>
inline constexpr PairForms kPairForms = {
    PairFormOf<F, bool>(),
    PairFormOf<F, int32_t>(),
    PairFormOf<F, int64_t>(),
    PairFormOf<F, uint64_t>(),
    PairFormOf<F, float>(),
    PairFormOf<F, double>(),
    PairFormOf<F, RoundedHalf>(),
    PairFormOf<F, RoundedBFloat16>(),
    PairFormOf<F, std::complex<float>>(),
    PairFormOf<F, std::complex<double>>(),
    PairFormOf<F, std::string>(),
};
template <typename F>
inline constexpr MapForms kMapForms = {
    MapFormOf<F, bool>(),
    MapFormOf<F, int32_t>(),
    MapFormOf<F, int64_t>(),
    MapFormOf<F, uint64_t>(),
    MapFormOf<F, float>(),
    MapFormOf<F, double>(),
    MapFormOf<F, RoundedHalf>(),
    MapFormOf<F, RoundedBFloat16>(),
    MapFormOf<F, std::complex<float>>(),
    MapFormOf<F, std::complex<double>>(),
    MapFormOf<F, std::string>(),
};
// The forms of a function of double, of float where it gives one, and of std::complex<double> where
// it takes one.
struct DoubleForms {
  MapForm of_float, of_double, of_short, of_complex;
  bool computes_float = false;  // as it is, and not in double
};
template <typename F>
constexpr DoubleForms DoubleFormsOf() {
  constexpr bool kComputesFloat = std::same_as<std::invoke_result_t<F, float>, float>;
  using Single = std::conditional_t<kComputesFloat, float, double>;
  return {MapFormOf<F, Single, float>(), MapFormOf<F, double>(), MapFormOf<F, double, Half>(),
          MapFormOf<F, std::complex<double>>(), kComputesFloat};
}
template <typename F>
inline constexpr DoubleForms kDoubleForms = DoubleFormsOf<F>();

// ---- Binding ----

// What computes pairs of this dtype, by broadcasting.
PairLoop FindPairLoop(DType dtype, const PairForms& forms);
// Computes one row, of elements that may need widening: null, or what is refused.
const char* ComputeRow(const PairLoop& loop, const PairRow& row);
void ComputeRow(const MapLoop& loop, const MapRow& row);

// A kernel for two inputs of one dtype, which is one of `dtypes`: UNIMPLEMENTED for others.
Result<BoundKernel> BindPairs(const Binding& binding, DTypeSet dtypes, const PairForms& forms,
                              PairShapes shapes = PairShapes::kBroadcast, double parameter = 0);
// A kernel for one input.
Result<BoundKernel> BindMap(const Binding& binding, DTypeSet dtypes, const MapForms& forms,
                            double parameter = 0);
// The same for a function of double, whose result is rounded once to the input's dtype; and of
// float, where it has a form of its own.
Result<BoundKernel> BindDoubleMap(const Binding& binding, DTypeSet dtypes,
                                  const DoubleForms& forms);

// Binders for a table of ops. The forms outlive them.
Binder PairBinder(DTypeSet dtypes, const PairForms& forms, PairShapes shapes);
Binder MapBinder(DTypeSet dtypes, const MapForms& forms);
Binder DoubleMapBinder(DTypeSet dtypes, const DoubleForms& forms);

template <typename F>
Binder Pairs(DTypeSet dtypes, PairShapes shapes = PairShapes::kBroadcast) {
  return PairBinder(dtypes, kPairForms<F>, shapes);
}
template <typename F>
Binder Map(DTypeSet dtypes) {
  return MapBinder(dtypes, kMapForms<F>);
}
template <typename F>
Binder DoubleMap(DTypeSet dtypes) {
  return DoubleMapBinder(dtypes, kDoubleForms<F>);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ELEMENTWISE_H_
