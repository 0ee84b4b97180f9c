#include "fuzz/lower/firing_limit.h"

#include <gtest/gtest.h>

#include "fuzz/generate/generate.h"
#include "fuzz/lower/lower.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

// The limit must never stop a program that does what it says.
TEST(FiringLimit, IsWellAboveWhatTheReferenceFires) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, Profiles()[0]);
    Activity activity;
    DirectOptions options;
    options.activity = &activity;
    ASSERT_TRUE(Evaluate(program, options).ok());
    Result<Lowered> lowered = Lower(program);
    ASSERT_TRUE(lowered.ok()) << lowered.status().ToString();
    const auto session = *reference::Session::Create(std::move(lowered->graph));
    ASSERT_TRUE(session->Run({}, {}, lowered->init).ok());
    int64_t firings = 0;
    reference::RunOptions run;
    run.trace = [&](const reference::TraceEvent&) { ++firings; };
    ASSERT_TRUE(session->Run(FeedsOf(program, *lowered, 0), lowered->fetches, {}, run).ok());
    EXPECT_LT(3 * firings, FiringLimit(program, activity)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
