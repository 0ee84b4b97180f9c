#include "optimized/straight/predicted_places.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "graph/validate.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/planned_kinds.h"

namespace tagflow::optimized {
namespace {

constexpr char kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

// Of one node, where all are on the GPU that it has kernels for, but those `on_host`.
PredictedPlace PlaceOf(const std::string& node, const std::string& text,
                       const std::vector<std::string>& feeds,
                       const std::vector<std::string>& on_host = {}) {
  TestGraph graph(text, OpRegistry::Standard());
  for (const NodeId id : graph.graph().NodeIds()) {
    graph.mutable_graph().mutable_node(id).device = kGpu;
  }
  for (const std::string& name : on_host) {
    graph.mutable_graph().mutable_node(graph.id(name)).device = kCpu;
  }
  const CallSpec call = graph.Call(feeds, {node});
  const auto devices = Devices::Create({kGpu, kCpu}, PlannedKinds({GpuDevices()}));
  return PredictPlaces(graph.graph(), call, NeededNodes(graph.graph(), call), **devices,
                       KernelRegistry::Standard())[Index(graph.id(node))];
}

TEST(PredictedPlaces, ScalarsAreTheHosts) {
  constexpr char kSum[] = R"(
    x = Placeholder() dtype=float shape=[]
    one = Const() dtype=float value=1
    y = AddV2(x, one) T=float
  )";
  EXPECT_EQ(PlaceOf("y", kSum, {"x"}), PredictedPlace::kHost);
}

TEST(PredictedPlaces, WhatArraysComeToIsTheDevices) {
  constexpr char kSum[] = R"(
    x = Placeholder() dtype=float shape=[5]
    axes = Placeholder() dtype=int32 shape=[1]
    y = Sum(x, axes) T=float Tidx=int32
    size = Size(x) T=float out_type=int32
    turned = Neg(y) T=float
    of_host = Neg(y) T=float
  )";
  EXPECT_EQ(PlaceOf("turned", kSum, {"x", "axes"}), PredictedPlace::kDevice);
  EXPECT_EQ(PlaceOf("of_host", kSum, {"x", "axes"}, {"of_host"}), PredictedPlace::kHost);
  EXPECT_EQ(PlaceOf("size", kSum, {"x"}), PredictedPlace::kHost);
}

TEST(PredictedPlaces, AShapeThatIsNotKnownMayBeAnything) {
  EXPECT_EQ(PlaceOf("y", "x = Placeholder() dtype=float\ny = Neg(x) T=float", {"x"}),
            PredictedPlace::kUnknown);
}

// i counts to n, and y doubles until it is as large as the limit.
std::string Loop(const std::string& predicate) {
  return R"(
    n = Placeholder() dtype=int32 shape=[]
    x = Placeholder() dtype=float shape=[2]
    limit = Placeholder() dtype=float shape=[]
    axes = Placeholder() dtype=int32 shape=[1]
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x) T=float frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    limit_in = Enter(limit) T=float frame_name=f is_constant=true
    axes_in = Enter(axes) T=int32 frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=float
    sum = Sum(y, axes_in) T=float Tidx=int32
    below = Less(sum, limit_in) T=float
    less = Less(i, n_in) T=int32
    again = LoopCond()" +
         predicate + R"()
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=float
    i_sum = AddV2(i_way:1, one_in) T=int32
    y_sum = AddV2(y_way:1, y_way:1) T=float
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(y_sum) T=float
  )";
}

TEST(PredictedPlaces, APredicateIsWhereItsVariablesLeadTo) {
  const std::vector<std::string> feeds = {"n", "x", "limit", "axes"};
  EXPECT_EQ(PlaceOf("again", Loop("less"), feeds), PredictedPlace::kHost);
  EXPECT_EQ(PlaceOf("again", Loop("below"), feeds), PredictedPlace::kDevice);
}

}  // namespace
}  // namespace tagflow::optimized
