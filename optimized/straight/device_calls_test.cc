#include "optimized/straight/device_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/quick_device.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

class DeviceCallsTest : public testing::Test {
 protected:
  DeviceCallsTest() { QuickStream::copies_in = 0; }

  // there: the nodes on the device
  const Callable* Make(const std::string& text, const std::vector<std::string>& there,
                       const std::vector<std::string>& feeds,
                       const std::vector<std::string>& fetches) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const std::string& name : there) {
      graph.mutable_graph().mutable_node(graph.id(name)).device = "/device:QUICK:0";
    }
    SessionOptions options;
    options.devices = {"/device:CPU:0", "/device:QUICK:0"};
    options.kernels = &QuickKernels();
    options.device_kinds = WithKind(StandardDeviceKinds(),
                                    std::make_shared<QuickKind>(QuickOptions{.in_order = true}));
    session_ = *Session::Create(graph.Take(), options);
    const auto callable = session_->MakeCallable(feeds, fetches);
    EXPECT_TRUE(callable.ok()) << callable.status().ToString();
    return *callable;
  }
  static std::string Run(const Callable& callable, std::vector<Tensor> feeds,
                         DeviceReport* report = nullptr) {
    RunOptions options;
    options.device_report = report;
    const auto values = callable.Run(std::move(feeds), options);
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += value.DebugString() + ";";
    return text;
  }

  std::unique_ptr<Session> session_;
};

// y = (-1)^n x, and z = n w, where w is read on the device in each iteration.
constexpr char kLoop[] = R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    w = Placeholder() dtype=float
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    nothing = Const() dtype=float value=0
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x) T=float frame_name=f
    z_in = Enter(nothing) T=float frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    w_in = Enter(w) T=float frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=float
    z = Merge(z_in, z_next) T=float
    less = Less(i, n_in) T=int32
    again = LoopCond(less)
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=float
    z_way = Switch(z, again) T=float
    i_sum = AddV2(i_way:1, one_in) T=int32
    turned = Neg(y_way:1) T=float
    w_turned = Neg(w_in) T=float
    z_sum = Sub(z_way:1, w_turned) T=float
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(turned) T=float
    z_next = NextIteration(z_sum) T=float
    y_out = Exit(y_way:0) T=float
    z_out = Exit(z_way:0) T=float
)";

TEST_F(DeviceCallsTest, WhatALoopReadsCrossesOnce) {
  const Callable* const callable =
      Make(kLoop, {"turned", "w_turned"}, {"n", "x", "w"}, {"y_out", "z_out"});
  EXPECT_EQ(callable->about(), "straight code, over 2 devices");
  DeviceReport report;
  EXPECT_EQ(Run(*callable,
                {Tensor::Scalar<int32_t>(7), Tensor::Vector<float>({1, 2}),
                 Tensor::Vector<float>({3, 4})},
                &report),
            "float[2] [-1, -2];float[2] [21, 28];");
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].kernels, 15);  // w is turned in the last iteration too
  EXPECT_EQ(QuickStream::copies_in, 2);      // x and w
}

TEST_F(DeviceCallsTest, APredicateOfTheDeviceIsFetched) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=float
    no_axes = Placeholder() dtype=int32
    data = Placeholder() dtype=bool
    any = Any(data, no_axes) Tidx=int32
    s = Switch(x, any) T=float
    y = Neg(s:1) T=float
    z = Exp(s:0) T=float
    m = Merge(y, z) T=float
  )",
                                        {"any", "y"}, {"x", "data", "no_axes"}, {"m"});
  EXPECT_EQ(callable->about(), "straight code, over 2 devices");
  const Tensor none = *Tensor::Allocate(DType::kBool, Dims{0});
  const Tensor axes = Tensor::Vector<int32_t>({0}), x = Tensor::Vector<float>({0, 0});
  EXPECT_EQ(Run(*callable, {x, Tensor::Vector<bool>({true}), axes}), "float[2] [-0, -0];");
  EXPECT_EQ(Run(*callable, {x, none, axes}), "float[2] [1, 1];");
}

TEST_F(DeviceCallsTest, ErrorsOfTheDeviceEndTheStep) {
  const Callable* const callable = Make(R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
    z = Exp(y) T=float
  )",
                                        {"y"}, {"x"}, {"z"});
  EXPECT_THAT(Run(*callable, {Tensor::Vector<float>({1, NAN})}), HasSubstr("OUT_OF_RANGE: NaN"));
  const Tensor large = Tensor::Vector(std::vector<float>(300, 1));
  EXPECT_THAT(Run(*callable, {large}), HasSubstr("no memory on '/device:QUICK:0' for an input"));
  EXPECT_THAT(Run(*callable, {large}), HasSubstr("[node y]"));
  EXPECT_EQ(Run(*callable, {Tensor::Vector<float>({0})}), "float[1] [1];");
}

TEST_F(DeviceCallsTest, WhatWaitsForAKernelThatFailedDoesNotHappen) {
  const Callable* const write = Make(R"(
    x = Placeholder() dtype=float
    value = Placeholder() dtype=float
    v = VarHandleOp() dtype=float shape=[] shared_name=v
    log = Log(x) T=float
    init = AssignVariableOp(v, value) dtype=float
    write = AssignVariableOp(v, value, ^log) dtype=float
    read = ReadVariableOp(v, ^write) dtype=float
    look = ReadVariableOp(v) dtype=float
  )",
                                     {"log"}, {"x", "value"}, {"read"});
  EXPECT_EQ(write->about(), "straight code, over 2 devices");
  const auto look = [&] { return (*session_->Run({}, {"look"}, {}, {}))[0].DebugString(); };
  EXPECT_EQ(Run(*write, {Tensor::Vector<float>({1, 2}), Tensor::Scalar<float>(3)}), "float[] 3;");
  EXPECT_EQ(Run(*write, {Tensor::Vector<float>({1, -2, -3}), Tensor::Scalar<float>(4)}),
            "OUT_OF_RANGE: negative at 1 [node log]");
  EXPECT_EQ(look(), "float[] 3");
  EXPECT_EQ(Run(*write, {Tensor::Vector<float>({1, 2}), Tensor::Scalar<float>(5)}), "float[] 5;");
}

TEST_F(DeviceCallsTest, AKernelThatFailsInALoopIsNamedWithItsIteration) {
  const Callable* const callable = Make(R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_in = Enter(zero) T=int32 frame_name=f
    x_in = Enter(x) T=float frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    one_in = Enter(one) T=int32 frame_name=f is_constant=true
    i = Merge(i_in, i_next) T=int32
    y = Merge(x_in, y_next) T=float
    less = Less(i, n_in) T=int32
    again = LoopCond(less)
    i_way = Switch(i, again) T=int32
    y_way = Switch(y, again) T=float
    i_sum = AddV2(i_way:1, one_in) T=int32
    log = Log(y_way:1) T=float
    i_next = NextIteration(i_sum) T=int32
    y_next = NextIteration(log) T=float
    out = Exit(y_way:0) T=float
  )",
                                        {"log"}, {"n", "x"}, {"out"});
  const auto run = [&](int32_t n) {
    return Run(*callable, {Tensor::Scalar(n), Tensor::Vector<float>({1, 0.5f})});
  };
  EXPECT_EQ(run(0), "float[2] [1, 0.5];");
  EXPECT_EQ(run(5), "OUT_OF_RANGE: negative at 1 [node log, tag f[1]]");
}

}  // namespace
}  // namespace tagflow::optimized
