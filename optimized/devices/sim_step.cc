#include "optimized/devices/sim_step.h"

#include <cmath>
#include <utility>

#include "optimized/devices/pins.h"
#include "optimized/devices/sim_kernel.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// A tensor on its way to the host. What it is done with then goes on.
class CopyOutJob : public StreamJob {
 public:
  using Then = std::function<void(Result<Tensor>)>;

  CopyOutJob(SimStep& step, SimSide& side, Tensor value, Then then)
      : step_(step), side_(side), value_(std::move(value)), then_(std::move(then)) {
    VisitTensors(value_, [this](const Tensor& tensor) {
      bytes_ += tensor.byte_size();
      read_.Add(tensor);
    });
  }

  bool Begin() override { return read_.Bring(); }
  int64_t duration_ns() override { return step_.CopyTime(bytes_); }
  bool End() override {
    Result<Tensor> copy = WithTensors(value_, [this](const Tensor& tensor) -> Result<Tensor> {
      if (side_.memory.BlockOf(tensor) == nullptr) return tensor;
      return HostCopyOf(tensor, side_.memory);
    });
    read_.Release();
    value_ = Tensor();
    then_(std::move(copy));
    return true;
  }
  void GiveUp() override {
    then_(side_.NoRoom("a tensor that was swapped out", read_.bytes_missing()));
  }

 private:
  SimStep& step_;
  SimSide& side_;
  Tensor value_;
  const Then then_;
  size_t bytes_ = 0;  // of the tensors
  Pins read_{side_.memory, side_.swapper};
};

// A host tensor on its way to the device. What lists hold stays with the host until it is used.
class CopyInJob : public StreamJob {
 public:
  CopyInJob(SimStep& step, SimSide& side, Tensor value, bool takes_time,
            std::shared_ptr<AsyncCall> call)
      : step_(step),
        side_(side),
        value_(std::move(value)),
        takes_time_(takes_time),
        call_(std::move(call)) {}

  bool Begin() override { return true; }
  int64_t duration_ns() override { return takes_time_ ? step_.CopyTime(bytes()) : 0; }
  bool End() override {
    if (!IsPlainDType(value_.dtype())) return Done(std::move(value_));
    Result<Tensor> copy = DeviceCopyOf(value_, side_.memory);
    if (copy.ok()) return Done(*std::move(copy));
    side_.swapper.MakeRoom(bytes());
    return false;
  }
  void GiveUp() override { call_->Done(side_.NoRoom("a tensor that was received", bytes())); }

 private:
  size_t bytes() const { return IsPlainDType(value_.dtype()) ? value_.byte_size() : 0; }
  bool Done(Tensor value) {
    call_->Done(std::vector<Tensor>{std::move(value)});
    return true;
  }

  SimStep& step_;
  SimSide& side_;
  Tensor value_;
  const bool takes_time_;
  const std::shared_ptr<AsyncCall> call_;
};

std::string Bytes(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

Status SimSide::NoRoom(const std::string& what, size_t bytes) const {
  const SimMemoryStats stats = memory.stats();
  std::string message = "no memory on '" + name + "' for " + what + " of " +
                        Bytes(static_cast<int64_t>(bytes)) + ": " + Bytes(stats.bytes_resident) +
                        " of " + std::to_string(stats.bytes_limit) + " are taken";
  if (stats.bytes_state > 0) {
    message += ", " + std::to_string(stats.bytes_state) + " of them by variables and arrays";
  }
  if (const int64_t held = swapper.bytes_held(); held > 0) {
    message += ", " + std::to_string(held) + " of them by histories of loops";
  }
  if (stats.bytes_out > 0) message += ", and " + Bytes(stats.bytes_out) + " are swapped out";
  return ResourceExhausted(message +
                           ". Give the device more, or have the loop run again instead of keeping "
                           "its history (rematerialize)");
}

SimStep::SimStep(const Devices& devices, uint64_t seed, DeviceReport* report)
    : devices_(devices),
      options_(devices.options()),
      report_(report),
      random_(options_.seed ^ seed) {
  const auto copy_time = [this](size_t bytes) { return CopyTime(bytes); };
  for (size_t i = 0; i < devices.names().size(); ++i) {
    SimMemory* const memory = devices.memory(static_cast<int>(i));
    sides_.push_back(memory == nullptr ? nullptr
                                       : std::make_unique<SimSide>(devices.names()[i], *memory,
                                                                   clock_, copy_time, options_));
  }
}

SimStep::~SimStep() { Report(); }

void SimStep::Launch(const DeviceKernel& kernel, KernelContext& context,
                     std::shared_ptr<AsyncCall> call) {
  std::lock_guard lock(mutex_);
  SimSide& at = side(kernel.device);
  Stream& stream = kernel.is_carrier ? at.handles : at.kernels;
  stream.Add(std::make_unique<SimKernel>(*this, at, kernel, context, std::move(call)));
}

// Of several Sends under one key, any may have been first ([rendezvous.3]).
int SimStep::HomeOf(const Tensor& value, int likely) const {
  int home = likely;
  VisitTensors(value, [&](const Tensor& tensor) {
    for (size_t i = 0; i < sides_.size(); ++i) {
      const bool is_here = sides_[i] != nullptr && sides_[i]->memory.BlockOf(tensor) != nullptr;
      if (is_here) home = static_cast<int>(i);
    }
  });
  return home;
}

void SimStep::Transfer(int from, int to, Tensor value, std::shared_ptr<AsyncCall> call) {
  std::lock_guard lock(mutex_);
  from = HomeOf(value, from);
  auto arrive = [this, to, call](Tensor host_value, bool takes_time) {
    if (devices_.IsHost(to)) {
      call->Done(std::vector<Tensor>{std::move(host_value)});
    } else {
      side(to).in.Add(
          std::make_unique<CopyInJob>(*this, side(to), std::move(host_value), takes_time, call));
    }
  };
  if (devices_.IsHost(from)) return arrive(std::move(value), true);
  side(from).out.Add(std::make_unique<CopyOutJob>(
      *this, side(from), std::move(value), [arrive, call](Result<Tensor> copy) {
        if (!copy.ok()) return call->Done(copy.status());
        arrive(*std::move(copy), false);  // from one device to another it crosses once
      }));
}

// Each stream in turn, as long as anything moves.
bool SimStep::Pump() {
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    for (const auto& side : sides_) {
      if (side == nullptr) continue;
      for (Stream* stream : {&side->handles, &side->kernels, &side->out, &side->in}) {
        again = stream->Pump() || again;
      }
      side->swapper.Settle();
    }
    moved = moved || again;
  }
  return moved;
}

// Kernels before copies: these wait for the room that those take.
bool SimStep::GiveUp() {
  for (Stream SimSide::*const stream :
       {&SimSide::kernels, &SimSide::handles, &SimSide::out, &SimSide::in}) {
    for (const auto& side : sides_) {
      if (side != nullptr && ((*side).*stream).GiveUp()) return true;
    }
  }
  return false;
}

bool SimStep::Advance() {
  std::lock_guard lock(mutex_);
  const bool moved = Pump();
  if (clock_.Advance()) {
    Pump();
    return true;
  }
  return moved || GiveUp();
}

int64_t SimStep::WithJitter(double ns) {
  if (options_.jitter > 0) ns *= 1 + options_.jitter * std::uniform_real_distribution<>()(random_);
  return static_cast<int64_t>(std::ceil(ns));
}
int64_t SimStep::KernelTime(size_t bytes) {
  return WithJitter(static_cast<double>(options_.kernel_ns) +
                    options_.kernel_ns_per_byte * static_cast<double>(bytes));
}
int64_t SimStep::CopyTime(size_t bytes) {
  return WithJitter(static_cast<double>(options_.transfer_ns) +
                    options_.transfer_ns_per_byte * static_cast<double>(bytes));
}

void SimStep::Report() const {
  if (report_ == nullptr) return;
  *report_ = {clock_.now_ns(), {}};
  for (const auto& side : sides_) {
    if (side == nullptr) continue;
    report_->devices.push_back({side->name, side->num_kernels, side->kernels.busy_ns(),
                                side->swapper.moved_out(), side->swapper.moved_in(),
                                side->memory.stats()});
  }
}

}  // namespace tagflow::optimized
