#include "fuzz/program/op.h"

#include "fuzz/program/op_arity.h"

namespace tagflow::fuzz {
namespace {

struct Row {
  Op op;
  std::string_view name;
  OpArity arity;
};

constexpr int kAny = OpArity::kAny;

// In the order of the enum, which walk_test.cc checks.
constexpr Row kRows[kNumOps] = {
    {Op::kConst, "Const", {0, 1, 0}},
    {Op::kIdentity, "Identity", {1, 1, 0}},
    {Op::kStopGradient, "StopGradient", {1, 1, 0}},
    {Op::kNeg, "Neg", {1, 1, 0}},
    {Op::kAbs, "Abs", {1, 1, 0}},
    {Op::kSign, "Sign", {1, 1, 0}},
    {Op::kSquare, "Square", {1, 1, 0}},
    {Op::kSqrt, "Sqrt", {1, 1, 0}},
    {Op::kExp, "Exp", {1, 1, 0}},
    {Op::kLog, "Log", {1, 1, 0}},
    {Op::kSin, "Sin", {1, 1, 0}},
    {Op::kCos, "Cos", {1, 1, 0}},
    {Op::kTanh, "Tanh", {1, 1, 0}},
    {Op::kSigmoid, "Sigmoid", {1, 1, 0}},
    {Op::kLogicalNot, "LogicalNot", {1, 1, 0}},
    {Op::kZerosLike, "ZerosLike", {1, 1, 0}},
    {Op::kOnesLike, "OnesLike", {1, 1, 0}},
    {Op::kCast, "Cast", {1, 1, 0}},
    {Op::kAdd, "Add", {2, 1, 0}},
    {Op::kSub, "Sub", {2, 1, 0}},
    {Op::kMul, "Mul", {2, 1, 0}},
    {Op::kDiv, "Div", {2, 1, 0}},
    {Op::kFloorDiv, "FloorDiv", {2, 1, 0}},
    {Op::kFloorMod, "FloorMod", {2, 1, 0}},
    {Op::kMaximum, "Maximum", {2, 1, 0}},
    {Op::kMinimum, "Minimum", {2, 1, 0}},
    {Op::kLess, "Less", {2, 1, 0}},
    {Op::kLessEqual, "LessEqual", {2, 1, 0}},
    {Op::kGreater, "Greater", {2, 1, 0}},
    {Op::kGreaterEqual, "GreaterEqual", {2, 1, 0}},
    {Op::kEqual, "Equal", {2, 1, 0}},
    {Op::kNotEqual, "NotEqual", {2, 1, 0}},
    {Op::kLogicalAnd, "LogicalAnd", {2, 1, 0}},
    {Op::kLogicalOr, "LogicalOr", {2, 1, 0}},
    {Op::kSelect, "Select", {3, 1, 0}},
    {Op::kSum, "Sum", {1, 1, kAny}},
    {Op::kMean, "Mean", {1, 1, kAny}},
    {Op::kMax, "Max", {1, 1, kAny}},
    {Op::kMin, "Min", {1, 1, kAny}},
    {Op::kMatMul, "MatMul", {2, 1, 0}},
    {Op::kReshape, "Reshape", {1, 1, kAny}},
    {Op::kExpandDims, "ExpandDims", {1, 1, 1}},
    {Op::kConcat, "Concat", {2, 1, 1}},
    {Op::kSlice, "Slice", {1, 1, kAny}},
    {Op::kPack, "Pack", {kAny, 1, 0}},
    {Op::kElementAt, "ElementAt", {2, 1, 0}},
    {Op::kTile, "Tile", {1, 1, kAny}},
    {Op::kTranspose, "Transpose", {1, 1, kAny}},
    {Op::kFill, "Fill", {1, 1, kAny}},
    {Op::kShape, "Shape", {1, 1, 0}},
    {Op::kSize, "Size", {1, 1, 0}},
    {Op::kRank, "Rank", {1, 1, 0}},
    {Op::kArrayNew, "ArrayNew", {0, 1, 1}},
    {Op::kArrayWrite, "ArrayWrite", {3, 1, 0}},
    {Op::kArrayRead, "ArrayRead", {2, 1, 0}},
    {Op::kArrayGather, "ArrayGather", {1, 1, 0}},
    {Op::kStackNew, "StackNew", {0, 1, 1}},
    {Op::kStackPush, "StackPush", {2, 1, 0}},
    {Op::kStackPop, "StackPop", {1, 2, 0}},
    {Op::kRead, "Read", {0, 1, 0}},
    {Op::kAssign, "Assign", {1, 0, 0}},
    {Op::kAssignAdd, "AssignAdd", {1, 0, 0}},
    {Op::kCond, "Cond", {1, kAny, 0}},
    {Op::kCase, "Case", {1, kAny, 0}},
    {Op::kWhile, "While", {kAny, kAny, 0}},
};

}  // namespace

std::string_view OpName(Op op) {
  const auto index = static_cast<size_t>(op);
  return index < kNumOps ? kRows[index].name : "?";
}

std::optional<Op> OpOfName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

OpArity ArityOf(Op op) { return kRows[static_cast<size_t>(op)].arity; }

}  // namespace tagflow::fuzz
