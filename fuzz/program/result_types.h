#ifndef TAGFLOW_FUZZ_PROGRAM_RESULT_TYPES_H_
#define TAGFLOW_FUZZ_PROGRAM_RESULT_TYPES_H_

// The types that operations give, from those of their operands.
//
// A dimension that is not the same every time is a negative number here, a name: where two types
// show the same name, the two dimensions are equal whenever the program gets there. That is all
// there is to know about it: an unknown dimension meets itself, or one of size 1, and nothing else.

#include <cstdint>
#include <vector>

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

constexpr int kMaxRank = 8;
// Of a tensor whose dimensions are all known; of an array; of a stack.
constexpr int64_t kMaxElements = 1 << 20;

// A type with named dimensions.
struct NamedType {
  Type type;
  int64_t length = -1;  // of an array; -1: not known
};

// Makes names for dimensions.
class DimNames {
 public:
  int64_t New() { return --last_; }
  // The type with a name of its own for each -1.
  Type Name(Type type);

 private:
  int64_t last_ = -1;
};

// The type with -1 for each name.
Type Unnamed(Type type);

// Whether a value of `type` may be where `wanted` is asked for: what `wanted` leaves open may be
// anything. Both with names or without.
bool Fits(const Type& type, const Type& wanted);

// "float", "int32[2,?]", "array of float[2]", "stack of double".
std::string TypeText(const Type& type);

// A tensor of a dtype that programs have, at most kMaxRank, and kMaxElements if its size is known.
Status CheckType(const Type& type);

// The types of the outputs of a statement without blocks. What an operation cannot tell (Const,
// Cast, ArrayNew, StackNew, Read) is taken from `declared`, the types of its outputs.
//   REQUIRES: the statement passed CheckScopes; operands are as many as its operands.
//   Errors: INVALID_ARGUMENT: the operands or the numbers do not suit the operation.
Result<std::vector<NamedType>> ResultTypes(const Statement& statement,
                                           const std::vector<NamedType>& operands,
                                           const std::vector<Type>& declared, DimNames& names);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_RESULT_TYPES_H_
