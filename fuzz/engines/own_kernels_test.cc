#include "fuzz/engines/own_kernels.h"

#include <gtest/gtest.h>

#include <utility>

#include "fuzz/engines/engine.h"
#include "fuzz/engines/optimized_engine.h"
#include "fuzz/engines/reference_engine.h"
#include "optimized/session.h"

namespace tagflow::fuzz {
namespace {

// y = 1 + (x + x), of AddV2, which does not complete by itself, and of OnesLike, which does.
Graph Sum() {
  Graph graph;
  const NodeId x = *graph.AddNode("x", "Placeholder"), sum = *graph.AddNode("sum", "AddV2"),
               ones = *graph.AddNode("ones", "OnesLike"), y = *graph.AddNode("y", "AddV2");
  graph.SetAttr(x, "dtype", DType::kFloat);
  for (const NodeId id : {sum, ones, y}) graph.SetAttr(id, "T", DType::kFloat);
  graph.mutable_node(sum).inputs = {{x, 0}, {x, 0}};
  graph.mutable_node(ones).inputs = {{sum, 0}};
  graph.mutable_node(y).inputs = {{ones, 0}, {sum, 0}};
  return graph;
}

const reference::NamedTensors kFeeds = {{"x", Tensor::Vector<float>({1, 2})}};

void ExpectRight(const Result<OwnKernelRun>& run) {
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(run->values[0].DebugString(), "float[2] [3, 5]");
  EXPECT_EQ(run->calls.at("AddV2"), 2);
  EXPECT_EQ(run->calls.at("OnesLike"), 1);
  EXPECT_EQ(run->calls.at("MatMul"), 0);
}

TEST(OwnKernels, EveryEngineCountsThem) {
  ExpectRight(StandardReference().RunWithOwnKernels(Sum(), kFeeds, {"y"}, {}));
  for (const auto executor :
       {optimized::ExecutorChoice::kAuto, optimized::ExecutorChoice::kSharedTokens}) {
    optimized::SessionOptions options;
    options.executor = executor;
    ExpectRight(OptimizedEngine(options)->RunWithOwnKernels(Sum(), kFeeds, {"y"}, {}));
  }
}

TEST(OwnKernels, SomeOfTheEnginesCompleteByThemselves) {
  CallCounts counts;
  const CountingEngineKernels counting(counts);
  for (const optimized::KernelRegistry* kernels : {&counting.registry(), &AsyncKernels()}) {
    EXPECT_TRUE(optimized::IsAsync(*kernels->Find("OnesLike")));
    EXPECT_FALSE(optimized::IsAsync(*kernels->Find("AddV2")));
    EXPECT_FALSE(optimized::IsAsync(*kernels->Find("Assign"))) << "it has an effect";
  }
  optimized::SessionOptions options;
  options.kernels = &AsyncKernels();
  const auto session = OptimizedEngine(options)->Open(Sum());
  const auto values = (*session)->Run(kFeeds, {"y"}, {}, {});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ((*values)[0].DebugString(), "float[2] [3, 5]");
}

}  // namespace
}  // namespace tagflow::fuzz
