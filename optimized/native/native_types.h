#ifndef TAGFLOW_OPTIMIZED_NATIVE_NATIVE_TYPES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_NATIVE_TYPES_H_

// The dtypes whose scalars machine code holds in registers, as LLVM's language writes them.
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <optional>
#include <string>

#include "graph/tensor.h"
#include "optimized/native/ir_lines.h"

namespace tagflow::optimized {

struct NativeType {
  DType dtype = DType::kInvalid;
  const char* body = "";    // in the names of bodies: "i32" of Add_i32
  const char* value = "";   // of a value: "i1"
  const char* memory = "";  // as it lies in a tensor: "i8"
  bool is_unsigned = false;
};

// Null for a dtype that has none.
const NativeType* NativeTypeOf(DType dtype);

// Numbers as LLVM writes them. REQUIRES: a native type
std::string NativeLiteral(DType dtype, int value);
std::string NativeLiteral(const Tensor& scalar);

// A value as it is computed with, made of what lies in memory; and the other way round.
std::string FromMemory(IrLines& lines, const NativeType& type, const std::string& memory);
std::string ToMemory(IrLines& lines, const NativeType& type, const std::string& value);

// What an int32 or int64 scalar holds; nothing for other values.
std::optional<int64_t> IntegerIn(const Tensor& value);

// An int32 or int64 as an i64.
std::string AsIndex(IrLines& lines, DType dtype, const std::string& value);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_NATIVE_TYPES_H_
