// Tests: equal.cc, worker_engines.cc

#include "fuzz/harness/equal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fuzz/engines/test_engine.h"
#include "fuzz/harness/worker_engines.h"
#include "fuzz/program/test_program.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

Finding Check(EngineChoice choice) {
  Result<std::unique_ptr<WorkerEngines>> engines = WorkerEngines::Make(choice);
  TAGFLOW_CHECK(engines.ok());
  return EqualProperty().check(ProgramOf(kLoopProgram), (*engines)->setting());
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

TEST(WorkerEnginesTest, OnlyTheReferenceHasAPeer) {
  EngineChoice choice;
  EXPECT_NE((*WorkerEngines::Make(choice))->setting().peer, nullptr);
  choice.engine = "reference:3";
  EXPECT_NE((*WorkerEngines::Make(choice))->setting().peer, nullptr);
  choice.engine = "direct";
  EXPECT_EQ((*WorkerEngines::Make(choice))->setting().peer, nullptr);
  const Mutant mutant;
  choice.engine = "reference";
  choice.broken = &mutant;
  EXPECT_EQ((*WorkerEngines::Make(choice))->setting().peer, nullptr);
}

TEST(WorkerEnginesTest, WordsAreQuotedForTheShell) {
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
