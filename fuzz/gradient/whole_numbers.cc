#include "fuzz/gradient/whole_numbers.h"

#include <algorithm>
#include <cmath>

#include "fuzz/gradient/real_values.h"

namespace tagflow::fuzz {
namespace {

double Whole(double x) { return std::isfinite(x) ? std::clamp(std::round(x), -2.0, 2.0) : 1; }

void MakeWhole(Tensor& tensor) {
  if (!IsReal(tensor.dtype())) return;
  tensor = *tensor.Clone();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (tensor.dtype() == DType::kDouble) {
      double& x = tensor.mutable_data<double>()[i];
      x = Whole(x);
    } else {
      float& x = tensor.mutable_data<float>()[i];
      x = static_cast<float>(Whole(static_cast<double>(x)));
    }
  }
}

// The operation, or one of as many operands that keeps to the whole numbers. The greatest of
// several is no such: equal ones share its gradient.
Op Simpler(Op op) {
  switch (op) {
    case Op::kSqrt:
    case Op::kExp:
    case Op::kLog:
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
    case Op::kSigmoid:
      return Op::kIdentity;
    case Op::kDiv:
      return Op::kSub;
    case Op::kMean:
    case Op::kMax:
    case Op::kMin:
      return Op::kSum;
    default:
      return op;
  }
}

void MakeWhole(Block& block, const Program& program) {
  for (Statement& statement : block.statements) {
    const bool is_real =
        !statement.outputs.empty() && IsReal(program.type(statement.outputs[0]).dtype);
    if (is_real) statement.op = Simpler(statement.op);
    if (statement.literal.has_value()) MakeWhole(statement.literal);
    if (statement.op == Op::kWhile && IsReal(statement.loop.counter)) {
      statement.loop.start = std::round(statement.loop.start);
      statement.loop.step = statement.loop.step < 0 ? -1 : 1;
    }
    for (Block& inner : statement.blocks) MakeWhole(inner, program);
  }
}

}  // namespace

Program WholeNumbers(Program program) {
  for (Input& input : program.inputs) {
    for (Tensor& feed : input.feeds) MakeWhole(feed);
  }
  for (Variable& variable : program.variables) MakeWhole(variable.initial);
  const Program& types = program;
  MakeWhole(program.body, types);
  return program;
}

}  // namespace tagflow::fuzz
