// Cast: from any plain dtype to any other, as formulas/casts.h says.
//
// With the attr Truncate, a float loses the mantissa bits its target lacks instead of being
// rounded, for the pairs of KeptMantissaBits.
//
// The dtypes with loops of their own are converted directly. Others go by way of the widest type
// of their kind, which loses nothing: int64_t, uint64_t, double or complex<double>.

#include <algorithm>

#include "optimized/formulas/casts.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: what follows is about one of them
namespace {

// How many mantissa bits Truncate leaves; negative where it has no effect. It has one on narrowing
// casts, except to bfloat16 from anything but float, which TensorFlow rounds all the same.
int KeptMantissaBits(DType source, DType target) {
  const bool is_narrow = source == DType::kFloat || source == DType::kComplex64;
  const bool is_wide = source == DType::kDouble || source == DType::kComplex128;
  if (target == DType::kHalf && (is_narrow || is_wide)) return 10;
  if (target == DType::kBFloat16 && source == DType::kFloat) return 7;
  if ((target == DType::kFloat || target == DType::kComplex64) && is_wide) {
    return kFloatMantissaBits;
  }
  return -1;
}

void Truncate(double* values, int64_t count, int kept_bits) {
  for (double* value = values; value < values + count; ++value) {
    *value = Truncated(*value, kept_bits);
  }
}

// ---- Rows ----

using Convert = void (*)(const void* from, void* to, int64_t count);

template <typename From, typename To>
void ConvertRow(const void* from, void* to, int64_t count) {
  const From* x = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) out[i] = Converted<To>(x[i]);
}

// The conversion of one of the four wide types to a dtype; null for no number.
template <typename Wide>
Convert FromWide(DType target) {
  switch (target) {
    case DType::kBool:
      return ConvertRow<Wide, bool>;
    case DType::kInt8:
      return ConvertRow<Wide, int8_t>;
    case DType::kInt16:
      return ConvertRow<Wide, int16_t>;
    case DType::kInt32:
      return ConvertRow<Wide, int32_t>;
    case DType::kInt64:
      return ConvertRow<Wide, int64_t>;
    case DType::kUInt8:
      return ConvertRow<Wide, uint8_t>;
    case DType::kUInt16:
      return ConvertRow<Wide, uint16_t>;
    case DType::kUInt32:
      return ConvertRow<Wide, uint32_t>;
    case DType::kUInt64:
      return ConvertRow<Wide, uint64_t>;
    case DType::kHalf:
      return ConvertRow<Wide, Half>;
    case DType::kBFloat16:
      return ConvertRow<Wide, BFloat16>;
    case DType::kFloat:
      return ConvertRow<Wide, float>;
    case DType::kDouble:
      return ConvertRow<Wide, double>;
    case DType::kComplex64:
      return ConvertRow<Wide, std::complex<float>>;
    case DType::kComplex128:
      return ConvertRow<Wide, std::complex<double>>;
    default:
      return nullptr;
  }
}

Convert FromWidest(DType source, DType target) {
  if (IsComplex(source)) return FromWide<std::complex<double>>(target);
  if (IsFloating(source)) return FromWide<double>(target);
  return Contains(kUnsigned, source) ? FromWide<uint64_t>(target) : FromWide<int64_t>(target);
}

// ---- Kernels ----

// A cast by way of the widest type.
struct WideCast {
  DType source;
  DType target;
  const Widening* load;  // null: the source is the widest type itself
  Convert convert;
  int kept_bits;  // negative: all

  Status operator()(KernelContext& context) const {
    const Tensor& x = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, target, x.dims()));
    const auto size = static_cast<int64_t>(DTypeSize(source));
    const auto out_size = static_cast<int64_t>(DTypeSize(target));
    const char* from = static_cast<const char*>(x.raw_data());
    char* to = static_cast<char*>(out->mutable_raw_data());
    const int64_t all = x.num_elements();
    for (int64_t done = 0; done < all; done += kWideBlock) {
      ConvertBlock(from + done * size, to + done * out_size, std::min(kWideBlock, all - done));
    }
    return Status();
  }

  void ConvertBlock(const void* from, void* to, int64_t count) const {
    alignas(64) double block[kWideBlock * kWideSizeMax / sizeof(double)];
    if (load == nullptr) {
      std::copy_n(static_cast<const char*>(from), count * DTypeSize(source),
                  reinterpret_cast<char*>(block));
    } else {
      load->load(from, block, count);
    }
    if (kept_bits >= 0) Truncate(block, IsComplex(source) ? 2 * count : count, kept_bits);
    convert(block, to, count);
  }
};

template <typename From, typename To>
BoundKernel DirectCast() {
  const CastPart part = {DTypeOf<From>::value, DTypeOf<To>::value};
  return BindPart(part, [](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.is_inline()) [[likely]] {
      context.output(0).SetScalar(Converted<To>(x.inline_value<From>()));
      return Status();
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DTypeOf<To>::value, x.dims()));
    ConvertRow<From, To>(x.raw_data(), out->mutable_raw_data(), x.num_elements());
    return Status();
  });
}

// Calls f.operator()<T>() when the dtype has loops of its own, else gives nothing.
template <typename F>
BoundKernel WithNativeType(DType dtype, F f) {
  switch (dtype) {
    case DType::kBool:
      return f.template operator()<bool>();
    case DType::kInt32:
      return f.template operator()<int32_t>();
    case DType::kInt64:
      return f.template operator()<int64_t>();
    case DType::kFloat:
      return f.template operator()<float>();
    case DType::kDouble:
      return f.template operator()<double>();
    default:
      return BoundKernel();
  }
}
BoundKernel FindDirectCast(DType source, DType target) {
  return WithNativeType(source, [&]<typename From>() {
    return WithNativeType(target, []<typename To>() { return DirectCast<From, To>(); });
  });
}

//   inputs[0]: of the dtype the attr SrcT names;  output: the same shape, of DstT
//   Errors: UNIMPLEMENTED for a dtype that is not plain
Result<BoundKernel> BindCast(const Binding& binding) {
  const DType source = binding.input_dtype(0);
  const DType target = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const bool truncate, BoolAttr(binding.node, "Truncate"));
  if (source == target) {
    return BoundKernel([](KernelContext& context) {
      context.output(0) = context.Take(0);
      return Status();
    });
  }
  constexpr DTypeSet kCastable = kNumbers | SetOf(DType::kBool);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, source, kCastable));
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, target, kCastable));
  const int kept_bits = truncate ? KeptMantissaBits(source, target) : -1;
  BoundKernel direct = FindDirectCast(source, target);
  if (kept_bits < 0 && direct.function() != nullptr) return direct;
  return BoundKernel(
      WideCast{source, target, WidestWidening(source), FromWidest(source, target), kept_bits});
}

}  // namespace

Status RegisterCastKernels(KernelRegistry& registry) { return registry.Register("Cast", BindCast); }

}  // namespace tagflow::optimized
