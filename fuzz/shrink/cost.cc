#include "fuzz/shrink/cost.h"

#include <cmath>

#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kStatement = 1000;
constexpr int64_t kConstant = 800;
constexpr int64_t kInput = 900;
constexpr int64_t kVariable = 500;
constexpr int64_t kBlock = 60;     // of a cond, case or loop
constexpr int64_t kAttached = 20;  // an operand, output, result, parameter
constexpr int64_t kRun = 20;

int64_t CostOfNumber(double value) {
  if (std::isnan(value)) return 12;
  const double size = std::fabs(value);
  if (size == 0) return std::signbit(value) ? 3 : 0;
  const int64_t sign = value < 0 ? 1 : 0;
  if (size == 1) return 1 + sign;
  if (size <= 4 && std::floor(size) == size) return static_cast<int64_t>(size) + sign;
  if (std::isinf(value)) return 11;
  if (std::floor(size) != size) return 10 + sign;
  return (size < 100 ? 6 : 8) + sign;
}

double ElementOf(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return tensor.data<float>()[i];
    case DType::kDouble:
      return tensor.data<double>()[i];
    case DType::kInt32:
      return tensor.data<int32_t>()[i];
    case DType::kInt64:
      return static_cast<double>(tensor.data<int64_t>()[i]);
    case DType::kBool:
      return tensor.data<bool>()[i] ? 1 : 0;
    default:
      return 2;  // rare: left as they are
  }
}

int64_t CostOfTensor(const Tensor& tensor) {
  if (!tensor.has_value()) return 0;
  int64_t cost = 15 * tensor.rank();
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    cost += 1 + CostOfNumber(ElementOf(tensor, i));
  return cost;
}

int64_t CostOfLoop(const Loop& loop) {
  int64_t cost = CostOfNumber(loop.start) + CostOfNumber(loop.step - 1);
  cost += static_cast<int64_t>(2 * std::log2(1 + loop.most)) + CostOfNumber(loop.most) / 4;
  cost += loop.compare == Op::kLess ? 0 : 3;
  cost += loop.maximum_iterations == -1 ? 0 : 6 + CostOfNumber(double(loop.maximum_iterations));
  cost += loop.parallel_iterations == 10 ? 0 : 4 + CostOfNumber(double(loop.parallel_iterations));
  return cost + (loop.back_prop ? 0 : 3) + (loop.swap_memory ? 3 : 0) + (loop.bound_inside ? 3 : 0);
}

int64_t CostOf(const Statement& statement) {
  int64_t cost = statement.op == Op::kConst ? kConstant : kStatement;
  cost += kAttached * static_cast<int64_t>(statement.operands.size() + statement.outputs.size() +
                                           statement.after.size());
  for (int64_t number : statement.numbers) cost += 2 + CostOfNumber(static_cast<double>(number));
  cost += CostOfTensor(statement.literal);
  for (const Block& block : statement.blocks) {
    cost +=
        kBlock + kAttached * static_cast<int64_t>(block.results.size() + block.parameters.size());
  }
  return statement.op == Op::kWhile ? cost + CostOfLoop(statement.loop) : cost;
}

}  // namespace

int64_t Cost(const Program& program) {
  int64_t cost =
      kRun * program.runs + kAttached * static_cast<int64_t>(program.body.results.size());
  for (const Variable& variable : program.variables) {
    cost += kVariable + CostOfTensor(variable.initial);
  }
  for (const Input& input : program.inputs) {
    cost += kInput;
    for (const Tensor& feed : input.feeds) cost += CostOfTensor(feed);
  }
  ForEachStatement(program.body, [&](const Statement& statement) {
    cost += CostOf(statement);
    for (ValueId id : statement.outputs) {
      cost += 5 * static_cast<int64_t>(program.type(id).dims.size());
    }
  });
  return cost;
}

}  // namespace tagflow::fuzz
