// Tests: token_diff.cc, token_trace.cc, engine_tokens.cc, explain.cc

#include "fuzz/harness/token_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/harness/engine_tokens.h"
#include "fuzz/harness/explain.h"
#include "fuzz/harness/token_trace.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

// y = x * 2 * 2 * 2, then a cond on y.
constexpr const char* kProgram = R"(
input x: float = 2
bound: int32 = Const 3
two: float = Const 2
limit: float = Const 10
i: int32, y: float = While(bound, x) from 0 step 1 Less most 3 {
test(i0: int32, a: float):
body(i1: int32, b: float):
  c: float = Mul(b, two)
  return c
}
big: bool = Less(limit, y)
z: float = Cond(big) {
then:
  n: float = Neg(y)
  return n
else:
  return y
}
return z
)";

class TokenDiffTest : public ::testing::Test {
 protected:
  TokenDiffTest()
      : program_(*ParseProgram(kProgram)),
        calls_(CallsOf(program_, *Lower(program_))),
        expected_(*TraceReference(calls_, 20)) {}

  TokenTrace Trace(const std::string& name, const Mutant* mutant = nullptr) {
    Result<std::unique_ptr<TokenSource>> source = MakeTokenSource(name, 20, mutant);
    TAGFLOW_CHECK(source.ok());
    return *(*source)->Trace(calls_, expected_);
  }

  const Program program_;
  const CallSequence calls_;
  const TokenTrace expected_;
};

TEST_F(TokenDiffTest, OrdersDoNotDiffer) {
  for (const char* name : {"reference", "reference:1", "reference:2"}) {
    const TokenTrace actual = Trace(name);
    EXPECT_TRUE(actual.status.ok());
    EXPECT_EQ(actual.events.size(), expected_.events.size());
    EXPECT_FALSE(FirstDifference(calls_, actual, expected_).has_value()) << name;
  }
}

TEST_F(TokenDiffTest, AWrongRuleShowsWhereItActsFirst) {
  Mutant mutant;
  mutant.rules.next_iteration = [](int64_t iteration) {
    return iteration + (iteration == 1 ? 2 : 1);
  };
  const auto difference = FirstDifference(calls_, Trace("reference", &mutant), expected_);
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(difference->tag, HasSubstr("[2]"));
  EXPECT_THAT(difference->actual, HasSubstr("never fired"));
  EXPECT_NE(difference->causes, "");
}

TEST_F(TokenDiffTest, ADifferentValueIsToldWithItsCauses) {
  TokenTrace actual = expected_;
  std::string changed;
  for (TokenEvent& event : actual.events) {
    const Node& node = calls_.graph.node(event.node);
    if (node.op != "Mul" || !event.tag.ends_with("[1]")) continue;
    changed = node.name;
    event.outputs[0].value = Tensor::Scalar<float>(99);
  }
  const auto difference = FirstDifference(calls_, actual, expected_);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->node, changed + " (Mul)");
  EXPECT_EQ(difference->actual, "float[] 99");
  EXPECT_EQ(difference->expected, "float[] 8");
  EXPECT_THAT(difference->causes, HasSubstr("fed float[] 2"));
  const std::string text = ToText(*difference, "mine", "reference");
  EXPECT_THAT(text, HasSubstr("first diverging token: " + changed + " (Mul) under "));
  EXPECT_THAT(text, HasSubstr("    mine:      float[] 99\n    reference: float[] 8\n"));
}

TEST_F(TokenDiffTest, AnExtraFiringDiffersToo) {
  TokenTrace actual = expected_;
  TokenEvent extra = actual.events.back();
  extra.tag = "nowhere[0]";
  actual.events.push_back(extra);
  const auto difference = FirstDifference(calls_, actual, expected_);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->tag, "nowhere[0]");
  EXPECT_EQ(difference->expected, "never fired");
}

TEST_F(TokenDiffTest, APartialTraceMayLackFirings) {
  TokenTrace actual = expected_;
  actual.partial = true;
  std::erase_if(actual.events, [](const TokenEvent& event) { return !event.tag.empty(); });
  EXPECT_FALSE(FirstDifference(calls_, actual, expected_).has_value());
  actual.events.back().error = "the engine gave up";
  const auto difference = FirstDifference(calls_, actual, expected_);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->actual, "the engine gave up");
}

TEST_F(TokenDiffTest, AnEngineThatDoesNotStartHasNoTokens) {
  EXPECT_FALSE(MakeEngineTokens("exit 3", 5).ok());
  EXPECT_FALSE(MakeTokenSource("reference:x", 5).ok());
}

TEST_F(TokenDiffTest, CallsOfACase) {
  conformance::Case test;
  test.add_steps()->add_fetches("x");
  test.mutable_steps(0)->add_targets("t");
  const Result<CallSequence> calls = CallsOf(test);
  ASSERT_TRUE(calls.ok());
  ASSERT_EQ(calls->calls.size(), 1u);
  EXPECT_EQ(calls->calls[0].fetches, std::vector<std::string>{"x"});
  EXPECT_EQ(calls->calls[0].targets, std::vector<std::string>{"t"});
}

TEST_F(TokenDiffTest, AFailureIsExplainedByTheEnginesTokens) {
  EXPECT_EQ(Explain(program_, EngineChoice()), "") << "the reference against itself";
  Mutant mutant;
  mutant.rules.switch_port = [](bool predicate) { return predicate ? 0 : 1; };
  EngineChoice choice;
  choice.mutant = "switch.1-other-way";
  choice.broken = &mutant;
  const std::string text = Explain(program_, choice);
  EXPECT_THAT(text, HasSubstr("first diverging token: "));
  EXPECT_THAT(text, HasSubstr("(Switch)"));
  EXPECT_THAT(text, HasSubstr("reference under switch.1-other-way: "));
}

}  // namespace
}  // namespace tagflow::fuzz
