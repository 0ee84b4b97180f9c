// Each property of programs holds for the engine too: on 1, 2, 4 and 8 threads, by either executor,
// and under simulated schedules.
// Tests: engine.cc

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "fuzz/engines/engine.h"
#include "fuzz/engines/optimized_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/program/text.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {
namespace {

using optimized::ExecutorChoice;

// Of each property, on each engine; `tagflow fuzz --engine optimized` holds it to many more.
constexpr uint64_t kPrograms = 6;

struct EngineKind {
  const char* name;
  ExecutorChoice executor;
  int threads;
  uint64_t seed;  // of simulated schedules
};
constexpr EngineKind kEngines[] = {
    {"optimized1", ExecutorChoice::kAuto, 1, 0},
    {"optimized2", ExecutorChoice::kAuto, 2, 0},
    {"optimized4", ExecutorChoice::kAuto, 4, 0},
    {"optimized8", ExecutorChoice::kAuto, 8, 0},
    {"tokens1", ExecutorChoice::kTokens, 1, 0},
    {"tokens2", ExecutorChoice::kSharedTokens, 2, 0},
    {"tokens4", ExecutorChoice::kSharedTokens, 4, 0},
    {"tokens8", ExecutorChoice::kSharedTokens, 8, 0},
    {"simulated", ExecutorChoice::kSharedTokens, 3, 7},
};

using Param = std::tuple<size_t, EngineKind>;

std::string NameOf(const testing::TestParamInfo<Param>& info) {
  std::string name = ProgramProperties()[std::get<0>(info.param)].name;
  std::erase(name, '-');
  return name + "_" + std::get<1>(info.param).name;
}

class EnginePropertiesTest : public testing::TestWithParam<Param> {};

TEST_P(EnginePropertiesTest, Holds) {
  const auto& [index, kind] = GetParam();
  const ProgramProperty& property = ProgramProperties()[index];
  const Result<Profile> profile = ProfileOf(property.profile);
  ASSERT_TRUE(profile.ok());
  optimized::SessionOptions options;
  options.executor = kind.executor;
  options.threads = kind.threads;
  const auto engine = OptimizedEngine(options, kind.seed);
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, *profile);
    const Violation violation = property.check(program, choices, *engine);
    ASSERT_FALSE(violation) << "seed " << seed << ": " << *violation << "\n" << ToText(program);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EnginePropertiesTest,
                         testing::Combine(testing::Range(size_t{0}, ProgramProperties().size()),
                                          testing::ValuesIn(kEngines)),
                         NameOf);

}  // namespace
}  // namespace tagflow::fuzz
