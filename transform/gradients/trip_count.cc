#include "transform/gradients/trip_count.h"

#include <algorithm>
#include <limits>

#include "graph/control_ops.h"

namespace tagflow::internal {
namespace {

constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();

// Whether `test` says "as long as it is below" (or above, or at most, …) of a counter on its left.
struct Test {
  bool is_upward = true;
  bool is_strict = true;
};

std::optional<Test> TestOf(const std::string& op) {
  if (op == "Less") return Test{true, true};
  if (op == "LessEqual") return Test{true, false};
  if (op == "Greater") return Test{false, true};
  if (op == "GreaterEqual") return Test{false, false};
  return std::nullopt;
}

class Counter {
 public:
  Counter(const Forward& forward, const ForwardLoop& loop) : forward_(forward), loop_(loop) {}

  std::optional<int64_t> Trips() const {
    const Node& test = At(Origin(loop_.predicate));
    std::optional<Test> kind = TestOf(test.op);
    // A loop that ends where its predicate is true is none that builders make.
    if (!kind || loop_.repeats.value != 1) return std::nullopt;
    for (const size_t side : {0, 1}) {
      const std::optional<int64_t> limit = Constant(test.inputs[1 - side]);
      const ForwardVariable* counter = VariableAt(test.inputs[side]);
      if (!limit || counter == nullptr) continue;
      if (side == 1) kind->is_upward = !kind->is_upward;
      return Steps(*counter, *limit, *kind);
    }
    return std::nullopt;
  }

 private:
  const Node& At(OutputRef tensor) const { return forward_.graph().node(tensor.node); }

  // Past what hands on its input.
  OutputRef Origin(OutputRef tensor) const {
    for (;;) {
      const Node& node = At(tensor);
      const bool is_own = forward_.SwitchedOn(node.id) == loop_.repeats.predicate;
      if (node.op != "Identity" && node.op != "LoopCond" && !is_own) return tensor;
      tensor = node.inputs[0];
    }
  }

  const ForwardVariable* VariableAt(OutputRef tensor) const {
    const auto found =
        std::ranges::find(loop_.variables, Origin(tensor).node, &ForwardVariable::merge);
    return found == loop_.variables.end() ? nullptr : &*found;
  }

  std::optional<int64_t> Constant(OutputRef tensor) const {
    const Tensor* value = forward_.state().ConstantValue(tensor);
    if (value == nullptr || value->rank() != 0) return std::nullopt;
    int64_t number = 0;
    if (value->dtype() == DType::kInt32) {
      number = value->scalar<int32_t>();
    } else if (value->dtype() == DType::kInt64) {
      number = value->scalar<int64_t>();
    } else {
      return std::nullopt;
    }
    if (number > kLimit || number < -kLimit) return std::nullopt;
    return number;
  }

  // What is added to the counter in an iteration.
  std::optional<int64_t> StepOf(const ForwardVariable& counter) const {
    const Node& sum = At(Origin(At({counter.next, 0}).inputs[0]));
    if (sum.op != "AddV2" && sum.op != "Add" && sum.op != "Sub") return std::nullopt;
    for (const size_t side : {0, 1}) {
      if (sum.op == "Sub" && side == 1) break;
      const std::optional<int64_t> step = Constant(sum.inputs[1 - side]);
      if (!step || VariableAt(sum.inputs[side]) != &counter) continue;
      return sum.op == "Sub" ? -*step : *step;
    }
    return std::nullopt;
  }

  std::optional<int64_t> Steps(const ForwardVariable& counter, int64_t limit,
                               const Test& test) const {
    const std::optional<int64_t> first = Constant(At({counter.enter, 0}).inputs[0]);
    const std::optional<int64_t> step = StepOf(counter);
    if (!first || !step) return std::nullopt;
    const int64_t pace = test.is_upward ? *step : -*step;
    int64_t distance = test.is_upward ? limit - *first : *first - limit;
    if (!test.is_strict) ++distance;
    if (distance <= 0) return 0;
    if (pace <= 0) return std::nullopt;
    const int64_t trips = (distance + pace - 1) / pace;
    // Where the counter goes past what an int32 holds, it is not known what comes next.
    const int64_t last = *first + trips * *step;
    if (trips > kLimit || last > kLimit || last < -kLimit) return std::nullopt;
    return trips;
  }

  const Forward& forward_;
  const ForwardLoop& loop_;
};

}  // namespace

std::optional<int64_t> KnownTrips(const Forward& forward, const ForwardLoop& loop) {
  return Counter(forward, loop).Trips();
}

}  // namespace tagflow::internal
