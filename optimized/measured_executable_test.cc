#include "optimized/measured_executable.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tagflow::optimized {
namespace {

// Gives its number, after some milliseconds.
class Slow : public Executable {
 public:
  Slow(float number, int milliseconds) : number_(number), milliseconds_(milliseconds) {}
  Result<std::vector<Tensor>> Run(std::vector<Tensor> /*feeds*/,
                                  const StepControl& /*control*/) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
    return std::vector<Tensor>{Tensor::Scalar(number_)};
  }

 private:
  const float number_;
  const int milliseconds_;
};

constexpr float kStraight = 0, kTokens = 1;

// How many of the next runs went to tokens.
int RunsOfTokens(const Executable& executable, int runs) {
  int of_tokens = 0;
  for (int i = 0; i < runs; ++i) {
    const auto values = executable.Run({}, StepControl());
    EXPECT_TRUE(values.ok());
    if ((*values)[0].inline_value<float>() == kTokens) ++of_tokens;
  }
  return of_tokens;
}

std::unique_ptr<Executable> Measure(int straight_ms, int tokens_ms) {
  return MeasureExecutables(
      std::make_unique<Slow>(kStraight, straight_ms),
      [tokens_ms]() -> Result<std::unique_ptr<Executable>> {
        return std::unique_ptr<Executable>(std::make_unique<Slow>(kTokens, tokens_ms));
      });
}

TEST(MeasuredExecutableTest, RunsTakeTurnsAndThenTheQuickerStays) {
  const auto tokens_are_quicker = Measure(40, 2), straight_is = Measure(2, 40);
  EXPECT_EQ(RunsOfTokens(*tokens_are_quicker, kMeasuredRuns), kMeasuredRuns / 2);
  EXPECT_EQ(RunsOfTokens(*straight_is, kMeasuredRuns), kMeasuredRuns / 2);
  EXPECT_TRUE(straight_is->Notes().size() == 1);
  EXPECT_EQ(RunsOfTokens(*tokens_are_quicker, 5), 5);
  EXPECT_EQ(RunsOfTokens(*straight_is, 5), 0);
  EXPECT_TRUE(straight_is->Notes()[0].starts_with("steps run by straight code:"))
      << straight_is->Notes()[0];
}

TEST(MeasuredExecutableTest, StraightCodeStaysWhereTokensCannotBeMade) {
  const auto executable = MeasureExecutables(
      std::make_unique<Slow>(kStraight, 0),
      []() -> Result<std::unique_ptr<Executable>> { return ResourceExhausted("no memory"); });
  EXPECT_EQ(RunsOfTokens(*executable, 3 * kMeasuredRuns), 0);
}

}  // namespace
}  // namespace tagflow::optimized
