// The table of ops: what its rows say, and that docs/ops.md is as it would be made now.

#include "conformance/op_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;

std::string DTypesOfSpec(const char* type_attr) {
  const Result<OpDef> op = OpDefBuilder("Op").Input("x: T").Attr(type_attr).Build();
  EXPECT_TRUE(op.ok()) << op.status().ToString();
  return DTypesOf(*op);
}

TEST(OpTable, NamesGroupsOfDTypesThatAreAllowedWhole) {
  EXPECT_EQ(DTypesOfSpec("T: type"), "any");
  EXPECT_EQ(DTypesOfSpec("T: numbertype"), "floats, complex, integers");
  EXPECT_EQ(DTypesOfSpec("T: {int8, int16, int32, int64, bool}"), "signed, bool");
  EXPECT_EQ(DTypesOfSpec("T: {float, double}"), "float, double");
  EXPECT_EQ(DTypesOfSpec("T: {qint8, int32}"), "int32");
}

TEST(OpTable, TakesTheDTypesOfTheArgumentsWhereNoAttrSaysThem) {
  const Result<OpDef> fixed =
      OpDefBuilder("Op").Input("x: bool").Input("y: bool").Output("z: int32").Build();
  EXPECT_EQ(DTypesOf(*fixed), "bool");
  EXPECT_EQ(DTypesOf(*OpDefBuilder("Op").Build()), "–");
  const Result<OpDef> read =
      OpDefBuilder("Op").Input("x: resource").Output("y: T").Attr("T: {float, int32}").Build();
  EXPECT_EQ(DTypesOf(*read), "float, int32");
  const Result<OpDef> reduce = OpDefBuilder("Op")
                                   .Input("x: bool")
                                   .Input("axes: Tidx")
                                   .Output("y: bool")
                                   .Attr("Tidx: {int32, int64}")
                                   .Build();
  EXPECT_EQ(DTypesOf(*reduce), "bool");
}

const OpColumn& GpuColumn() {
  static const std::vector<OpColumn>& columns = *new std::vector<OpColumn>(OpColumns());
  return *std::ranges::find(columns, "GPU", &OpColumn::heading);
}
bool KnowsGpu() { return GpuColumn().says != nullptr; }

// A line of the page, without its cell of the column GPU where this build does not know that
// column: it has no CUDA toolkit.
std::string KnownOf(const std::string& line) {
  constexpr int kBarsBefore = 5;  // | op | dtypes | reference | CPU | GPU |
  if (KnowsGpu() || !line.starts_with("|")) return line;
  size_t begin = 0;
  for (int bar = 1; bar < kBarsBefore; ++bar) begin = line.find('|', begin + 1);
  return line.substr(0, begin) + line.substr(line.find('|', begin + 1));
}

TEST(OpTable, ARowSaysWhoKnowsTheOp) {
  OpRegistry registry;
  ASSERT_TRUE(registry.Register(OpDefBuilder("Here").Input("x: float")).ok());
  ASSERT_TRUE(registry.Register(OpDefBuilder("There")).ok());
  const std::vector<OpColumn> columns = {
      {"one", [](const OpDef& op) { return op.name == "Here" ? "yes" : "–"; }}, {"two", nullptr}};
  const std::string table = OpTable(registry, columns, {{"There", 3}});
  EXPECT_THAT(table, HasSubstr("| op | dtypes | one | two | cases |\n"));
  EXPECT_THAT(table, HasSubstr("| `Here` | float | yes | – | 0 |\n"));
  EXPECT_THAT(table, HasSubstr("| `There` | – | – | – | 3 |\n"));
}

TEST(OpTable, TheEnginesRunPrimitivesAndKernels) {
  for (const char* op : {"Switch", "Merge", "Enter", "AddV2", "_Recv"}) {
    EXPECT_TRUE(ReferenceRuns(*OpRegistry::Standard().Find(op))) << op;
    EXPECT_TRUE(EngineRuns(*OpRegistry::Standard().Find(op))) << op;
  }
  EXPECT_FALSE(ReferenceRuns(*OpDefBuilder("NobodyRunsThis").Build()));
  EXPECT_FALSE(EngineRuns(*OpDefBuilder("NobodyRunsThis").Build()));
}

TEST(OpTable, AGpuRunsPrimitivesAndHasKernelsOfDTypes) {
  const auto says = [](const char* op) { return OnGpu(*OpRegistry::Standard().Find(op)); };
  EXPECT_EQ(says("Switch"), "yes");
  EXPECT_EQ(says("StringJoin"), "–");
  if (!KnowsGpu()) GTEST_SKIP() << "this build has no CUDA toolkit, and no kernels of GPUs";
  EXPECT_EQ(says("Tanh"), "floats");
  EXPECT_EQ(says("Reshape"), "yes");
}

TEST(OpTable, GradientsGoThroughOrStopOrAreNot) {
  for (const char* op : {"Mul", "Switch", "Enter"}) {
    EXPECT_EQ(GradientOf(*OpRegistry::Standard().Find(op)), "yes") << op;
  }
  for (const char* op : {"Floor", "StopGradient"}) {
    EXPECT_EQ(GradientOf(*OpRegistry::Standard().Find(op)), "stop") << op;
  }
  for (const char* op : {"LoopCond", "StringJoin"}) {
    EXPECT_EQ(GradientOf(*OpRegistry::Standard().Find(op)), "–") << op;
  }
}

TEST(OpTable, ACaseCountsOnceForEachOp) {
  const std::string folder = ::testing::TempDir() + "/op_table_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.textproto") << R"(name: "a"
    graph { node { name: "x" op: "One" } node { name: "y" op: "One" } node { name: "z" op: "Two" } })";
  std::ofstream(folder + "/b.textproto") << R"(name: "b" graph { node { name: "x" op: "One" } })";
  const Result<std::map<std::string, int>> counts = CountCases(folder);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ(*counts, (std::map<std::string, int>{{"One", 2}, {"Two", 1}}));
  EXPECT_EQ(CountCases(folder + "/nowhere").status().code(), Code::kNotFound);
}

TEST(OpTable, EveryOpThatRunsHasACase) {
  const Result<std::map<std::string, int>> cases = CountCases("conformance/cases");
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  for (const OpDef* op : OpRegistry::Standard().All()) {
    if (!ReferenceRuns(*op)) continue;
    EXPECT_TRUE(cases->contains(op->name))
        << op->name << " is in no case: conformance/recorder/op_cases.py --missing";
  }
}

TEST(OpTable, ThePageIsUpToDate) {
  if (!KnowsGpu()) {
    std::printf(
        "This build has no CUDA toolkit: the column GPU of docs/ops.md is not looked at.\n");
  }
  const Result<std::map<std::string, int>> cases = CountCases("conformance/cases");
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  std::stringstream page;
  page << std::ifstream("docs/ops.md").rdbuf();
  std::istringstream made(OpTable(OpRegistry::Standard(), OpColumns(), *cases));
  std::string want, got;
  while (std::getline(made, want)) {
    std::getline(page, got);
    ASSERT_EQ(KnownOf(want), KnownOf(got))
        << "docs/ops.md is stale: ./bazelw run //docs:update_ops";
  }
  EXPECT_FALSE(std::getline(page, got)) << "docs/ops.md is stale: ./bazelw run //docs:update_ops";
}

}  // namespace
}  // namespace tagflow::conformance
