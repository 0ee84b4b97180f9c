// Tests: subject.cc, equal.cc, workbench.cc

#include "fuzz/harness/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "fuzz/harness/equal.h"
#include "fuzz/harness/workbench.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

// Two runs; a loop; a variable.
constexpr const char* kProgram = R"(
runs 2
input x: float = 2; 3
bound: int32 = Const 3
i: int32, y: float = While(bound, x) from 0 step 1 Less most 3 {
test(i0: int32, a: float):
body(i1: int32, b: float):
  c: float = Mul(b, x)
  return c
}
return y
)";

Program Parsed() {
  Result<Program> program = ParseProgram(kProgram);
  TAGFLOW_CHECK(program.ok());
  return *std::move(program);
}

Finding Check(EngineChoice choice) {
  Result<std::unique_ptr<Workbench>> bench = Workbench::Make(choice);
  TAGFLOW_CHECK(bench.ok());
  return EqualProperty().check(Parsed(), (*bench)->setting());
}

TEST(SubjectTest, AllGiveTheSame) {
  for (const char* name : {"direct", "reference", "reference:5"}) {
    SubjectOptions options;
    options.name = name;
    const Result<std::unique_ptr<Subject>> subject = MakeSubject(options);
    ASSERT_TRUE(subject.ok()) << name;
    const Result<Answers> answers = (*subject)->Run(Parsed());
    ASSERT_TRUE(answers.ok()) << name << answers.status().ToString();
    ASSERT_EQ(answers->runs.size(), 2u);
    EXPECT_EQ(answers->runs[0][0].scalar<float>(), 16) << name;
    EXPECT_EQ(answers->runs[1][0].scalar<float>(), 81) << name;
    EXPECT_EQ(answers->firings > 20, std::string(name).starts_with("reference")) << name;
  }
}

TEST(SubjectTest, NamesOfTheReference) {
  EXPECT_TRUE(ParseReferenceName("reference")->is_reference);
  EXPECT_EQ(ParseReferenceName("reference:12")->seed, 12u);
  EXPECT_FALSE(ParseReferenceName("python3 reference")->is_reference);
  EXPECT_FALSE(ParseReferenceName("reference:x").ok());
  EXPECT_FALSE(ParseReferenceName("reference:").ok());
}

TEST(SubjectTest, AnEngineThatDoesNotStartIsAnError) {
  SubjectOptions options;
  options.name = "exit 3";
  EXPECT_FALSE(MakeSubject(options).ok());
}

TEST(EqualTest, HoldsOfTheReference) {
  EngineChoice choice;
  const Finding finding = Check(choice);
  EXPECT_EQ(finding.kind, Finding::Kind::kHolds) << finding.why;
  EXPECT_GT(finding.firings, 40);
  choice.against = "reference:3";
  EXPECT_EQ(Check(choice).kind, Finding::Kind::kHolds);
}

TEST(EqualTest, FailsByRulesThatAreBroken) {
  Mutant mutant;
  mutant.rules.switch_port = [](bool predicate) { return predicate ? 0 : 1; };
  EngineChoice choice;
  choice.broken = &mutant;
  const Finding finding = Check(choice);
  EXPECT_TRUE(finding.bad());
  EXPECT_NE(finding.why, "");
}

TEST(EqualTest, AnErrorOfTheEngineIsAFailureAndItsDeathACrash) {
  EXPECT_EQ(FindingOf(InvalidArgument("x")).kind, Finding::Kind::kFails);
  EXPECT_EQ(FindingOf(Unimplemented("x")).kind, Finding::Kind::kUnsupported);
  EXPECT_EQ(FindingOf(DeadlineExceeded("x")).kind, Finding::Kind::kHung);
  EXPECT_EQ(FindingOf(Status(Code::kAborted, "x")).kind, Finding::Kind::kCrashed);
}

TEST(WorkbenchTest, TheEngineGoesAllItsWays) {
  EngineChoice choice;
  choice.engine = "optimized:2";
  // Of each kind of sample, which repeats every hundred.
  std::map<std::string, int> ways;
  for (uint64_t block = 0; block < 10; ++block) ++ways[EngineFor(choice, 100 * block + 7).engine];
  EXPECT_EQ(ways, (std::map<std::string, int>{{"optimized:2", 3},
                                              {"optimized-tokens:2", 3},
                                              {"optimized-simplified:2", 3},
                                              {"optimized-tokens-simplified:2", 1}}));
  choice.engine = "optimized";
  int of_one_thread = 0, simulated = 0;
  std::set<std::string> names;
  for (uint64_t index = 0; index < 1000; ++index) {
    const std::string name = EngineFor(choice, index).engine;
    names.insert(name);
    const bool is_simulated = std::ranges::count(name, ':') == 2;
    simulated += is_simulated ? 1 : 0;
    of_one_thread += !is_simulated && name.ends_with(":1") ? 1 : 0;
  }
  EXPECT_EQ(of_one_thread, 600);
  EXPECT_EQ(simulated, 200);
  EXPECT_LT(names.size(), 40u) << "each is kept, with threads of its own";
  for (const char* name :
       {"reference", "direct", "optimized-tokens", "optimized:2:7", "./optimized"}) {
    choice.engine = name;
    for (uint64_t index = 0; index < 10; ++index) EXPECT_EQ(EngineFor(choice, index).engine, name);
  }
}

TEST(WorkbenchTest, OnlyTheReferenceHasAPeer) {
  EngineChoice choice;
  EXPECT_NE((*Workbench::Make(choice))->setting().peer, nullptr);
  choice.engine = "reference:3";
  EXPECT_NE((*Workbench::Make(choice))->setting().peer, nullptr);
  choice.engine = "direct";
  EXPECT_EQ((*Workbench::Make(choice))->setting().peer, nullptr);
  const Mutant mutant;
  choice.engine = "reference";
  choice.broken = &mutant;
  EXPECT_EQ((*Workbench::Make(choice))->setting().peer, nullptr);
}

TEST(WorkbenchTest, WordsAreQuotedForTheShell) {
  EXPECT_EQ(ShellQuoted("a/b-1.program"), "a/b-1.program");
  EXPECT_EQ(ShellQuoted("python3 it's"), "'python3 it'\\''s'");
  EngineChoice choice;
  EXPECT_EQ(ToOptions(choice), "");
  choice.engine = "python3 e.py";
  choice.mutant = "merge.1-x";
  EXPECT_EQ(ToOptions(choice), " --engine 'python3 e.py' --mutant merge.1-x");
}

}  // namespace
}  // namespace tagflow::fuzz
