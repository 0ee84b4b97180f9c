#include "optimized/devices/stream_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "optimized/devices/host_kernel.h"
#include "optimized/devices/own_context.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

Status NoRoom(const StreamSide& at, const std::string& what, size_t bytes) {
  const DeviceMemoryStats stats = at.kernels->memory().stats();
  const std::string limit =
      stats.bytes_limit == 0 ? "" : " of " + std::to_string(stats.bytes_limit);
  return ResourceExhausted(
      "no memory on '" + at.name + "' for " + what + " of " + std::to_string(bytes) +
      " bytes: " + std::to_string(stats.bytes_resident) + limit + " are taken");
}

}  // namespace

StreamStep::StreamStep(std::map<int, StreamSide> sides) {
  for (auto& [device, side] : sides) {
    sides_[device] = std::make_unique<Side>(std::move(side), num_may_fail_);
  }
}

// As DeviceStream::Then; Finish waits for the call.
void StreamStep::After(DeviceStream& stream, std::function<void(Status error)> what) {
  {
    std::lock_guard lock(mutex_);
    ++pending_;
  }
  stream.Then([this, what = std::move(what)](Status error) mutable {
    what(std::move(error));
    what = nullptr;  // with what it holds
    std::lock_guard lock(mutex_);
    if (--pending_ == 0) all_called_.notify_all();
  });
}

void StreamStep::Launch(DeviceCall call) {
  Side& at = SideFor(*call.kernel);
  if (!call.kernel->is_own) return LaunchHostKernel(at, std::move(call));
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor token = std::exchange(call.inputs[i].token, Tensor());
    Result<Tensor> input = Given(at, *call.kernel, i, token);
    if (!input.ok()) return call.call->Done(input.status());
    inputs.push_back(*std::move(input));
  }
  Result<std::vector<Tensor>> outputs =
      RunOnItsOwn(call, std::move(inputs), at.kernels, &at.faults);
  if (outputs.ok()) {
    for (const Tensor& output : *outputs) NoteTaken(at, *call.kernel, output);
  }
  call.call->Done(std::move(outputs));
}

Result<Tensor> StreamStep::Given(Side& at, const DeviceKernel& kernel, size_t i,
                                 const Tensor& input) {
  if (kernel.joins) {
    return WithTensors(input, [&](const Tensor& tensor) { return BringTo(kernel.device, tensor); });
  }
  if (static_cast<int>(i) == kernel.carried_input) {
    const bool may_go_out = kernel.is_history && at.swaps != nullptr;
    return may_go_out ? at.swaps->Pushed(at.swapped, input) : input;
  }
  return kernel.reads_on_host[i] ? input : BringTo(kernel.device, input);
}

void StreamStep::NoteTaken(Side& at, const DeviceKernel& kernel, const Tensor& output) {
  const bool is_taken = kernel.is_history && kernel.carried_input < 0 && at.swaps != nullptr;
  if (is_taken) at.swaps->Taken(at.swapped, output);
}

bool StreamStep::IsOut(int device, const Tensor& value) const {
  const HistorySwaps* const swaps = sides_.at(device)->swaps;
  return swaps != nullptr && swaps->IsOut(value);
}

Result<Tensor> StreamStep::BringTo(int device, const Tensor& value) {
  Side& at = side(device);
  const bool is_at_hand = value.memory_kind() != MemoryKind::kDevice || at.memory().Holds(value);
  if (is_at_hand) return value;
  if (IsOut(device, value)) return BroughtBack(at, value);
  for (const auto& [number, home] : sides_) {
    if (home->memory().Holds(value) || IsOut(number, value)) return BroughtAcross(*home, at, value);
  }
  return value;
}

Result<Tensor> StreamStep::BroughtBack(Side& at, const Tensor& value) {
  Result<Tensor> back = at.swaps->BringBack(at.swapped, value);
  return back.ok() ? back : NoRoom(at, "what was swapped", value.byte_size());
}

Result<Tensor> StreamStep::BroughtAcross(Side& from, Side& to, const Tensor& value) {
  Result<Tensor> there = Tensor::AllocateUninitialized(value.dtype(), value.dims(), to.memory());
  if (!there.ok()) return NoRoom(to, "a tensor of '" + from.name + "'", value.byte_size());
  if (value.byte_size() == 0) return there;
  if (to.across == nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor on_host, value.OnHost());
    if (on_host.is_inline()) return on_host;
    to.kernels->CopyIn(std::move(on_host), *there);
  } else if (from.swaps != nullptr && from.swaps->IsOut(value)) {
    from.swaps->CopyTo(from.swapped, value, *there, {*to.kernels, *to.across});
  } else {
    to.across->Wait(from.kernels->Record());  // which make it
    to.across->Wait(to.kernels->Record());    // which may use the memory until then
    to.across->CopyAcross(value, from.memory(), *there);
    to.kernels->Wait(to.across->Record());
  }
  return there;
}

StreamStep::Side& StreamStep::SideFor(const DeviceKernel& kernel) {
  Side& at = side(kernel.device);
  if (!kernel.is_carrier) ++at.num_kernels;
  return at;
}

Status StreamStep::RunInOrder(const DeviceKernel& kernel, KernelContext& context) {
  Side& at = SideFor(kernel);
  Tensor carried;  // which others may read yet
  for (int i = 0; i < context.num_inputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor given,
                             Given(at, kernel, static_cast<size_t>(i), context.input(i)));
    if (i == kernel.carried_input) carried = context.input(i);
    context.MoveInput(i, std::move(given));
  }
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    const bool is_wanted = !input.is_inline() && IsPlainDType(input.dtype()) &&
                           !kernel.reads_on_host[static_cast<size_t>(i)] &&
                           i != kernel.carried_input;
    if (!is_wanted || input.memory_kind() == MemoryKind::kDevice) continue;
    Result<Tensor> there =
        Tensor::AllocateUninitialized(input.dtype(), input.dims(), at.kernels->memory());
    if (!there.ok()) return NoRoom(at, "an input", input.byte_size());
    at.kernels->CopyIn(input, *there);
    context.MoveInput(i, *std::move(there));
  }
  context.set_stream(at.kernels, &at.faults);
  Status status = kernel.kernel(context);
  context.set_stream(nullptr, nullptr);
  if (carried.has_value()) context.MoveInput(kernel.carried_input, std::move(carried));
  for (size_t i = 0; status.ok() && i < kernel.num_outputs; ++i) {
    NoteTaken(at, kernel, context.output(static_cast<int>(i)));
  }
  return status;
}

void StreamStep::LaunchHostKernel(Side& at, DeviceCall call) {
  const auto kernel = std::make_shared<HostKernel>(std::move(call), at.kernels->memory());
  After(*at.kernels, [&at, kernel](Status error) {
    if (error.ok()) error = kernel->Run();
    kernel->LetInputsGo();
    if (error.ok() && !kernel->Keep()) {
      error = NoRoom(at, kernel->wanted(), kernel->bytes_wanted());
    }
    kernel->Done(std::move(error));
  });
}

void StreamStep::CopyIn(int device, Tensor value, Then then) {
  if (value.is_inline() || !IsPlainDType(value.dtype())) return then(std::move(value));
  Side& at = side(device);
  Result<Tensor> there =
      Tensor::AllocateUninitialized(value.dtype(), value.dims(), at.kernels->memory());
  if (!there.ok()) return then(NoRoom(at, "a tensor that was received", value.byte_size()));
  at.in->Wait(at.kernels->Record());  // which may use the memory until then
  at.in->CopyIn(std::move(value), *there);
  at.kernels->Wait(at.in->Record());
  then(std::move(there));
}

// What a list holds stays where it is until a kernel reads it.
void StreamStep::CopyAcross(int from, int to, Tensor value, Then then) {
  if (side(to).across == nullptr) {
    return DeviceStep::CopyAcross(from, to, std::move(value), std::move(then));
  }
  then(BringTo(to, value));
}

void StreamStep::CopyOut(int device, Tensor value, Then then) {
  Side& at = side(device);
  at.out->Wait(at.kernels->Record());
  std::vector<Tensor> copies;  // of the tensors in its memory, in order
  Status made;
  VisitTensors(value, [&](const Tensor& tensor) {
    if (!made.ok() || !at.kernels->memory().Holds(tensor)) return;
    // A scalar has no memory to copy to before it is made of an element.
    const Dims element = {1};
    Result<Tensor> copy =
        Tensor::AllocateUninitialized(tensor.dtype(), tensor.rank() == 0 ? element : tensor.dims());
    made = copy.status();
    if (!copy.ok()) return;
    at.out->CopyOut(tensor, *copy);
    copies.push_back(*std::move(copy));
  });
  After(*at.out, [this, &at, value = std::move(value), copies = std::move(copies),
                  made = std::move(made), then = std::move(then)](Status error) {
    if (error.ok()) error = CheckFaults();  // what is copied may be made of another device's
    if (error.ok()) error = made;
    if (!error.ok()) return then(std::move(error));
    auto next = copies.begin();
    then(WithTensors(value, [&](const Tensor& tensor) -> Result<Tensor> {
      if (at.kernels->memory().Holds(tensor)) return next++->Reshaped(tensor.dims());
      const bool is_out = at.swaps != nullptr && at.swaps->IsOut(tensor);
      return is_out ? tensor.OnHost() : tensor;
    }));
  });
}

// Of the kernel that was enqueued first of those that failed. What made one fail may have been
// enqueued on a device after that was asked, so where one has failed, the others are asked again.
Status StreamStep::CheckFaults() {
  Status first;
  uint64_t number = StepFaults::kNone;
  std::vector<StepFaults*> without;
  const auto ask = [&](StepFaults& faults) {
    Status error = faults.First();
    if (error.ok()) return without.push_back(&faults);
    const bool is_first = first.ok() || faults.number_of_first() < number;
    number = std::min(number, faults.number_of_first());
    if (is_first) first = std::move(error);
  };
  for (const auto& [device, at] : sides_) ask(at->faults);
  if (first.ok()) return first;
  for (StepFaults* const faults : std::exchange(without, {})) ask(*faults);
  return first;
}

Status StreamStep::Finish() {
  {
    std::unique_lock lock(mutex_);
    all_called_.wait(lock, [this] { return pending_ == 0; });
  }
  Status first;
  for (const auto& [device, at] : sides_) {
    for (DeviceStream* const stream : {at->in, at->across, at->kernels, at->out}) {
      if (stream == nullptr) continue;
      if (Status error = stream->Record()->Await(); first.ok()) first = std::move(error);
      stream->Settle();
    }
    if (at->swaps == nullptr) continue;
    if (Status error = at->swaps->End(at->swapped); first.ok()) first = std::move(error);
  }
  return first.ok() ? CheckFaults() : first;
}

void StreamStep::AddTo(DeviceReport& report) const {
  for (const auto& [device, at] : sides_) {
    DeviceStats& stats = report.devices.emplace_back();
    stats.device = at->name;
    stats.kernels = at->num_kernels;
    stats.swapped_out = at->swapped.moved_out;
    stats.swapped_in = at->swapped.moved_in;
    stats.memory = at->kernels->memory().stats();
  }
}

}  // namespace tagflow::optimized
