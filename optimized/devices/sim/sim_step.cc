#include "optimized/devices/sim/sim_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optimized/devices/sim/pins.h"
#include "optimized/devices/sim/sim_kernel.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

// A tensor on its way to the host. What it is done with then goes on.
class CopyOutJob : public StreamJob {
 public:
  using Then = DeviceStep::Then;

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
      return tensor.OnHost();
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
  CopyInJob(SimStep& step, SimSide& side, Tensor value, bool takes_time, DeviceStep::Then then)
      : step_(step),
        side_(side),
        value_(std::move(value)),
        takes_time_(takes_time),
        then_(std::move(then)) {}

  bool Begin() override { return true; }
  int64_t duration_ns() override { return takes_time_ ? step_.CopyTime(bytes()) : 0; }
  bool End() override {
    if (!IsPlainDType(value_.dtype())) return Done(std::move(value_));
    Result<Tensor> copy = DeviceCopyOf(value_, side_.memory);
    if (copy.ok()) return Done(*std::move(copy));
    side_.swapper.MakeRoom(bytes());
    return false;
  }
  void GiveUp() override { then_(side_.NoRoom("a tensor that was received", bytes())); }

 private:
  size_t bytes() const { return IsPlainDType(value_.dtype()) ? value_.byte_size() : 0; }
  bool Done(Tensor value) {
    then_(std::move(value));
    return true;
  }

  SimStep& step_;
  SimSide& side_;
  Tensor value_;
  const bool takes_time_;
  const DeviceStep::Then then_;
};

std::string Bytes(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

Status SimSide::NoRoom(const std::string& what, size_t bytes) const {
  const DeviceMemoryStats stats = memory.stats();
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

SimStep::SimStep(const std::map<int, SimPlace>& devices, const SimOptions& options, uint64_t seed)
    : options_(options), random_(options.seed ^ seed) {
  const auto copy_time = [this](size_t bytes) { return CopyTime(bytes); };
  for (const auto& [device, place] : devices) {
    sides_.emplace(
        device, std::make_unique<SimSide>(place.name, *place.memory, clock_, copy_time, options_));
  }
}

void SimStep::Launch(DeviceCall call) {
  std::lock_guard lock(mutex_);
  SimSide& at = side(call.kernel->device);
  Stream& stream = call.kernel->is_carrier ? at.handles : at.kernels;
  stream.Add(std::make_unique<SimKernel>(*this, at, std::move(call)));
}

void SimStep::AddCopyIn(int device, Tensor value, bool takes_time, Then then) {
  SimSide& to = side(device);
  to.in.Add(std::make_unique<CopyInJob>(*this, to, std::move(value), takes_time, std::move(then)));
}

void SimStep::CopyIn(int device, Tensor value, Then then) {
  std::lock_guard lock(mutex_);
  AddCopyIn(device, std::move(value), true, std::move(then));
}

void SimStep::CopyOut(int device, Tensor value, Then then) {
  std::lock_guard lock(mutex_);
  SimSide& from = side(device);
  from.out.Add(std::make_unique<CopyOutJob>(*this, from, std::move(value), std::move(then)));
}

void SimStep::CopyAcross(int from, int to, Tensor value, Then then) {
  CopyOut(from, std::move(value), [this, to, then = std::move(then)](Result<Tensor> copy) {
    if (!copy.ok()) return then(std::move(copy));
    AddCopyIn(to, *std::move(copy), false, then);
  });
}

// Each stream in turn, as long as anything moves.
bool SimStep::Pump() {
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    for (const auto& [device, side] : sides_) {
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
    for (const auto& [device, side] : sides_) {
      if (((*side).*stream).GiveUp()) return true;
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

void SimStep::AddTo(DeviceReport& report) const {
  report.virtual_ns = std::max(report.virtual_ns, clock_.now_ns());
  for (const auto& [device, side] : sides_) {
    report.devices.push_back({side->name, side->num_kernels, side->kernels.busy_ns(),
                              side->swapper.moved_out(), side->swapper.moved_in(),
                              side->memory.stats()});
  }
}

}  // namespace tagflow::optimized
