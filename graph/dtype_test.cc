#include "graph/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/variant.h"

namespace tagflow {
namespace {

// The value of finite binary bits, computed from the definition of the format in double (exact).
double Decode(uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double fraction = static_cast<double>(bits & ((1u << mantissa_bits) - 1));
  const double one = std::ldexp(1.0, mantissa_bits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction / one, 1 - bias)
                                         : std::ldexp(1 + fraction / one, exponent - bias);
  return bits >> (exponent_bits + mantissa_bits) != 0 ? -magnitude : magnitude;
}

TEST(HalfTest, EveryValueDecodesByTheFormatsDefinition) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = ToFloat(Half{static_cast<uint16_t>(bits)});
    if ((bits & 0x7c00) != 0x7c00) {
      ASSERT_EQ(value, Decode(bits, 5, 10)) << bits;
      ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    } else if ((bits & 0x3ff) == 0) {
      ASSERT_TRUE(std::isinf(value) && std::signbit(value) == (bits >= 0x8000)) << bits;
    } else {
      ASSERT_TRUE(std::isnan(value)) << bits;
    }
  }
}

TEST(HalfTest, EveryValueRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = ToFloat(Half{static_cast<uint16_t>(bits)});
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(ToFloat(HalfFromFloat(value))));
    } else {
      ASSERT_EQ(HalfFromFloat(value).bits, bits);
      ASSERT_EQ(HalfFromDouble(value).bits, bits);
    }
  }
}

// Between each pair of neighbours: below the middle rounds down, above it up, the middle to even.
// (The middle after the largest finite value rounds to infinity, whose bits follow it.)
TEST(HalfTest, RoundsToNearestEvenFromDouble) {
  for (uint32_t low = 0; low < 0x7c00; ++low) {
    const double a = Decode(low, 5, 10);
    const double b = low + 1 == 0x7c00 ? 65536.0 : Decode(low + 1, 5, 10);
    const double middle = (a + b) / 2;
    const uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(HalfFromDouble(middle).bits, even);
    ASSERT_EQ(HalfFromDouble(-middle).bits, even | 0x8000);
    ASSERT_EQ(HalfFromFloat(static_cast<float>(middle)).bits, even);
    ASSERT_EQ(HalfFromDouble(std::nextafter(middle, 0)).bits, low);
    ASSERT_EQ(HalfFromDouble(std::nextafter(middle, 1e9)).bits, low + 1);
    ASSERT_EQ(HalfFromFloat(std::nextafterf(static_cast<float>(middle), 0)).bits, low);
    ASSERT_EQ(HalfFromFloat(std::nextafterf(static_cast<float>(middle), 1e9f)).bits, low + 1);
  }
}

TEST(HalfTest, BeyondTheRange) {
  EXPECT_EQ(HalfFromDouble(1e300).bits, 0x7c00);
  EXPECT_EQ(HalfFromFloat(-1e30f).bits, 0xfc00);
  EXPECT_EQ(HalfFromDouble(1e-300).bits, 0);
  EXPECT_EQ(HalfFromDouble(-1e-300).bits, 0x8000);
  EXPECT_EQ(HalfFromFloat(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(HalfFromFloat(INFINITY).bits, 0x7c00);
}

TEST(BFloat16Test, EveryValueDecodesAndRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = ToFloat(BFloat16{static_cast<uint16_t>(bits)});
    if ((bits & 0x7f80) != 0x7f80) {
      ASSERT_EQ(value, Decode(bits, 8, 7)) << bits;
      ASSERT_EQ(BFloat16FromFloat(value).bits, bits);
    } else if ((bits & 0x7f) == 0) {
      ASSERT_TRUE(std::isinf(value));
      ASSERT_EQ(BFloat16FromFloat(value).bits, bits);
    } else {
      ASSERT_TRUE(std::isnan(value) && std::isnan(ToFloat(BFloat16FromFloat(value)))) << bits;
    }
  }
}

TEST(BFloat16Test, RoundsToNearestEven) {
  for (uint32_t low = 0; low < 0x7f80; ++low) {
    const float middle = std::bit_cast<float>((low << 16) | 0x8000u);
    const uint32_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(BFloat16FromFloat(middle).bits, even);
    ASSERT_EQ(BFloat16FromFloat(-middle).bits, even | 0x8000);
    ASSERT_EQ(BFloat16FromFloat(std::nextafterf(middle, 0)).bits, low);
    ASSERT_EQ(BFloat16FromFloat(std::nextafterf(middle, INFINITY)).bits, low + 1);
  }
}

TEST(BFloat16Test, NanWhoseUpperBitsAreZeroStaysNan) {
  EXPECT_TRUE(std::isnan(ToFloat(BFloat16FromFloat(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(ToFloat(BFloat16FromFloat(std::bit_cast<float>(0xffffffffu)))));
}

TEST(DTypeTest, NamesRoundTripInBothForms) {
  for (int number = 1; number <= 23; ++number) {
    const DType dtype = static_cast<DType>(number);
    EXPECT_TRUE(IsKnownDType(number));
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
    EXPECT_EQ(DTypeFromName("DT_" + DTypeName(dtype)), dtype);
  }
  EXPECT_EQ(DTypeFromName("DT_FLOAT"), DType::kFloat);
  EXPECT_EQ(DTypeFromName("float64"), DType::kDouble);
  EXPECT_EQ(DTypeFromName("float16"), DType::kHalf);
  EXPECT_EQ(DTypeFromName("invalid"), std::nullopt);
  EXPECT_EQ(DTypeFromName("number"), std::nullopt);
  EXPECT_FALSE(IsKnownDType(0));
  EXPECT_FALSE(IsKnownDType(24));
  EXPECT_FALSE(IsKnownDType(-1));
  EXPECT_FALSE(IsKnownDType(103));
}

TEST(DTypeTest, SizesAreThoseOfTheCppTypes) {
  EXPECT_EQ(DTypeSize(DTypeOf<float>::value), sizeof(float));
  EXPECT_EQ(DTypeSize(DTypeOf<Half>::value), sizeof(Half));
  EXPECT_EQ(DTypeSize(DTypeOf<bool>::value), sizeof(bool));
  EXPECT_EQ(DTypeSize(DTypeOf<uint64_t>::value), sizeof(uint64_t));
  EXPECT_EQ(DTypeSize(DTypeOf<std::complex<double>>::value), sizeof(std::complex<double>));
  EXPECT_EQ(DTypeSize(DTypeOf<std::string>::value), sizeof(std::string));
  EXPECT_EQ(DTypeSize(DTypeOf<Variant>::value), sizeof(Variant));
  EXPECT_EQ(DTypeSize(DTypeOf<ResourceHandle>::value), sizeof(ResourceHandle));
}

TEST(DTypeTest, EveryDTypeIsOfOneClass) {
  for (int number = 1; number <= 23; ++number) {
    const DType dtype = static_cast<DType>(number);
    const int classes = IsFloating(dtype) + IsComplex(dtype) + IsInteger(dtype);
    EXPECT_LE(classes, 1) << DTypeName(dtype);
    if (classes == 1) {
      EXPECT_TRUE(IsPlainDType(dtype) && IsTensorDType(dtype));
    }
  }
  EXPECT_FALSE(IsInteger(DType::kBool));
  EXPECT_FALSE(IsTensorDType(DType::kQInt8));
  EXPECT_FALSE(IsTensorDType(DType::kInvalid));
  EXPECT_FALSE(IsPlainDType(DType::kString));
}

TEST(DTypeTest, ArgTypeNames) {
  EXPECT_EQ(ArgTypeName({DType::kFloat, false}), "float");
  EXPECT_EQ(ArgTypeName({DType::kInt32, true}), "int32_ref");
}

}  // namespace
}  // namespace tagflow
