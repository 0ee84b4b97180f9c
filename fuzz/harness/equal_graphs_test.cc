// Tests: equal_graphs.cc, answers.cc

#include "fuzz/harness/equal_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "fuzz/engines/test_engine.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/worker_engines.h"
#include "reference/rules.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

// What the first of some graphs of each property is that is not found right.
Finding FirstBad(Setting& setting) {
  constexpr uint64_t kGraphsOfEach = 30;
  for (const GraphProperty& property : GraphProperties()) {
    for (uint64_t i = 0; i < kGraphsOfEach; ++i) {
      Choices choices = Choices::FromSeed(ChoiceSeed(1, i));
      const Finding finding = CheckGraph(property, choices, setting);
      if (finding.bad()) return finding;
    }
  }
  return Finding::Holds();
}

Finding FirstBad(const reference::Rules& rules) {
  const std::unique_ptr<WorkerEngines> engines = *WorkerEngines::Make({});
  engines->setting().rules = &rules;
  return FirstBad(engines->setting());
}

TEST(EqualGraphsTest, TheReferenceIsRight) {
  const Finding finding = FirstBad(reference::StandardRules());
  EXPECT_EQ(finding.kind, Finding::Kind::kHolds) << finding.why;
}

TEST(EqualGraphsTest, ABrokenRuleIsNoticed) {
  reference::Rules rules = reference::StandardRules();
  rules.exit_owes_dead = [](const reference::ExitState&) { return false; };
  EXPECT_EQ(FirstBad(rules).kind, Finding::Kind::kFails);
}

using Values = ChangedReference::Values;

// Where the values of some type and shape are changed.
ChangedReference OfValues(Tensor (*change)(Tensor)) {
  return ChangedReference([change](Values values, const GraphCall&, const GraphCall&) {
    if (!values.ok()) return values;
    for (Tensor& value : *values) value = change(std::move(value));
    return values;
  });
}

// Where the words of errors are changed.
ChangedReference OfErrors(std::function<std::string(std::string)> change,
                          const Capabilities& capabilities = {}) {
  return ChangedReference(
      [change = std::move(change)](Values values, const GraphCall&, const GraphCall&) -> Values {
        return values.ok() ? std::move(values) : Internal(change(values.status().message()));
      },
      capabilities);
}

Finding FirstBadOf(const Engine& engine) {
  Setting setting;
  setting.engine = &engine;
  return FirstBad(setting);
}

TEST(EqualGraphsTest, AnotherEngineIsHeldToTheReference) {
  const Finding finding = FirstBadOf(OfValues([](Tensor value) { return value; }));
  EXPECT_EQ(finding.kind, Finding::Kind::kHolds) << finding.why;
  const ChangedReference wrong = OfValues([](Tensor value) {
    return value.dtype() == DType::kInt32 && value.rank() == 0
               ? Tensor::Scalar<int32_t>(value.scalar<int32_t>() ^ 1)
               : value;
  });
  EXPECT_THAT(FirstBadOf(wrong).why, HasSubstr("on the reference"));
}

TEST(EqualGraphsTest, TheReferenceIsHeldToItsPeer) {
  const ChangedReference peer = OfValues([](Tensor value) {
    return value.dtype() == DType::kBool && value.rank() == 0
               ? Tensor::Scalar<bool>(!value.scalar<bool>())
               : value;
  });
  Setting setting;
  setting.peer = &peer;
  EXPECT_THAT(FirstBad(setting).why, HasSubstr("another engine"));
}

// Takes the first of two live inputs, as TensorFlow does.
TEST(EqualGraphsTest, AMergeOfTwoLiveInputsMustFail) {
  const ChangedReference lenient(
      [](Values values, const GraphCall& call, const GraphCall&) -> Values {
        if (values.ok() || values.status().message().find("merge.3") == std::string::npos) {
          return values;
        }
        return std::vector<Tensor>(call.fetches.size(), Tensor::Scalar<int32_t>(0));
      },
      {.limits_firings = true});
  EXPECT_THAT(FirstBadOf(lenient).why, HasSubstr("values where there must be an error"));
}

TEST(EqualGraphsTest, AWrongExplanationOfADeadFetchIsNoticed) {
  const auto blame_another = [](std::string text) {
    const size_t blame = text.find("is dead: Switch '");
    return blame == text.npos ? text : text.insert(text.find('\'', blame) + 1, "not_");
  };
  EXPECT_THAT(FirstBadOf(OfErrors(blame_another, {.explains_dead_fetches = true})).why,
              HasSubstr("is dead: Switch 'not_"));
  EXPECT_EQ(FirstBadOf(OfErrors(blame_another)).why, "");
}

TEST(EqualGraphsTest, AnErrorInTheWordsOfAnotherEngineIsRight) {
  const ChangedReference tensorflow =
      OfErrors([](const std::string& text) { return text + "\n\t [[{{node elsewhere}}]]"; });
  EXPECT_EQ(FirstBadOf(tensorflow).why, "");
}

TEST(EqualGraphsTest, AnErrorOfAnotherCodeOrRuleIsNoticed) {
  const ChangedReference of_code =
      OfErrors([](const std::string& text) { return "UNKNOWN" + text.substr(text.find(':')); });
  EXPECT_THAT(FirstBadOf(of_code).why, HasSubstr("the error is UNKNOWN: "));
  const ChangedReference of_rule = OfErrors([](const std::string& text) {
    const size_t rule = text.rfind("rule ");
    return rule == text.npos ? text : text.substr(0, rule) + "rule token.9]";
  });
  EXPECT_THAT(FirstBadOf(of_rule).why, HasSubstr("rule token.9]; on the reference"));
}

}  // namespace
}  // namespace tagflow::fuzz
