// The walk over statements that have no blocks and no state.

#include "fuzz/lower/lowering.h"

#include <numeric>
#include <utility>

#include "fuzz/lower/origins.h"
#include "graph/builder/build_state.h"

namespace tagflow::fuzz {
namespace {

Tensor Ints(const std::vector<int64_t>& numbers) {
  return Tensor::Vector(std::vector<int32_t>(numbers.begin(), numbers.end()));
}

}  // namespace

Lowering::Lowering(const Program& program)
    : program_(program),
      origins_(FindOrigins(program)),
      root_(Scope::Root()),
      values_(program.types.size()),
      handles_(program.types.size()),
      constants_(program.types.size()),
      order_(program.variables.size()) {}

Result<Lowered> Lowering::Lower() {
  Lowered lowered;
  AddInputs();
  for (const Input& input : program_.inputs) lowered.feeds.push_back(value(input.value).name());
  for (size_t i = 0; i < program_.variables.size(); ++i) {
    const Variable& variable = program_.variables[i];
    // The name is said, since TensorFlow's VarHandleOp does not fall back on the node's.
    const std::string name = "variable" + std::to_string(i);
    variables_.emplace_back(root_, variable.type.dtype, PartialShape(variable.type.dims),
                            VariableOptions{.name = name, .container = {}, .shared_name = name});
    lowered.init.push_back(variables_[i].Assign(root_.WithOpName("init"), variable.initial).name());
  }
  LowerStatements(root_, program_.body);
  std::vector<Output> fetched;
  for (const ValueId result : program_.body.results) fetched.push_back(value(result));
  for (size_t i = 0; i < variables_.size(); ++i) {
    const Scope last = root_.WithOpName("last").WithControlDependencies(order_[i].writes);
    fetched.push_back(variables_[i].Read(last));
  }
  if (!root_.ok()) return root_.status();
  for (const Output& output : fetched) {
    lowered.fetches.push_back(output.name());
    lowered.result_outputs.push_back(output.ref());
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool is_tensor = program_.types[i].kind == Kind::kTensor;
    lowered.values.push_back(is_tensor ? values_[i].ref() : OutputRef{});
  }
  // Nothing is built after this: the graph itself will do in place of the copy that Finish gives.
  lowered.graph = std::move(root_.state()->mutable_graph());
  return lowered;
}

void Lowering::AddInputs() {
  for (const Input& input : program_.inputs) {
    const Type& t = type(input.value);
    const Scope named = root_.WithOpName("v" + std::to_string(Index(input.value)));
    value(input.value) = Placeholder(named, t.dtype, PartialShape(t.dims));
  }
}

void Lowering::LowerStatements(const Scope& scope, const Block& block) {
  for (const Statement& statement : block.statements) {
    if (!scope.ok()) return;
    if (statement.after.empty()) {
      LowerStatement(scope, statement);
    } else {
      LowerStatement(Waiting(scope, statement), statement);
    }
  }
}

Scope Lowering::Waiting(const Scope& scope, const Statement& statement) const {
  std::vector<Operation> before;
  for (const ValueId id : statement.after) before.emplace_back(value(id));
  return scope.WithControlDependencies(before);
}

void Lowering::LowerStatement(const Scope& scope, const Statement& statement) {
  if (statement.op == Op::kWhile) return LowerLoop(scope, statement);
  if (statement.op == Op::kCond || statement.op == Op::kCase) {
    return LowerBranches(scope, statement);
  }
  const Scope named = statement.outputs.empty()
                          ? scope
                          : scope.WithOpName("v" + std::to_string(Index(statement.outputs[0])));
  if (LowerArrayOp(named, statement) || LowerStackOp(named, statement) ||
      LowerAccess(named, statement)) {
    return;
  }
  const ValueId output = statement.outputs[0];
  if (statement.op == Op::kConst) {
    constants_[Index(output)] = &statement.literal;
    value(output) = Const(named, statement.literal);
    return;
  }
  Output lowered = Elementwise(named, statement);
  if (!lowered.valid()) lowered = Reduced(named, statement);
  if (!lowered.valid()) lowered = Rearranged(named, statement);
  value(output) = lowered;
}

Output Lowering::Elementwise(const Scope& scope, const Statement& statement) {
  struct Known {
    Op op;
    const char* name;
  };
  static constexpr Known kOps[] = {
      {Op::kIdentity, "Identity"},
      {Op::kStopGradient, "StopGradient"},
      {Op::kNeg, "Neg"},
      {Op::kAbs, "Abs"},
      {Op::kSign, "Sign"},
      {Op::kSquare, "Square"},
      {Op::kSqrt, "Sqrt"},
      {Op::kExp, "Exp"},
      {Op::kLog, "Log"},
      {Op::kSin, "Sin"},
      {Op::kCos, "Cos"},
      {Op::kTanh, "Tanh"},
      {Op::kSigmoid, "Sigmoid"},
      {Op::kLogicalNot, "LogicalNot"},
      {Op::kZerosLike, "ZerosLike"},
      {Op::kOnesLike, "OnesLike"},
      {Op::kAdd, "AddV2"},
      {Op::kSub, "Sub"},
      {Op::kMul, "Mul"},
      {Op::kDiv, "RealDiv"},
      {Op::kFloorDiv, "FloorDiv"},
      {Op::kFloorMod, "FloorMod"},
      {Op::kMaximum, "Maximum"},
      {Op::kMinimum, "Minimum"},
      {Op::kLess, "Less"},
      {Op::kLessEqual, "LessEqual"},
      {Op::kGreater, "Greater"},
      {Op::kGreaterEqual, "GreaterEqual"},
      {Op::kEqual, "Equal"},
      {Op::kNotEqual, "NotEqual"},
      {Op::kLogicalAnd, "LogicalAnd"},
      {Op::kLogicalOr, "LogicalOr"},
      {Op::kSelect, "SelectV2"},
      {Op::kMatMul, "MatMul"},
      {Op::kShape, "Shape"},
      {Op::kSize, "Size"},
      {Op::kRank, "Rank"},
  };
  for (const Known& known : kOps) {
    if (known.op != statement.op) continue;
    std::vector<::tagflow::Input> operands;
    for (const ValueId operand : statement.operands) operands.emplace_back(value(operand));
    return ::tagflow::Op(scope, known.name, std::move(operands));
  }
  return Output();
}

Output Lowering::Reduced(const Scope& scope, const Statement& statement) {
  const char* name = nullptr;
  if (statement.op == Op::kSum) name = "Sum";
  if (statement.op == Op::kMean) name = "Mean";
  if (statement.op == Op::kMax) name = "Max";
  if (statement.op == Op::kMin) name = "Min";
  if (name == nullptr) return Output();
  const ValueId operand = statement.operands[0];
  std::vector<int64_t> axes = statement.numbers;
  if (axes.empty()) {
    axes.resize(type(operand).dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  return ::tagflow::Op(scope, name, {value(operand), Ints(axes)});
}

Output Lowering::Rearranged(const Scope& scope, const Statement& statement) {
  const std::vector<int64_t>& numbers = statement.numbers;
  const Output& x = value(statement.operands[0]);
  switch (statement.op) {
    case Op::kCast:
      return Cast(scope, x, type(statement.outputs[0]).dtype);
    case Op::kReshape:
      return Reshape(scope, x, Ints(numbers));
    case Op::kExpandDims:
      return ExpandDims(scope, x, static_cast<int>(numbers[0]));
    case Op::kSlice: {
      const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
      return Slice(scope, x, Ints({numbers.begin(), middle}), Ints({middle, numbers.end()}));
    }
    case Op::kConcat:
    case Op::kPack: {
      std::vector<Output> parts;
      for (const ValueId operand : statement.operands) parts.push_back(value(operand));
      return statement.op == Op::kPack ? Pack(scope, parts)
                                       : Concat(scope, parts, static_cast<int>(numbers[0]));
    }
    case Op::kElementAt:
      return ElementOf(scope, statement);
    case Op::kTile:
      return Tile(scope, x, Ints(numbers));
    case Op::kTranspose:
      return Transpose(scope, x, Ints(numbers));
    case Op::kFill:
      return Fill(scope, Ints(numbers), x);
    default:
      scope.Fail(Internal("no lowering of op " + std::string(OpName(statement.op))));
      return Output();
  }
}

// The index may be anything: it is taken modulo the first dimension.
Output Lowering::ElementOf(const Scope& scope, const Statement& statement) {
  const Output& x = value(statement.operands[0]);
  const int64_t rows = type(statement.operands[0]).dims[0];
  const Scope part = scope.SubScope(scope.data().op_name);
  const ::tagflow::Input count = rows >= 0 ? ::tagflow::Input(static_cast<int>(rows))
                                           : ::tagflow::Input(ElementAt(part, Shape(part, x), 0));
  return ElementAt(scope, x, FloorMod(part, value(statement.operands[1]), count));
}

}  // namespace tagflow::fuzz
