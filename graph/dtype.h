#ifndef TAGFLOW_GRAPH_DTYPE_H_
#define TAGFLOW_GRAPH_DTYPE_H_

// Element types, with the numbers of TensorFlow's DataType enum so that they go over the wire as
// they are.

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tagflow {

class Variant;
struct ResourceHandle;

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,  // the quantized types are named, so that graphs that mention them load; no Tensor
                // holds them
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};

// IEEE binary16 held as bits. Arithmetic is done in float and rounded once to nearest even.
struct Half {
  uint16_t bits = 0;
};
// The upper half of an IEEE binary32; same conventions as Half.
struct BFloat16 {
  uint16_t bits = 0;
};

float ToFloat(Half value);
float ToFloat(BFloat16 value);
Half HalfFromFloat(float value);          // round to nearest even; NaN stays NaN
Half HalfFromDouble(double value);        // one rounding, not through float
BFloat16 BFloat16FromFloat(float value);  // round to nearest even; NaN stays NaN

// "float", "int32", …: the names TensorFlow prints and op definitions use.
std::string DTypeName(DType dtype);
// Accepts "float" and "DT_FLOAT" forms, and "float32", "float64", "float16".
std::optional<DType> DTypeFromName(std::string_view name);
// Whether a Tensor may have this dtype (all but kInvalid and the quantized ones).
bool IsTensorDType(DType dtype);
// Whether a number from the wire names a dtype at all (ref bit already removed).
bool IsKnownDType(int number);
// Bytes of one element in host memory; REQUIRES: IsTensorDType(dtype).
size_t DTypeSize(DType dtype);
// Whether elements are plain bytes (all but string, resource and variant).
bool IsPlainDType(DType dtype);
bool IsFloating(DType dtype);  // half, bfloat16, float, double
bool IsComplex(DType dtype);
bool IsInteger(DType dtype);  // signed and unsigned, not bool

// An op argument's type: a dtype, or a reference to a variable of that dtype (wire number + 100).
struct ArgType {
  DType dtype = DType::kInvalid;
  bool is_ref = false;
  friend bool operator==(const ArgType&, const ArgType&) = default;
};
std::string ArgTypeName(ArgType type);  // "float" or "float_ref"

template <typename T>
struct DTypeOf;
#define TAGFLOW_DTYPE(cpp_type, name)           \
  template <>                                   \
  struct DTypeOf<cpp_type> {                    \
    static constexpr DType value = DType::name; \
  }
TAGFLOW_DTYPE(float, kFloat);
TAGFLOW_DTYPE(double, kDouble);
TAGFLOW_DTYPE(int32_t, kInt32);
TAGFLOW_DTYPE(uint8_t, kUInt8);
TAGFLOW_DTYPE(int16_t, kInt16);
TAGFLOW_DTYPE(int8_t, kInt8);
TAGFLOW_DTYPE(std::string, kString);
TAGFLOW_DTYPE(std::complex<float>, kComplex64);
TAGFLOW_DTYPE(int64_t, kInt64);
TAGFLOW_DTYPE(bool, kBool);
TAGFLOW_DTYPE(BFloat16, kBFloat16);
TAGFLOW_DTYPE(uint16_t, kUInt16);
TAGFLOW_DTYPE(std::complex<double>, kComplex128);
TAGFLOW_DTYPE(Half, kHalf);
TAGFLOW_DTYPE(ResourceHandle, kResource);
TAGFLOW_DTYPE(Variant, kVariant);
TAGFLOW_DTYPE(uint32_t, kUInt32);
TAGFLOW_DTYPE(uint64_t, kUInt64);
#undef TAGFLOW_DTYPE

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_DTYPE_H_
