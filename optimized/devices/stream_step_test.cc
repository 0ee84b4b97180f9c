// A kind of device with streams, and with kernels of its own alone: where inputs are brought, what
// fails late, and what is refused.
// Tests: stream_step.cc, step_devices.cc, devices.cc

#include "optimized/devices/stream_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/quick_device.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

class StreamStepTest : public testing::Test {
 protected:
  StreamStepTest() { QuickGroup::is_lost = false; }

  void Open(const std::string& text, const std::vector<std::string>& there,
            const std::vector<std::string>& on_sim = {}, bool soft = false) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const std::string& name : there) {
      graph.mutable_graph().mutable_node(graph.id(name)).device = "/device:QUICK:0";
    }
    for (const std::string& name : on_sim) {
      graph.mutable_graph().mutable_node(graph.id(name)).device = "/device:SIM:0";
    }
    SessionOptions options;
    options.devices = {"/device:CPU:0", "/device:QUICK:0", "/device:SIM:0"};
    options.kernels = &QuickKernels();
    options.device_kinds =
        WithKind(StandardDeviceKinds(), std::make_shared<QuickKind>(QuickOptions()));
    options.spread.soft = soft;
    session_ = *Session::Create(graph.Take(), options);
  }
  std::string Run(const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    RunOptions options;
    options.device_report = &report_;
    const auto values = session_->Run(feeds, fetches, {}, options);
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += value.DebugString() + ";";
    return text;
  }

  std::unique_ptr<Session> session_;
  DeviceReport report_;
};

constexpr char kReshaped[] = R"(
    x = Placeholder() dtype=float
    shape = Placeholder() dtype=int32
    y = Neg(x) T=float
    wide = Reshape(y, shape) T=float Tshape=int32
    again = Neg(wide) T=float
)";
const std::vector<std::string> kThere = {"x", "shape", "y", "wide", "again"};

NamedTensors Feeds(float second) {
  return {{"x", Tensor::Vector<float>({1, second})}, {"shape", Tensor::Vector<int32_t>({2, 1})}};
}

TEST_F(StreamStepTest, InputsAreWhereTheKernelReadsThem) {
  Open(kReshaped, kThere);
  EXPECT_EQ(Run(Feeds(2), {"wide", "again"}), "float[2,1] [[-1], [-2]];float[2,1] [[1], [2]];");
  ASSERT_EQ(report_.devices.size(), 2u);  // by kind
  EXPECT_EQ(report_.devices[1].device, "/device:QUICK:0");
  EXPECT_EQ(report_.devices[1].kernels, 3);
}

TEST_F(StreamStepTest, WhatFailsLateIsTheStepsError) {
  Open(kReshaped, kThere);
  EXPECT_THAT(Run(Feeds(NAN), {"again"}), HasSubstr("OUT_OF_RANGE: NaN"));
  EXPECT_EQ(Run(Feeds(3), {"again"}), "float[2,1] [[1], [3]];");
}

TEST_F(StreamStepTest, OnALostDeviceNoStepBegins) {
  Open(kReshaped, kThere);
  QuickGroup::is_lost = true;
  EXPECT_THAT(Run(Feeds(2), {"again"}), HasSubstr("UNAVAILABLE: /device:QUICK:0 is lost"));
}

TEST_F(StreamStepTest, WhatDoesNotFitIsNamed) {
  Open(kReshaped, {"y"});
  const Tensor large = Tensor::Vector(std::vector<float>(300, 1));
  EXPECT_THAT(Run({{"x", large}}, {"y"}), HasSubstr("RESOURCE_EXHAUSTED"));
}

TEST_F(StreamStepTest, APredicateOfTheDeviceComesToItsSwitch) {
  Open(R"(
    x = Placeholder() dtype=float
    no_axes = Placeholder() dtype=int32
    data = Placeholder() dtype=bool
    any = Any(data, no_axes) Tidx=int32
    s = Switch(x, any) T=float
    y = Neg(s:1) T=float
  )",
       {"any", "s", "y"});
  EXPECT_EQ(Run({{"x", Tensor::Vector<float>({4})},
                 {"data", Tensor::Vector<bool>({true, false})},
                 {"no_axes", Tensor::Vector<int32_t>({0})}},
                {"y"}),
            "float[1] [-4];");
}

TEST_F(StreamStepTest, FromOneKindToAnother) {
  Open(R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
    z = Neg(y) T=float
  )",
       {"y"}, {"z"});
  EXPECT_EQ(Run({{"x", Tensor::Vector<float>({4, 5})}}, {"z"}), "float[2] [4, 5];");
}

TEST_F(StreamStepTest, ANodeWithoutAKernelIsRefusedOrElsewhere) {
  constexpr char kText[] = R"(
    x = Placeholder() dtype=float
    y = Exp(x) T=float
  )";
  Open(kText, {"y"});
  const Tensor zeros = Tensor::Vector<float>({0, 0});
  EXPECT_THAT(Run({{"x", zeros}}, {"y"}), HasSubstr("has no kernel for Exp of float"));
  Open(kText, {"y"}, {}, true);
  EXPECT_EQ(Run({{"x", zeros}}, {"y"}), "float[2] [1, 1];");
}

}  // namespace
}  // namespace tagflow::optimized
