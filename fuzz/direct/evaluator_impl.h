#ifndef TAGFLOW_FUZZ_DIRECT_EVALUATOR_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_EVALUATOR_IMPL_H_

// Definitions for evaluator.h, instantiated once for each R: what statements do. Control flow is in
// control_impl.h, arrays and
// stacks in collections_impl.h.

#include <string>
#include <utility>

#include "fuzz/direct/arrange_impl.h"
#include "fuzz/direct/describe.h"
#include "fuzz/direct/elementwise_impl.h"
#include "fuzz/direct/evaluator.h"
#include "fuzz/direct/reductions_impl.h"

namespace tagflow::fuzz {

// Elements that cost as much as one statement.
constexpr int64_t kElementsPerOperation = 64;

template <typename R>
Evaluator<R>::Evaluator(const Program& program, const DirectOptions& options)
    : program_(program),
      activity_(options.activity),
      allowance_(options.max_operations),
      values_(program.types.size()) {
  for (const Variable& variable : program.variables) {
    variables_.push_back(FromTensor<R>(variable.initial));
  }
  if (activity_ != nullptr) NumberBranches();
}

template <typename R>
Result<std::vector<Value<R>>> Evaluator<R>::Run(std::vector<Value<R>> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    at(program_.inputs[i].value) = std::move(feeds[i]);
  }
  depth_ = 0;
  if (!RunBlock(program_.body)) return situation_.error;
  std::vector<Value<R>> results;
  for (ValueId id : program_.body.results) results.push_back(at(id));
  results.insert(results.end(), variables_.begin(), variables_.end());
  return results;
}

template <typename R>
bool Evaluator<R>::RunBlock(const Block& block) {
  for (const Statement& statement : block.statements) {
    if (!Execute(statement)) return false;
  }
  return true;
}

template <typename R>
bool Evaluator<R>::Fail(const Statement& statement, std::string what) {
  situation_.error = FailedPrecondition(Describe(program_, statement) + ": " + what);
  return false;
}

template <typename R>
bool Evaluator<R>::Charge(size_t elements) {
  allowance_ -= 1 + static_cast<int64_t>(elements) / kElementsPerOperation;
  if (allowance_ >= 0) return true;
  situation_.error = ResourceExhausted("the program executes more operations than it may");
  return false;
}

// Binds the statement's only output, or fails as the situation says.
template <typename R>
bool Evaluator<R>::Give(const Statement& statement, Value<R> value) {
  if (!situation_.error.ok()) {
    if (situation_.error.code() == Code::kResourceExhausted) return false;
    return Fail(statement, situation_.error.message());
  }
  if (!value.is_scalar() && !Charge(value.size())) return false;
  at(statement.outputs[0]) = std::move(value);
  return true;
}

template <typename R>
bool Evaluator<R>::Execute(const Statement& statement) {
  if (!Charge(0)) return false;
  if (activity_ != nullptr) ++activity_->operations;
  switch (statement.op) {
    case Op::kCond:
    case Op::kCase:
      return Branch(statement);
    case Op::kWhile:
      return While(statement);
    case Op::kRead:
    case Op::kAssign:
    case Op::kAssignAdd:
      return ExecuteVariableOp(statement);
    default:
      if (statement.op >= Op::kArrayNew) return ExecuteCollectionOp(statement);
      if (statement.op >= Op::kReshape) return ExecuteShapeOp(statement);
      return ExecuteOp(statement);
  }
}

template <typename R>
bool Evaluator<R>::ExecuteOp(const Statement& s) {
  switch (s.op) {
    case Op::kConst:
      // A literal is the same every time.
      if (at(s.outputs[0]).dtype != DType::kInvalid) return true;
      return Give(s, FromTensor<R>(s.literal));
    case Op::kIdentity:
      at(s.outputs[0]) = operand(s, 0);
      return true;
    case Op::kStopGradient:
      return Give(s, Constants(operand(s, 0)));
    case Op::kCast:
      return Give(s, Cast(operand(s, 0), program_.type(s.outputs[0]).dtype, situation_));
    case Op::kSelect:
      return Give(s, Select(operand(s, 0), operand(s, 1), operand(s, 2), situation_));
    case Op::kSum:
    case Op::kMean:
    case Op::kMax:
    case Op::kMin:
      return Charge(operand(s, 0).size()) &&
             Give(s, Reduce(s.op, operand(s, 0), s.numbers, situation_));
    case Op::kMatMul: {
      const Value<R>& x = operand(s, 0);
      const Value<R>& y = operand(s, 1);
      const size_t columns = y.dims().empty() ? 1 : static_cast<size_t>(y.dims().back());
      return Charge(x.size() * columns) && Give(s, MatMul(x, y, situation_));
    }
    default:
      if (s.op < Op::kCast) return Give(s, Unary(s.op, operand(s, 0), situation_));
      return Give(s, Binary(s.op, operand(s, 0), operand(s, 1), situation_));
  }
}

template <typename R>
bool Evaluator<R>::ExecuteShapeOp(const Statement& s) {
  const auto of_int32 = [](int64_t n) { return Value<R>::OfInteger(DType::kInt32, n); };
  const Value<R>& x = operand(s, 0);
  switch (s.op) {
    case Op::kReshape:
      return Give(s, Reshape(x, s.numbers, situation_));
    case Op::kExpandDims:
      return Give(s, ExpandDims(x, s.numbers[0], situation_));
    case Op::kConcat:
      return Give(s, Concat(x, operand(s, 1), s.numbers[0], situation_));
    case Op::kSlice:
      return Give(s, Slice(x, s.numbers, situation_));
    case Op::kPack: {
      std::vector<const Value<R>*> items;
      for (ValueId id : s.operands) items.push_back(&at(id));
      return Give(s, Pack<R>(items, situation_));
    }
    case Op::kElementAt:
      return Give(s, ElementAt(x, operand(s, 1).integer, situation_));
    case Op::kTile:
      return Give(s, Tile(x, s.numbers, situation_));
    case Op::kTranspose:
      return Give(s, Transpose(x, s.numbers, situation_));
    case Op::kFill:
      return Give(s, Fill(x, s.numbers, situation_));
    case Op::kShape: {
      std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
      const auto rank = static_cast<int64_t>(dims.size());
      return Give(s, Value<R>::Of(DType::kInt32, Dims{rank}, std::move(dims)));
    }
    case Op::kSize:
      return Give(s, of_int32(static_cast<int64_t>(x.size())));
    default:  // kRank
      return Give(s, of_int32(static_cast<int64_t>(x.dims().size())));
  }
}

// The same value without derivatives.
template <typename R>
Value<R> Constants(const Value<R>& x) {
  if (!x.is_real()) return x;
  return MapElements<R, R>(x.dtype, x, [](const R& element) { return Constant(element); });
}

template <typename R>
bool Evaluator<R>::ExecuteVariableOp(const Statement& s) {
  Value<R>& variable = variables_[static_cast<size_t>(s.variable)];
  if (s.op == Op::kRead) {
    at(s.outputs[0]) = variable;
    return true;
  }
  Value<R> value = Constants(operand(s, 0));
  if (s.op == Op::kAssignAdd) value = Binary(Op::kAdd, variable, value, situation_);
  if (!situation_.error.ok()) return Fail(s, situation_.error.message());
  variable = std::move(value);
  return true;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_EVALUATOR_IMPL_H_
