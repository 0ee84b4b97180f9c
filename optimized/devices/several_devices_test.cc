// Tensors between devices of a kind with streams: straight or through the host, by tokens and in
// order; and what is behind what.
// Tests: stream_step.cc, step_devices.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/late_stream.h"
#include "optimized/devices/quick_device.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/devices/views.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

constexpr char kFirst[] = "/device:QUICK:0", kSecond[] = "/device:QUICK:1";

class SeveralDevicesTest : public testing::TestWithParam<QuickOptions> {
 protected:
  // there: nodes and devices that they ask for; the rest is the host's
  void Open(const std::string& text,
            const std::vector<std::pair<std::vector<std::string>, std::string>>& there) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const auto& [nodes, device] : there) {
      for (const std::string& node : nodes) {
        graph.mutable_graph().mutable_node(graph.id(node)).device = device;
      }
    }
    SessionOptions options;
    options.devices = {"/device:CPU:0", kFirst, kSecond};
    options.kernels = &QuickKernels();
    options.device_kinds = {std::make_shared<QuickKind>(GetParam())};
    session_ = *Session::Create(graph.Take(), options);
    QuickStream::copies_across = 0;
  }
  std::string Run(const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    const auto values = session_->Run(feeds, fetches, {}, {});
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += value.DebugString() + ";";
    return text;
  }
  static void ExpectAcross(int copies) {
    EXPECT_EQ(QuickStream::copies_across, GetParam().across ? copies : 0);
  }

  std::unique_ptr<Session> session_;
};
INSTANTIATE_TEST_SUITE_P(Ways, SeveralDevicesTest,
                         testing::Values(QuickOptions{.in_order = false, .across = false},
                                         QuickOptions{.in_order = false, .across = true},
                                         QuickOptions{.in_order = true, .across = false},
                                         QuickOptions{.in_order = true, .across = true}),
                         [](const auto& way) {
                           return std::string(way.param.in_order ? "InOrder" : "ByTokens") +
                                  (way.param.across ? "Across" : "ByTheHost");
                         });

TEST_P(SeveralDevicesTest, ATensorGoesFromOneToTheOther) {
  Open(R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
    z = Neg(y) T=float
    w = Neg(z) T=float
  )",
       {{{"y", "w"}, kFirst}, {{"z"}, kSecond}});
  EXPECT_EQ(Run({{"x", Tensor::Vector<float>({1, 2})}}, {"w"}), "float[2] [-1, -2];");
  ExpectAcross(2);
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0});
  EXPECT_EQ(Run({{"x", none}}, {"w"}), "float[0] [];");
  EXPECT_EQ(Run({{"x", Tensor::Vector<float>({4})}}, {"y", "z", "w"}),
            "float[1] [-4];float[1] [4];float[1] [-4];");
}

// A list keeps its tensors where they were made, until a kernel or the host reads them.
TEST_P(SeveralDevicesTest, AListHoldsTensorsOfBoth) {
  Open(R"(
    x = Placeholder() dtype=float
    shape = Const() dtype=int32 value=-1
    most = Const() dtype=int32 value=-1
    y = Neg(x) T=float
    z = Neg(x) T=float
    list = EmptyTensorList(shape, most) element_dtype=float shape_type=int32
    one = TensorListPushBack(list, y) element_dtype=float
    two = TensorListPushBack(one, z) element_dtype=float
    last = TensorListPopBack(two, shape) element_dtype=float
    first = TensorListPopBack(last:0, shape) element_dtype=float
    back = Neg(last:1) T=float
    over = Neg(first:1) T=float
    host_last = TensorListPopBack(two, shape) element_dtype=float
    host_first = TensorListPopBack(host_last:0, shape) element_dtype=float
    sum = AddV2(host_last:1, host_first:1) T=float
  )",
       {{{"y", "list", "one", "back"}, kFirst}, {{"z", "two", "last", "first", "over"}, kSecond}});
  const NamedTensors feeds = {{"x", Tensor::Vector<float>({1, 2})}};
  EXPECT_EQ(Run(feeds, {"back"}), "float[2] [1, 2];");
  EXPECT_EQ(Run(feeds, {"over"}), "float[2] [1, 2];");
  EXPECT_EQ(Run(feeds, {"sum"}), "float[2] [-2, -4];");
  EXPECT_EQ(Run(feeds, {"back", "over", "sum"}),
            "float[2] [1, 2];float[2] [1, 2];float[2] [-2, -4];");
}

// The kernels fail in this order, though the devices are asked in the other.
TEST_P(SeveralDevicesTest, TheFirstOfSeveralFaultsIsTheErrors) {
  Open(R"(
    x = Placeholder() dtype=float
    y = Log(x) T=float
    z = Log(x, ^y) T=float
  )",
       {{{"y"}, kSecond}, {{"z"}, kFirst}});
  const std::string error = Run({{"x", Tensor::Vector<float>({1, -1})}}, {"z", "y"});
  EXPECT_THAT(error, HasSubstr("OUT_OF_RANGE: negative at 1"));
  EXPECT_THAT(error, HasSubstr("[node y"));
}

// What one device makes of what another has failed to make is not seen.
TEST_P(SeveralDevicesTest, AFaultEndsTheStepBeforeOthersSeeIt) {
  Open(R"(
    v = VarHandleOp() dtype=float shape=[] shared_name=v
    x = Placeholder() dtype=float
    y = Log(x) T=float
    z = Neg(y) T=float
    write = AssignVariableOp(v, z) dtype=float
    read = ReadVariableOp(v) dtype=float
  )",
       {{{"y"}, kFirst}, {{"z"}, kSecond}});
  EXPECT_TRUE(session_->Run({{"x", Tensor::Vector<float>({1})}}, {}, {"write"}, {}).ok());
  EXPECT_EQ(
      session_->Run({{"x", Tensor::Vector<float>({1, -1})}}, {}, {"write"}, {}).status().code(),
      tagflow::Code::kOutOfRange);
  EXPECT_EQ(Run({}, {"read"}), "float[1] [-0];");
}

// ---- What is behind what ----

// Two devices whose streams do nothing until somebody waits for them.
class LateDevicesTest : public testing::Test {
 protected:
  struct Streams {
    explicit Streams(DeviceMemory& of) : kernels(of), out(of), in(of), across(of) {}
    LateStream kernels, out, in, across;
  };

  LateDevicesTest() {
    std::map<int, StreamSide> sides;
    for (Streams* const at : {&first_, &second_}) {
      const int device = at == &first_ ? 0 : 1;
      sides[device] = {"", &at->kernels, &at->out, &at->in, nullptr, &at->across};
    }
    step_ = std::make_unique<StreamStep>(std::move(sides));
  }
  static Tensor Make(DeviceMemory& memory) {
    return *Tensor::AllocateUninitialized(DType::kFloat, Dims{4}, memory);
  }
  static void Fill(Streams& at, const Tensor& tensor, float value) {
    auto* const elements = reinterpret_cast<float*>(at.kernels.memory().HostAddress(tensor));
    at.kernels.Add([=] { std::fill_n(elements, 4, value); });
  }

  const std::unique_ptr<DeviceGroup> group_ =
      *SimDevices({.memory_bytes = 4096})->Open({{0, "/device:SIM:0"}, {1, "/device:SIM:1"}});
  DeviceMemory& first_memory_ = *group_->memory(0);
  DeviceMemory& second_memory_ = *group_->memory(1);
  Streams first_{first_memory_}, second_{second_memory_};
  std::unique_ptr<StreamStep> step_;
};

TEST_F(LateDevicesTest, ACopyIsBehindTheKernelsOfBoth) {
  Tensor x = Make(first_memory_);
  Fill(first_, x, 7);
  // The next tensor there is where this one was, which a kernel still writes.
  Tensor old = Make(second_memory_);
  const char* const place = second_memory_.HostAddress(old);
  Fill(second_, old, 1);
  old = Tensor();
  const Tensor there = *step_->BringTo(1, x);
  ASSERT_EQ(second_memory_.HostAddress(there), place);
  float read = 0;
  second_.kernels.Add([&] { read = *reinterpret_cast<const float*>(place); });
  second_.kernels.DoAll();
  EXPECT_EQ(read, 7);
}

TEST_F(LateDevicesTest, ACopyKeepsWhatItReads) {
  Tensor x = Make(first_memory_);
  const char* const place = first_memory_.HostAddress(x);
  Fill(first_, x, 7);
  const Tensor there = *step_->BringTo(1, x);
  x = Tensor();
  // Kernels of the first device may write what it gives away at once, and do not wait for a copy.
  const Tensor next = Make(first_memory_);
  EXPECT_NE(first_memory_.HostAddress(next), place);
  Fill(first_, next, 2);
  first_.kernels.DoAll();
  EXPECT_TRUE(step_->Finish().ok());
  EXPECT_EQ(there.OnHost()->data<float>()[3], 7);
  EXPECT_GT(first_memory_.stats().bytes_resident, 0);
}

TEST_F(LateDevicesTest, WhatIsAtHandStays) {
  const Tensor x = Make(first_memory_), host = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(first_memory_.HostAddress(*step_->BringTo(0, x)), first_memory_.HostAddress(x));
  EXPECT_EQ(step_->BringTo(1, host)->raw_data(), host.raw_data());
  EXPECT_EQ(step_->BringTo(1, Tensor::Scalar<int32_t>(3))->DebugString(), "int32[] 3");
}

}  // namespace
}  // namespace tagflow::optimized
