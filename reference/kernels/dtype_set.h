#ifndef TAGFLOW_REFERENCE_KERNELS_DTYPE_SET_H_
#define TAGFLOW_REFERENCE_KERNELS_DTYPE_SET_H_

// Sets of dtypes: which of them a kernel computes. They are those of TensorFlow's CPU kernels, so
// that a graph is refused here exactly where it is refused there.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "graph/dtype.h"
#include "graph/status.h"

namespace tagflow::reference {

class DTypeSet {
 public:
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (DType dtype : dtypes) bits_ |= Bit(dtype);
  }
  constexpr bool contains(DType dtype) const { return (bits_ & Bit(dtype)) != 0; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr DTypeSet operator-(DTypeSet a, DTypeSet b) {
    a.bits_ &= ~b.bits_;
    return a;
  }

 private:
  static constexpr uint32_t Bit(DType dtype) { return uint32_t{1} << static_cast<int>(dtype); }
  uint32_t bits_ = 0;
};

inline constexpr DTypeSet kSigned = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
inline constexpr DTypeSet kUnsigned = {DType::kUInt8, DType::kUInt16, DType::kUInt32,
                                       DType::kUInt64};
inline constexpr DTypeSet kIntegers = kSigned | kUnsigned;
inline constexpr DTypeSet kFloating = {DType::kHalf, DType::kBFloat16, DType::kFloat,
                                       DType::kDouble};
inline constexpr DTypeSet kComplexes = {DType::kComplex64, DType::kComplex128};
inline constexpr DTypeSet kReals = kIntegers | kFloating;  // numbers that are ordered
inline constexpr DTypeSet kNumbers = kReals | kComplexes;
// All but handles and variants.
inline constexpr DTypeSet kValues = kNumbers | DTypeSet{DType::kBool, DType::kString};

// OK, or UNIMPLEMENTED naming op and dtype.
Status RequireDType(std::string_view op, DType dtype, DTypeSet supported);
// OK, or UNIMPLEMENTED: a graph may name dtypes, quantized ones say, that no tensor of ours has.
Status RequireTensorDType(DType dtype);
// OK, or INVALID_ARGUMENT naming both: two inputs that must have one dtype have not.
Status RequireSameDType(std::string_view op, DType a, DType b);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_DTYPE_SET_H_
