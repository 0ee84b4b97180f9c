// Tests: engine_session.cc, on_devices.cc

#include "fuzz/engines/on_devices.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/op_def.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

using Memory = DeviceWay::Memory;

TEST(DeviceWay, IsOfEveryKind) {
  std::set<Memory> memories;
  int simulated = 0, accelerated = 0, at_once = 0, outside = 0, by_cost = 0, as_it_is = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const DeviceWay way(seed);
    memories.insert(way.memory);
    simulated += way.schedule != 0;
    accelerated += way.has_accelerators;
    at_once += way.receives_at_once;
    outside += way.meets_outside;
    by_cost += way.is_by_cost;
    as_it_is += way.is_as_it_is;
    EXPECT_EQ(way.MayLackMemory(0), way.memory == Memory::kLittle) << seed;
  }
  EXPECT_EQ(memories.size(), 4u);
  for (const int count : {simulated, accelerated, at_once, outside, by_cost, as_it_is}) {
    EXPECT_GT(count, 20);
    EXPECT_LT(count, 180);
  }
}

// Whatever the way, but with too little memory, a step gives what it must; and with just enough it
// has a limit.
TEST(OnDevices, EveryWayGivesTheSame) {
  const TestGraph graph(R"(
    x = Placeholder() dtype=int32
    y = Square(x) T=int32
    z = Neg(y) T=int32
  )",
                        OpRegistry::Standard());
  Placement placement{{"/device:CPU:0", "/device:CPU:1"}, {}};
  placement.device_of.assign(graph.graph().id_limit(), "/device:CPU:0");
  placement.device_of[Index(graph.id("y"))] = "/device:CPU:1";
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto session = OpenOnDevices(graph.graph().Clone(), placement, seed, {});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    const auto values = (*session)->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"z"}, {}, {});
    if (!values.ok() && DeviceWay(seed).MayLackMemory(0)) continue;
    ASSERT_TRUE(values.ok()) << seed << ": " << values.status().ToString();
    EXPECT_EQ((*values)[0].scalar<int32_t>(), -9) << seed;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
