// Tests: calls.cc, observe.cc, forecast.cc, order_properties.cc,
// session_properties.cc, shapes_property.cc, simplify_property.cc
//
// Every property over a bounded number of samples with fixed seeds; and that they notice a
// reference with one rule changed.

#include "fuzz/graphs/properties.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/graphs/forecast.h"

namespace tagflow::fuzz {
namespace {

using reference::Arrivals;
using reference::Needs;
using reference::Rules;

struct Bounded {
  const char* property;
  uint64_t samples;
};

class Holds : public testing::TestWithParam<Bounded> {};

TEST_P(Holds, OverFixedSeeds) {
  const GraphProperty* property = FindGraphProperty(GetParam().property);
  ASSERT_NE(property, nullptr);
  for (uint64_t seed = 1; seed <= GetParam().samples; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample sample = property->generate(choices);
    const Problem problem = property->check(sample, choices, reference::StandardRules());
    ASSERT_FALSE(problem) << "seed " << seed << ": " << *problem << "\n" << ToText(sample);
  }
}

INSTANTIATE_TEST_SUITE_P(Properties, Holds,
                         testing::Values(Bounded{"small-steps", 150}, Bounded{"orders", 200},
                                         Bounded{"run-ahead", 100}, Bounded{"exported", 40},
                                         Bounded{"stops", 60}, Bounded{"subset", 150},
                                         Bounded{"simplify", 60}, Bounded{"placed", 150},
                                         Bounded{"refusal", 100}, Bounded{"shapes", 100}),
                         [](const auto& info) {
                           std::string name = info.param.property;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(GraphProperties, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const GraphProperty& property : GraphProperties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.about.empty());
  }
  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(FindGraphProperty("nothing"), nullptr);
}

// The reference with one rule changed, and the property that must notice.
struct Mutant {
  const char* name;
  const char* property;
  void (*change)(Rules&);
};

// Of frames and iterations.
std::vector<Mutant> LoopMutants() {
  return {
      {"a dead NextIteration goes on", "small-steps",
       [](Rules& r) { r.next_forwards = [](bool) { return true; }; }},
      {"a dead Exit is forgotten", "small-steps",
       [](Rules& r) { r.exit_owes_dead = [](const reference::ExitState&) { return false; }; }},
      {"a dead Merge does not come after its control inputs", "small-steps",
       [](Rules& r) {
         r.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
           return needs.data > 0 && arrived.dead_data == needs.data && needs.control == 0;
         };
       }},
      {"a dead Merge does not wait for its control inputs", "small-steps",
       [](Rules& r) {
         r.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
           return needs.data > 0 && arrived.dead_data == needs.data;
         };
       }},
      {"a constant Enter reaches iteration 0 alone", "small-steps",
       [](Rules& r) { r.enter_reaches = [](bool, int64_t k) { return k == 0; }; }},
      {"a dead Enter does not count", "small-steps",
       [](Rules& r) { r.enter_counts = [](bool dead) { return dead ? 0 : 1; }; }},
      // One iteration more at a time changes no value of a race-free graph ([next.3]): only the
      // order shows it.
      {"one iteration too many at a time", "run-ahead",
       [](Rules& r) { r.may_begin = [](int64_t live, int64_t most) { return live <= most; }; }},
      // One less starves the loops that have one at a time.
      {"one iteration too few at a time", "small-steps",
       [](Rules& r) { r.may_begin = [](int64_t live, int64_t most) { return live + 1 < most; }; }},
      {"a header waits for Enters in every iteration", "small-steps",
       [](Rules& r) { r.merge_present = [](reference::SourceKind, int64_t) { return true; }; }},
  };
}

// Of tokens, Switch, Merge, messages and errors.
std::vector<Mutant> TokenMutants() {
  return {
      {"a control edge out of a Switch is dead for an empty output", "small-steps",
       [](Rules& r) { r.control_token_dead = [](bool dead, bool any) { return dead || !any; }; }},
      {"a ControlTrigger is dead by its inputs", "small-steps",
       [](Rules& r) {
         r.trigger_dead = [](const Arrivals& arrived) { return arrived.dead_control > 0; };
       }},
      {"a Merge is dead by its control inputs", "small-steps",
       [](Rules& r) {
         r.merge_output_dead = [](const Arrivals& arrived) {
           return arrived.live_data == 0 || arrived.dead_control > 0;
         };
       }},
      {"value_index is 0", "small-steps",
       [](Rules& r) { r.merge_value_index = [](const Arrivals&) { return 0; }; }},
      {"a node is dead by its data inputs alone", "small-steps",
       [](Rules& r) { r.dead = [](const Arrivals& arrived) { return arrived.dead_data > 0; }; }},
      {"iteration 0 does not wait for its Enters", "orders",
       [](Rules& r) {
         r.iteration_ended = [](const reference::IterationState& state) {
           return state.unfinished == 0 && state.live_frames == 0;
         };
       }},
      {"a Send is dead by its data input alone", "small-steps",
       [](Rules& r) {
         r.send_dead = [](const Arrivals& arrived) { return arrived.dead_data > 0; };
       }},
      {"all iterations meet under one key", "small-steps",
       [](Rules& r) { r.rendezvous_tag = [](const std::string&) { return std::string(); }; }},
      {"all iterations meet under one key on devices", "placed",
       [](Rules& r) { r.rendezvous_tag = [](const std::string&) { return std::string(); }; }},
      // A race, of which the standard allows the first value too ([merge.3]): only the error is
      // missed.
      {"a second live input of a Merge passes", "refusal",
       [](Rules& r) {
         r.merge_second_live = [](int, int, const std::string&) { return Status(); };
       }},
      {"a second live firing of an Exit passes", "small-steps",
       [](Rules& r) { r.exit_second_live = []() { return Status(); }; }},
      {"a target in a loop is always owed", "small-steps",
       [](Rules& r) { r.target_owed = [](const reference::TargetState&) { return true; }; }},
  };
}

std::vector<Mutant> Mutants() {
  std::vector<Mutant> all = LoopMutants();
  for (const Mutant& mutant : TokenMutants()) all.push_back(mutant);
  return all;
}

class Killed : public testing::TestWithParam<Mutant> {};

TEST_P(Killed, WithinAFewHundredSamples) {
  Rules rules = reference::StandardRules();
  GetParam().change(rules);
  const GraphProperty* property = FindGraphProperty(GetParam().property);
  ASSERT_NE(property, nullptr);
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample sample = property->generate(choices);
    if (property->check(sample, choices, rules)) {
      RecordProperty("samples", static_cast<int>(seed));
      return;
    }
  }
  FAIL() << GetParam().name << " survives";
}

INSTANTIATE_TEST_SUITE_P(Mutants, Killed, testing::ValuesIn(Mutants()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(Foresee, LeavesTheVariablesAsTheyWere) {
  Choices choices = Choices::FromSeed(1);
  const GraphSample sample = FindGraphProperty("small-steps")->generate(choices);
  Observer observer(sample);
  const RunSeen before = observer.ObserveRun(0, ObserveOptions());
  observer.session().Reset();
  (void)Foresee(observer, 0, ObserveOptions());
  (void)Foresee(observer, 0, ObserveOptions());
  EXPECT_EQ(observer.ObserveRun(0, ObserveOptions()).Result(), before.Result());
}

}  // namespace
}  // namespace tagflow::fuzz
