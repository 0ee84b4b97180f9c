#include "transform/gradients/binomial_schedule.h"

#include <algorithm>

#include "graph/builder/loop_builder.h"

namespace tagflow::internal {

int64_t StepsToNextState(int64_t length, int64_t states) {
  if (states == 1) return length - 1;
  int64_t r = 0, previous = 0, beta = 1;  // beta(states, r - 1), beta(states, r)
  while (beta < length) {
    ++r;
    previous = beta;
    beta = beta * (states + r) / r;
  }
  return std::min(previous, length - previous * states / (states + r - 1));
}

Output StepsToNextState(const Scope& scope, const Output& length, const Output& states) {
  const Output l = Cast(scope, length, DType::kInt64);
  const Output s = Cast(scope, states, DType::kInt64);
  const Output is_last = Equal(scope, s, 1);
  // With one state there is nothing to look for.
  const Output sought = Select(scope, is_last, Const(scope, int64_t{0}), l);
  WhileOptions options;
  options.name = "turns";
  LoopBuilder turns(scope, options);
  for (const int64_t begin : {0, 0, 1}) turns.AddVariable(Const(scope, begin));
  turns.SetPredicate([&](const Scope& in, const OutputList& v) { return Less(in, v[2], sought); });
  turns.BuildBody([&](const Scope& in, const OutputList& v) -> OutputList {
    const Output r = Add(in, v[0], 1);
    return {r, v[2], FloorDiv(in, Mul(in, v[2], Add(in, s, r)), r)};
  });
  const OutputList found = turns.Finish();
  if (!scope.ok()) return Output();
  const Output& previous = found[1];
  // beta(s - 1, r - 1); the divisor is 0 only with one state.
  const Output divisor = Maximum(scope, Sub(scope, Add(scope, s, found[0]), 1), 1);
  const Output fewer = FloorDiv(scope, Mul(scope, previous, s), divisor);
  const Output steps = Minimum(scope, previous, Sub(scope, l, fewer));
  return Cast(scope, Select(scope, is_last, Sub(scope, l, 1), steps), DType::kInt32);
}

std::vector<int32_t> FirstSweep(int64_t iterations, int64_t states) {
  std::vector<int32_t> saved = {0};
  int64_t at = 0;
  while (at < iterations - 1) {
    at += StepsToNextState(iterations - at, states);
    states = std::max<int64_t>(states - 1, 1);
    saved.push_back(static_cast<int32_t>(at));
  }
  return saved;
}

}  // namespace tagflow::internal
