#include "fuzz/generate/generate.h"

#include <algorithm>
#include <utility>

#include "fuzz/generate/literals.h"
#include "fuzz/generate/maker.h"
#include "fuzz/generate/operations.h"
#include "fuzz/generate/shapes.h"
#include "fuzz/generate/statements.h"

namespace tagflow::fuzz {
namespace {

void MakeStatement(Maker& maker) {
  const Profile& profile = maker.profile;
  const bool nest = maker.depth() < profile.depth && maker.statements_left > 2;
  // A program that has done little for its size so far had better loop.
  const bool idle = maker.depth() == 0 && maker.left() > 0.8 * static_cast<double>(profile.firings);
  enum { kOperation, kArray, kEffect, kCond, kCase, kLoop, kStack };
  const Odds cond = maker.in_loop() ? More(profile.cond) : profile.cond;
  const Odds loop = idle ? More(More(profile.loop)) : profile.loop;
  const Odds weights[] = {kAlways,
                          profile.arrays,
                          profile.effects,
                          nest ? cond : kNever,
                          nest ? profile.case_ : kNever,
                          nest ? loop : kNever,
                          profile.stacks};
  switch (maker.choices.Weighted(weights)) {
    case kArray:
      return MakeArrayUse(maker);
    case kEffect:
      return MakeEffect(maker);
    case kCond:
      return MakeCond(maker);
    case kCase:
      return MakeCase(maker);
    case kLoop:
      return MakeLoop(maker);
    case kStack:
      return MakeStackUse(maker);
    default:
      RandomOperation(maker);
  }
}

void MakeInput(Maker& maker, DType dtype, const Dims& dims) {
  Input input;
  Fact fact;
  for (int run = 0; run < maker.program.runs; ++run) {
    input.feeds.push_back(RandomTensor(maker.choices, dtype, dims, maker.profile.specials));
    const Fact feed = FactOf(input.feeds.back());
    fact = run == 0 ? feed : Either(fact, feed);
  }
  // Feeds may be changed later, by those who shrink or differentiate.
  if (fact.finite() && dtype != DType::kBool) {
    fact.lo = std::min(fact.lo, IsFloatDType(dtype) ? -6.0 : -10.0);
    fact.hi = std::max(fact.hi, IsFloatDType(dtype) ? 6.0 : 10.0);
  }
  fact.active = true;
  fact.slope = maker.limits.smooth && IsFloatDType(dtype) ? 1 : 0;
  input.value = maker.Bind(TensorType(dtype, dims), fact);
  if (dims.empty() && dtype != DType::kBool && fact.finite()) maker.varying.push_back(input.value);
  maker.program.inputs.push_back(std::move(input));
}

void MakeInputs(Maker& maker) {
  if (maker.profile.differentiable) {
    const int scalars = maker.choices.Between(kFew);
    for (int i = 0; i < scalars; ++i) MakeInput(maker, DType::kDouble, {});
    if (maker.choices.Chance(kEvenly)) MakeInput(maker, DType::kDouble, RandomDims(maker));
    if (maker.choices.Chance(kEvenly)) {
      MakeInput(maker, maker.choices.Chance(kEvenly) ? DType::kInt32 : DType::kBool, {});
    }
    return;
  }
  const int count = maker.choices.Between(kSeveral);
  const Odds tensors = maker.profile.tensors ? kMostly : kSometimes;
  for (int i = 0; i < count; ++i) {
    const DType dtype = RandomDType(maker);
    MakeInput(maker, dtype, maker.choices.Chance(tensors) ? RandomDims(maker) : Dims{});
  }
}

// A double scalar that depends on the inputs in as many ways as there are values left.
ValueId Total(Maker& maker) {
  ValueId total = ValueId::kNone;
  int terms = 0;
  for (const ValueId id : maker.Unused(24)) {
    const Type type = maker.type(id);
    if (type.dtype != DType::kDouble || !maker.fact(id).active || terms >= 6) continue;
    const ValueId term = type.dims.empty() ? id : SumOf(maker, id);
    if (term == ValueId::kNone) continue;
    const ValueId sum =
        total == ValueId::kNone ? term : Elementwise(maker, Op::kAdd, {total, term});
    total = sum;
    ++terms;
  }
  if (total != ValueId::kNone) return total;
  return Elementwise(maker, Op::kSin, {maker.program.inputs[0].value});
}

void ChooseResults(Maker& maker) {
  constexpr size_t kMostResults = 14;
  Block& body = maker.block();
  if (maker.profile.differentiable) body.results.push_back(Total(maker));
  for (const ValueId id : maker.Unused(kMostResults)) body.results.push_back(id);
  const int more = maker.choices.Between(kUpToTwo);
  for (int i = 0; i < more; ++i) body.results.push_back(maker.AnyVisible());
  if (body.results.empty()) body.results.push_back(maker.AnyVisible());
}

}  // namespace

int NestedCount(Maker& maker) {
  static constexpr Odds kWeights[] = {kSeldom,    kSometimes, kSometimes, kSometimes,
                                      kSometimes, kSeldom,    kSeldom};
  return static_cast<int>(maker.choices.Weighted(kWeights));
}

void MakeStatements(Maker& maker, int count) {
  for (int i = 0; i < count; ++i) {
    if (maker.statements_left <= 0 || maker.left() < 10 * maker.times()) return;
    if (!maker.choices.Chance(kNearlyAlways)) return;
    MakeStatement(maker);
  }
}

Program GenerateProgram(Choices& choices, const Profile& profile) {
  Maker maker(choices, profile);
  maker.program.runs = choices.Between(1, std::max(profile.max_runs, 1));
  Block body;
  maker.Enter(&body, ScopeKind::kProgram);
  MakeInputs(maker);
  const int least = std::max(profile.statements / 2, 1), most = profile.statements * 3 / 2;
  maker.statements_left = choices.Between(least, most);
  MakeStatements(maker, maker.statements_left);
  ChooseResults(maker);
  maker.Leave();
  maker.program.body = std::move(body);
  return std::move(maker.program);
}

}  // namespace tagflow::fuzz
