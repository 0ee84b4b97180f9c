#include "optimized/devices/step_devices.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "optimized/devices/device_program.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

constexpr int kHost = -1;

// Tensors on their way to where they are wanted, and what comes then.
struct Gathering {
  std::mutex mutex;
  std::vector<Tensor> values;  // guarded by mutex, as the rest
  Status error;                // the first
  size_t missing = 0;
};

// A scalar that the executor would have in the tensor itself.
bool IsLostScalar(const Tensor& value) {
  return value.memory_kind() == MemoryKind::kDevice && value.rank() == 0 &&
         DTypeSize(value.dtype()) <= 8;
}

// A call whose outputs something is done to before it is done.
class ChangedCall : public AsyncCall {
 public:
  using Change = std::function<void(std::vector<Tensor> outputs)>;
  ChangedCall(std::shared_ptr<AsyncCall> call, Change change)
      : call_(std::move(call)), change_(std::move(change)) {}

  void Done(Result<std::vector<Tensor>> outputs) override {
    const bool is_plain = !outputs.ok() || std::ranges::none_of(*outputs, IsLostScalar);
    if (is_plain) return call_->Done(std::move(outputs));
    change_(*std::move(outputs));
  }
  void OnEnd(std::function<void()> ended) override { call_->OnEnd(std::move(ended)); }

 private:
  const std::shared_ptr<AsyncCall> call_;
  const Change change_;
};

}  // namespace

StepDevices::StepDevices(const Devices& devices, uint64_t seed, DeviceReport* report)
    : devices_(devices), report_(report), steps_(devices.groups().size()) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const int device = static_cast<int>(i);
    if (devices.IsHost(device)) continue;
    std::unique_ptr<DeviceStep>& made = steps_[devices.GroupOf(device)];
    if (made == nullptr) made = devices.groups()[devices.GroupOf(device)]->NewStep(seed);
  }
}

StepDevices::~StepDevices() {
  (void)Finish();  // where an executor has thrown
  if (report_ == nullptr) return;
  *report_ = DeviceReport();
  for (const auto& step : steps_) {
    if (step != nullptr) step->AddTo(*report_);
  }
}

void StepDevices::Launch(const DeviceKernel& kernel, KernelContext& context,
                         std::shared_ptr<AsyncCall> call) {
  DeviceCall made{&kernel, {}, context.services(), context.tag(), std::move(call)};
  for (int i = 0; i < context.num_inputs(); ++i) {
    const bool may_change = context.MayOverwrite(i);
    made.inputs.push_back({context.Take(i), may_change});
  }
  if (kernel.is_own) return LaunchOwn(std::move(made));
  step(kernel.device).Launch(std::move(made));
}

void StepDevices::LaunchOwn(DeviceCall call) {
  const DeviceKernel& kernel = *call.kernel;
  std::vector<Tensor> values;
  std::vector<int> to;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    Tensor& token = call.inputs[i].token;
    const int wanted = kernel.reads_on_host[i] ? kHost : kernel.device;
    const bool is_there = (token.memory_kind() == MemoryKind::kDevice) == (wanted != kHost);
    const bool moves = !is_there && !token.is_inline() && IsPlainDType(token.dtype());
    to.push_back(moves ? wanted : kStays);
    values.push_back(std::move(token));
  }
  call.call = WithScalarsOnHost(call);
  const auto waiting = std::make_shared<DeviceCall>(std::move(call));
  BringAll(kernel.device, std::move(values), to,
           [this, waiting](Result<std::vector<Tensor>> brought) {
             if (!brought.ok()) return waiting->call->Done(brought.status());
             for (size_t i = 0; i < brought->size(); ++i) {
               waiting->inputs[i].token = std::move((*brought)[i]);
             }
             const Status before = waiting->kernel->is_seen ? CheckFaults() : Status();
             if (!before.ok()) return waiting->call->Done(before);
             step(waiting->kernel->device).Launch(std::move(*waiting));
           });
}

std::shared_ptr<AsyncCall> StepDevices::WithScalarsOnHost(const DeviceCall& call) {
  const int device = call.kernel->device;
  const std::shared_ptr<AsyncCall> told = call.call;
  return std::make_shared<ChangedCall>(told, [this, device, told](std::vector<Tensor> outputs) {
    std::vector<int> to;
    for (const Tensor& output : outputs) to.push_back(IsLostScalar(output) ? kHost : kStays);
    BringAll(device, std::move(outputs), to,
             [told](Result<std::vector<Tensor>> brought) { told->Done(std::move(brought)); });
  });
}

void StepDevices::BringAll(int from, std::vector<Tensor> values, const std::vector<int>& to,
                           ThenAll then) {
  const auto moves =
      static_cast<size_t>(std::ranges::count_if(to, [](int device) { return device != kStays; }));
  if (moves == 0) return then(std::move(values));
  const auto all = std::make_shared<Gathering>();
  all->missing = moves;
  const std::vector<Tensor> given = values;
  all->values = std::move(values);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == kStays) continue;
    Bring(to[i] == kHost ? from : kHost, to[i], given[i], [all, i, then](Result<Tensor> value) {
      {
        std::lock_guard lock(all->mutex);
        if (value.ok()) all->values[i] = *std::move(value);
        if (!value.ok() && all->error.ok()) all->error = value.status();
        if (--all->missing > 0) return;
      }
      if (!all->error.ok()) return then(all->error);
      then(std::move(all->values));
    });
  }
}

Result<Tensor> StepDevices::OnHost(const Tensor& value) {
  if (recording_ != nullptr) return FailedPrecondition("the host reads what the device makes");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor on_host, devices_.CopyOut(value));
  TAGFLOW_RETURN_IF_ERROR(CheckFaults());
  return on_host;
}

Status StepDevices::CheckFaults() {
  if (recording_ != nullptr) return FailedPrecondition("the host does what others see");
  for (const auto& step : steps_) {
    if (step != nullptr) TAGFLOW_RETURN_IF_ERROR(step->CheckFaults());
  }
  return Status();
}

Status StepDevices::Record(const DeviceKernel& kernel, KernelContext& context) {
  if (kernel.keeps_state) return RecordWithState(kernel, context);
  return CallRecorded(kernel, context);
}

// On what stands in for its variables; a kernel with other state is not the same each time.
Status StepDevices::RecordWithState(const DeviceKernel& kernel, KernelContext& context) {
  std::vector<std::pair<int, Tensor>> handles;
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input(i).dtype() != DType::kResource) continue;
    const bool is_of_host = kernel.reads_on_host[static_cast<size_t>(i)];
    if (is_of_host) return FailedPrecondition("the host changes or reads a variable");
    TAGFLOW_ASSIGN_OR_RETURN(Tensor stand_in, recording_->StandInFor(context, i, kernel.is_seen));
    handles.emplace_back(i, context.input(i));
    context.MoveInput(i, std::move(stand_in));
  }
  if (kernel.is_seen && handles.empty()) return FailedPrecondition("a kernel has state or effects");
  Status status = CallRecorded(kernel, context);
  for (auto& [i, handle] : handles) context.MoveInput(i, std::move(handle));
  return status;
}

Status StepDevices::CallRecorded(const DeviceKernel& kernel, KernelContext& context) {
  std::vector<std::pair<int, Tensor>> on_host;  // which others may read there
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    const bool is_on_device = input.memory_kind() == MemoryKind::kDevice;
    if (input.is_inline() || !IsPlainDType(input.dtype()) || i == kernel.carried_input) continue;
    if (kernel.reads_on_host[static_cast<size_t>(i)]) {
      if (is_on_device) return FailedPrecondition("the host reads what the device makes");
      recording_->NoteHostRead(input);
    } else if (is_on_device) {
      TAGFLOW_RETURN_IF_ERROR(CheckNearby(kernel, input));
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor there, recording_->Bring(input));
      if (IsIndexDType(input.dtype())) on_host.emplace_back(i, input);
      context.MoveInput(i, std::move(there));
    }
  }
  context.set_stream(&recording_->program().stream(), &recording_->program().faults());
  Status status = kernel.kernel(context);
  context.set_stream(nullptr, nullptr);
  for (auto& [i, input] : on_host) context.MoveInput(i, std::move(input));
  for (size_t i = 0; status.ok() && i < kernel.num_outputs; ++i) {
    const Tensor& output = context.output(static_cast<int>(i));
    // Of what a list held.
    if (output.memory_kind() == MemoryKind::kDevice) status = CheckNearby(kernel, output);
  }
  return status;
}

// What is recorded is of one device, and reads its memory alone.
Status StepDevices::CheckNearby(const DeviceKernel& kernel, const Tensor& tensor) {
  if (devices_.memory(kernel.device)->Holds(tensor)) return Status();
  const bool is_out = step(kernel.device).IsOut(kernel.device, tensor);
  return FailedPrecondition(is_out ? "a kernel reads what was swapped to the host"
                                   : "a kernel reads what is on another device");
}

Status StepDevices::RunInOrder(const DeviceKernel& kernel, KernelContext& context) {
  if (recording_ != nullptr) return Record(kernel, context);
  // Not before it is known that nothing has failed.
  if (kernel.is_seen) TAGFLOW_RETURN_IF_ERROR(CheckFaults());
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    // What is carried stays on the host, but not on another device.
    const bool is_there =
        !kernel.reads_on_host[static_cast<size_t>(i)] && IsNear(kernel.device, input);
    if (input.is_inline() || input.memory_kind() == MemoryKind::kHost || is_there) continue;
    TAGFLOW_ASSIGN_OR_RETURN(Tensor on_host, OnHost(input));
    context.MoveInput(i, std::move(on_host));
  }
  return step(kernel.device).RunInOrder(kernel, context);
}

bool StepDevices::IsNear(int device, const Tensor& tensor) {
  if (tensor.memory_kind() != MemoryKind::kDevice) return false;
  if (IsOf(device, tensor)) return true;
  for (int other = 0; other < static_cast<int>(devices_.size()); ++other) {
    if (devices_.IsHost(other) || &step(other) != &step(device)) continue;
    if (IsOf(other, tensor)) return true;
  }
  return false;
}

// The devices that have some of it; of several Sends under one key, any may have been first
// ([rendezvous.3]).
std::vector<int> StepDevices::HomesOf(const Tensor& value) {
  std::vector<bool> is_home(devices_.size());
  VisitTensors(value, [&](const Tensor& tensor) {
    for (size_t i = 0; i < is_home.size(); ++i) {
      const int device = static_cast<int>(i);
      if (!is_home[i] && !devices_.IsHost(device)) is_home[i] = IsOf(device, tensor);
    }
  });
  std::vector<int> homes;
  for (size_t i = 0; i < is_home.size(); ++i) {
    if (is_home[i]) homes.push_back(static_cast<int>(i));
  }
  return homes;
}

void StepDevices::Transfer(int from, int to, Tensor value, std::shared_ptr<AsyncCall> call) {
  Bring(from, to, std::move(value), [call = std::move(call)](Result<Tensor> there) {
    if (!there.ok()) return call->Done(there.status());
    call->Done(std::vector<Tensor>{*std::move(there)});
  });
}

void StepDevices::Bring(int from, int to, Tensor value, DeviceStep::Then then) {
  const bool is_to_host = devices_.IsHost(to);
  std::vector<int> homes = HomesOf(value);
  const bool is_in_one_step = !devices_.IsHost(from) && !is_to_host && &step(from) == &step(to);
  if (is_in_one_step) {
    if (!homes.empty()) from = homes.front() != to ? homes.front() : homes.back();
    return step(to).CopyAcross(from, to, std::move(value), std::move(then));
  }
  // Also of a value that is on no device, which the host is to see when nothing has failed.
  if (homes.empty() && !devices_.IsHost(from)) homes.push_back(from);
  if (is_to_host) return BringOut(std::move(homes), std::move(value), std::move(then));
  BringOut(std::move(homes), std::move(value),
           [this, to, then = std::move(then)](Result<Tensor> copy) {
             if (!copy.ok()) return then(std::move(copy));
             step(to).CopyIn(to, *std::move(copy), then);
           });
}

// To the host: from one device after the other.
void StepDevices::BringOut(std::vector<int> from, Tensor value, DeviceStep::Then then) {
  if (from.empty()) return then(std::move(value));
  const int device = from.back();
  from.pop_back();
  step(device).CopyOut(device, std::move(value),
                       [this, from = std::move(from), then = std::move(then)](Result<Tensor> copy) {
                         if (!copy.ok()) return then(std::move(copy));
                         BringOut(from, *std::move(copy), then);
                       });
}

bool StepDevices::Advance() {
  bool went_on = false;
  for (const auto& step : steps_) {
    if (step != nullptr) went_on = step->Advance() || went_on;
  }
  return went_on;
}

Status StepDevices::Finish() {
  if (std::exchange(is_finished_, true)) return Status();
  Status error;
  for (const auto& step : steps_) {
    if (step == nullptr) continue;
    if (Status status = step->Finish(); error.ok()) error = std::move(status);
  }
  return error;
}

}  // namespace tagflow::optimized
