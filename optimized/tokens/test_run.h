#ifndef TAGFLOW_OPTIMIZED_TOKENS_TEST_RUN_H_
#define TAGFLOW_OPTIMIZED_TOKENS_TEST_RUN_H_

// For tests: a graph as text (graph/test_graph.h, over the standard ops) run by the token executor,
// on one thread, on several, and under simulated schedules.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/test_graph.h"
#include "graph/validate.h"
#include "optimized/resources.h"
#include "optimized/tokens/token_executable.h"

namespace tagflow::optimized::tokens {

struct Mode {
  int threads = 1;
  uint64_t seed = 0;
};
inline std::vector<Mode> AllModes() {
  std::vector<Mode> modes = {{1, 0}, {2, 0}, {4, 0}};
  for (uint64_t seed = 1; seed <= 20; ++seed)
    modes.push_back({1 + static_cast<int>(seed % 3), seed});
  return modes;
}

using Feeds = std::vector<std::pair<std::string, Tensor>>;

class TestRun {
 public:
  explicit TestRun(std::string_view text, Mode mode = {},
                   const KernelRegistry& kernels = KernelRegistry::Standard())
      : graph_(text, OpRegistry::Standard()), mode_(mode), kernels_(kernels) {}

  Result<std::unique_ptr<Executable>> Make(const Feeds& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets = {}) {
    std::vector<std::string> names;
    for (const auto& [name, value] : feeds) names.push_back(name);
    call_ = graph_.Call(names, fetches, targets);
    TAGFLOW_ASSIGN_OR_RETURN(valid_, ValidateCall(graph_.graph(), call_));
    const ExecutableSpec spec{graph_.graph(), call_, valid_, kernels_, mode_.threads};
    TokenOptions options;
    options.always_shares = true;
    options.on_schedule = [this](uint64_t hash) { schedule_hash = hash; };
    return MakeTokenExecutable(spec, options);
  }

  Result<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {}) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> made, Make(feeds, fetches, targets));
    return Run(*made, feeds);
  }
  Result<std::vector<Tensor>> Run(const Executable& made, const Feeds& feeds) {
    std::vector<Tensor> values;
    for (const auto& [name, value] : feeds) values.push_back(value);
    StepState step;
    control.services = {&session, &step, nullptr, nullptr};
    control.seed = mode_.seed;
    return made.Run(std::move(values), control);
  }

  // The values as text, or the error's.
  std::string Text(const Feeds& feeds, const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets = {}) {
    const Result<std::vector<Tensor>> result = Run(feeds, fetches, targets);
    if (!result.ok()) return result.status().ToString();
    std::string text;
    for (const Tensor& value : *result) text += (text.empty() ? "" : "; ") + value.DebugString();
    return text;
  }

  SessionState session;
  StepControl control;
  uint64_t schedule_hash = 0;

 private:
  TestGraph graph_;
  const Mode mode_;
  const KernelRegistry& kernels_;
  CallSpec call_;
  ValidatedCall valid_;
};

inline Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
inline Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

// i = 0; while i < n: i = i + 1, as primitives; n is fed. `enter` holds more attrs of the Enters.
inline std::string CountingLoop(const std::string& enter = "") {
  return R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_enter = Enter(zero) T=int32 frame_name=loop )" +
         enter + R"(
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true )" +
         enter + R"(
    i = Merge(i_enter, i_next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    body = Identity(i_switch:1) T=int32
    one = Const(^body) dtype=int32 value=1
    sum = AddV2(body, one) T=int32
    i_next = NextIteration(sum) T=int32
    i_exit = Exit(i_switch:0) T=int32
  )";
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_TEST_RUN_H_
