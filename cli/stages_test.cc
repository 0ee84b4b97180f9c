#include "cli/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "conformance/command/args.h"
#include "graph/test_graph.h"

namespace tagflow::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

fuzz::CallSequence CallsOf(TestGraph graph, const std::string& fetch) {
  fuzz::CallSequence calls{graph.Take(), {}};
  calls.calls.push_back({{{"x", Tensor::Scalar<float>(2)}}, {fetch}, {}});
  return calls;
}

constexpr double kTimeoutS = 20;

std::string Report(const fuzz::CallSequence& calls, const OpLibrary& library = {}) {
  return ReportOf(calls, RunStages(calls, library, kTimeoutS), 1e-5).text;
}

// The line of the stage.
std::string LineOf(const std::string& report, const std::string& stage) {
  const size_t begin = report.find("\n" + stage + " ") + 1;
  return report.substr(begin, report.find('\n', begin) - begin);
}

TestGraph Branch() {
  return TestGraph(R"(
    x = Placeholder() dtype=float
    zero = Const() dtype=float value=0
    p = Greater(x, zero)
    s = Switch(x, p)
    n = Neg(s:1)
    m = Merge(n, s:0)
  )",
                   OpRegistry::Standard());
}

TEST(StagesTest, NoneDiffersWhereAllIsRight) {
  const std::string report = Report(CallsOf(Branch(), "m"));
  EXPECT_THAT(report, HasSubstr("\nno stage differs\n"));
  for (const char* stage : {"simplify", "tokens", "straight", "optimized"}) {
    EXPECT_THAT(LineOf(report, stage), HasSubstr("the same bits")) << report;
  }
  EXPECT_THAT(LineOf(report, "lower"), HasSubstr("not run: no node calls a function"));
  EXPECT_THAT(LineOf(report, "partition"), HasSubstr("not run: all nodes are on one device"));
}

TEST(StagesTest, APartPerDeviceThatNodesAskFor) {
  TestGraph graph = Branch();
  for (const NodeId id : graph.graph().NodeIds()) {
    graph.mutable_graph().mutable_node(id).device = "/device:CPU:0";
  }
  graph.mutable_graph().mutable_node(graph.id("n")).device = "/device:CPU:1";
  const std::string report = Report(CallsOf(std::move(graph), "m"));
  EXPECT_THAT(LineOf(report, "partition"), HasSubstr("the same bits")) << report;
}

TEST(StagesTest, AFailureThatIsTheSameEverywhereIsNoDifference) {
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    c = CheckNumerics(log) message=bad
    zero = Const() dtype=float value=0
    d = Sub(x, x)
    log = Log(d)
  )",
                  OpRegistry::Standard());
  const std::string report = Report(CallsOf(std::move(graph), "c"));
  EXPECT_THAT(LineOf(report, "written"), HasSubstr("it fails: INVALID_ARGUMENT")) << report;
  EXPECT_THAT(report, HasSubstr("\nno stage differs\n"));
}

// An engine whose kernel is not what the reference's is.
class WrongKernelTest : public ::testing::Test {
 protected:
  WrongKernelTest() {
    EXPECT_TRUE(RegisterStandardOps(ops_).ok());
    EXPECT_TRUE(
        ops_.Register(OpDefBuilder("Test>Twice").Input("x: float").Output("y: float")).ok());
    EXPECT_TRUE(kernels_
                    .Register("Test>Twice",
                              [](reference::KernelContext& context) {
                                const float x = context.inputs[0].scalar<float>();
                                context.outputs[0] = Tensor::Scalar<float>(x * 2);
                                return Status();
                              })
                    .ok());
    EXPECT_TRUE(reference::RegisterStandardKernels(kernels_).ok());
    EXPECT_TRUE(optimized::RegisterStandardKernels(engine_kernels_).ok());
  }

  // times: what the engine multiplies by
  std::string ReportWhereTheEngineTakes(float times) {
    const auto multiply = [times](optimized::KernelContext& context) {
      context.output(0) = Tensor::Scalar<float>(context.input(0).scalar<float>() * times);
      return Status();
    };
    const auto bind = [multiply](const optimized::Binding&) -> Result<optimized::BoundKernel> {
      return optimized::BoundKernel(multiply);
    };
    EXPECT_TRUE(engine_kernels_.Register("Test>Twice", bind).ok());
    fuzz::CallSequence calls = CallsOf(TestGraph("x = Placeholder() dtype=float\n"
                                                 "y = Test>Twice(x)",
                                                 ops_),
                                       "y");
    calls.kernels = &kernels_;
    return Report(calls, {&ops_, &kernels_, &engine_kernels_});
  }

  OpRegistry ops_;
  reference::KernelRegistry kernels_;
  optimized::KernelRegistry engine_kernels_;
};

TEST_F(WrongKernelTest, TheFirstStageThatDiffersIsNamed) {
  const std::string report = ReportWhereTheEngineTakes(3);
  EXPECT_THAT(LineOf(report, "tokens"), AllOf(HasSubstr("DIFFER: y: "), HasSubstr("off by 2")));
  EXPECT_THAT(report, HasSubstr("\nfirst to differ: tokens\n"));
}

TEST_F(WrongKernelTest, RoundingIsNoDifference) {
  const std::string report = ReportWhereTheEngineTakes(2.00001f);
  EXPECT_THAT(LineOf(report, "straight"), HasSubstr("rounded otherwise: y: ")) << report;
  EXPECT_THAT(report, HasSubstr("\nno stage differs\n"));
}

TEST(StagesCommandTest, FunctionsOfASavedModel) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(DiffCommand({"graph/saved/testdata/model", "--stages", "--feed", "x=[[1,2]]"}),
            kExitOk);
  const std::string report = testing::internal::GetCapturedStdout();
  EXPECT_THAT(LineOf(report, "lower"), HasSubstr("the same bits")) << report;
}

TEST(StagesCommandTest, Usage) {
  const std::string model = "graph/saved/testdata/model";
  EXPECT_EQ(DiffCommand({model, "--stages", "--engine", "optimized"}), kExitUsage);
  EXPECT_EQ(DiffCommand({model, "--stages", "--tolerance", "2"}), kExitUsage);
  EXPECT_EQ(DiffCommand({model, "--engine", "optimized", "--tolerance", "0.1"}), kExitUsage);
}

}  // namespace
}  // namespace tagflow::cli
