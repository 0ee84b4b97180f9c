// How loops count: counters of four types, steps that hit the bound or jump over it, bounds that
// are constant, made in the condition, or known only when run.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/generate/loops.h"
#include "fuzz/generate/operations.h"

namespace tagflow::fuzz {
namespace {

// More than any loop here goes round. Not more still: engines are known to allocate that many
// slots.
constexpr int64_t kHuge = 100'000;
constexpr int kManyTrips = 1000;  // what a profile of long loops allows

bool MayEqual(Op compare) { return compare == Op::kLessEqual || compare == Op::kGreaterEqual; }

// Trips of a loop whose bound is `distance` from its start.
double TripsOver(const Loop& loop, double distance) {
  const double steps = std::max(distance, 0.0) / std::fabs(loop.step);
  return MayEqual(loop.compare) ? std::floor(steps) + 1 : std::ceil(steps);
}

int64_t RandomParallel(Maker& maker) {
  static constexpr int64_t kParallel[] = {10, 1, 2, 3, kHuge};
  static constexpr Odds kWeights[] = {kSometimes, kSometimes, kSometimes, kSeldom, kSeldom};
  return kParallel[maker.choices.Weighted(kWeights)];
}

// Those that matter to engines: none, one, two, about as many as may overlap, and more.
int RandomTrips(Maker& maker, int64_t parallel, int most) {
  static constexpr Odds kWeights[] = {kSeldom, kSeldom, kSeldom,    kSeldom,
                                      kSeldom, kSeldom, kSometimes, kSometimes};
  // Outermost loops are where most of a run's work is decided.
  static constexpr Odds kOuterWeights[] = {kSeldom, kSeldom, kSeldom,    kSeldom,
                                           kSeldom, kSeldom, kSometimes, kEvenly};
  const size_t way = maker.choices.Weighted(maker.depth() == 0 ? kOuterWeights : kWeights);
  const int p = static_cast<int>(std::min<int64_t>(parallel, 10));
  const int special[] = {0, 1, 2, p - 1, p, p + 1};
  int trips = 0;
  if (way < 6) {
    trips = special[way];
  } else if (way == 6) {
    trips = maker.choices.Between(kSeveral);
  } else {
    constexpr int kLeast = 3;  // the others are drawn above
    // Seldom so many that nothing is left for loops inside.
    const int many =
        maker.choices.Chance(maker.profile.max_trips > kManyTrips ? kMostly : kSometimes)
            ? most
            : std::min(most, 12 + most / 8);
    trips = maker.choices.Between(kLeast, std::max(many, kLeast));
  }
  return std::min(trips, most);
}

void DrawCounter(Maker& maker, Loop& loop) {
  static constexpr DType kDTypes[] = {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble};
  static constexpr Odds kWeights[] = {kEvenly, kSometimes, kSeldom, kSometimes};
  loop.counter = kDTypes[maker.choices.Weighted(kWeights)];
  const bool real = IsFloatDType(loop.counter);
  static constexpr double kSteps[] = {1, 2, 3, -1, -2, 0.5, 0.75, -0.25};
  static constexpr Odds kIntegerWeights[] = {kEvenly, kSeldom, kSeldom, kSometimes,
                                             kSeldom, kNever,  kNever,  kNever};
  static constexpr Odds kRealWeights[] = {kSometimes, kSeldom,    kSeldom, kSeldom,
                                          kSeldom,    kSometimes, kSeldom, kSeldom};
  loop.step = kSteps[maker.choices.Weighted(real ? kRealWeights : kIntegerWeights)];
  static constexpr double kStarts[] = {0, 1, -3, 7};
  static constexpr Odds kStartWeights[] = {kMostly, kSeldom, kSeldom, kSeldom};
  loop.start = kStarts[maker.choices.Weighted(kStartWeights)];
  const bool up = loop.step > 0;
  static constexpr Odds kCompareWeights[] = {kMostly, kSometimes, kSeldom};
  size_t compare = maker.choices.Weighted(kCompareWeights);
  if (compare == 2 && (real || std::fabs(loop.step) != 1)) compare = 0;
  const Op compares[] = {up ? Op::kLess : Op::kGreater, up ? Op::kLessEqual : Op::kGreaterEqual,
                         Op::kNotEqual};
  loop.compare = compares[compare];
}

void DrawAttributes(Maker& maker, Count& count) {
  if (maker.choices.Chance(kSeldom)) {
    count.loop.maximum_iterations = maker.choices.Between(0, count.most + 1);
    const int limit = static_cast<int>(count.loop.maximum_iterations);
    count.most = std::min(count.most, limit);
    count.least = std::min(count.least, limit);
  }
  count.loop.back_prop = !maker.choices.Chance(kSeldom) || maker.profile.differentiable;
  count.loop.swap_memory = maker.choices.Chance(kSeldom);
}

// The counter gets the type of the bound.
void UseCounterOf(Maker& maker, Count& count) {
  Loop& loop = count.loop;
  loop.counter = maker.type(count.bound).dtype;
  if (!IsFloatDType(loop.counter) && loop.step != std::floor(loop.step)) {
    loop.step = loop.step > 0 ? 1 : -1;
  }
  if (IsFloatDType(loop.counter) && loop.compare == Op::kNotEqual) {
    loop.compare = loop.step > 0 ? Op::kLess : Op::kGreater;
  }
}

void SetCounterFacts(Count& count) {
  const auto at = [&](int trips) { return count.loop.start + count.loop.step * trips; };
  const auto span = [&](Fact& fact, int last) {
    fact = Fact();
    fact.lo = std::min(at(0), at(last));
    fact.hi = std::max(at(0), at(last));
    fact.slope = 0;
  };
  span(count.during, std::max(count.most - 1, 0));
  span(count.after, count.most);
}

// The bound is a constant: `trips` times, exactly.
void BindConstant(Maker& maker, Count& count, int trips) {
  Loop& loop = count.loop;
  const double step = std::fabs(loop.step);
  const double sign = loop.step > 0 ? 1 : -1;
  const bool equal = MayEqual(loop.compare);
  if (equal) trips = std::max(trips, 1);
  double distance = 0;
  if (trips > 0) {
    // How far the last step goes beyond the bound, or stays before it.
    const double jump = IsFloatDType(loop.counter) ? step / 2 : step > 1 ? 1 : 0;
    const double part = maker.choices.Chance(kEvenly) ? jump : 0;
    distance = equal ? (trips - 1) * step + part : trips * step - part;
  }
  if (loop.compare == Op::kNotEqual) distance = trips;
  double bound = loop.start + sign * distance;
  loop.most = distance;
  if (trips == 0 && maker.choices.Chance(kEvenly)) bound -= sign * 2;
  // The bound is brought into the range, or lies well within it.
  if (trips > 0 && maker.choices.Chance(kSeldom)) bound += sign * 5;
  if (bound == loop.start + sign * distance && maker.choices.Chance(kSometimes)) loop.most += 3;
  if (loop.counter == DType::kInt32 && loop.step > 0 && maker.choices.Chance(kRarely)) {
    // At the upper end of the integers, where one more step would wrap.
    constexpr double kEnd = std::numeric_limits<int32_t>::max();
    const double shift = kEnd - loop.most - 2 * loop.step - loop.start;
    loop.start += shift;
    bound = std::min(bound + shift, kEnd);
  }
  count.bound = maker.Scalar(loop.counter, bound);
  count.least = count.most = trips;
  loop.bound_inside = maker.choices.Chance(kSometimes);
}

// The bound is known only when run.
void BindValue(Maker& maker, Count& count, int most) {
  Loop& loop = count.loop;
  const double sign = loop.step > 0 ? 1 : -1;
  if (count.bound == ValueId::kNone) count.bound = maker.PickExact(loop.counter);
  const Fact& bound = maker.fact(count.bound);
  const double step = std::fabs(loop.step);
  loop.most = std::max(most - (MayEqual(loop.compare) ? 1 : 0), 0) * step;
  if (!IsFloatDType(loop.counter)) loop.most = std::floor(loop.most);
  const double near = sign > 0 ? bound.lo - loop.start : loop.start - bound.hi;
  const double far = sign > 0 ? bound.hi - loop.start : loop.start - bound.lo;
  count.least = static_cast<int>(TripsOver(loop, std::min(near, loop.most)));
  count.most = static_cast<int>(TripsOver(loop, std::min(far, loop.most)));
}

}  // namespace

int TripsLeft(const Maker& maker) {
  // A trip costs about this much work, whatever the body.
  constexpr double kTrip = 50;
  const double trips = maker.left() / (kTrip * maker.times());
  return static_cast<int>(std::clamp<double>(trips, 1, maker.profile.max_trips));
}

Count RandomCount(Maker& maker, int most) {
  Count count;
  DrawCounter(maker, count.loop);
  count.loop.parallel_iterations = RandomParallel(maker);
  const int trips = RandomTrips(maker, count.loop.parallel_iterations, most);
  if (!maker.counters.empty() && maker.choices.Chance(kSometimes)) {
    // As often as a loop around has gone round, or so.
    count.bound = maker.choices.Of(maker.counters);
    UseCounterOf(maker, count);
    BindValue(maker, count, std::max(trips, 1));
  } else if (maker.choices.Chance(kSometimes)) {
    BindValue(maker, count, std::max(trips, 1));
  } else {
    BindConstant(maker, count, trips);
  }
  DrawAttributes(maker, count);
  SetCounterFacts(count);
  return count;
}

Count PlainCount(Maker& maker, int trips) {
  Count count;
  count.loop.most = trips;
  count.loop.parallel_iterations = RandomParallel(maker);
  count.least = count.most = trips;
  count.bound = maker.Scalar(DType::kInt32, trips);
  SetCounterFacts(count);
  return count;
}

Count BoundedCount(Maker& maker, ValueId bound, int most) {
  Count count;
  count.loop.most = most;
  count.loop.parallel_iterations = RandomParallel(maker);
  const Fact& fact = maker.fact(bound);
  count.least = static_cast<int>(std::clamp<double>(fact.lo, 0, most));
  count.most = static_cast<int>(std::clamp<double>(fact.hi, 0, most));
  count.bound = bound;
  SetCounterFacts(count);
  return count;
}

}  // namespace tagflow::fuzz
