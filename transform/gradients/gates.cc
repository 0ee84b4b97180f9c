#include "transform/gradients/gates.h"

#include <iterator>

#include "graph/builder/builder.h"
#include "transform/gradients/array_flow.h"

namespace tagflow::internal {

Operation Gates::SwitchOn(const Output& output, int32_t predicate) {
  const auto key = std::make_pair(output.ref(), predicate);
  const auto found = switches_.find(key);
  if (found != switches_.end()) return found->second;
  const Output asked = values_.Value(forward_.PredicateTensor(predicate));
  const int64_t ways = forward_.conditions().arity(predicate);
  const Operation made = forward_.IsIndex(predicate)
                             ? Op(scope_, "_SwitchN", {output, asked}, {{"num_outs", ways}})
                             : Op(scope_, "Switch", {output, asked});
  return switches_[key] = made;
}

Output Gates::Gate(Output output, ConditionId from, ConditionId to) {
  for (const ConditionLiteral& literal : forward_.Path(UnderBase(from), UnderBase(to))) {
    output = SwitchOn(output, literal.predicate)[literal.value];
  }
  return output;
}

Output Gates::Guarded(const Output& output, std::span<const ConditionLiteral> literals,
                      const std::function<Output(const Output&)>& change) {
  if (literals.empty()) return change(output);
  const ConditionLiteral literal = literals[0];
  const Operation ways = SwitchOn(output, literal.predicate);
  const Output changed = Guarded(ways[literal.value], literals.subspan(1), change);
  OutputList joined;
  for (int i = 0; i < forward_.conditions().arity(literal.predicate); ++i) {
    joined.push_back(i == literal.value ? changed : ways[i]);
  }
  return Op(scope_, "Merge", {joined})[0];
}

Operation Gates::Pivot(ConditionId condition) {
  const auto found = pivots_.find(condition);
  if (found != pivots_.end()) return found->second;
  return pivots_[condition] = Identity(scope_, Token(UnderBase(condition)));
}

// Each of the conditions around it has one, which is gated once more.
Output Gates::Token(ConditionId condition) {
  Conditions& conditions = forward_.conditions();
  std::vector<ConditionLiteral> literals;
  ConditionId around = condition;
  while (around != base_ && !tokens_.contains(around)) {
    literals.push_back(Innermost(around, base_));
    around = conditions.Without(around, literals.back().predicate);
  }
  Output output = around == base_
                      ? values_.Value(forward_.PredicateTensor(literals.back().predicate))
                      : tokens_.at(around);
  for (; !literals.empty(); literals.pop_back()) {
    output = SwitchOn(output, literals.back().predicate)[literals.back().value];
    around = conditions.With(around, literals.back());
    tokens_[around] = output;
  }
  return output;
}

Scope Gates::Under(ConditionId condition) {
  if (UnderBase(condition) == base_) return scope_;
  return scope_.WithControlDependencies({Pivot(UnderBase(condition))});
}

Output Gates::Zeros(OutputRef like, ConditionId condition) {
  const Scope scope = Under(condition);
  const DType dtype = forward_.GradientDType(like);
  const DType flow = forward_.FlowDType(like);
  if (flow != DType::kInvalid) return ZeroFlow(scope, flow);
  if (dtype == DType::kVariant) return ZerosLike(scope, values_.Value(like));
  const Tensor zero = *Literal(0).As(dtype);
  if (forward_.GradientShape(like) == PartialShape::Scalar()) return Const(scope, zero);
  return Fill(scope, values_.ShapeOf(like), zero);
}

Output Gates::Add(OutputRef like, const std::vector<Output>& summands) {
  if (summands.size() == 1) return summands[0];
  if (forward_.FlowDType(like) != DType::kInvalid) return AddFlows(scope_, summands);
  if (summands.size() == 2 && summands[0].dtype() != DType::kVariant) {
    return tagflow::Add(scope_, summands[0], summands[1]);
  }
  return AddN(scope_, summands);
}

Output Gates::SumOf(OutputRef like, const std::vector<Contribution>& group, ConditionId condition) {
  std::vector<Output> wholes;
  for (const Contribution& summand : group) {
    if (summand.whole.valid()) wholes.push_back(summand.whole);
  }
  Output sum = wholes.empty() ? Zeros(like, condition) : Add(like, wholes);
  for (const Contribution& summand : group) {
    if (summand.update) sum = summand.update(scope_, sum);
  }
  return sum;
}

// The last literal on a way from `to` to `condition`: no other predicate's own condition names it.
ConditionLiteral Gates::Innermost(ConditionId condition, ConditionId to) {
  const ConditionLiteral innermost = forward_.conditions().Innermost(condition);
  const bool is_on_way = !forward_.conditions().Find(to, innermost.predicate);
  return is_on_way ? innermost : forward_.Path(to, condition).back();
}

void Gates::JoinWays(OutputRef like, ConditionId condition, ConditionId to, Groups& groups) {
  Conditions& conditions = forward_.conditions();
  const int32_t predicate = Innermost(condition, to).predicate;
  const ConditionId rest = conditions.Without(condition, predicate);
  OutputList ways;
  for (int32_t value = 0; value < conditions.arity(predicate); ++value) {
    const ConditionId way = conditions.With(rest, {predicate, value});
    const auto group = groups.find(Key(way));
    ways.push_back(group == groups.end() ? Zeros(like, way) : SumOf(like, group->second, way));
    if (group != groups.end()) groups.erase(group);
  }
  groups[Key(rest)].push_back({rest, Op(scope_, "Merge", {ways})[0], nullptr});
}

Output Gates::Sum(OutputRef like, std::vector<Contribution> contributions) {
  const ConditionId to = UnderBase(forward_.ConditionOf(like));
  Groups groups;
  for (Contribution& summand : contributions) {
    const ConditionId condition = UnderBase(summand.condition);
    groups[Key(condition)].push_back(std::move(summand));
  }
  for (;;) {
    const auto deepest = std::prev(groups.end());
    const ConditionId condition = deepest->first.second;
    if (condition == to) return SumOf(like, deepest->second, to);
    JoinWays(like, condition, to, groups);
  }
}

Output Gates::Accumulate(OutputRef like, Output sum,
                         const std::vector<Contribution>& contributions) {
  Groups groups;
  for (const Contribution& summand : contributions) {
    groups[Key(UnderBase(summand.condition))].push_back(summand);
  }
  for (const auto& [key, group] : groups) {
    const ConditionId condition = key.second;
    const auto add = [&, &group = group](const Output& so_far) {
      std::vector<Contribution> all = group;
      all.insert(all.begin(), {base_, so_far, nullptr});
      return SumOf(like, all, base_);
    };
    sum = Guarded(sum, forward_.Path(base_, condition), add);
  }
  return sum;
}

}  // namespace tagflow::internal
