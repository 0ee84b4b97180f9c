// Tests: sample_case.cc

#include "fuzz/graphs/sample.h"

#include <gtest/gtest.h>

#include "fuzz/graphs/sample_case.h"
#include "graph/io/import.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

GraphSample Adding() {
  GraphSample sample;
  sample.graph = TestGraph(R"(
    x = Placeholder() dtype=int32
    sum = AddV2(x, x) T=int32
    after = NoOp(^sum)
  )",
                           OpRegistry::Standard())
                     .Take();
  sample.runs = {{{"x", Tensor::Scalar<int32_t>(1)}}, {{"x", Tensor::Scalar<int32_t>(2)}}};
  sample.fetches = {"sum"};
  sample.targets = {"after"};
  return sample;
}

TEST(Sample, TheTextHasEveryNodeAndEveryRun) {
  GraphSample sample = Adding();
  sample.error = ExpectedError{"something", Code::kInternal, "frame.3", "sum"};
  EXPECT_EQ(ToText(sample),
            "x = Placeholder() dtype=int32\n"
            "sum = AddV2(x, x) T=int32\n"
            "after = NoOp(^sum)\n"
            "run x=int32[] 1\n"
            "run x=int32[] 2\n"
            "fetches sum; targets after\n"
            "must fail: something: INTERNAL [frame.3] at 'sum'\n");
}

TEST(Sample, ACloneIsAnotherGraph) {
  const GraphSample sample = Adding();
  GraphSample clone = sample.Clone();
  clone.graph.mutable_node(clone.graph.Find("after")).control_inputs.clear();
  EXPECT_NE(ToText(sample), ToText(clone));
  EXPECT_EQ(SizeOf(sample), 3u);
}

TEST(Sample, ACaseHoldsGraphCallsAndTheErrorThatMustCome) {
  GraphSample sample = Adding();
  sample.error = ExpectedError{"something", Code::kInternal, "frame.3", "sum"};
  const Result<conformance::Case> made = ToCase(sample, "saved/one", "A sample.");
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const Result<Graph> graph = ImportGraph(made->graph());
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->num_nodes(), 3u);
  ASSERT_EQ(made->steps_size(), 2);
  EXPECT_EQ(made->steps(1).feeds(0).value().int_val(0), 2);
  EXPECT_EQ(made->steps(0).fetches(0), "sum");
  EXPECT_EQ(made->steps(0).targets(0), "after");
  EXPECT_EQ(made->steps(0).error().code(), "INTERNAL");
  EXPECT_EQ(made->rules(0), "frame.3");
}

}  // namespace
}  // namespace tagflow::fuzz
