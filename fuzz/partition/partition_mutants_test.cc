#include "fuzz/partition/partition_mutants.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace tagflow::fuzz {
namespace {

TEST(PartitionMutants, TheStandardIsNotFoundAtFault) {
  const FaultFound found = FindFault(PartitionFault::kNone);
  EXPECT_EQ(found.by, "") << found.why;
}

TEST(PartitionMutants, EveryOneIsFoundWhereItsRuleIsAtWork) {
  std::map<std::string, std::string> by;
  for (const PartitionMutant& mutant : PartitionMutants()) {
    EXPECT_TRUE(mutant.name.starts_with(mutant.rule + "-")) << mutant.name;
    const FaultFound found = FindFault(mutant.fault);
    EXPECT_FALSE(found.why.empty()) << mutant.name << " is not found: " << mutant.about;
    EXPECT_TRUE(by.emplace(mutant.rule, found.by).second) << mutant.rule;
  }
  EXPECT_EQ(by, (std::map<std::string, std::string>{
                    {"partition.1", "conds of 2 ops"},
                    {"partition.2", "loops of 1 op"},
                    {"partition.3", "loops of 1 op whose Merge waits"},
                    {"partition.4", "a handle that would cross"},
                    {"partition.5", "a loop with a variable elsewhere"},
                }));
}

TEST(PartitionMutants, EveryRuleHasOne) {
  std::ifstream file("docs/semantics.md");
  ASSERT_TRUE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  const std::string standard = text.str();
  const std::regex label(R"(\*\*\[(partition\.[0-9]+)\]\*\*)");
  std::set<std::string> stated, mutated;
  for (std::sregex_iterator at(standard.begin(), standard.end(), label), end; at != end; ++at)
    stated.insert((*at)[1]);
  for (const PartitionMutant& mutant : PartitionMutants()) mutated.insert(mutant.rule);
  EXPECT_GE(stated.size(), 5u);
  EXPECT_EQ(mutated, stated);
}

}  // namespace
}  // namespace tagflow::fuzz
