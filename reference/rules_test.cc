// Ties docs/semantics.md, the table of rules and the code together, and checks the rules one by
// one.

#include "reference/rules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "reference/test_step.h"

namespace tagflow::reference {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> Labels(const std::string& text, const std::string& pattern) {
  std::set<std::string> labels;
  const std::regex label(pattern);
  for (std::sregex_iterator found(text.begin(), text.end(), label), end; found != end; ++found) {
    labels.insert((*found)[1]);
  }
  return labels;
}

std::set<std::string> StatedRules() {
  return Labels(Read("docs/semantics.md"), R"(\*\*\[([a-z_]+\.[0-9]+)\]\*\*)");
}

TEST(Rules, EveryEntryCitesARuleThatIsStated) {
  const std::set<std::string> stated = StatedRules();
  const std::set<std::string> cited =
      Labels(Read("reference/rules.h"), R"(// \[([a-z_]+\.[0-9]+)\])");
  EXPECT_GE(cited.size(), 30u);
  for (const std::string& label : cited) EXPECT_TRUE(stated.contains(label)) << label;
}

TEST(Rules, EveryEntryIsImplementedUnderItsLabel) {
  const std::set<std::string> in_table =
      Labels(Read("reference/rules.h"), R"(// \[([a-z_]+\.[0-9]+)\])");
  const std::set<std::string> in_code =
      Labels(Read("reference/rules.cc"), R"(// \[([a-z_]+\.[0-9]+)\])");
  EXPECT_EQ(in_table, in_code);
}

TEST(Rules, NoEntryIsMissing) {
  // The table is function pointers alone: any that is null was forgotten.
  const Rules& rules = StandardRules();
  const auto* entries = reinterpret_cast<void* const*>(&rules);
  for (size_t i = 0; i < sizeof(Rules) / sizeof(void*); ++i) EXPECT_NE(entries[i], nullptr) << i;
}

TEST(Rules, AMergeDoesNotWaitForWhatCannotCome) {
  const Rules& rules = StandardRules();
  EXPECT_TRUE(rules.merge_present(SourceKind::kEnter, 0));
  EXPECT_FALSE(rules.merge_present(SourceKind::kNextIteration, 0));
  EXPECT_FALSE(rules.merge_present(SourceKind::kEnter, 1));
  EXPECT_TRUE(rules.merge_present(SourceKind::kConstantEnter, 1));
  EXPECT_TRUE(rules.merge_present(SourceKind::kNextIteration, 7));
}

TEST(Rules, ADeadMergeNeedsEveryPresentInputDeadInAnyOrder) {
  const Rules& rules = StandardRules();
  const Needs needs{2, 1};
  Arrivals arrived;
  arrived.dead_data = 2;
  EXPECT_FALSE(rules.merge_dead(needs, arrived));
  arrived.live_control = 1;
  EXPECT_TRUE(rules.merge_dead(needs, arrived));
  arrived.dead_data = 1;
  EXPECT_FALSE(rules.merge_dead(needs, arrived));
}

TEST(Rules, APredicateIsOneElementOfRankZero) {
  const Rules& rules = StandardRules();
  EXPECT_TRUE(rules.check_predicate(Tensor::Scalar<bool>(false)).ok());
  EXPECT_EQ(rules.check_predicate(Tensor::Vector<int32_t>({1})).rule(), "switch.2");
  EXPECT_EQ(rules.check_predicate(Tensor::Vector<int32_t>({})).rule(), "switch.2");
}

TEST(Rules, ABrokenRuleIsAnErrorAndNoCrash) {
  Rules rules = StandardRules();
  rules.data_token_dead = [](bool instance_dead, bool) { return instance_dead; };
  auto session = MakeSession(R"(
    p = Placeholder() dtype=bool
    s = Switch(p, p) T=bool
    off = LogicalNot(s)
  )");
  EXPECT_EQ(session->RunUnder(rules, {{"p", Bool(true)}}, {"off"}, {}, {}).status().code(),
            Code::kInternal);
  rules = StandardRules();
  rules.iteration_ended = [](const IterationState&) { return true; };
  session = MakeSession(CountingLoop());
  (void)session->RunUnder(rules, {{"n", Int(3)}}, {"i_exit"}, {}, {});
  rules = StandardRules();
  rules.frame_ended = [](const FrameState&) { return true; };
  (void)session->RunUnder(rules, {{"n", Int(3)}}, {"i_exit"}, {}, {});
}

TEST(Rules, AnExitOwesOneDeadTokenOnlyIfItWasNeverLive) {
  const Rules& rules = StandardRules();
  EXPECT_TRUE(rules.exit_owes_dead({true, false}));
  EXPECT_FALSE(rules.exit_owes_dead({true, true}));
  EXPECT_FALSE(rules.exit_owes_dead({false, false}));
}

TEST(Rules, IterationZeroWaitsForEveryEnter) {
  const Rules& rules = StandardRules();
  EXPECT_FALSE(rules.iteration_ended({0, 0, 0, 1}));
  EXPECT_TRUE(rules.iteration_ended({0, 0, 0, 0}));
  EXPECT_TRUE(rules.iteration_ended({1, 0, 0, 1}));
  EXPECT_FALSE(rules.iteration_ended({1, 1, 0, 0}));
  EXPECT_FALSE(rules.iteration_ended({1, 0, 1, 0}));
}

}  // namespace
}  // namespace tagflow::reference
