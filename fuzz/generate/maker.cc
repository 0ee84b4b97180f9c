#include "fuzz/generate/maker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fuzz/generate/literals.h"
#include "fuzz/program/scalar.h"

namespace tagflow::fuzz {
namespace {

Limits LimitsOf(const Profile& profile) {
  Limits limits;
  limits.specials = profile.specials;
  limits.smooth = profile.differentiable;
  limits.exact = profile.exact;
  if (profile.differentiable) {
    limits.magnitude = 64;
    limits.slope = 64;
  }
  return limits;
}

}  // namespace

Maker::Maker(Choices& choices, const Profile& profile)
    : choices(choices), profile(profile), limits(LimitsOf(profile)) {
  facts_.reserve(256);
  used_.reserve(256);
  program.types.reserve(256);
}

size_t Maker::BucketOf(DType dtype, bool scalar) {
  size_t i = 0;
  switch (dtype) {
    case DType::kDouble:
      i = 0;
      break;
    case DType::kFloat:
      i = 1;
      break;
    case DType::kInt32:
      i = 2;
      break;
    case DType::kInt64:
      i = 3;
      break;
    default:
      i = 4;
  }
  return 2 * i + (scalar ? 0 : 1);
}

void Maker::Enter(Block* block, ScopeKind kind, double times) {
  Scope scope;
  scope.block = block;
  scope.kind = kind;
  scope.times = (scopes_.empty() ? 1 : scopes_.back().times) * times;
  scope.visible = visible_.size();
  scope.arrays = arrays.size();
  scope.counters = counters.size();
  scope.varying = varying.size();
  if (kind != ScopeKind::kProgram) ++depth_;
  if (kind == ScopeKind::kBody || kind == ScopeKind::kCondition) ++loops_;
  scopes_.push_back(scope);
  std::array<uint32_t, kBuckets> first;
  for (size_t i = 0; i < kBuckets; ++i) first[i] = static_cast<uint32_t>(buckets_[i].size());
  first_.push_back(first);
}

void Maker::Leave() {
  const Scope& scope = scopes_.back();
  visible_.resize(scope.visible);
  arrays.resize(scope.arrays);
  counters.resize(scope.counters);
  varying.resize(scope.varying);
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i].resize(first_.back()[i]);
  if (scope.kind != ScopeKind::kProgram) --depth_;
  if (scope.kind == ScopeKind::kBody || scope.kind == ScopeKind::kCondition) --loops_;
  scopes_.pop_back();
  first_.pop_back();
}

ValueId Maker::BindHidden(Type type, const Fact& fact) {
  const ValueId id = program.NewValue(std::move(type));
  facts_.push_back(fact);
  used_.push_back(false);
  return id;
}

void Maker::Show(ValueId id) {
  const Type& shown = type(id);
  if (shown.kind != Kind::kTensor) return;
  visible_.push_back(id);
  buckets_[BucketOf(shown.dtype, shown.dims.empty())].push_back(id);
}

ValueId Maker::Bind(Type type, const Fact& fact) {
  const ValueId id = BindHidden(std::move(type), fact);
  Show(id);
  return id;
}

void Maker::Write(Statement statement) {
  for (const ValueId operand : statement.operands) MarkUsed(operand);
  if (choices.Chance(profile.control_edges)) {
    const ValueId before = AnyVisible();
    // What the statement itself binds is shown already, but only after it.
    const bool own = std::find(statement.outputs.begin(), statement.outputs.end(), before) !=
                     statement.outputs.end();
    if (before != ValueId::kNone && !own) statement.after.push_back(before);
  }
  block().statements.push_back(std::move(statement));
  Spend(2);
  --statements_left;
}

ValueId Maker::Emit(Op op, std::vector<ValueId> operands, Type type, const Fact& fact,
                    std::vector<int64_t> numbers) {
  Statement statement;
  statement.op = op;
  statement.operands = std::move(operands);
  statement.numbers = std::move(numbers);
  const ValueId id = BindHidden(std::move(type), fact);
  statement.outputs.push_back(id);
  Write(std::move(statement));
  Show(id);
  return id;
}

ValueId Maker::EmitLiteral(Tensor literal) {
  Statement statement;
  statement.op = Op::kConst;
  const Type type{Kind::kTensor, literal.dtype(),
                  Dims(literal.dims().begin(), literal.dims().end())};
  const ValueId id = BindHidden(type, FactOf(literal));
  statement.literal = std::move(literal);
  statement.outputs.push_back(id);
  Write(std::move(statement));
  Show(id);
  return id;
}

ValueId Maker::Scalar(DType dtype, double value) { return EmitLiteral(ScalarOf(dtype, value)); }

ValueId Maker::RandomConstant(const Type& type) {
  return EmitLiteral(RandomTensor(choices, type.dtype, type.dims, profile.specials));
}

// So many of the latest values are taken rather than others.
constexpr uint32_t kRecent = 6;

ValueId Maker::Pick(DType dtype, bool scalar) {
  const size_t bucket = BucketOf(dtype, scalar);
  const std::vector<ValueId>& values = buckets_[bucket];
  if (values.empty()) return ValueId::kNone;
  const uint32_t count = static_cast<uint32_t>(values.size());
  const uint32_t outer = first_.back()[bucket];
  if (choices.Chance(kSometimes)) return choices.Of(values);
  if (outer > 0 && choices.Chance(kSometimes)) return values[choices.Below(outer)];
  const uint32_t recent = std::min(count, kRecent);
  uint32_t back = choices.Below(recent);
  // Rather one that nothing uses yet.
  for (uint32_t tries = 0; tries < recent && used(values[count - 1 - back]); ++tries) {
    back = (back + 1) % recent;
  }
  return values[count - 1 - back];
}

ValueId Maker::PickScalar(DType dtype) {
  ValueId id = ValueId::kNone;
  if (!choices.Chance(kSeldom)) id = Pick(dtype, true);
  return id == ValueId::kNone ? RandomConstant({Kind::kTensor, dtype, {}}) : id;
}

ValueId Maker::PickExact(DType dtype) {
  for (int tries = 0; tries < 3; ++tries) {
    const ValueId id = Pick(dtype, true);
    if (id == ValueId::kNone) break;
    if (fact(id).exact && fact(id).finite()) return id;
  }
  return EmitLiteral(RandomTensor(choices, dtype, {}, false));
}

ValueId Maker::OfType(const Type& wanted) {
  const std::vector<ValueId>& values = buckets_[BucketOf(wanted.dtype, wanted.dims.empty())];
  const size_t count = values.size();
  if (wanted.dims.empty()) return PickScalar(wanted.dtype);
  const size_t start = count == 0 ? 0 : choices.Below(std::min<size_t>(count, kRecent));
  for (size_t back = start; back < std::min<size_t>(count, 16); ++back) {
    const ValueId id = values[count - 1 - back];
    if (type(id) == wanted) return id;
  }
  for (const int64_t dim : wanted.dims) {
    if (dim < 0) return ValueId::kNone;
  }
  return RandomConstant(wanted);
}

std::vector<ValueId> Maker::Unused(size_t most) const {
  std::vector<ValueId> out;
  for (size_t i = visible_.size(); i > scopes_.back().visible && out.size() < most; --i) {
    if (!used(visible_[i - 1])) out.push_back(visible_[i - 1]);
  }
  return out;
}

ValueId Maker::AnyVisible() {
  if (visible_.empty()) return ValueId::kNone;
  return visible_[choices.Below(visible_.size())];
}

}  // namespace tagflow::fuzz
