#include "fuzz/harness/equal_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

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
  explicit Other(Change change) : change_(change) {}
  std::vector<Result<std::vector<Tensor>>> RunGraph(const GraphSample& sample,
                                                    const std::vector<GraphCall>&) override {
    auto runs = CallOnReference(sample);
    for (auto& run : runs) {
      if (!run.ok()) run = Internal(run.status().ToString());
      run = change_(std::move(run));
    }
    return runs;
  }

 protected:
  Result<Answers> DoRun(const Program&, int64_t) override { return Unimplemented("programs"); }

 private:
  const Change change_;
};

Finding FirstBadOf(Other::Change change) {
  Other other(change);
  Setting setting;
  setting.subject = &other;
  setting.engine_name = "other";
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
  const Finding finding = FirstBadOf([](auto run) { return run; });
  EXPECT_FALSE(finding.bad()) << finding.why;
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

}  // namespace
}  // namespace tagflow::fuzz
