// Every mutant fails a conformance case; the standard fails none; every rule has a mutant.
// Tests: case_killer.cc, mutant_session.cc, mutants.cc, edit.cc, firing_mutants.cc,
// merge_mutants.cc, loop_mutants.cc, frame_mutants.cc, step_mutants.cc, state_mutants.cc,
// race_mutants.cc, graph_mutants.cc, number_mutants.cc, op_mutants.cc

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "fuzz/mutants/case_killer.h"
#include "fuzz/mutants/mutants.h"

namespace tagflow::fuzz {
namespace {

const CaseKiller& Cases() {
  static const CaseKiller killer = [] {
    Result<std::vector<conformance::Case>> cases = CaseKiller::ReadAll("conformance/cases");
    EXPECT_TRUE(cases.ok()) << cases.status().ToString();
    EXPECT_GE(cases->size(), 300u);
    return CaseKiller(*std::move(cases));
  }();
  return killer;
}

std::set<std::string> StatedRules() {
  std::ifstream file("docs/semantics.md");
  EXPECT_TRUE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  const std::string standard = text.str();
  std::set<std::string> labels;
  const std::regex label(R"(\*\*\[([a-z_]+\.[a-z0-9]+)\]\*\*)");
  for (std::sregex_iterator at(standard.begin(), standard.end(), label), end; at != end; ++at)
    labels.insert((*at)[1]);
  return labels;
}

// A mutant whose hooks change nothing goes the longest way, and must be the standard still.
TEST(Mutants, HooksThatChangeNothingPassEveryCase) {
  Mutant idle;
  idle.rewrite = [](Graph&, Call&, const Past&) { return Status(); };
  idle.options = [](const Graph&, reference::RunOptions&) {};
  idle.report = [](const Status& status) { return status; };
  idle.after_step = [](reference::Session&) {};
  idle.history = [](reference::History&) {};
  for (const std::string& op : reference::KernelRegistry::Standard().Ops()) {
    idle.kernels.emplace_back(
        op, [](const reference::Kernel& standard, reference::KernelContext& context) {
          return standard(context);
        });
  }
  const std::optional<CaseKill> kill = Cases().Kill(idle);
  EXPECT_FALSE(kill.has_value()) << kill->by << ": " << kill->why;
}

TEST(Mutants, EveryRuleHasAMutantOrAReason) {
  std::set<std::string> mutated;
  for (const Mutant& mutant : Mutants()) mutated.insert(mutant.rule);
  const std::set<std::string> stated = StatedRules();
  ASSERT_GE(stated.size(), 70u);
  for (const std::string& rule : stated) {
    EXPECT_NE(mutated.contains(rule), RulesWithoutMutants().contains(rule)) << rule;
  }
  for (const std::string& rule : mutated) EXPECT_TRUE(stated.contains(rule)) << rule;
  for (const auto& [rule, reason] : RulesWithoutMutants())
    EXPECT_TRUE(stated.contains(rule)) << rule;
}

TEST(Mutants, NamesAreDifferentAndSayTheRule) {
  std::set<std::string> names;
  for (const Mutant& mutant : Mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_TRUE(mutant.name.starts_with(mutant.rule + "-")) << mutant.name;
    EXPECT_FALSE(mutant.about.empty()) << mutant.name;
  }
}

class KillByCases : public testing::TestWithParam<size_t> {};

TEST_P(KillByCases, ACaseFails) {
  const Mutant& mutant = Mutants()[GetParam()];
  const std::optional<CaseKill> kill = Cases().Kill(mutant);
  EXPECT_TRUE(kill.has_value()) << mutant.name << " passes every case: it " << mutant.about;
  if (kill.has_value()) RecordProperty("by", kill->by);
}

INSTANTIATE_TEST_SUITE_P(All, KillByCases, testing::Range<size_t>(0, Mutants().size()),
                         [](const auto& info) {
                           std::string name = Mutants()[info.param].name;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tagflow::fuzz
