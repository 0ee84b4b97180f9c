// What variables and arrays keep on a simulated device is counted against its memory.
// Tests: ../state.cc, sim_kernel.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kSim[] = "/device:SIM:0";
constexpr int64_t kBytes = 1024;

Tensor Kilobyte(float value) { return Tensor::Vector(std::vector<float>(kBytes / 4, value)); }

class SimStateTest : public testing::TestWithParam<int> {
 protected:
  void Open(const std::string& text, int64_t memory_bytes) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const NodeId id : graph.graph().NodeIds())
      graph.mutable_graph().mutable_node(id).device = kSim;
    SessionOptions options;
    options.devices = {"/device:CPU:0", kSim};
    options.device_kinds = {SimDevices({.memory_bytes = memory_bytes})};
    options.threads = GetParam();
    session_ = *Session::Create(graph.Take(), options);
  }
  // The error, or "".
  std::string Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                  const std::vector<std::string>& targets = {}) {
    RunOptions options;
    options.device_report = &report_;
    const auto values = session_->Run(feeds, fetches, targets, options);
    if (!values.ok()) return values.status().ToString();
    fetched_ = *values;
    return "";
  }
  const DeviceMemoryStats& memory() const { return report_.devices.at(0).memory; }

  std::unique_ptr<Session> session_;
  DeviceReport report_;  // of the step before
  std::vector<Tensor> fetched_;
};
INSTANTIATE_TEST_SUITE_P(Threads, SimStateTest, testing::Values(1, 3));

constexpr char kVariables[] = R"(
    x = Placeholder() dtype=float
    v = VarHandleOp() dtype=float shared_name=v
    w = VarHandleOp() dtype=float shared_name=w
    write_v = AssignVariableOp(v, x) dtype=float
    write_w = AssignVariableOp(w, x) dtype=float
    add_v = AssignAddVariableOp(v, x) dtype=float
    read_v = ReadVariableOp(v) dtype=float
    empty = Placeholder() dtype=float
    clear_v = AssignVariableOp(v, empty) dtype=float
)";

TEST_P(SimStateTest, AVariableKeepsItsRoomBetweenSteps) {
  Open(kVariables, 0);
  ASSERT_EQ(Run({{"x", Kilobyte(1)}}, {}, {"write_v"}), "");
  EXPECT_EQ(memory().bytes_state, kBytes);
  EXPECT_EQ(memory().bytes_resident_max, kBytes);  // what was given is counted once
  ASSERT_EQ(Run({{"x", Kilobyte(2)}}, {}, {"add_v"}), "");
  EXPECT_EQ(memory().bytes_state, kBytes);
  ASSERT_EQ(Run({{"x", Kilobyte(2)}}, {}, {"write_w"}), "");
  EXPECT_EQ(memory().bytes_state, 2 * kBytes);
  ASSERT_EQ(Run({}, {"read_v"}), "");
  EXPECT_TRUE(BitwiseEqual(fetched_[0], Kilobyte(3)));
  ASSERT_EQ(Run({{"empty", Tensor::Vector<float>({1})}}, {}, {"clear_v"}), "");
  EXPECT_EQ(memory().bytes_state, kBytes + 64);
}

constexpr char kReference[] = R"(
    x = Placeholder() dtype=float
    v = VariableV2() dtype=float
    set = Assign(v, x) T=float validate_shape=false
)";

// What a reference leads to lies in the device's memory, and what is fetched does not.
TEST_P(SimStateTest, WhatIsFetchedByReferenceOutlivesTheSession) {
  Open(kReference, 0);
  ASSERT_EQ(Run({{"x", Kilobyte(5)}}, {}, {"set"}), "");
  ASSERT_EQ(Run({}, {"v"}), "");
  EXPECT_EQ(memory().bytes_state, kBytes);
  EXPECT_EQ(fetched_[0].memory_kind(), MemoryKind::kHost);
  session_.reset();
  EXPECT_TRUE(BitwiseEqual(fetched_[0], Kilobyte(5)));
}

TEST_P(SimStateTest, AVariableThatDoesNotFitIsAnErrorOfWhoWritesIt) {
  Open(kVariables, 2 * kBytes);
  ASSERT_EQ(Run({{"x", Kilobyte(1)}}, {}, {"write_v"}), "");
  ASSERT_EQ(Run({{"x", Kilobyte(1)}}, {}, {"write_w"}), "");
  // There is no room for x, which is fed, nor for what is read.
  const std::string fed = Run({{"x", Kilobyte(1)}}, {}, {"add_v"});
  EXPECT_THAT(fed, HasSubstr("RESOURCE_EXHAUSTED")) << fed;
  const std::string read = Run({}, {"read_v"});
  EXPECT_THAT(read,
              HasSubstr("no memory on '/device:SIM:0' for an output of 1024 bytes: 2048 bytes "
                        "of 2048 are taken, 2048 of them by variables and arrays"));
  EXPECT_THAT(read, HasSubstr("node read_v"));
}

constexpr char kArray[] = R"(
    x = Placeholder() dtype=float
    size = Const() dtype=int32 value=4
    array = TensorArrayV3(size) dtype=float
    i0 = Const() dtype=int32 value=0
    i1 = Const() dtype=int32 value=1
    i2 = Const() dtype=int32 value=2
    i3 = Const() dtype=int32 value=3
    write_0 = TensorArrayWriteV3(array, i0, x, array:1) T=float
    write_1 = TensorArrayWriteV3(array, i1, x, write_0) T=float
    write_2 = TensorArrayWriteV3(array, i2, x, write_1) T=float
    write_3 = TensorArrayWriteV3(array, i3, x, write_2) T=float
    read = TensorArrayReadV3(array, i3, write_3) dtype=float
)";

TEST_P(SimStateTest, AnArrayIsCountedAsLongAsTheStepLives) {
  Open(kArray, 4 * kBytes);
  for (int step = 0; step < 3; ++step) {
    ASSERT_EQ(Run({{"x", Kilobyte(7)}}, {"read"}), "");
    EXPECT_TRUE(BitwiseEqual(fetched_[0], Kilobyte(7)));
    EXPECT_EQ(memory().bytes_resident_max, 4 * kBytes);
  }
}

TEST_P(SimStateTest, AnArrayThatDoesNotFitIsAnErrorOfTheWrite) {
  Open(kArray, 3 * kBytes + 512);
  const std::string error = Run({{"x", Kilobyte(7)}}, {"read"});
  EXPECT_THAT(error, HasSubstr("no memory on '/device:SIM:0' for what a variable or array keeps of "
                               "1024 bytes"));
  EXPECT_THAT(error, HasSubstr("node write_2"));
  // Nothing of it stays.
  ASSERT_EQ(Run({}, {"size"}), "");
  EXPECT_EQ(memory().bytes_state, 0);
}

}  // namespace
}  // namespace tagflow::optimized
