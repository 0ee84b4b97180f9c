// Cast: from any plain dtype to any other.
//
// Rules where C++ has none, or several:
//   - Fractions are cut off towards zero.
//   - A float out of an integer's range, or NaN, gives what x86-64's conversion instruction gives.
//     It is converted to int32 (for targets of up to 32 bits) or int64, whose least value stands
//     for "out of range", and the target keeps the low bits. An unsigned target of 32 or 64 bits
//     has the upper half of its own range too.
//   - Doubles and integers become 16-bit floats by way of float: two roundings.
//   - A complex number becomes a real one (or bool) by its real part.
//   - Anything but zero is true, NaN too.
// With the attr Truncate, a float loses the mantissa bits its target lacks instead of being
// rounded, for the pairs of KeptMantissaBits.

#include "reference/kernels/cast.h"

#include <bit>
#include <limits>
#include <optional>

#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Widths are few here so that pairs are few: every source is widened, without loss, to one of
// int64_t, uint64_t, double and complex<double>.

template <std::signed_integral Int>
Int ConvertOrLeast(double x) {
  const double limit = -static_cast<double>(std::numeric_limits<Int>::min());
  const double whole = std::trunc(x);
  return whole >= -limit && whole < limit ? static_cast<Int>(whole)
                                          : std::numeric_limits<Int>::min();
}

// The low bits of the result are the target's.
int64_t ToSigned(double x, DType target) {
  if (target == DType::kBool) return x != 0;
  return target == DType::kInt64 ? ConvertOrLeast<int64_t>(x) : ConvertOrLeast<int32_t>(x);
}
uint64_t ToUnsigned(double x, DType target) {
  if (target == DType::kUInt32 && x >= 0x1p31) {
    return x < 0x1p32 ? static_cast<uint64_t>(x) : uint64_t{1} << 31;
  }
  if (target != DType::kUInt64) return static_cast<uint64_t>(ConvertOrLeast<int32_t>(x));
  // Two halves of the range; the second counts where the first is out of range.
  const int64_t low = ConvertOrLeast<int64_t>(x);
  const int64_t high = ConvertOrLeast<int64_t>(x - 0x1p63);
  return static_cast<uint64_t>(low) | (low < 0 ? static_cast<uint64_t>(high) : 0);
}

template <typename To, typename From>
To Convert(From x, DType target) {
  if constexpr (ComplexElement<From> && ComplexElement<To>) {
    return static_cast<To>(x);
  } else if constexpr (ComplexElement<From>) {
    return Convert<To>(x.real(), target);
  } else if constexpr (ComplexElement<To>) {
    return To(static_cast<typename To::value_type>(x), 0);
  } else if constexpr (kIsShort<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::same_as<From, double> && std::same_as<To, int64_t>) {
    return ToSigned(x, target);
  } else if constexpr (std::same_as<From, double> && std::same_as<To, uint64_t>) {
    return ToUnsigned(x, target);
  } else if constexpr (IntegerElement<From> && std::same_as<To, int64_t>) {
    return target == DType::kBool ? x != 0 : static_cast<int64_t>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename C>
struct WidenedType {
  using Type = C;
};
template <FloatElement C>
struct WidenedType<C> {
  using Type = double;
};
template <ComplexElement C>
struct WidenedType<C> {
  using Type = std::complex<double>;
};

// How many mantissa bits Truncate leaves; nothing where it has no effect. It has one on narrowing
// casts, except to bfloat16 from anything but float, which TensorFlow rounds all the same.
std::optional<int> KeptMantissaBits(DType source, DType target) {
  const bool is_narrow = source == DType::kFloat || source == DType::kComplex64;
  const bool is_wide = source == DType::kDouble || source == DType::kComplex128;
  if (target == DType::kHalf && (is_narrow || is_wide)) return 10;
  if (target == DType::kBFloat16 && source == DType::kFloat) return 7;
  if ((target == DType::kFloat || target == DType::kComplex64) && is_wide) return 23;
  return std::nullopt;
}

double Truncated(double x, int kept_bits) {
  constexpr int kMantissaBits = 52;
  if (std::isnan(x)) return x;
  const uint64_t dropped = (uint64_t{1} << (kMantissaBits - kept_bits)) - 1;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & ~dropped);
}
std::complex<double> Truncated(std::complex<double> x, int kept_bits) {
  return {Truncated(x.real(), kept_bits), Truncated(x.imag(), kept_bits)};
}

template <typename Wide>
Result<Tensor> CastWidened(const std::vector<Wide>& values, DType target, DimsView dims) {
  return WithComputingType(target, [&](auto computing) -> Result<Tensor> {
    using To = typename decltype(computing)::Type;
    if constexpr (NumberElement<To>) {
      std::vector<To> converted;
      for (const Wide& value : values) converted.push_back(Convert<To>(value, target));
      return Store(target, dims, converted);
    } else {
      return Internal("no cast from a number to a string");
    }
  });
}

//   inputs[0]: of the dtype the attr SrcT names;  output: the same shape, of DstT
//   Errors: UNIMPLEMENTED for a dtype that is not plain
Status Cast(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const DType target, TypeAttr(context.node, "DstT"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool truncate, BoolAttr(context.node, "Truncate"));
  if (x.dtype() == target) {
    context.outputs[0] = x;
    return Status();
  }
  constexpr DTypeSet kCastable = kNumbers | DTypeSet{DType::kBool};
  if (!kCastable.contains(x.dtype()) || !kCastable.contains(target)) {
    return Unimplemented("Cast " + DTypeName(x.dtype()) + " to " + DTypeName(target) +
                         " is not supported");
  }
  std::optional<int> kept_bits;
  if (truncate) kept_bits = KeptMantissaBits(x.dtype(), target);
  return WithComputingType(x.dtype(), [&](auto computing) -> Status {
    using From = typename decltype(computing)::Type;
    if constexpr (NumberElement<From>) {
      using Wide = typename WidenedType<From>::Type;
      std::vector<Wide> values;
      for (const From& value : Load<From>(x)) {
        values.push_back(static_cast<Wide>(value));
        if constexpr (ContinuousElement<From>) {
          if (kept_bits.has_value()) values.back() = Truncated(values.back(), *kept_bits);
        }
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], CastWidened(values, target, x.dims()));
    }
    return Status();
  });
}

}  // namespace

Result<Tensor> CastDoubles(DType target, DimsView dims, const std::vector<double>& values) {
  return CastWidened(values, target, dims);
}

Status RegisterCastKernels(KernelRegistry& registry) { return registry.Register("Cast", Cast); }

}  // namespace tagflow::reference
