// What CheckCalls notices.
//
// Tests: call_agreement.cc, call_checks.cc

#include "fuzz/harness/equal_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/engines/test_engine.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

using Values = ChangedReference::Values;

ChangedReference Changed(Values (*change)(Values), bool has_our_codes = false) {
  return ChangedReference([change](Values values, const GraphCall&,
                                   const GraphCall&) { return change(std::move(values)); },
                          {.has_our_codes = has_our_codes});
}

// The reference again, which never calls a caller's kernel of AddV2.
class Fusing : public Engine {
 public:
  Capabilities capabilities() const override {
    return {.is_in_process = true, .has_our_codes = true};
  }
  Result<std::unique_ptr<EngineSession>> Open(
      Graph graph, const std::vector<std::string>& devices) const override {
    return StandardReference().Open(std::move(graph), devices);
  }
  Result<OwnKernelRun> RunWithOwnKernels(Graph graph, const NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) const override {
    auto run = StandardReference().RunWithOwnKernels(std::move(graph), feeds, fetches, targets);
    if (run.ok()) run->calls.at("AddV2") = 0;
    return run;
  }
};

Finding FirstBadOf(const Engine& engine) {
  Setting setting;
  setting.engine = &engine;
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

TEST(EqualKernels, TheSameValuesAndErrorsAreRight) {
  for (const bool is_ours : {false, true}) {
    const Finding finding = FirstBadOf(Changed([](Values run) { return run; }, is_ours));
    EXPECT_FALSE(finding.bad()) << finding.why;
  }
}

TEST(EqualKernels, AKernelOfTheCallersThatIsPassedOverIsNoticed) {
  const Finding finding = FirstBadOf(Fusing());
  EXPECT_EQ(finding.kind, Finding::Kind::kFails);
  EXPECT_THAT(finding.why, HasSubstr("own kernels of AddV2 are called 0 times instead of"));
}

TEST(EqualKernels, AnotherValueIsNoticed) {
  const Finding finding = FirstBadOf(Changed([](Values run) {
    if (!run.ok() || run->empty()) return run;
    Tensor& value = run->front();
    if (value.dtype() != DType::kInt32 || value.rank() == 0 || value.num_elements() == 0)
      return run;
    value.mutable_data<int32_t>()[0] ^= 1;
    return run;
  }));
  EXPECT_EQ(finding.kind, Finding::Kind::kFails);
  EXPECT_THAT(finding.why, HasSubstr("expected"));
}

// Singular vectors may have either sign, singular values may not.
TEST(EqualKernels, ABasisIsEachEnginesOwn) {
  GraphSample call;
  const NodeId matrix = *call.graph.AddNode("matrix", "Const");
  call.graph.SetAttr(matrix, "dtype", DType::kDouble);
  call.graph.SetAttr(matrix, "value", Tensor::Of<double>(Dims{1, 1}, std::vector<double>{2}));
  const NodeId svd = *call.graph.AddNode(kCalled, "Svd");
  call.graph.SetAttr(svd, "T", DType::kDouble);
  call.graph.mutable_node(svd).inputs = {{matrix, 0}};
  call.runs.emplace_back();
  const ChangedReference negative = Changed([](Values run) {
    if (!run.ok()) return run;
    Tensor value = *run->front().Clone();
    value.mutable_data<double>()[0] *= -1;
    run->front() = value;
    return run;
  });
  Setting setting;
  setting.engine = &negative;
  call.fetches = {std::string(kCalled) + ":1"};
  EXPECT_FALSE(CheckCall(call, setting).bad()) << CheckCall(call, setting).why;
  call.fetches = {kCalled};
  EXPECT_THAT(CheckCall(call, setting).why, HasSubstr("expected"));
}

TEST(EqualKernels, AnErrorTooManyOrTooFewIsNoticed) {
  EXPECT_THAT(FirstBadOf(Changed([](Values run) -> Values {
                if (run.ok()) return Internal("INVALID_ARGUMENT: no");
                return run;
              })).why,
              HasSubstr("an error in place of values"));
  EXPECT_THAT(FirstBadOf(Changed([](Values run) -> Values {
                if (!run.ok()) return std::vector<Tensor>();
                return run;
              })).why,
              HasSubstr("values where there must be an error"));
}

// After a refusal, other tensors are fetched than before.
TEST(EqualKernels, WhatARefusedCallWroteIsNoticed) {
  const ChangedReference forgetful(
      [](Values run, const GraphCall& call, const GraphCall& first) -> Values {
        const bool is_afterwards = call.fetches != first.fetches;
        return is_afterwards && run.ok() ? Internal("FAILED_PRECONDITION: it is lost")
                                         : std::move(run);
      },
      {.has_our_codes = true});
  EXPECT_THAT(FirstBadOf(forgetful).why, HasSubstr("after a refusal: "));
}

TEST(EqualKernels, OurEnginesGiveAnErrorItsCode) {
  const auto recode = [](Values run) -> Values {
    if (run.ok()) return run;
    const std::string& text = run.status().message();
    return Internal("DATA_LOSS" + text.substr(text.find(':')));
  };
  EXPECT_THAT(FirstBadOf(Changed(recode, true)).why, HasSubstr("the error is DATA_LOSS: "));
  const Finding finding = FirstBadOf(Changed(recode, false));
  EXPECT_FALSE(finding.bad()) << finding.why;
}

}  // namespace
}  // namespace tagflow::fuzz
