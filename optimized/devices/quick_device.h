#ifndef TAGFLOW_OPTIMIZED_DEVICES_QUICK_DEVICE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_QUICK_DEVICE_H_

// For tests: a kind of device, QUICK, with a stream each that does at once what is enqueued, and
// with kernels of its own alone.

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/sim/sim_devices.h"
#include "optimized/devices/stream_step.h"

namespace tagflow::optimized {

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
    ++copies_in;
    Enqueue([&] { return memory_.Write(host.raw_data(), there); });
  }
  void CopyOut(Tensor there, Tensor host) override {
    Enqueue([&] { return memory_.Read(there, const_cast<void*>(host.raw_data())); });
  }
  void CopyAcross(Tensor from, const DeviceMemory& of, Tensor there) override {
    ++copies_across;
    Enqueue([&] { return memory_.Write(of.HostAddress(from), there); });
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

  static inline int copies_in = 0;  // of all streams, as the next
  static inline int copies_across = 0;

 private:
  DeviceMemory& memory_;
  Status error_;
};

// Which ways there are.
struct QuickOptions {
  bool in_order = false;  // it tells that it has streams, so that one thread may run a step over it
  bool across = false;    // its devices copy to each other
};

class QuickGroup : public DeviceGroup {
 public:
  QuickGroup(std::unique_ptr<DeviceGroup> memories, const std::vector<DeviceSite>& sites,
             const QuickOptions& options)
      : memories_(std::move(memories)), sites_(sites), options_(options) {
    for (const DeviceSite& site : sites) {
      streams_[site.index] = std::make_unique<QuickStream>(*memories_->memory(site.index));
    }
  }
  DeviceMemory* memory(int device) const override { return memories_->memory(device); }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override {
    std::map<int, StreamSide> sides;
    for (const DeviceSite& site : sites_) {
      QuickStream* const stream = streams_.at(site.index).get();
      sides[site.index] = {site.name, stream,  stream,
                           stream,    nullptr, options_.across ? stream : nullptr};
    }
    return std::make_unique<StreamStep>(std::move(sides));
  }
  bool has_streams() const override { return options_.in_order; }
  Status CheckAlive() const override {
    return is_lost ? Status(tagflow::Code::kUnavailable, sites_[0].name + " is lost") : Status();
  }

  static inline bool is_lost = false;

 private:
  const std::unique_ptr<DeviceGroup> memories_;
  const std::vector<DeviceSite> sites_;
  const QuickOptions options_;
  std::map<int, std::unique_ptr<QuickStream>> streams_;
};

class QuickKind : public DeviceKind {
 public:
  explicit QuickKind(const QuickOptions& options) : options_(options) {}
  std::string name() const override { return "QUICK"; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto memories, SimDevices({.memory_bytes = 1024})->Open(sites));
    return std::unique_ptr<DeviceGroup>(
        std::make_unique<QuickGroup>(std::move(memories), sites, options_));
  }

 private:
  const QuickOptions options_;
};

// Enqueues -x, which fails where an element is NaN.
inline Status QuickNeg(KernelContext& context) {
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
inline Status QuickAny(KernelContext& context) {
  auto& stream = static_cast<QuickStream&>(*context.stream());
  const bool any = context.input(0).num_elements() > 0;
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor y,
                           Tensor::AllocateUninitialized(DType::kBool, Dims{}, stream.memory()));
  context.output(0) = y;
  stream.Enqueue([&] { return stream.memory().Write(&any, y); });
  return Status();
}

// log(x), which refuses what is negative: the device finds that, when the step has gone on.
inline Result<BoundKernel> BindQuickLog(const Binding& binding) {
  return BoundKernel([node = binding.node.name](KernelContext& context) -> Status {
    auto& stream = static_cast<QuickStream&>(*context.stream());
    const Tensor x = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(
        const Tensor y, Tensor::AllocateUninitialized(DType::kFloat, x.dims(), stream.memory()));
    TAGFLOW_ASSIGN_OR_RETURN(
        const auto fault, context.faults()->Add([node, tag = context.tag()](int64_t index) {
          return OutOfRange("negative at " + std::to_string(index)).WithNode(node).WithTag(tag);
        }));
    context.output(0) = y;
    stream.Enqueue([&] {
      const auto* const from = reinterpret_cast<const float*>(stream.memory().HostAddress(x));
      auto* const to = reinterpret_cast<float*>(stream.memory().HostAddress(y));
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        if (from[i] < 0) fault->Note(i);
        to[i] = std::log(from[i]);
      }
      return Status();
    });
    return Status();
  });
}

template <Status (*kFunction)(KernelContext&)>
Result<BoundKernel> BindQuick(const Binding&) {
  return BoundKernel([](KernelContext& context) { return kFunction(context); });
}

inline const KernelRegistry& QuickKernels() {
  static const KernelRegistry& kernels = *[] {
    auto* const made = new KernelRegistry();
    TAGFLOW_CHECK(RegisterStandardKernels(*made).ok());
    TAGFLOW_CHECK(
        made->RegisterFor({"Neg", "QUICK", DType::kFloat}, {.bind = BindQuick<QuickNeg>}).ok());
    TAGFLOW_CHECK(made->RegisterFor({"Any", "QUICK"}, {.bind = BindQuick<QuickAny>}).ok());
    TAGFLOW_CHECK(made->RegisterFor({"Log", "QUICK", DType::kFloat}, {.bind = BindQuickLog}).ok());
    // The host's, which hand tensors on.
    for (const char* op : {"EmptyTensorList", "TensorListPushBack", "TensorListPopBack"}) {
      const std::vector<std::string> on_host = {"element_shape", "max_num_elements"};
      const KernelEntry entry{.bind = made->Find(op)->bind, .host_inputs = on_host};
      TAGFLOW_CHECK(made->RegisterFor({op, "QUICK"}, entry).ok());
    }
    // The host's, which looks at no element but those of the shape.
    const KernelEntry reshape{.bind = made->Find("Reshape")->bind, .host_inputs = {"shape"}};
    TAGFLOW_CHECK(made->RegisterFor({"Reshape", "QUICK"}, reshape).ok());
    return made;
  }();
  return kernels;
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_QUICK_DEVICE_H_
