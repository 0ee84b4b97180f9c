// Tests: equal_graphs.cc, subject.cc

#include "fuzz/harness/equal_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fuzz/harness/sample.h"
#include "reference/rules.h"

namespace tagflow::fuzz {
namespace {

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
  const std::unique_ptr<Workbench> bench = *Workbench::Make({});
  bench->setting().rules = &rules;
  return FirstBad(bench->setting());
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

// The reference again, behind a name that is not taken for it.
class Other : public Subject {
 public:
  explicit Other(Tensor (*change)(Tensor), std::string code = "", std::string rule = "",
                 std::string end = "")
      : change_(change), code_(std::move(code)), rule_(std::move(rule)), end_(std::move(end)) {}
  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    reference::SessionOptions options;
    options.devices = sample.devices;
    auto session = reference::Session::Create(sample.graph.Clone(), options);
    if (!session.ok()) return {Said(session.status())};
    std::vector<Result<std::vector<Tensor>>> results;
    for (const GraphCall& call : calls) {
      reference::RunOptions limits;
      limits.max_firings = 10'000;
      auto values = (*session)->Run(call.feeds, call.fetches, call.targets, limits);
      if (values.ok()) {
        for (Tensor& value : *values) value = change_(std::move(value));
      } else {
        values = Said(values.status());
      }
      results.push_back(std::move(values));
    }
    return results;
  }

 protected:
  Result<Answers> DoRun(const Program&, int64_t) override { return Unimplemented("programs"); }

 private:
  // With another code and rule, where there are.
  Status Said(const Status& error) const {
    std::string text = error.ToString();
    const size_t rule = text.rfind("rule ");
    if (!rule_.empty() && rule != text.npos) text = text.substr(0, rule) + "rule " + rule_ + "]";
    if (!code_.empty()) text = code_ + text.substr(text.find(':'));
    return Internal(text + end_);
  }

  Tensor (*change_)(Tensor);
  const std::string code_, rule_, end_;
};

Finding FirstBadOf(Other& other) {
  Setting setting;
  setting.subject = &other;
  setting.engine_name = "other";
  return FirstBad(setting);
}

Tensor AsItIs(Tensor value) { return value; }

TEST(EqualGraphsTest, AnotherEngineIsHeldToTheReference) {
  Other right(AsItIs);
  const Finding finding = FirstBadOf(right);
  EXPECT_EQ(finding.kind, Finding::Kind::kHolds) << finding.why;
  Other wrong([](Tensor value) {
    return value.dtype() == DType::kInt32 && value.rank() == 0
               ? Tensor::Scalar<int32_t>(value.scalar<int32_t>() ^ 1)
               : value;
  });
  EXPECT_THAT(FirstBadOf(wrong).why, ::testing::HasSubstr("on the reference"));
}

TEST(EqualGraphsTest, TheReferenceIsHeldToItsPeer) {
  Other peer([](Tensor value) {
    return value.dtype() == DType::kBool && value.rank() == 0
               ? Tensor::Scalar<bool>(!value.scalar<bool>())
               : value;
  });
  Setting setting;
  setting.peer = &peer;
  EXPECT_THAT(FirstBad(setting).why, ::testing::HasSubstr("another engine"));
}

// Takes the first of two live inputs, as TensorFlow does.
class Lenient : public Other {
 public:
  Lenient() : Other(AsItIs) {}
  Capabilities capabilities() const override { return {.limits_firings = true}; }
  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    auto results = Other::RunGraph(sample, calls);
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].ok() || results[i].status().message().find("merge.3") == std::string::npos) {
        continue;
      }
      results[i] = std::vector<Tensor>(calls[i].fetches.size(), Tensor::Scalar<int32_t>(0));
    }
    return results;
  }
};

TEST(EqualGraphsTest, AMergeOfTwoLiveInputsMustFail) {
  Lenient lenient;
  EXPECT_THAT(FirstBadOf(lenient).why, ::testing::HasSubstr("values where there must be an error"));
}

// Blames another Switch for a dead fetch.
class Misleading : public Other {
 public:
  explicit Misleading(bool is_ours) : Other(AsItIs), is_ours_(is_ours) {}
  Capabilities capabilities() const override { return {.explains_dead_fetches = is_ours_}; }
  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    auto results = Other::RunGraph(sample, calls);
    for (Result<std::vector<Tensor>>& result : results) {
      if (result.ok()) continue;
      std::string text = result.status().message();
      const size_t blame = text.find("is dead: Switch '");
      if (blame == text.npos) continue;
      result = Internal(text.insert(text.find('\'', blame) + 1, "not_"));
    }
    return results;
  }

 private:
  const bool is_ours_;
};

TEST(EqualGraphsTest, AWrongExplanationOfADeadFetchIsNoticed) {
  Misleading ours(true);
  EXPECT_THAT(FirstBadOf(ours).why, ::testing::HasSubstr("is dead: Switch 'not_"));
  Misleading another(false);
  EXPECT_EQ(FirstBadOf(another).why, "");
}

TEST(EqualGraphsTest, AnErrorInTheWordsOfAnotherEngineIsRight) {
  Other tensorflow(AsItIs, "", "", "\n\t [[{{node elsewhere}}]]");
  EXPECT_EQ(FirstBadOf(tensorflow).why, "");
}

TEST(EqualGraphsTest, AnErrorOfAnotherCodeOrRuleIsNoticed) {
  Other of_code(AsItIs, "UNKNOWN");
  EXPECT_THAT(FirstBadOf(of_code).why, ::testing::HasSubstr("the error is UNKNOWN: "));
  Other of_rule(AsItIs, "", "token.9");
  EXPECT_THAT(FirstBadOf(of_rule).why, ::testing::HasSubstr("rule token.9]; on the reference"));
}

}  // namespace
}  // namespace tagflow::fuzz
