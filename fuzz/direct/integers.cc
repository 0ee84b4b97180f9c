#include "fuzz/direct/integers.h"

#include <limits>

namespace tagflow::fuzz {

int64_t ToInteger(double x, DType dtype) {
  // Truncation towards zero keeps a number above -2^31 - 1 inside; in 64 bits there is none
  // between.
  if (dtype == DType::kInt64) {
    return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x)
                                      : std::numeric_limits<int64_t>::min();
  }
  if (dtype == DType::kUInt32 && x >= 0x1p31 && x < 0x1p32) return static_cast<int64_t>(x);
  return x > -0x1p31 - 1 && x < 0x1p31 ? static_cast<int64_t>(x)
                                       : std::numeric_limits<int32_t>::min();
}

}  // namespace tagflow::fuzz
