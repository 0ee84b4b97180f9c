#ifndef TAGFLOW_FUZZ_PROGRAM_OP_H_
#define TAGFLOW_FUZZ_PROGRAM_OP_H_

// The operations of programs.

#include <cstdint>
#include <optional>
#include <string_view>

namespace tagflow::fuzz {

enum class Op : uint8_t {
  kConst,
  kIdentity,
  kStopGradient,
  // Elementwise, one operand.
  kNeg,
  kAbs,
  kSign,
  kSquare,
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kLogicalNot,
  kZerosLike,
  kOnesLike,
  kCast,  // to the dtype of the output
  // Elementwise, two operands that broadcast.
  kAdd,
  kSub,
  kMul,
  kDiv,       // RealDiv; floats
  kFloorDiv,  // integers
  kFloorMod,  // integers
  kMaximum,
  kMinimum,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kLogicalAnd,
  kLogicalOr,
  kSelect,  // {condition, x, y}, all of one shape or scalars
  // Reductions. numbers: the axes; none: all of them.
  kSum,
  kMean,
  kMax,
  kMin,
  // Shapes and rearrangements.
  kMatMul,
  kReshape,     // numbers: the new dims
  kExpandDims,  // numbers: {axis}
  kConcat,      // two operands; numbers: {axis}
  kSlice,       // numbers: begin of each dimension, then size of each
  kPack,        // any operands of one type, along a new first dimension
  kElementAt,   // {x, index (int32 scalar)}: the index modulo the first dimension
  kTile,        // numbers: the multiple of each dimension
  kTranspose,   // numbers: the permutation
  kFill,        // {scalar}; numbers: the dims
  kShape,       // int32
  kSize,        // int32
  kRank,        // int32
  // Arrays: elements by index, each written at most once and read after.
  kArrayNew,     // numbers: {size}
  kArrayWrite,   // {array, index (int32 scalar), value} -> array
  kArrayRead,    // {array, index (int32 scalar)} -> {value}; does not use the array up
  kArrayGather,  // {array} -> {all elements, stacked}; all are written; does not use it up
  // Stacks.
  kStackNew,   // numbers: {most}
  kStackPush,  // {stack, value} -> stack
  kStackPop,   // {stack} -> {value, stack}
  // Variables.
  kRead,       // -> {value}
  kAssign,     // {value} -> {}
  kAssignAdd,  // {value} -> {}
  // Control flow: program.h.
  kCond,
  kCase,
  kWhile,
};
constexpr int kNumOps = static_cast<int>(Op::kWhile) + 1;

// "Const", "Identity", …, as the text form writes it.
std::string_view OpName(Op op);
std::optional<Op> OpOfName(std::string_view name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_OP_H_
