#ifndef TAGFLOW_FUZZ_DIRECT_CONTROL_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_CONTROL_IMPL_H_

// Definitions for evaluator.h: branches, loops, and what is noted about them.

#include <algorithm>
#include <utility>

#include "fuzz/direct/elementwise_impl.h"
#include "fuzz/direct/evaluator.h"

namespace tagflow::fuzz {

template <typename R>
void Evaluator<R>::NumberBranches() {
  size_t conds = 0;
  const auto number = [&](const auto& self, const Block& block) -> int64_t {
    int64_t size = 0;
    for (const Statement& statement : block.statements) {
      if (statement.op == Op::kCond || statement.op == Op::kCase) {
        branch_numbers_[&statement] = conds++;
      }
      ++size;
      for (const Block& inner : statement.blocks) size += self(self, inner);
    }
    block_sizes_[&block] = size;
    return size;
  };
  number(number, program_.body);
  activity_->branches.resize(std::max(activity_->branches.size(), conds), 0);
}

template <typename R>
void Evaluator<R>::CountSkipped(const Block& block) {
  activity_->skipped += block_sizes_[&block];
}

template <typename R>
void Evaluator<R>::CountBranch(const Statement& statement, size_t taken) {
  constexpr size_t kBits = 8;  // later branches share the last one
  activity_->branches[branch_numbers_[&statement]] |= 1 << std::min(taken, kBits - 1);
  for (size_t i = 0; i < statement.blocks.size(); ++i) {
    if (i != taken) CountSkipped(statement.blocks[i]);
  }
  activity_->deepest = std::max(activity_->deepest, depth_ + 1);
}

template <typename R>
bool Evaluator<R>::Branch(const Statement& s) {
  const Value<R>& chooser = operand(s, 0);
  const size_t last = s.blocks.size() - 1;
  size_t taken = chooser.integer != 0 ? 0 : 1;
  if (s.op == Op::kCase) {
    const bool has_branch = chooser.integer >= 0 && chooser.integer < static_cast<int64_t>(last);
    taken = has_branch ? static_cast<size_t>(chooser.integer) : last;
  }
  const Block& block = s.blocks[taken];
  if (activity_ != nullptr) CountBranch(s, taken);
  ++depth_;
  if (!RunBlock(block)) return false;
  --depth_;
  for (size_t i = 0; i < s.outputs.size(); ++i) at(s.outputs[i]) = at(block.results[i]);
  return true;
}

template <typename R>
Value<R> Evaluator<R>::CounterNumber(DType dtype, double number) const {
  if (IsFloating(dtype)) {
    return Value<R>::OfReal(dtype, Rounded(R(number), dtype));
  }
  return Value<R>::OfInteger(dtype, Wrapped(ToInteger(number, DType::kInt64), dtype));
}

template <typename R>
Value<R> Evaluator<R>::ClampedBound(const Statement& s) {
  const Loop& loop = s.loop;
  const double reach = loop.step < 0 ? -loop.most : loop.most;
  const Value<R> least = CounterNumber(loop.counter, loop.start + std::min(reach, 0.0));
  const Value<R> greatest = CounterNumber(loop.counter, loop.start + std::max(reach, 0.0));
  return Binary(Op::kMinimum, Binary(Op::kMaximum, operand(s, 0), least, situation_), greatest,
                situation_);
}

// The condition block runs whatever the counter says, and before every trip and after the last.
template <typename R>
bool Evaluator<R>::EndsLoop(const Statement& s, const Value<R>& counter, const Value<R>& bound,
                            int64_t trips, bool& ends) {
  const Block& condition = s.blocks[0];
  if (!RunBlock(condition)) return false;
  const Value<R> goes_on = Binary(s.loop.compare, counter, bound, situation_);
  if (!situation_.error.ok()) return Fail(s, situation_.error.message());
  const bool has_trip = s.loop.maximum_iterations < 0 || trips < s.loop.maximum_iterations;
  const bool holds = condition.results.empty() || at(condition.results[0]).integer != 0;
  ends = goes_on.integer == 0 || !has_trip || !holds;
  return true;
}

template <typename R>
bool Evaluator<R>::While(const Statement& s) {
  const Block& condition = s.blocks[0];
  const Block& body = s.blocks[1];
  const Value<R> bound = ClampedBound(s);
  const Value<R> step = CounterNumber(s.loop.counter, s.loop.step);
  std::vector<Value<R>> state = {CounterNumber(s.loop.counter, s.loop.start)};
  for (size_t i = 1; i < s.operands.size(); ++i) state.push_back(operand(s, i));
  if (activity_ != nullptr) activity_->deepest = std::max(activity_->deepest, depth_ + 1);
  ++depth_;
  int64_t trips = 0;
  while (true) {
    for (size_t i = 0; i < state.size(); ++i) at(condition.parameters[i]) = state[i];
    bool ends = false;
    if (!Charge(0) || !EndsLoop(s, state[0], bound, trips, ends)) return false;
    if (ends) break;
    for (size_t i = 0; i < state.size(); ++i) at(body.parameters[i]) = state[i];
    if (!RunBlock(body)) return false;
    // Straight from the body, so that none is overwritten before it is read.
    state[0] = Binary(Op::kAdd, state[0], step, situation_);
    for (size_t i = 1; i < state.size(); ++i) state[i] = at(body.results[i - 1]);
    ++trips;
  }
  --depth_;
  if (activity_ != nullptr) {
    activity_->trips.push_back(trips);
    if (trips == 0) CountSkipped(body);
  }
  for (size_t i = 0; i < state.size(); ++i) at(s.outputs[i]) = std::move(state[i]);
  return true;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_CONTROL_IMPL_H_
