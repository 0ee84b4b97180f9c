// A number written in a program, as a constant of the type its neighbours have.

#include <cmath>
#include <complex>
#include <limits>

#include "graph/builder/input.h"

namespace tagflow {
namespace {

Status DoesNotFit(const Tensor& value, DType dtype) {
  return InvalidArgument("the literal " + value.DebugString() + " is not a " + DTypeName(dtype));
}

bool IsIntegerLiteral(const Tensor& value) {
  return value.dtype() == DType::kInt32 || value.dtype() == DType::kInt64;
}

int64_t IntegerOf(const Tensor& value) {
  return value.dtype() == DType::kInt32 ? value.scalar<int32_t>() : value.scalar<int64_t>();
}

double RealOf(const Tensor& value) {
  if (IsIntegerLiteral(value)) return static_cast<double>(IntegerOf(value));
  return value.dtype() == DType::kFloat ? static_cast<double>(value.scalar<float>())
                                        : value.scalar<double>();
}

// The literal as an exact integer; nothing for a fraction or what is too large.
std::optional<int64_t> WholeOf(const Tensor& value) {
  if (IsIntegerLiteral(value)) return IntegerOf(value);
  const double real = RealOf(value);
  if (!(real >= -0x1p63 && real < 0x1p63) || real != std::trunc(real)) return std::nullopt;
  return static_cast<int64_t>(real);
}

template <typename T>
Result<Tensor> AsInteger(const Tensor& value) {
  const std::optional<int64_t> whole = WholeOf(value);
  if (!whole.has_value() || !std::in_range<T>(*whole)) return DoesNotFit(value, DTypeOf<T>::value);
  return Tensor::Scalar(static_cast<T>(*whole));
}

}  // namespace

Result<Tensor> Literal::As(DType dtype) const {
  if (dtype == value_.dtype()) return value_;
  if (value_.dtype() == DType::kBool) return DoesNotFit(value_, dtype);
  const double real = RealOf(value_);
  switch (dtype) {
    case DType::kInt8:
      return AsInteger<int8_t>(value_);
    case DType::kInt16:
      return AsInteger<int16_t>(value_);
    case DType::kInt32:
      return AsInteger<int32_t>(value_);
    case DType::kInt64:
      return AsInteger<int64_t>(value_);
    case DType::kUInt8:
      return AsInteger<uint8_t>(value_);
    case DType::kUInt16:
      return AsInteger<uint16_t>(value_);
    case DType::kUInt32:
      return AsInteger<uint32_t>(value_);
    case DType::kUInt64:
      return AsInteger<uint64_t>(value_);
    case DType::kHalf:
      return Tensor::Scalar(HalfFromDouble(real));
    case DType::kBFloat16:
      return Tensor::Scalar(BFloat16FromFloat(static_cast<float>(real)));
    case DType::kFloat:
      return Tensor::Scalar(static_cast<float>(real));
    case DType::kDouble:
      return Tensor::Scalar(real);
    case DType::kComplex64:
      return Tensor::Scalar(std::complex<float>(static_cast<float>(real)));
    case DType::kComplex128:
      return Tensor::Scalar(std::complex<double>(real));
    default:
      return DoesNotFit(value_, dtype);
  }
}

}  // namespace tagflow
