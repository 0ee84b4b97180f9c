// A kind of device with streams, and with kernels of its own alone: where inputs are brought, what
// fails late, and what is refused.
// Tests: stream_step.cc, step_devices.cc, devices.cc

#include "optimized/devices/stream_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

struct ErrorEvent : DeviceEvent {
  Status Await() override { return error; }
  Status error;
};

// Does at once what is enqueued, and tells errors late.
class QuickStream : public DeviceStream {
 public:
  explicit QuickStream(DeviceMemory& memory) : memory_(memory) {}
  void Enqueue(const std::function<Status()>& work) {
    if (error_.ok()) error_ = work();
  }
  DeviceMemory& memory() override { return memory_; }
  void CopyIn(Tensor host, Tensor there) override {
    Enqueue([&] { return memory_.Write(host.raw_data(), there); });
  }
  void CopyOut(Tensor there, Tensor host) override {
    Enqueue([&] { return memory_.Read(there, const_cast<void*>(host.raw_data())); });
  }
  void Then(std::function<void(Status error)> what) override { what(error_); }
  std::shared_ptr<DeviceEvent> Record() override {
    auto event = std::make_shared<ErrorEvent>();
    event->error = std::exchange(error_, Status());
    return event;
  }
  void Wait(std::shared_ptr<DeviceEvent> event) override {
    Enqueue([&] { return event->Await(); });
  }

 private:
  DeviceMemory& memory_;
  Status error_;
};

bool is_lost = false;

class QuickGroup : public DeviceGroup {
 public:
  explicit QuickGroup(std::unique_ptr<DeviceGroup> memories, const DeviceSite& site)
      : memories_(std::move(memories)), site_(site), stream_(*memories_->memory(site.index)) {}
  DeviceMemory* memory(int device) const override { return memories_->memory(device); }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override {
    std::map<int, StreamSide> sides{{site_.index, {site_.name, &stream_, &stream_, &stream_}}};
    return std::make_unique<StreamStep>(std::move(sides));
  }
  Status CheckAlive() const override {
    return is_lost ? Status(Code::kUnavailable, site_.name + " is lost") : Status();
  }

 private:
  const std::unique_ptr<DeviceGroup> memories_;
  const DeviceSite site_;
  mutable QuickStream stream_;
};

class QuickKind : public DeviceKind {
 public:
  std::string name() const override { return "QUICK"; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto memories, SimDevices({.memory_bytes = 1024})->Open(sites));
    return std::unique_ptr<DeviceGroup>(
        std::make_unique<QuickGroup>(std::move(memories), sites[0]));
  }
};

// Enqueues -x, which fails where an element is NaN.
Status Neg(KernelContext& context) {
  auto& stream = static_cast<QuickStream&>(*context.stream());
  const Tensor x = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor y,
                           Tensor::AllocateUninitialized(DType::kFloat, x.dims(), stream.memory()));
  context.output(0) = y;
  stream.Enqueue([&] {
    const auto* const from = reinterpret_cast<const float*>(stream.memory().HostAddress(x));
    auto* const to = reinterpret_cast<float*>(stream.memory().HostAddress(y));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      to[i] = -from[i];
      if (std::isnan(to[i])) return OutOfRange("NaN");
    }
    return Status();
  });
  return Status();
}

// Whether there are elements: a scalar that is made on the device.
Status Any(KernelContext& context) {
  auto& stream = static_cast<QuickStream&>(*context.stream());
  const bool any = context.input(0).num_elements() > 0;
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor y,
                           Tensor::AllocateUninitialized(DType::kBool, Dims{}, stream.memory()));
  context.output(0) = y;
  stream.Enqueue([&] { return stream.memory().Write(&any, y); });
  return Status();
}

template <Status (*kFunction)(KernelContext&)>
Result<BoundKernel> Bind(const Binding&) {
  return BoundKernel([](KernelContext& context) { return kFunction(context); });
}

const KernelRegistry& Kernels() {
  static const KernelRegistry& kernels = *[] {
    auto* const made = new KernelRegistry();
    TAGFLOW_CHECK(RegisterStandardKernels(*made).ok());
    TAGFLOW_CHECK(made->RegisterFor({"Neg", "QUICK", DType::kFloat}, {.bind = Bind<Neg>}).ok());
    TAGFLOW_CHECK(made->RegisterFor({"Any", "QUICK"}, {.bind = Bind<Any>}).ok());
    // The host's, which looks at no element but those of the shape.
    const KernelEntry reshape{.bind = made->Find("Reshape")->bind, .host_inputs = {"shape"}};
    TAGFLOW_CHECK(made->RegisterFor({"Reshape", "QUICK"}, reshape).ok());
    return made;
  }();
  return kernels;
}

class StreamStepTest : public testing::Test {
 protected:
  StreamStepTest() { is_lost = false; }

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
    options.kernels = &Kernels();
    options.device_kinds = WithKind(StandardDeviceKinds(), std::make_shared<QuickKind>());
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
  is_lost = true;
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
