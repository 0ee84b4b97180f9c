#include "conformance/engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;

TEST(Engines, NamesAreResolved) {
  EXPECT_TRUE(MakeServant("reference").ok());
  EXPECT_THAT(MakeServant("nobody").status().message(), HasSubstr("reference"));
  EXPECT_FALSE(FactoryFor({.engine = "./some command", .in_process = true}).ok());
  EXPECT_TRUE(FactoryFor({.engine = "./some command"}).ok());
}

TEST(Engines, EveryBuiltInEngineIntroducesItselfByItsName) {
  for (const std::string& name : BuiltInEngines()) {
    EXPECT_EQ((*MakeServant(name))->Introduce().name(), name);
    EXPECT_EQ((*MakeServant(name))->Introduce().protocol(), 1);
  }
}

TEST(Engines, TheEngineHasThreadsAndSeedsByItsName) {
  EXPECT_TRUE(MakeServant("optimized:4").ok());
  EXPECT_TRUE(MakeServant("optimized-tokens:4:7").ok());
  for (const char* wrong :
       {"optimized:", "optimized:x", "optimized:-1", "optimized:1:", "reference:2"}) {
    EXPECT_FALSE(MakeServant(wrong).ok()) << wrong;
  }
}

TEST(Engines, ACommandThatIsNoEngineIsAnErrorOfTheStart) {
  EngineOptions options{.engine = "exit 3", .start_s = 60};
  const Result<EngineFactory> factory = FactoryFor(options);
  ASSERT_TRUE(factory.ok());
  EXPECT_FALSE((*factory)().ok());
}

}  // namespace
}  // namespace tagflow::conformance
