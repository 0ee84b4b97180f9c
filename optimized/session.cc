#include "optimized/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "graph/call_checks.h"
#include "graph/out_of_memory.h"
#include "graph/unknown_ops.h"
#include "graph/validate.h"
#include "optimized/constants_once.h"
#include "optimized/devices/step_devices.h"
#include "optimized/evaluate.h"
#include "optimized/target_watch.h"
#include "transform/lower/lower.h"

namespace tagflow::optimized {
namespace {

std::string CallKey(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets) {
  std::string key;
  for (const auto* names : {&feeds, &fetches, &targets}) {
    for (const std::string& name : *names) key.append(name).push_back('\n');
    key.push_back('\n');
  }
  return key;
}

SessionOptions Completed(SessionOptions options) {
  if (options.devices.empty() && !options.any_device) options.devices = {"/device:CPU:0"};
  if (options.threads <= 0) {
    options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  return options;
}

// As ValidateCall of what was made of a valid call by passes or devices, and so is one: tests of
// those check it, and no session does again.
Result<ValidatedCall> FollowCall(const auto& made) {
  ValidatedCall valid;
  valid.needed = NeededNodes(made.graph, made.call);
  TAGFLOW_ASSIGN_OR_RETURN(valid.frames, AssignFrames(made.graph, valid.needed, made.call));
  return valid;
}

// Before passes and devices change the graph.                                     Spec: [graph.1]
Status RefuseUnknownOps(const Graph& graph, const CallSpec& call, const ValidatedCall& valid) {
  std::vector<NodeId> unknown;
  for (size_t i = 0; i < valid.needed.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (valid.needed[i] && IsStandIn(graph.node(id))) unknown.push_back(id);
  }
  return RefuseWhatMustRun(graph, call, valid, unknown, "CPU");
}

// Bodies that run as steps of their own are on one host: nodes in them are placed nowhere else.
KeptCalls KeptCallsOf(const SessionOptions& options, const Devices& devices) {
  if (options.devices.size() > 1 || !devices.AllAreHost()) return KeptCalls::kNone;
  return options.lowers_functions ? KeptCalls::kRecursive : KeptCalls::kAll;
}

}  // namespace

Session::Session(Graph graph, const SessionOptions& options, std::unique_ptr<Devices> devices)
    : graph_(std::move(graph)),
      options_(Completed(options)),
      observed_kernels_(options.observer ? Observed(*options.kernels, *options.observer) : nullptr),
      witness_kernels_(
          options.watches_targets
              ? WitnessKernels(observed_kernels_ != nullptr ? *observed_kernels_ : *options.kernels)
              : nullptr),
      devices_(std::move(devices)),
      pool_(options_.threads > 1 ? std::make_shared<tokens::WorkerPool>(options_.threads)
                                 : nullptr),
      bodies_(graph_, {KeptCallsOf(options, *devices_),
                       observed_kernels_ != nullptr ? observed_kernels_.get() : options.kernels,
                       options_.executor,
                       options_.spread.soft || options_.any_device ? nullptr : &options_.devices,
                       options_.native, pool_.get()}) {}

Result<std::unique_ptr<Session>> Session::Create(Graph graph, const SessionOptions& options) {
  return OrOutOfMemory([&] { return Open(std::move(graph), options); });
}

Result<std::unique_ptr<Session>> Session::Open(Graph graph, const SessionOptions& options) {
  if (options.threads > kMaxThreads) {
    return InvalidArgument(std::to_string(options.threads) + " threads are more than the " +
                           std::to_string(kMaxThreads) + " that a session may have");
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      std::unique_ptr<Devices> devices,
      Devices::Create(Completed(options).devices, options.device_kinds, options.spread.soft));
  SessionOptions opened = options;
  opened.devices = devices->names();
  LowerFunctions(graph, {.kept = KeptCallsOf(opened, *devices)});
  StandInForUnknownOps(graph);
  return std::unique_ptr<Session>(new Session(std::move(graph), opened, std::move(devices)));
}

Result<std::vector<Tensor>> Session::Run(const NamedTensors& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets,
                                         const RunOptions& options) {
  return OrOutOfMemory([&]() -> Result<std::vector<Tensor>> {
    std::vector<std::string> names;
    std::vector<Tensor> values;
    for (const auto& [name, value] : feeds) {
      names.push_back(name);
      values.push_back(value);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Callable* callable, MakeCallable(names, fetches, targets));
    return callable->Run(std::move(values), options);
  });
}

Result<const Callable*> Session::MakeCallable(const std::vector<std::string>& feeds,
                                              const std::vector<std::string>& fetches,
                                              const std::vector<std::string>& targets) {
  return OrOutOfMemory([&] { return FindOrPrepare(feeds, fetches, targets); });
}

Result<const Callable*> Session::FindOrPrepare(const std::vector<std::string>& feeds,
                                               const std::vector<std::string>& fetches,
                                               const std::vector<std::string>& targets) {
  const std::string key = CallKey(feeds, fetches, targets);
  {
    std::lock_guard lock(mutex_);
    const auto found = callables_.find(key);
    if (found != callables_.end()) return static_cast<const Callable*>(found->second.get());
  }
  // Without the lock: other steps go on. Of two plans for one call the first stays.
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<Callable> made, Prepare(feeds, fetches, targets));
  std::lock_guard lock(mutex_);
  const auto [place, is_new] = callables_.try_emplace(key, std::move(made));
  return static_cast<const Callable*>(place->second.get());
}

Result<std::unique_ptr<Callable>> Session::Prepare(const std::vector<std::string>& feeds,
                                                   const std::vector<std::string>& fetches,
                                                   const std::vector<std::string>& targets) {
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec call, ResolveCall(graph_, feeds, fetches, targets));
  TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid, ValidateCall(graph_, call));
  TAGFLOW_RETURN_IF_ERROR(RefuseUnknownOps(graph_, call, valid));
  TAGFLOW_RETURN_IF_ERROR(CheckPlaceholdersFed(graph_, call, valid.needed));
  if (!options_.spread.soft) {
    TAGFLOW_RETURN_IF_ERROR(CheckDevices(graph_, call, valid.needed, options_.devices));
  }
  auto callable = std::make_unique<Callable>();
  callable->graph_ = &graph_;
  callable->state_ = &state_;
  callable->bodies_ = &bodies_;
  callable->crew_ = pool_.get();
  callable->observer_ = options_.observer;
  callable->missing_ = &devices_->missing();
  callable->feed_names_ = feeds;
  callable->feeds_ = call.feeds;
  TAGFLOW_RETURN_IF_ERROR(MakeWatched(call, valid, *callable));
  for (const auto& [name, why] : devices_->missing()) callable->about_ += ", without " + name;
  return callable;
}

// The executable of the call, and of those who watch its targets.
Status Session::MakeWatched(const CallSpec& call, const ValidatedCall& valid, Callable& callable) {
  if (!options_.watches_targets || call.targets.empty()) {
    return MakeExecutable(graph_, call, valid, callable);
  }
  for (NodeId target : call.targets) callable.targets_.push_back(graph_.node(target).name);
  const CallGraph& watched = callable.watched_.emplace(WithWitnesses(graph_, call));
  TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid_too, FollowCall(watched));
  return MakeExecutable(watched.graph, watched.call, valid_too, callable);
}

Status Session::MakeExecutable(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                               Callable& callable) {
  const SimplifyOptions options{options_.passes, EvaluateWith(*options_.kernels),
                                options_.simplify_if_worthwhile};
  callable.simplified_ = Simplify(graph, call, valid, options);
  if (!callable.simplified_) return Place(graph, call, valid, callable);
  const CallGraph& simplified = *callable.simplified_;
  TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid_too, FollowCall(simplified));
  const Status placed = Place(simplified.graph, simplified.call, valid_too, callable);
  if (placed.ok()) callable.about_ += ", simplified";
  const bool is_apart = placed.rule().starts_with("partition.");
  if (!is_apart) return placed;
  // A pass may bring together nodes that ask for two devices: hoisting lets a node wait for the
  // Enter of a reference itself, where it waited for a node that does, and so it has to be with it.
  callable.spread_.reset();
  callable.simplified_.reset();
  return Place(graph, call, valid, callable);
}

const KernelRegistry& Session::KernelsOf(const Callable& callable) const {
  if (callable.watched_.has_value()) return *witness_kernels_;
  return observed_kernels_ != nullptr ? *observed_kernels_ : *options_.kernels;
}

Status Session::Place(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                      Callable& callable) {
  const KernelRegistry& kernels = KernelsOf(callable);
  if (options_.devices.size() > 1 || !devices_->AllAreHost()) {
    TAGFLOW_ASSIGN_OR_RETURN(callable.spread_, Spread(graph, call, valid, *devices_,
                                                      *options_.kernels, options_.spread));
  }
  if (!callable.spread_) return Choose({graph, call, valid, kernels, options_.threads}, callable);
  TAGFLOW_RETURN_IF_ERROR(PlaceOverDevices(call, valid, callable));
  callable.about_ += ", over " + std::to_string(options_.devices.size()) + " devices";
  return Status();
}

Status Session::PlaceOverDevices(const CallSpec& call, const ValidatedCall& valid,
                                 Callable& callable) {
  const KernelRegistry& kernels = KernelsOf(callable);
  const Devices* const devices = devices_->AllAreHost() ? nullptr : devices_.get();
  callable.devices_ = devices;
  callable.about_ = devices == nullptr ? "" : devices->WhyNotInOrder();
  if (!callable.about_.empty()) callable.about_ = "tokens: " + callable.about_;
  if (devices != nullptr && callable.about_.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(
        ChosenExecutable straight,
        ChooseStraight({callable.spread_->placed, call, valid, kernels, options_.threads,
                        /*frame_names=*/nullptr, devices,
                        /*may_replay=*/&kernels == options_.kernels, options_.native},
                       options_.executor));
    callable.about_ = std::move(straight.about);
    callable.executable_ = std::move(straight.executable);
    callable.is_in_order_ = callable.executable_ != nullptr;
    if (callable.is_in_order_) return Status();
  }
  const JoinedCall& joined = callable.spread_->joined;
  TAGFLOW_ASSIGN_OR_RETURN(const ValidatedCall valid_too, FollowCall(joined));
  return Choose({joined.graph, joined.call, valid_too, kernels, options_.threads,
                 &joined.frame_names, devices},
                callable);
}

Status Session::Choose(const ExecutableSpec& spec, Callable& callable) {
  const auto choose = [this](ExecutableSpec wanted) {
    wanted.native = options_.native;
    wanted.idle_threads = pool_.get();
    return ChooseExecutable(wanted, options_.executor, pool_);
  };
  TAGFLOW_ASSIGN_OR_RETURN(ChosenExecutable chosen, choose(spec));
  callable.executable_ = std::move(chosen.executable);
  // Kernels of a caller's own are called as they are, and those that somebody sees.
  if (spec.devices == nullptr && !callable.spread_ &&
      &spec.kernels == &KernelRegistry::Standard()) {
    callable.executable_ = ComputeConstantsOnce(
        std::move(callable.executable_), spec,
        [choose](const ExecutableSpec& folded) -> Result<std::unique_ptr<Executable>> {
          TAGFLOW_ASSIGN_OR_RETURN(ChosenExecutable again, choose(folded));
          return std::move(again.executable);
        });
  }
  // PlaceOverDevices may have said already why the code of this call is not straight.
  if (spec.devices == nullptr || callable.about_.empty()) callable.about_ = std::move(chosen.about);
  return Status();
}

Status Callable::CheckFeeds(const std::vector<Tensor>& feeds) const {
  if (feeds.size() != feeds_.size()) {
    return InvalidArgument("the call has " + std::to_string(feeds_.size()) + " feeds, not " +
                           std::to_string(feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].memory_kind() == MemoryKind::kDevice) {
      return InvalidArgument("feed '" + feed_names_[i] +
                             "' is in the memory of a device: copy it to the host's");
    }
    if (IsOfAnyType(*graph_, feeds_[i])) continue;
    TAGFLOW_RETURN_IF_ERROR(CheckFeed(*graph_, feeds_[i], feed_names_[i], feeds[i]));
  }
  return Status();
}

// What is fed goes to the memory where it is wanted, and what is fetched comes back, outside of the
// step and of its time.
Result<std::vector<Tensor>> Callable::RunOverDevices(std::vector<Tensor> feeds,
                                                     StepControl& control,
                                                     DeviceReport* report) const {
  TAGFLOW_RETURN_IF_ERROR(devices_->CheckAlive());
  const JoinedCall& joined = spread_->joined;
  for (size_t i = 0; i < feeds.size() && !is_in_order_; ++i) {
    const Node& fed = joined.graph.node(joined.call.feeds[i].node);
    TAGFLOW_ASSIGN_OR_RETURN(feeds[i], devices_->CopyIn(devices_->Find(fed.device), feeds[i]));
  }
  StepDevices devices(*devices_, control.seed, report);
  control.services.devices = &devices;
  Result<std::vector<Tensor>> ran = executable_->Run(std::move(feeds), control);
  // A device that is lost gives no memory either.
  if (ran.status().code() == Code::kResourceExhausted) {
    TAGFLOW_RETURN_IF_ERROR(devices_->CheckAlive());
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> values, std::move(ran));
  TAGFLOW_RETURN_IF_ERROR(devices.Finish());
  for (Tensor& value : values) {
    TAGFLOW_ASSIGN_OR_RETURN(value, devices_->CopyOut(value));
  }
  return values;
}

std::vector<std::string> Callable::Notes() const {
  std::vector<std::string> notes = executable_->Notes();
  // Of all calls of the session: who has called them does not show.
  for (std::string& note : bodies_->Notes()) notes.push_back(std::move(note));
  return notes;
}

Result<std::vector<Tensor>> Callable::Run(std::vector<Tensor> feeds,
                                          const RunOptions& options) const {
  return OrOutOfMemory([&] { return RunStep(std::move(feeds), options); });
}

Result<std::vector<Tensor>> Callable::RunStep(std::vector<Tensor> feeds,
                                              const RunOptions& options) const {
  TAGFLOW_RETURN_IF_ERROR(CheckFeeds(feeds));
  StepState step;
  StepControl control;
  control.services = {state_, &step, nullptr, nullptr, bodies_, &control};
  if (options.seed == 0) control.services.crew = crew_;  // a simulated schedule is one thread
  control.max_firings = options.max_firings;
  std::atomic<int64_t> firings_left_to_calls = options.max_firings;
  control.firings_left_to_calls = &firings_left_to_calls;
  control.cancelled = options.cancelled;
  control.canceller = options.canceller;
  control.seed = options.seed;
  control.rendezvous = options.rendezvous;
  if (options.deadline_s > 0) {
    control.deadline =
        StepControl::Clock::now() + std::chrono::duration_cast<StepControl::Clock::duration>(
                                        std::chrono::duration<double>(options.deadline_s));
  }
  Result<std::vector<Tensor>> values =
      devices_ == nullptr && observer_ == nullptr
          ? executable_->Run(std::move(feeds), control)
          : RunObserved(std::move(feeds), control, options.device_report);
  if (options.device_report != nullptr) {
    options.device_report->about = about_;
    options.device_report->notes = Notes();
    for (const auto& [name, why] : *missing_) {
      options.device_report->missing.push_back("without '" + name + "': " + why.message());
    }
  }
  if (options.dead_targets != nullptr && values.ok()) {
    *options.dead_targets = DeadTargets(targets_, step);
  }
  return values;
}

// Over devices, told to the observer, or both.
Result<std::vector<Tensor>> Callable::RunObserved(std::vector<Tensor> feeds, StepControl& control,
                                                  DeviceReport* report) const {
  if (observer_ == nullptr) return RunOverDevices(std::move(feeds), control, report);
  observer_->StepBegins();
  Result<std::vector<Tensor>> values = devices_ == nullptr
                                           ? executable_->Run(std::move(feeds), control)
                                           : RunOverDevices(std::move(feeds), control, report);
  observer_->StepEnds(values.status());
  return values;
}

}  // namespace tagflow::optimized
