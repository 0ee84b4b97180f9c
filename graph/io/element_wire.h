#ifndef TAGFLOW_GRAPH_IO_ELEMENT_WIRE_H_
#define TAGFLOW_GRAPH_IO_ELEMENT_WIRE_H_

// One element of each plain dtype in the repeated field that TensorProto has for it. Wire<T> says
// how many elements are given, reads the i-th, and appends one.

#include <complex>
#include <cstdint>

#include "graph/dtype.h"
#include "graph/io/graph.pb.h"

namespace tagflow {

template <typename T>
struct Wire;

// In `read` and `write`, `value` is the field's number and the element.
#define TAGFLOW_WIRE(T, field, read, write)                                        \
  template <>                                                                      \
  struct Wire<T> {                                                                 \
    static int64_t Size(const TensorProto& proto) { return proto.field##_size(); } \
    static T Get(const TensorProto& proto, int64_t i) {                            \
      const auto value = proto.field(static_cast<int>(i));                         \
      return read;                                                                 \
    }                                                                              \
    static void Add(TensorProto& proto, T value) { proto.add_##field(write); }     \
    static void Reserve(TensorProto& proto, int64_t n) {                           \
      proto.mutable_##field()->Reserve(static_cast<int>(n));                       \
    }                                                                              \
  }
TAGFLOW_WIRE(float, float_val, value, value);
TAGFLOW_WIRE(double, double_val, value, value);
TAGFLOW_WIRE(int32_t, int_val, value, value);
TAGFLOW_WIRE(uint8_t, int_val, static_cast<uint8_t>(value), value);
TAGFLOW_WIRE(int16_t, int_val, static_cast<int16_t>(value), value);
TAGFLOW_WIRE(int8_t, int_val, static_cast<int8_t>(value), value);
TAGFLOW_WIRE(uint16_t, int_val, static_cast<uint16_t>(value), value);
TAGFLOW_WIRE(int64_t, int64_val, value, value);
TAGFLOW_WIRE(uint32_t, uint32_val, value, value);
TAGFLOW_WIRE(uint64_t, uint64_val, value, value);
TAGFLOW_WIRE(bool, bool_val, value, value);
TAGFLOW_WIRE(Half, half_val, Half{static_cast<uint16_t>(value)}, value.bits);
TAGFLOW_WIRE(BFloat16, half_val, BFloat16{static_cast<uint16_t>(value)}, value.bits);
#undef TAGFLOW_WIRE

#define TAGFLOW_COMPLEX_WIRE(Part, field)                                                      \
  template <>                                                                                  \
  struct Wire<std::complex<Part>> {                                                            \
    static int64_t Size(const TensorProto& proto) { return proto.field##_size() / 2; }         \
    static std::complex<Part> Get(const TensorProto& proto, int64_t i) {                       \
      return {proto.field(static_cast<int>(2 * i)), proto.field(static_cast<int>(2 * i + 1))}; \
    }                                                                                          \
    static void Add(TensorProto& proto, std::complex<Part> value) {                            \
      proto.add_##field(value.real());                                                         \
      proto.add_##field(value.imag());                                                         \
    }                                                                                          \
    static void Reserve(TensorProto& proto, int64_t n) {                                       \
      proto.mutable_##field()->Reserve(static_cast<int>(2 * n));                               \
    }                                                                                          \
  }
TAGFLOW_COMPLEX_WIRE(float, scomplex_val);
TAGFLOW_COMPLEX_WIRE(double, dcomplex_val);
#undef TAGFLOW_COMPLEX_WIRE

// Calls visit.template operator()<T>() for the C++ type of a plain dtype. REQUIRES:
// IsPlainDType(dtype)
auto VisitPlain(DType dtype, auto&& visit) {
  switch (dtype) {
    case DType::kFloat:
      return visit.template operator()<float>();
    case DType::kDouble:
      return visit.template operator()<double>();
    case DType::kInt32:
      return visit.template operator()<int32_t>();
    case DType::kUInt8:
      return visit.template operator()<uint8_t>();
    case DType::kInt16:
      return visit.template operator()<int16_t>();
    case DType::kInt8:
      return visit.template operator()<int8_t>();
    case DType::kUInt16:
      return visit.template operator()<uint16_t>();
    case DType::kInt64:
      return visit.template operator()<int64_t>();
    case DType::kUInt32:
      return visit.template operator()<uint32_t>();
    case DType::kUInt64:
      return visit.template operator()<uint64_t>();
    case DType::kBool:
      return visit.template operator()<bool>();
    case DType::kHalf:
      return visit.template operator()<Half>();
    case DType::kBFloat16:
      return visit.template operator()<BFloat16>();
    case DType::kComplex64:
      return visit.template operator()<std::complex<float>>();
    case DType::kComplex128:
      return visit.template operator()<std::complex<double>>();
    default:
      CheckFailed(__FILE__, __LINE__, "a plain dtype");
  }
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_ELEMENT_WIRE_H_
