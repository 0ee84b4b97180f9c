#include "optimized/straight/host_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/planned_kinds.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized {
namespace {

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

Graph Make() {
  const Scope s = Scope::Root().WithDevice(kGpu);
  const auto named = [&s](const char* name) { return s.WithOpName(name); };
  const Output x = Placeholder(named("x"), DType::kFloat, PartialShape({-1, 3}));
  const Output n = Placeholder(named("n"), DType::kInt32, PartialShape(Dims{}));
  const Output ids = Placeholder(named("ids"), DType::kInt32, PartialShape({4}));
  const Output start = Const(named("start"), 0);
  const Output shape = Shape(named("shape"), x);
  const Output rows = ElementAt(named("rows"), shape, Const(s, 0));
  const Output most = Maximum(named("most"), rows, n);
  const Output range = Range(named("range"), start, most, Const(s, 1));
  const Output moved = Identity(named("moved"), range);
  Add(named("doubled"), moved, moved);
  Add(named("of_ids"), ids, rows);
  const Output as_float = Cast(named("as_float"), rows, DType::kFloat);
  Cast(named("back"), as_float, DType::kInt32);
  Fill(named("matrix"), Const(s, Tensor::Vector<int32_t>({2, 2})), n);
  Fill(named("vector"), Const(s, Tensor::Vector<int32_t>({2})), n);
  Fill(named("long"), Const(s, Tensor::Vector<int32_t>({1'000'000})), n);
  Op(named("drawn"), "RandomUniformInt", {shape, start, rows}, {{"Tout", DType::kInt32}});
  // Of what is fed: the one is read on the host, through another number; and the other is not.
  const Output zero = Const(s, Tensor::Vector<int32_t>({0}));
  const Output max = Op(named("max"), "Max", {Mul(named("twice"), ids, ids), zero}).output(0);
  const Output counted = Cast(s, as_float, DType::kInt32);
  Range(named("unknown"), start, Maximum(named("asked"), counted, max), Const(s, 1));
  Result<Graph> made = s.Finish();
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return *std::move(made);
}

// The names of those that the host's kernels compute, where all are on a GPU.
std::string Found(const std::vector<std::string>& feeds) {
  const Graph graph = Make();
  std::vector<OutputRef> fed_outputs;
  for (const std::string& name : feeds) fed_outputs.push_back({graph.Find(name), 0});
  const FeedSet fed(graph, fed_outputs);
  const auto devices = Devices::Create({kGpu, kCpu}, PlannedKinds({GpuDevices()}));
  EXPECT_TRUE(devices.ok());
  SignatureCache signatures;
  const std::vector<bool> all(graph.id_limit(), true);
  const HostNumbers numbers({graph, fed, **devices, KernelRegistry::Standard(), signatures},
                            DependencyOrder(graph, all, fed));
  std::string found;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (numbers.AreComputedBy(node) && !node.inputs.empty()) found += node.name + " ";
  }
  EXPECT_TRUE(numbers.Contains(graph.Find("shape")));
  return found;
}

TEST(HostNumbers, AreMadeOfDimensionsConstantsAndFedScalars) {
  EXPECT_EQ(Found({"x", "n", "ids"}), "rows most range moved doubled matrix vector twice max ");
}

TEST(HostNumbers, AreNotWhatIsFedInTheirPlace) {
  EXPECT_EQ(Found({"x", "n", "ids", "rows"}), "rows matrix vector twice max ");
  EXPECT_EQ(Found({"x", "n", "ids", "start"}), "rows most matrix vector twice max ");
}

}  // namespace
}  // namespace tagflow::optimized
