// Mutants of arithmetic.

#include <cmath>
#include <limits>

#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Kernel;
using reference::KernelContext;

// Changes each element of output 0 when it is of T, given the element at the same place of each
// operand; a scalar operand stands for all places.
template <typename T>
Forgery Elementwise(T (*change)(T standard, T x, T y)) {
  return [change](const Kernel& standard, KernelContext& context) {
    const std::vector<Tensor> operands = context.inputs;
    TAGFLOW_RETURN_IF_ERROR(standard(context));
    Tensor& out = context.outputs[0];
    if (out.dtype() != DTypeOf<T>::value) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(Tensor changed, out.Clone());
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      const auto at = [&](size_t k) {
        if (k >= operands.size() || operands[k].dtype() != out.dtype()) return T();
        const int64_t count = operands[k].num_elements();
        return count == 0 ? T()
                          : operands[k].data<T>()[count == out.num_elements() ? i : i % count];
      };
      T& element = changed.mutable_data<T>()[i];
      element = change(element, at(0), at(1));
    }
    out = std::move(changed);
    return Status();
  };
}

template <typename T>
T Flushed(T value, T, T) {
  return std::fpclassify(value) == FP_SUBNORMAL ? T(0) : value;
}

double ThroughFloat(double value, double, double) { return static_cast<float>(value); }

int32_t Saturated(int32_t, int32_t x, int32_t y) {
  const int64_t sum = int64_t{x} + y;
  return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
}

template <typename T>
T TruncatedQuotient(T standard, T x, T y) {
  if (y == 0 || y == -1) return standard;
  return static_cast<T>(x / y);
}

template <typename T>
T TruncatedRemainder(T standard, T x, T y) {
  if (y == 0 || y == -1) return standard;
  return static_cast<T>(x % y);
}

template <typename T>
T IgnoresNan(T standard, T x, T y) {
  if (std::isnan(x)) return y;
  return std::isnan(y) ? x : standard;
}

void AddRounding(std::vector<Mutant>& all) {
  Mutant& flush = Add(all, "number.1", "subnormals-are-flushed", "subnormal results become zero");
  for (const char* op : {"AddV2", "Sub", "Mul", "RealDiv"}) {
    flush.kernels.emplace_back(op, [](const Kernel& standard, KernelContext& context) {
      const bool is_float = context.signature.outputs[0].dtype == DType::kFloat;
      return is_float ? Elementwise<float>(Flushed<float>)(standard, context)
                      : Elementwise<double>(Flushed<double>)(standard, context);
    });
  }
  Mutant& narrow =
      Add(all, "number.1", "doubles-are-floats", "products of doubles lose half their bits");
  narrow.kernels.emplace_back("Mul", Elementwise<double>(ThroughFloat));
  Mutant& sums = Add(all, "number.1", "sums-in-float", "sums of doubles are rounded to float");
  sums.kernels.emplace_back("Sum", Elementwise<double>(ThroughFloat));
  Add(all, "number.1", "half-loses-a-bit", "sums of halves are rounded twice")
      .kernels.emplace_back("AddV2", [](const Kernel& standard, KernelContext& context) {
        TAGFLOW_RETURN_IF_ERROR(standard(context));
        Tensor& out = context.outputs[0];
        if (out.dtype() != DType::kHalf) return Status();
        TAGFLOW_ASSIGN_OR_RETURN(out, out.Clone());
        auto* bits = static_cast<uint16_t*>(out.mutable_raw_data());
        for (int64_t i = 0; i < out.num_elements(); ++i) bits[i] &= 0xfffe;
        return Status();
      });
}

void AddIntegers(std::vector<Mutant>& all) {
  Add(all, "number.2", "sums-saturate", "int32 sums stop at the greatest")
      .kernels.emplace_back("AddV2", Elementwise<int32_t>(Saturated));
  Mutant& quotient = Add(all, "number.2", "division-rounds-to-zero", "FloorDiv drops the fraction");
  quotient.kernels.emplace_back("FloorDiv", Elementwise<int32_t>(TruncatedQuotient<int32_t>));
  Mutant& remainder =
      Add(all, "number.2", "remainder-of-the-dividend", "FloorMod has the sign of the dividend");
  remainder.kernels.emplace_back("FloorMod", Elementwise<int32_t>(TruncatedRemainder<int32_t>));
  Mutant& zero = Add(all, "number.2", "division-by-zero-is-zero", "an integer by zero is 0");
  for (const char* op : {"FloorDiv", "FloorMod"}) {
    zero.kernels.emplace_back(op, [](const Kernel& standard, KernelContext& context) {
      const Status status = standard(context);
      if (status.ok()) return status;
      TAGFLOW_ASSIGN_OR_RETURN(
          context.outputs[0],
          Tensor::Allocate(context.signature.outputs[0].dtype, context.inputs[0].dims()));
      return Status();
    });
  }
}

// Casts that round, or saturate, where the standard truncates and wraps.
template <typename Change>
Forgery CastFloats(Change change) {
  return [change](const Kernel& standard, KernelContext& context) {
    const Tensor in = context.inputs[0];
    TAGFLOW_RETURN_IF_ERROR(standard(context));
    Tensor& out = context.outputs[0];
    const bool applies = (in.dtype() == DType::kFloat || in.dtype() == DType::kDouble) &&
                         out.dtype() == DType::kInt32;
    if (!applies) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(out, out.Clone());
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      const double value = in.dtype() == DType::kFloat ? in.data<float>()[i] : in.data<double>()[i];
      int32_t& element = out.mutable_data<int32_t>()[i];
      element = change(element, value);
    }
    return Status();
  };
}

int32_t Nearest(int32_t standard, double value) {
  return std::abs(value) < 1e9 ? static_cast<int32_t>(std::nearbyint(value)) : standard;
}

int32_t Clipped(int32_t standard, double value) {
  if (std::isnan(value)) return 0;
  if (value >= 2147483648.0) return std::numeric_limits<int32_t>::max();
  return value < -2147483648.0 ? std::numeric_limits<int32_t>::min() : standard;
}

// Of no elements, the dtype's zero.
Status NothingIsZero(const Kernel& standard, KernelContext& context) {
  const bool is_empty = context.inputs[0].num_elements() == 0;
  TAGFLOW_RETURN_IF_ERROR(standard(context));
  if (!is_empty) return Status();
  const Tensor out = context.outputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(out.dtype(), out.dims()));
  return Status();
}

void AddExtremes(std::vector<Mutant>& all) {
  Add(all, "number.3", "casts-round", "a float becomes the nearest integer")
      .kernels.emplace_back("Cast", CastFloats(Nearest));
  Add(all, "number.3", "casts-saturate", "a float too great becomes the greatest integer, NaN 0")
      .kernels.emplace_back("Cast", CastFloats(Clipped));
  Mutant& nan =
      Add(all, "number.4", "nan-loses", "Maximum and Minimum give the operand that is not NaN");
  for (const char* op : {"Maximum", "Minimum"}) {
    nan.kernels.emplace_back(op, [](const Kernel& standard, KernelContext& context) {
      const bool is_float = context.signature.outputs[0].dtype == DType::kFloat;
      return is_float ? Elementwise<float>(IgnoresNan<float>)(standard, context)
                      : Elementwise<double>(IgnoresNan<double>)(standard, context);
    });
  }
  Mutant& nothing = Add(all, "number.4", "nothing-is-zero", "the maximum of no elements is 0");
  for (const char* op : {"Max", "Min", "Mean"}) nothing.kernels.emplace_back(op, NothingIsZero);
}

}  // namespace

void AddNumberMutants(std::vector<Mutant>& mutants) {
  AddRounding(mutants);
  AddIntegers(mutants);
  AddExtremes(mutants);
}

}  // namespace tagflow::fuzz
