// Tests: kernel_dtype.cc, place.cc, requests.cc

#include "transform/placement/place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow {
namespace {

const std::vector<std::string> kCpuAndSim = {"/device:CPU:0", "/device:SIM:0"};

// Every standard op on CPU; on SIM all but those given, of any dtype.
DeviceCatalog CatalogOf(const std::vector<std::string>& devices,
                        const std::vector<std::string>& not_on_sim = {}) {
  DeviceCatalog catalog;
  for (const std::string& name : devices) catalog.AddDevice({name, name.substr(8, 3)});
  for (const OpDef* op : OpRegistry::Standard().All()) {
    catalog.AddKernel(op->name, "CPU", DType::kInvalid);
    if (std::ranges::find(not_on_sim, op->name) == not_on_sim.end()) {
      catalog.AddKernel(op->name, "SIM", DType::kInvalid);
    }
  }
  return catalog;
}

class Placed {
 public:
  Placed(std::string_view text, const std::map<std::string, std::string>& asked,
         const DeviceCatalog& catalog, const PlacementOptions& options = {})
      : graph_(text, OpRegistry::Standard()) {
    for (const auto& [name, device] : asked) {
      graph_.mutable_graph().mutable_node(graph_.id(name)).device = device;
    }
    Result<PlacementReport> report = Place(graph_.graph(), catalog, options);
    status = report.status();
    if (report.ok()) this->report = *std::move(report);
  }
  std::string Of(const std::string& name) const {
    return report.placement.device_of[Index(graph_.id(name))];
  }
  std::string Why(const std::string& name) const { return report.reasons[Index(graph_.id(name))]; }
  std::string Chosen() const { return report.candidates[report.chosen].name; }
  const TestGraph& graph() const { return graph_; }

  Status status;
  PlacementReport report;

 private:
  TestGraph graph_;
};

constexpr char kChain[] = R"(
    x = Placeholder() dtype=string
    unique = Unique(x) T=string
    out = Identity(unique) T=string
)";

TEST(Place, AsAskedWithoutMore) {
  const Placed placed(kChain, {{"unique", "/device:SIM:*"}}, CatalogOf(kCpuAndSim));
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  EXPECT_EQ(placed.Of("unique"), "/device:SIM:0");
  EXPECT_EQ(placed.Why("unique"), "asked for");
}

TEST(Place, RefusesADeviceWithoutKernel) {
  const Placed placed(kChain, {{"unique", "/device:SIM:0"}}, CatalogOf(kCpuAndSim, {"Unique"}));
  EXPECT_EQ(placed.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(placed.status.rule(), "graph.4");
  EXPECT_EQ(placed.status.node(), "unique");
  EXPECT_EQ(placed.status.message(),
            "node 'unique' asks for '/device:SIM:0', which has no kernel for Unique of string: "
            "there is one for Unique of string on CPU; place it there, or on no device in "
            "particular, or place softly");
}

TEST(Place, SoftlyItGoesWhereThereIsAKernel) {
  PlacementOptions softly;
  softly.soft = true;
  const DeviceCatalog catalog = CatalogOf(kCpuAndSim, {"Unique"});
  const Placed placed(kChain, {{"unique", "/device:SIM:0"}, {"out", "/device:GPU:3"}}, catalog,
                      softly);
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  EXPECT_EQ(placed.Of("unique"), "/device:CPU:0");
  EXPECT_EQ(placed.Why("unique"), "softly: '/device:SIM:0' has no kernel for Unique of string");
  EXPECT_EQ(placed.Why("out").find("softly: '/device:GPU:3' is not there; all on one: "), 0u)
      << placed.Why("out");
  const Placed gone(kChain, {{"out", "/device:GPU:3"}}, catalog);
  EXPECT_EQ(gone.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(gone.status.node(), "out");
  const Placed nonsense(kChain, {{"out", "nonsense"}}, catalog, softly);
  EXPECT_EQ(nonsense.status.node(), "out");
}

TEST(Place, OneKernelIsAReason) {
  const Placed placed(kChain, {}, CatalogOf({"/device:SIM:0", "/device:CPU:0"}, {"Unique"}));
  EXPECT_EQ(placed.Of("unique"), "/device:CPU:0");
  EXPECT_EQ(placed.Why("unique"), "only /device:CPU:0 has a kernel for Unique of string");
  const Placed alone(kChain, {}, CatalogOf({"/device:CPU:0"}));
  EXPECT_EQ(alone.Why("out"), "the only device");
}

TEST(Place, NoKernelAnywhereIsUnimplemented) {
  const Placed placed(kChain, {}, CatalogOf({"/device:SIM:0"}, {"Unique"}));
  EXPECT_EQ(placed.status.code(), Code::kUnimplemented);
  EXPECT_EQ(placed.status.node(), "unique");
  EXPECT_FALSE(Placed(kChain, {}, DeviceCatalog()).status.ok());
}

TEST(Place, ACallAsksForNoMoreThanItNeeds) {
  const TestGraph graph(kChain, OpRegistry::Standard());
  PlacementOptions options;
  options.call = graph.Call({"unique"}, {"out"});
  const Placed placed(kChain, {{"x", "/device:GPU:0"}}, CatalogOf({"/device:SIM:0"}, {"Unique"}),
                      options);
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  EXPECT_EQ(placed.Of("unique"), "/device:SIM:0");
  EXPECT_EQ(placed.Why("unique"), "not needed");
}

constexpr char kVariable[] = R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    one = Const() dtype=int32 value=1
    write = AssignVariableOp(v, one) dtype=int32
    read = ReadVariableOp(v, ^write) dtype=int32
    out = Square(read) T=int32
)";

TEST(Place, AHandleIsWithItsOps) {
  const Placed placed(kVariable, {{"read", "/device:SIM:0"}}, CatalogOf(kCpuAndSim));
  for (const char* name : {"v", "write", "read"}) {
    EXPECT_EQ(placed.Of(name), "/device:SIM:0") << name;
  }
  EXPECT_EQ(placed.Why("v"), "with 'read'");
  const Placed free(kVariable, {}, CatalogOf(kCpuAndSim));
  EXPECT_EQ(free.Why("read"), "with variable 'v'");
  EXPECT_EQ(free.Why("v").find("all on one"), 0u) << free.Why("v");
}

TEST(Place, WhatTheExecutorRunsItselfNeedsNoKernel) {
  DeviceCatalog catalog;
  for (const std::string& name : kCpuAndSim) catalog.AddDevice({name, name.substr(8, 3)});
  for (const char* op : {"Const", "Square"}) catalog.AddKernel(op, "CPU", DType::kInvalid);
  const Placed placed(R"(
    p = Const() dtype=int32 value=1
    s = _SwitchN(p, p) num_outs=2 T=int32
    go = ControlTrigger(^s)
    send = _Send(p) T=int32 tensor_name="t" send_device="a" recv_device="b" send_device_incarnation=1
    recv = _HostRecv(^go) tensor_type=int32 tensor_name="t" send_device="a" recv_device="b" send_device_incarnation=1
    y = Square(recv) T=int32
  )",
                      {{"s", "/device:SIM:0"},
                       {"go", "/device:SIM:0"},
                       {"send", "/device:SIM:0"},
                       {"recv", "/device:SIM:0"}},
                      catalog);
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  for (const char* name : {"s", "go", "send", "recv"}) EXPECT_EQ(placed.Of(name), "/device:SIM:0");
  EXPECT_EQ(placed.Of("y"), "/device:CPU:0");
}

TEST(Place, AGroupIsWhereAllOfItHasKernels) {
  const DeviceCatalog catalog = CatalogOf(kCpuAndSim, {"AssignVariableOp"});
  const Placed placed(kVariable, {}, catalog);
  EXPECT_EQ(placed.Of("v"), "/device:CPU:0");
  const Placed asked(kVariable, {{"v", "/device:SIM:0"}}, catalog);
  EXPECT_EQ(asked.status.node(), "v");
  EXPECT_NE(asked.status.message().find("('write', which must be with it)"), std::string::npos)
      << asked.status.message();
  PlacementOptions softly;
  softly.soft = true;
  const Placed soft(kVariable, {{"v", "/device:SIM:0"}}, catalog, softly);
  EXPECT_EQ(soft.Of("read"), "/device:CPU:0");
  EXPECT_NE(soft.Why("v").find("softly: "), std::string::npos) << soft.Why("v");
  const Placed apart(kVariable, {{"v", "/device:CPU:0"}, {"read", "/device:SIM:0"}},
                     CatalogOf(kCpuAndSim), softly);
  EXPECT_EQ(apart.Of("read"), "/device:CPU:0");
  EXPECT_EQ(apart.Why("read"), "softly: it must be with 'v', which asks for '/device:CPU:0'");
}

TEST(Place, AGroupWithoutACommonDeviceIsAnError) {
  DeviceCatalog catalog;
  for (const std::string& name : kCpuAndSim) catalog.AddDevice({name, name.substr(8, 3)});
  for (const char* op : {"VarHandleOp", "AssignVariableOp", "Const", "Square"}) {
    catalog.AddKernel(op, "CPU", DType::kInt32);
  }
  catalog.AddKernel("ReadVariableOp", "SIM", DType::kInt32);
  PlacementOptions softly;
  softly.soft = true;
  const Placed placed(kVariable, {}, catalog, softly);
  EXPECT_EQ(placed.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(placed.status.rule(), "partition.4");
  EXPECT_NE(placed.status.message().find("there is one for VarHandleOp of int32 on CPU, and there "
                                         "is one for ReadVariableOp of int32 on SIM"),
            std::string::npos)
      << placed.status.message();
}

// Two products that do not depend on each other: worth two devices.
constexpr char kProducts[] = R"(
    x = RandomUniform(size) T=int32 dtype=float
    size = Const() dtype=int32 value=9
    a = MatMul(x, x) T=float
    b = MatMul(x, x) T=float
    sum = Add(a, b) T=float
)";

TEST(Place, GreedySpreadsWhatIsWorthIt) {
  CostOptions costs;
  costs.unknown_dim = 512;
  PlacementOptions options;
  options.costs = costs;
  const Placed placed(kProducts, {}, CatalogOf({"/device:CPU:0", "/device:CPU:1"}), options);
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  EXPECT_EQ(placed.Chosen(), "greedy");
  EXPECT_NE(placed.Of("a"), placed.Of("b"));
  EXPECT_EQ(placed.Why("b").find("greedy: done "), 0u) << placed.Why("b");
  ASSERT_EQ(placed.report.candidates.size(), 4u);
  EXPECT_EQ(placed.report.candidates[0].name, "all on /device:CPU:0");
  EXPECT_EQ(placed.report.candidates[3].name, "round robin");
}

TEST(Place, SmallThingsStayTogether) {
  const Placed placed(kProducts, {}, CatalogOf({"/device:CPU:0", "/device:CPU:1"}),
                      {false, {}, {1, 100, {}, {}, {}, "CPU"}});
  EXPECT_EQ(placed.Chosen(), "all on /device:CPU:0");
  for (const char* name : {"x", "a", "b", "sum"}) {
    EXPECT_EQ(placed.Why(name).find("all on one: "), 0u) << placed.Why(name);
  }
}

// Each product has 1 MB: three of these at a time, with the two in one place.
TEST(Place, WhatDoesNotFitTheMemoryIsNotTaken) {
  PlacementOptions options;
  options.costs.unknown_dim = 1 << 18;  // elements of what has no known rank, too
  DeviceCatalog both = CatalogOf({"/device:CPU:0"});
  both.AddDevice({"/device:CPU:1", "CPU", MemoryKind::kHost, 1000});
  const Placed placed(kProducts, {}, both, options);
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  EXPECT_EQ(placed.Chosen(), "all on /device:CPU:0");
  EXPECT_NE(placed.Why("a").find(", does not fit the memory of /device:CPU:1: "), std::string::npos)
      << placed.Why("a");
  DeviceCatalog neither;
  neither.AddDevice({"/device:CPU:0", "CPU", MemoryKind::kHost, 1000});
  neither.AddDevice({"/device:CPU:1", "CPU", MemoryKind::kHost, 1000});
  for (const char* op : {"RandomUniform", "Const", "MatMul", "Add"}) {
    neither.AddKernel(op, "CPU", DType::kInvalid);
  }
  const Placed nowhere(kProducts, {}, neither, options);
  ASSERT_TRUE(nowhere.status.ok()) << nowhere.status.ToString();
  EXPECT_NE(nowhere.Why("a").find("; nothing that was tried fits the memory of "),
            std::string::npos)
      << nowhere.Why("a");
}

TEST(Place, IsTheSameEveryTimeAndWhatItWasEstimatedAt) {
  const DeviceCatalog catalog = CatalogOf({"/device:CPU:0", "/device:CPU:1", "/device:SIM:0"});
  PlacementOptions options;
  options.costs.unknown_dim = 512;
  const Placed placed(kProducts, {}, catalog, options);
  const Placed again(kProducts, {}, catalog, options);
  EXPECT_EQ(placed.report.placement.device_of, again.report.placement.device_of);
  EXPECT_EQ(placed.report.reasons, again.report.reasons);
  const Result<double> ns =
      EstimateStepNs(placed.graph().graph(), catalog, placed.report.placement, options);
  ASSERT_TRUE(ns.ok()) << ns.status().ToString();
  EXPECT_EQ(*ns, placed.report.candidates[placed.report.chosen].makespan_ns);
  Placement nowhere = placed.report.placement;
  nowhere.device_of[Index(placed.graph().id("a"))] = "/device:GPU:0";
  EXPECT_EQ(EstimateStepNs(placed.graph().graph(), catalog, nowhere, options).status().node(), "a");
  nowhere.device_of.clear();
  EXPECT_FALSE(EstimateStepNs(placed.graph().graph(), catalog, nowhere, options).ok());
}

// A frame without a LoopCond: [partition.3] refuses to cut it.
constexpr char kFrame[] = R"(
    x = Const() dtype=int32 value=3
    enter = Enter(x) T=int32 frame_name=f
    a = Square(enter) T=int32
    b = Neg(a) T=int32
    inner = Enter(b) T=int32 frame_name=g
    c = Square(inner) T=int32
    back = Exit(c) T=int32
    exit = Exit(back) T=int32
)";

TEST(Place, AFrameThatCannotBeCutIsTogether) {
  const Placed placed(kFrame, {{"c", "/device:SIM:0"}}, CatalogOf(kCpuAndSim));
  ASSERT_TRUE(placed.status.ok()) << placed.status.ToString();
  for (const char* name : {"a", "b", "c", "back", "exit"}) {
    EXPECT_EQ(placed.Of(name), "/device:SIM:0") << name;
  }
  const CallSpec call = placed.graph().Call({}, {"exit"});
  EXPECT_TRUE(PartitionCall(placed.graph().graph(), call, placed.report.placement).ok());
  const Placed apart(kFrame, {{"a", "/device:CPU:0"}, {"c", "/device:SIM:0"}},
                     CatalogOf(kCpuAndSim));
  EXPECT_EQ(apart.status.node(), "c");
}

TEST(KernelDType, IsTheFirstTypeAttr) {
  const TestGraph graph(R"(
    x = Placeholder() dtype=int32
    cast = Cast(x) SrcT=int32 DstT=float
    nothing = NoOp()
  )",
                        OpRegistry::Standard());
  EXPECT_EQ(KernelDType(graph.node("cast")), DType::kInt32);
  EXPECT_EQ(KernelDType(graph.node("nothing")), DType::kInvalid);
  EXPECT_EQ(OpAndDType(graph.node("x")), "Placeholder of int32");
  EXPECT_EQ(OpAndDType(graph.node("nothing")), "NoOp");
}

}  // namespace
}  // namespace tagflow
