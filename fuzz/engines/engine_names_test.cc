// Tests: engine_names.cc, answers.cc, program_run.cc, protocol_engine.cc

#include "fuzz/engines/engine_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "fuzz/engines/answers.h"
#include "fuzz/engines/test_engine.h"
#include "fuzz/program/test_program.h"

namespace tagflow::fuzz {
namespace {

TEST(AnswersTest, AllGiveTheSame) {
  for (const char* name : {"direct", "reference", "reference:5"}) {
    EngineOptions options;
    options.name = name;
    const Result<std::unique_ptr<Engine>> engine = MakeEngine(options);
    ASSERT_TRUE(engine.ok()) << name;
    const Result<Answers> answers = RunProgram(engine->get(), ProgramOf(kLoopProgram));
    ASSERT_TRUE(answers.ok()) << name << answers.status().ToString();
    ASSERT_EQ(answers->runs.size(), 2u);
    EXPECT_EQ(answers->runs[0][0].scalar<float>(), 16) << name;
    EXPECT_EQ(answers->runs[1][0].scalar<float>(), 81) << name;
    EXPECT_EQ(answers->firings > 20, std::string(name).starts_with("reference")) << name;
  }
}

TEST(EngineNamesTest, NamesOfTheReference) {
  EXPECT_TRUE(ParseReferenceName("reference")->is_reference);
  EXPECT_EQ(ParseReferenceName("reference:12")->seed, 12u);
  EXPECT_FALSE(ParseReferenceName("python3 reference")->is_reference);
  EXPECT_FALSE(ParseReferenceName("reference:x").ok());
  EXPECT_FALSE(ParseReferenceName("reference:").ok());
}

TEST(EngineNamesTest, AnEngineThatDoesNotStartIsAnError) {
  EngineOptions options;
  options.name = "exit 3";
  EXPECT_FALSE(MakeEngine(options).ok());
}

TEST(EngineNamesTest, TheEngineGoesAllItsWays) {
  std::string asked = "optimized:2";
  // The same kind of sample comes again every hundred.
  std::map<std::string, int> ways;
  for (uint64_t block = 0; block < 12; ++block) ++ways[EngineNameFor(asked, 100 * block + 7)];
  EXPECT_EQ(ways, (std::map<std::string, int>{{"optimized:2", 2},
                                              {"optimized-unlowered:2", 1},
                                              {"optimized-tokens:2", 3},
                                              {"optimized-native:2", 2},
                                              {"optimized-simplified:2", 3},
                                              {"optimized-tokens-simplified:2", 1}}));
  asked = "optimized";
  int of_one_thread = 0, simulated = 0;
  std::set<std::string> names;
  for (uint64_t index = 0; index < 1200; ++index) {
    const std::string name = EngineNameFor(asked, index);
    names.insert(name);
    const bool is_simulated = std::ranges::count(name, ':') == 2;
    simulated += is_simulated ? 1 : 0;
    of_one_thread += !is_simulated && name.ends_with(":1") ? 1 : 0;
  }
  EXPECT_EQ(of_one_thread, 700);
  EXPECT_EQ(simulated, 300);
  EXPECT_LT(names.size(), 48u) << "each is kept, with threads of its own";
  for (const char* name :
       {"reference", "direct", "optimized-tokens", "optimized:2:7", "./optimized"}) {
    for (uint64_t index = 0; index < 10; ++index) EXPECT_EQ(EngineNameFor(name, index), name);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
