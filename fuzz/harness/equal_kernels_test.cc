#include "fuzz/harness/equal_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

// The reference again, with some of its values or errors changed.
class Other : public Subject {
 public:
  using Change = Result<std::vector<Tensor>> (*)(Result<std::vector<Tensor>>);
  Other(Change change, bool is_ours) : change_(change), is_ours_(is_ours) {}
  Capabilities capabilities() const override { return {.has_our_codes = is_ours_}; }
  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>& calls) override {
    auto runs = CallOnReference(sample, calls, reference::StandardRules());
    for (auto& run : runs) {
      if (!run.ok()) run = Internal(run.status().ToString());
      run = change_(std::move(run));
    }
    if (runs.size() > 1 && calls.back().fetches != calls.front().fetches) {
      runs.back() = change_of_last_(std::move(runs.back()));
    }
    return runs;
  }
  // Of what is called by other fetches than before: after a refusal.
  void ChangeLast(Change change) { change_of_last_ = change; }

 protected:
  Result<Answers> DoRun(const Program&, int64_t) override { return Unimplemented("programs"); }

 private:
  const Change change_;
  Change change_of_last_ = [](auto run) { return run; };
  const bool is_ours_;
};

// The reference again, which never calls a caller's kernel of AddV2.
class Fusing : public Runner {
 public:
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    return StandardRunner().Open(std::move(graph));
  }
  Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return StandardRunner().OpenPlaced(std::move(graph), placement, seed);
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) const override {
    auto run = StandardRunner().RunWithOwnKernels(std::move(graph), feeds, fetches, targets);
    if (run.ok()) run->calls.at("AddV2") = 0;
    return run;
  }
  bool is_reference() const override { return false; }
};

Finding FirstBadOf(Other other, const Runner* runner = nullptr) {
  Setting setting;
  setting.subject = &other;
  setting.engine_name = "other";
  setting.runner = runner;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Finding finding = CheckCalls(choices, setting);
    if (!finding.bad()) continue;
    // The same choices lead to the call that was wrong.
    Choices again = Choices::FromNumbers(choices.drawn());
    EXPECT_THAT(finding.why, HasSubstr(ToText(LastKernelCall(again))));
    return finding;
  }
  return Finding::Holds();
}

Finding FirstBadOf(Other::Change change, bool is_ours = false, const Runner* runner = nullptr) {
  return FirstBadOf(Other(change, is_ours), runner);
}

TEST(EqualKernels, TheSameValuesAndErrorsAreRight) {
  for (const bool is_ours : {false, true}) {
    const Finding finding = FirstBadOf([](auto run) { return run; }, is_ours);
    EXPECT_FALSE(finding.bad()) << finding.why;
  }
}

TEST(EqualKernels, AKernelOfTheCallersThatIsPassedOverIsNoticed) {
  const Fusing fusing;
  const Finding finding = FirstBadOf([](auto run) { return run; }, true, &fusing);
  EXPECT_EQ(finding.kind, Finding::Kind::kFails);
  EXPECT_THAT(finding.why, HasSubstr("own kernels of AddV2 are called 0 times instead of"));
}

TEST(EqualKernels, AnotherValueIsNoticed) {
  const Finding finding = FirstBadOf([](auto run) {
    if (!run.ok() || run->empty()) return run;
    Tensor& value = run->front();
    if (value.dtype() != DType::kInt32 || value.rank() == 0 || value.num_elements() == 0)
      return run;
    value.template mutable_data<int32_t>()[0] ^= 1;
    return run;
  });
  EXPECT_EQ(finding.kind, Finding::Kind::kFails);
  EXPECT_THAT(finding.why, HasSubstr("expected"));
}

TEST(EqualKernels, AnErrorTooManyOrTooFewIsNoticed) {
  EXPECT_THAT(FirstBadOf([](auto run) -> Result<std::vector<Tensor>> {
                if (run.ok()) return Internal("INVALID_ARGUMENT: no");
                return run;
              }).why,
              HasSubstr("an error in place of values"));
  EXPECT_THAT(FirstBadOf([](auto run) -> Result<std::vector<Tensor>> {
                if (!run.ok()) return std::vector<Tensor>();
                return run;
              }).why,
              HasSubstr("values where there must be an error"));
}

TEST(EqualKernels, WhatARefusedCallWroteIsNoticed) {
  Other other([](auto run) { return run; }, true);
  other.ChangeLast([](auto run) -> Result<std::vector<Tensor>> {
    return run.ok() ? Internal("FAILED_PRECONDITION: it is lost") : std::move(run);
  });
  EXPECT_THAT(FirstBadOf(other).why, HasSubstr("after a refusal: "));
}

TEST(EqualKernels, OurEnginesGiveAnErrorItsCode) {
  const Other::Change recode = [](auto run) -> Result<std::vector<Tensor>> {
    if (run.ok()) return run;
    const std::string& text = run.status().message();
    return Internal("DATA_LOSS" + text.substr(text.find(':')));
  };
  EXPECT_THAT(FirstBadOf(recode, true).why, HasSubstr("the error is DATA_LOSS: "));
  const Finding finding = FirstBadOf(recode, false);
  EXPECT_FALSE(finding.bad()) << finding.why;
}

}  // namespace
}  // namespace tagflow::fuzz
