// Loops that end. The counter moves towards the bound by the same step each time, so a loop ends if
// every step really moves it (a float may be too large to feel it) and the last does not wrap.

#include <cmath>
#include <limits>

#include "fuzz/program/passes.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

bool IsWhole(double value) { return std::floor(value) == value; }

const char* FaultOfCompare(const Loop& loop) {
  const bool up = loop.step > 0;
  switch (loop.compare) {
    case Op::kLess:
    case Op::kLessEqual:
      return up ? nullptr : "a loop with a step below 0 goes on while Greater or GreaterEqual";
    case Op::kGreater:
    case Op::kGreaterEqual:
      return up ? "a loop with a step above 0 goes on while Less or LessEqual" : nullptr;
    case Op::kNotEqual:
      if (IsFloating(loop.counter)) return "a NotEqual loop needs an integer counter";
      return std::fabs(loop.step) == 1 ? nullptr : "a NotEqual loop needs a step of 1 or -1";
    default:
      return "a loop goes on while Less, LessEqual, Greater, GreaterEqual or NotEqual";
  }
}

// The largest magnitude up to which the counter counts exactly, in steps.
double Reach(const Loop& loop) {
  switch (loop.counter) {
    case DType::kInt32:
      return std::numeric_limits<int32_t>::max();
    case DType::kFloat:
      return std::ldexp(std::fabs(loop.step), 22);
    case DType::kDouble:
      return std::ldexp(std::fabs(loop.step), 51);
    default:  // int64, whose fields are doubles here
      return std::ldexp(1.0, 53);
  }
}

const char* FaultOf(const Loop& loop) {
  const bool is_float = loop.counter == DType::kFloat || loop.counter == DType::kDouble;
  if (!is_float && loop.counter != DType::kInt32 && loop.counter != DType::kInt64) {
    return "a counter is int32, int64, float or double";
  }
  if (!std::isfinite(loop.start) || !std::isfinite(loop.step) || !std::isfinite(loop.most)) {
    return "start, step and most must be finite";
  }
  if (!is_float && !(IsWhole(loop.start) && IsWhole(loop.step) && IsWhole(loop.most))) {
    return "start, step and most of an integer counter are integers";
  }
  if (loop.step == 0) return "the step must not be 0";
  if (loop.most < 0) return "most must be at least 0";
  if (std::fabs(loop.start) + loop.most + 2 * std::fabs(loop.step) > Reach(loop)) {
    return "the counter goes so far that a step of it would be lost";
  }
  if (loop.maximum_iterations < -1 ||
      loop.maximum_iterations > std::numeric_limits<int32_t>::max()) {
    return "maximum must be at least 0 and an int32; without it there is none";
  }
  if (loop.parallel_iterations < 1 ||
      loop.parallel_iterations > std::numeric_limits<int32_t>::max()) {
    return "parallel must be at least 1 and an int32";
  }
  return FaultOfCompare(loop);
}

}  // namespace

MaybeFault CheckLoops(const Program& program) {
  MaybeFault fault;
  std::vector<bool> is_constant(program.types.size(), false);
  ForEachStatement(program.body, [&](const Statement& statement) {
    if (statement.op == Op::kConst) is_constant[Index(statement.outputs[0])] = true;
    if (fault || statement.op != Op::kWhile) return;
    if (const char* what = FaultOf(statement.loop)) {
      fault = Fault{&statement, what};
    } else if (statement.loop.bound_inside && !is_constant[Index(statement.operands[0])]) {
      fault = Fault{&statement, "a bound that is made inside must be a Const"};
    }
  });
  return fault;
}

}  // namespace tagflow::fuzz
