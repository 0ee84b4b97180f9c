#include "fuzz/harness/shrink_sample.h"

#include <chrono>
#include <utility>

#include "fuzz/shrink/shrink.h"
#include "fuzz/shrink/shrink_choices.h"

namespace tagflow::fuzz {

Sample ShrinkSample(Sample sample, const std::function<bool(const Sample&)>& fails,
                    double seconds) {
  ShrinkOptions options;
  options.deadline =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  Sample tried;
  tried.seed = sample.seed;
  if (sample.program.has_value()) {
    const auto still_fails = [&](const Program& program) {
      tried.program = program;
      return fails(tried);
    };
    sample.program = Shrink(*sample.program, still_fails, options);
  } else {
    const auto still_fails = [&](const std::vector<uint32_t>& choices) {
      tried.choices = choices;
      return fails(tried);
    };
    sample.choices = ShrinkChoices(std::move(sample.choices), still_fails, options);
  }
  return sample;
}

}  // namespace tagflow::fuzz
