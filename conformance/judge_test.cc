#include "conformance/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/test_cases.h"

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;

// Answers from a list, in turn.
class ScriptedEngine : public Engine {
 public:
  explicit ScriptedEngine(const std::vector<std::string>& responses) {
    for (const std::string& text : responses) {
      Response response;
      TAGFLOW_CHECK(google::protobuf::TextFormat::ParseFromString(text, &response));
      responses_.push_back(response);
    }
  }
  Reply Ask(const Request&, Clock::time_point) override {
    TAGFLOW_CHECK(next_ < responses_.size());
    return {Reply::Kind::kAnswered, responses_[next_++], ""};
  }

 private:
  std::vector<Response> responses_;
  size_t next_ = 0;
};

CaseResult Judge(const std::string& steps, const std::vector<std::string>& responses) {
  ScriptedEngine engine(responses);
  return RunCase(CaseFromText("name: 'c' " + steps), engine, 10);
}

const std::string kLoaded = "loaded {}";
const std::string kSeven = "values { values { dtype: DT_INT32 tensor_shape {} int_val: 7 } }";
const std::string kEight = "values { values { dtype: DT_INT32 tensor_shape {} int_val: 8 } }";
const std::string kNotFound = "error { code: 'NOT_FOUND' message: 'no such variable' }";
const std::string kExpectSeven = "expect { any_of { dtype: DT_INT32 tensor_shape {} int_val: 7 } }";
const std::string kExpectNotFound = "error { code: 'NOT_FOUND' message_contains: 'variable' }";

std::string Steps(const std::string& body) { return "steps { fetches: 'x' " + body + " }"; }

TEST(RunCase, ValuesThatAreExpectedPass) {
  EXPECT_EQ(Judge(Steps(kExpectSeven), {kLoaded, kSeven}).verdict, Verdict::kPass);
}

TEST(RunCase, AnotherValueFailsAndNamesTheFetch) {
  const CaseResult result = Judge(Steps(kExpectSeven), {kLoaded, kEight});
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.why, HasSubstr("fetch 'x'"));
}

TEST(RunCase, TheWrongNumberOfValuesFails) {
  EXPECT_EQ(Judge(Steps(kExpectSeven), {kLoaded, "values {}"}).verdict, Verdict::kFail);
}

TEST(RunCase, ErrorsAreComparedByCodeAndMessage) {
  EXPECT_EQ(Judge(Steps(kExpectNotFound), {kLoaded, kNotFound}).verdict, Verdict::kPass);
  EXPECT_EQ(Judge(Steps("error {}"), {kLoaded, kNotFound}).verdict, Verdict::kPass);
  EXPECT_EQ(Judge(Steps("error { code: 'INTERNAL' }"), {kLoaded, kNotFound}).verdict,
            Verdict::kFail);
  EXPECT_EQ(Judge(Steps("error { message_contains: 'node' }"), {kLoaded, kNotFound}).verdict,
            Verdict::kFail);
  EXPECT_EQ(Judge(Steps(kExpectNotFound), {kLoaded, kSeven}).verdict, Verdict::kFail);
  EXPECT_EQ(Judge(Steps(kExpectSeven), {kLoaded, kNotFound}).verdict, Verdict::kFail);
}

TEST(RunCase, AnErrorAtLoadIsTheErrorOfEveryStep) {
  EXPECT_EQ(Judge(Steps(kExpectNotFound), {kNotFound}).verdict, Verdict::kPass);
  EXPECT_EQ(Judge(Steps(kExpectNotFound) + Steps("error {}"), {kNotFound}).verdict, Verdict::kPass);
  const CaseResult result = Judge(Steps(kExpectNotFound) + Steps(kExpectSeven), {kNotFound});
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.why, HasSubstr("at load"));
}

TEST(RunCase, StepsRunInOrderAndTheFirstBadOneIsNamed) {
  EXPECT_EQ(
      Judge(Steps(kExpectSeven) + Steps(kExpectNotFound), {kLoaded, kSeven, kNotFound}).verdict,
      Verdict::kPass);
  EXPECT_THAT(Judge(Steps(kExpectSeven) + Steps(kExpectSeven), {kLoaded, kSeven, kEight}).why,
              HasSubstr("step 2: "));
}

TEST(RunCase, AnOutcomeMustHoldAsAWhole) {
  const std::string seven_or_error =
      Steps("outcomes {" + kExpectSeven + "} outcomes {" + kExpectNotFound + "}");
  EXPECT_EQ(Judge(seven_or_error, {kLoaded, kSeven}).verdict, Verdict::kPass);
  EXPECT_EQ(Judge(seven_or_error, {kLoaded, kNotFound}).verdict, Verdict::kPass);
  const CaseResult result = Judge(seven_or_error, {kLoaded, kEight});
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.why, HasSubstr("none of the 2 outcomes"));
}

TEST(RunCase, WhatTheEngineLacksIsUnsupported) {
  const std::string lacks = "unsupported: 'the op Frobnicate'";
  const CaseResult result = Judge(Steps(kExpectSeven), {kLoaded, lacks});
  EXPECT_EQ(result.verdict, Verdict::kUnsupported);
  EXPECT_THAT(result.why, HasSubstr("Frobnicate"));
  EXPECT_EQ(Judge(Steps("error {}"), {lacks}).verdict, Verdict::kUnsupported);
  EXPECT_EQ(Judge(Steps("error { code: 'UNIMPLEMENTED' }"), {kLoaded, lacks}).verdict,
            Verdict::kPass);
}

TEST(RunCase, AnAnswerOfTheWrongKindIsACrash) {
  EXPECT_EQ(Judge(Steps(kExpectSeven), {kLoaded, "closed {}"}).verdict, Verdict::kCrash);
}

TEST(RunCase, ACaseThatMakesNoSenseFails) {
  EXPECT_THAT(Judge("", {}).why, HasSubstr("no steps"));
  EXPECT_THAT(Judge(Steps(""), {}).why, HasSubstr("1 fetches and 0 expectations"));
  EXPECT_THAT(Judge(Steps(kExpectSeven + kExpectNotFound), {}).why, HasSubstr("both"));
  EXPECT_THAT(Judge(Steps(kExpectSeven + "outcomes {" + kExpectSeven + "}"), {}).why,
              HasSubstr("beside"));
}

}  // namespace
}  // namespace tagflow::conformance
