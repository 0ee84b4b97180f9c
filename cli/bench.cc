#include "cli/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace tagflow::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Long against a look at the clock and a wake-up, short against what else the machine does.
constexpr double kSampleNs = 200e3;
// A long measurement has longer samples, so that what is kept stays small; but none so long that
// Ctrl-C waits for it.
constexpr double kSamplesWanted = 10'000;
constexpr double kLongestSampleNs = 100e6;

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// A step and what was measured of it.
struct Runner {
  const TimedStep* step = nullptr;
  int64_t steps_each = 1;  // in a sample
  std::vector<double> samples;

  Result<double> Run(int64_t times) const {
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < times; ++i) TAGFLOW_RETURN_IF_ERROR((*step)());
    return NsSince(start) / static_cast<double>(times);
  }

  // The first step makes plans and fills caches; the next say how many make a sample.
  Status WarmUp(double sample_ns) {
    TAGFLOW_RETURN_IF_ERROR(Run(1).status());
    for (int i = 0; i < 2; ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(const double ns, Run(steps_each));
      steps_each = std::max<int64_t>(1, std::llround(sample_ns / std::max(ns, 1.0)));
    }
    return Status();
  }
};

}  // namespace

StepTimes TimesOf(std::vector<double> samples, int64_t steps_each) {
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  StepTimes times;
  times.steps = static_cast<int64_t>(samples.size()) * steps_each;
  times.min_ns = samples.front();
  times.median_ns =
      samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  times.mean_ns =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  return times;
}

Result<std::vector<StepTimes>> TimeInTurn(const std::vector<TimedStep>& steps, double seconds,
                                          const std::function<bool()>& stopped) {
  const double total_ns = seconds * 1e9;
  std::vector<Runner> runners;
  for (const TimedStep& step : steps) {
    Runner& runner = runners.emplace_back();
    runner.step = &step;
    TAGFLOW_RETURN_IF_ERROR(
        runner.WarmUp(std::clamp(total_ns / kSamplesWanted, kSampleNs, kLongestSampleNs)));
  }
  const Clock::time_point start = Clock::now();
  do {
    for (Runner& runner : runners) {
      TAGFLOW_ASSIGN_OR_RETURN(const double ns, runner.Run(runner.steps_each));
      runner.samples.push_back(ns);
    }
  } while (NsSince(start) < total_ns && !stopped());
  std::vector<StepTimes> times;
  for (Runner& runner : runners) {
    times.push_back(TimesOf(std::move(runner.samples), runner.steps_each));
  }
  return times;
}

}  // namespace tagflow::cli
