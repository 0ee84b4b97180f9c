#include "optimized/straight/device_chain.h"

#include <algorithm>
#include <utility>

#include "optimized/devices/step_devices.h"
#include "optimized/native/compile_costs.h"
#include "optimized/native/native_library.h"
#include "optimized/straight/chain_plan.h"

namespace tagflow::optimized {
namespace {

// Calls whose shapes change again and again are done one by one from then on.
constexpr size_t kMostWorks = 4;
// What a kernel takes that the host enqueues.
constexpr double kEnqueueNs = 4e3;

ElementInput InputOf(const Tensor& value) {
  return {{value.dtype(), Dims(value.dims().begin(), value.dims().end())}, value.is_inline()};
}

// The first value that a step gives.
uint32_t FirstValueOf(const DeviceCalls& calls, size_t step) {
  int value = calls.num_inputs;
  for (size_t i = 0; i < step; ++i) value += calls.steps[i].num_outputs();
  return static_cast<uint32_t>(value);
}

}  // namespace

// The calls for what they are given.
struct DeviceChain::Work {
  Status Run(const DeviceCalls& calls, KernelContext& context) const;
  Status RunOnHost(const DeviceCalls& calls, const StepServices& services,
                   std::vector<Tensor>& values) const;

  std::vector<ElementInput> given;
  ChainPlan plan;
  std::string why_not;  // empty: it can be done
};

Status DeviceChain::Work::Run(const DeviceCalls& calls, KernelContext& context) const {
  DeviceStream& stream = *context.stream();
  std::vector<Tensor> values(plan.types.size());
  for (int i = 0; i < calls.num_inputs; ++i) values[static_cast<size_t>(i)] = context.input(i);
  TAGFLOW_RETURN_IF_ERROR(RunOnHost(calls, context.services(), values));
  for (const ChainKernel& each : plan.kernels) {
    std::vector<Tensor> inputs, outputs;
    for (const int input : each.inputs) inputs.push_back(values[static_cast<size_t>(input)]);
    for (const int output : each.outputs) {
      const TensorType& type = plan.types[static_cast<size_t>(output)];
      TAGFLOW_ASSIGN_OR_RETURN(
          const Tensor made, Tensor::AllocateUninitialized(type.dtype, type.dims, stream.memory()));
      values[static_cast<size_t>(output)] = made;
      if (HasElements(type)) outputs.push_back(made);
    }
    if (each.kernel == nullptr) continue;
    TAGFLOW_RETURN_IF_ERROR(each.kernel->Enqueue(stream, inputs, outputs));
  }
  for (size_t i = 0; i < calls.outputs.size(); ++i) {
    context.output(static_cast<int>(i)) = std::move(values[static_cast<size_t>(calls.outputs[i])]);
  }
  return Status();
}

Status DeviceChain::Work::RunOnHost(const DeviceCalls& calls, const StepServices& services,
                                    std::vector<Tensor>& values) const {
  for (const size_t number : plan.steps_on_host) {
    const ElementStep& step = calls.steps[number];
    std::vector<Arg> args;
    for (const int input : step.inputs) args.push_back({static_cast<uint32_t>(input), 0});
    const uint32_t output = FirstValueOf(calls, number);
    KernelContext context(values.data(), services);
    context.Point(args.data(), &output, static_cast<int>(args.size()));
    const DeviceCalls::Kernel& kernel = calls.kernels[number];
    TAGFLOW_RETURN_IF_ERROR(kernel.function(kernel.state, context));
  }
  return Status();
}

namespace {

// Makes the plan's kernels.
//   Errors: why the calls are to be done one by one
Status MakeKernels(const DeviceCalls& calls, DeviceStream& stream, ChainPlan& plan) {
  if (plan.kernels.size() >= calls.steps.size() - plan.steps_on_host.size()) {
    return FailedPrecondition("they would be as many kernels");
  }
  const NativeLibrary* const library = NativeLibrary::Get();
  if (library == nullptr) return FailedPrecondition(NativeLibrary::WhyNot());
  for (const ElementStep& step : calls.steps) {
    if (step.call.body.empty() || library->HasBody(step.call.body)) continue;
    return FailedPrecondition("there is no machine code for " + step.call.body);
  }
  for (ChainKernel& each : plan.kernels) {
    if (each.numbers.empty()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(each.kernel, stream.NewElementKernel(each.program, each.numbers));
  }
  return Status();
}

}  // namespace

DeviceChain::DeviceChain(DeviceCalls calls, const NativeOptions& options)
    : calls_(std::move(calls)),
      options_(options),
      shape_{.device = calls_.device,
             .kernel = BoundKernel(),
             .is_own = true,
             .reads_on_host = std::vector<bool>(static_cast<size_t>(calls_.num_inputs)),
             .num_outputs = calls_.outputs.size()} {}
DeviceChain::~DeviceChain() = default;

bool DeviceChain::IsDue() {
  const int64_t tries = num_tries_++;
  if (options_.choice == NativeChoice::kAlways) return tries >= options_.after;
  const double enqueued_ns = kEnqueueNs * static_cast<double>(num_calls() * tries);
  return enqueued_ns >= kPaysAfter * kMakeKernelNs;
}

std::shared_ptr<const DeviceChain::Work> DeviceChain::Find(KernelContext& context, Unknown unknown,
                                                           Outcome& outcome) {
  std::vector<ElementInput> given;
  for (int i = 0; i < calls_.num_inputs; ++i) given.push_back(InputOf(context.input(i)));
  std::lock_guard lock(mutex_);
  auto known = std::ranges::find_if(works_, [&](const auto& work) { return work->given == given; });
  const bool may_be = works_.size() < kMostWorks;
  if (known == works_.end() && may_be && unknown == Unknown::kMakeIfItPays && IsDue()) {
    DeviceStream& stream = *context.services().devices->KernelStream(calls_.device);
    works_.push_back(Make(given, stream));
    known = works_.end() - 1;
  }
  if (known != works_.end()) {
    outcome = (*known)->why_not.empty() ? Outcome::kDone : Outcome::kNotSuited;
    return *known;
  }
  outcome = may_be ? Outcome::kNotNow : Outcome::kNotSuited;
  const bool is_new = std::ranges::find(wanted_, given) == wanted_.end();
  if (may_be && unknown == Unknown::kWant && is_new) wanted_.push_back(std::move(given));
  return nullptr;
}

bool DeviceChain::MakeWanted(DeviceStream& stream) {
  std::lock_guard lock(mutex_);
  const bool wants_any = !wanted_.empty();
  for (std::vector<ElementInput>& given : wanted_) works_.push_back(Make(std::move(given), stream));
  wanted_.clear();
  return wants_any;
}

std::shared_ptr<const DeviceChain::Work> DeviceChain::Make(std::vector<ElementInput> given,
                                                           DeviceStream& stream) const {
  auto work = std::make_shared<Work>();
  work->given = std::move(given);
  Result<ChainPlan> plan = PlanChain({work->given, calls_.steps}, calls_.outputs);
  const Status made = plan.ok() ? MakeKernels(calls_, stream, *plan) : plan.status();
  if (made.ok()) {
    work->plan = *std::move(plan);
  } else {
    work->why_not = made.message();
  }
  return work;
}

DeviceChain::Outcome DeviceChain::Try(KernelContext& context, Unknown unknown) {
  Outcome outcome = Outcome::kNotNow;
  const std::shared_ptr<const Work> work = Find(context, unknown, outcome);
  if (outcome != Outcome::kDone) return outcome;
  DeviceKernel kernel = shape_;
  kernel.kernel = BoundKernel([&](KernelContext& there) { return work->Run(calls_, there); });
  // The calls themselves find what is wrong, and say it.
  const Status status = context.services().devices->RunInOrder(kernel, context);
  return status.ok() ? Outcome::kDone : Outcome::kNotSuited;
}

std::string DeviceChain::HowItRuns() const {
  std::lock_guard lock(mutex_);
  const std::string calls = std::to_string(num_calls()) + " calls";
  if (works_.empty()) return calls + " one by one, so far";
  const Work& last = *works_.back();
  if (!last.why_not.empty()) return calls + " one by one: " + last.why_not;
  const size_t kernels = last.plan.kernels.size();
  return calls + " as " + std::to_string(kernels) + " kernel" + (kernels == 1 ? "" : "s");
}

}  // namespace tagflow::optimized
