#include "optimized/straight/step_program.h"

#include <algorithm>
#include <utility>

#include "graph/device_access.h"
#include "graph/op_def.h"
#include "optimized/resources.h"
#include "optimized/straight/recorder.h"

namespace tagflow::optimized {
namespace {

// A call whose feeds change again and again would be recorded more often than launched.
constexpr int kMaxRecorded = 8;

const void* AddressOf(const Tensor& value) {
  const DeviceAccess access;
  return value.raw_data();
}

}  // namespace

struct StepProgram::Program : DeviceRecording {
  explicit Program(DeviceStream& launches) : variables(launches) {}

  struct Feed {
    size_t number;
    FeedShape shape;
    Tensor value;   // as it was recorded; none afterwards, where it is not baked
    Tensor there;   // where the program reads it; none: it does not
    bool is_baked;  // the host reads it
  };

  DeviceProgram& program() override { return *recorded; }
  Feed* Find(const Tensor& value) {
    const auto found = std::ranges::find_if(feeds, [&](const Feed& feed) {
      return feed.value.has_value() && !feed.value.is_inline() && IsPlainDType(value.dtype()) &&
             !value.is_inline() && AddressOf(feed.value) == AddressOf(value);
    });
    return found == feeds.end() ? nullptr : &*found;
  }
  Result<Tensor> Bring(const Tensor& value) override {
    Feed* const feed = Find(value);
    const bool is_feed = feed != nullptr && HasShapeOf(feed->value, value);
    if (is_feed && feed->there.has_value()) return feed->there;
    // Not of the program's memory: a block of that may be what a kernel before this one writes.
    TAGFLOW_ASSIGN_OR_RETURN(Tensor there,
                             Tensor::AllocateUninitialized(value.dtype(), value.dims(), *memory));
    if (is_feed) {
      feed->there = there;
    } else {
      TAGFLOW_RETURN_IF_ERROR(memory->Write(value.raw_data(), there));
      constants.push_back(there);
    }
    return there;
  }
  void NoteHostRead(const Tensor& value) override {
    if (Feed* const feed = Find(value)) feed->is_baked = true;
  }
  Result<Tensor> StandInFor(KernelContext& context, int i, bool changes) override {
    // A variable is not to change where a kernel before has failed ([device.1]).
    if (changes) TAGFLOW_RETURN_IF_ERROR(recorded->Guard());
    return variables.StandInFor(context, i, changes);
  }

  bool Suits(const std::vector<Tensor>& slots) const {
    return std::ranges::all_of(feeds, [&](const Feed& feed) {
      const Tensor& value = slots[feed.number];
      return feed.shape.IsOf(value) && (!feed.is_baked || BitwiseEqual(value, feed.value));
    });
  }

  std::unique_ptr<DeviceProgram> recorded;  // before what is in its memory
  DeviceMemory* memory = nullptr;           // of the device
  std::vector<Feed> feeds;
  std::vector<Tensor> constants;  // that were brought: their memory is nobody else's
  std::vector<Tensor> slots;      // as they are after the recording
  std::vector<Tensor> results;    // by fetch
  RecordedVariables variables;
};

StepProgram::StepProgram(const ExecutableSpec& spec, const Values& values, const Code& code,
                         const DeviceLoops& loops)
    : code_(code),
      loops_(loops),
      num_feeds_(spec.call.feeds.size()),
      num_fetches_(spec.call.fetches.size()),
      pace_(code, 0, static_cast<uint32_t>(code.instructions.size())) {
  bool changes_any = false;
  if (!spec.may_replay) why_not_ = "its kernels are watched";
  for (const Instruction& at : code.instructions) {
    if (at.op != OpCode::kCall || !why_not_.empty()) continue;
    const Node& node = spec.graph.node(at.node);
    const bool has_effects = HasEffects(*node.def);
    changes_any = changes_any || (has_effects && !node.def->only_looks);
    if (!values.is_on_device(at.node)) {
      if (has_effects) why_not_ = "'" + node.name + "' has state or effects";
      continue;
    }
    const int device = spec.devices->Find(node.device);
    if (device_ >= 0 && device != device_) why_not_ = "it is over several devices";
    device_ = device;
  }
  if (why_not_.empty() && device_ < 0) why_not_ = "no kernel of them is a device's";
  if (why_not_.empty() && num_fetches_ == 0 && !changes_any) why_not_ = "it fetches nothing";
}

StepProgram::~StepProgram() = default;

std::string StepProgram::HowItRuns() const {
  std::lock_guard lock(mutex_);
  if (program_ != nullptr) return "at once, as long as its feeds have the same shapes";
  if (!why_not_.empty()) return "kernel by kernel: " + why_not_;
  return has_run_ ? "kernel by kernel: no two steps were alike" : "at once where two are alike";
}

bool StepProgram::FeedShape::IsOf(const Tensor& value) const {
  return value.dtype() == dtype && std::ranges::equal(value.dims(), dims);
}

bool StepProgram::IsLikeTheLast(const std::vector<Tensor>& slots) {
  bool is_like = last_.size() == num_feeds_ && has_run_;
  std::vector<FeedShape> feeds;
  for (size_t i = 0; i < num_feeds_; ++i) {
    const Tensor& value = slots[i];
    is_like = is_like && last_[i].IsOf(value) &&
              (!value.is_inline() || BitwiseEqual(value, last_[i].scalar));
    feeds.push_back({value.dtype(), Dims(value.dims().begin(), value.dims().end()),
                     value.is_inline() ? value : Tensor()});
  }
  last_ = std::move(feeds);
  has_run_ = true;
  return is_like;
}

Status StepProgram::Record(const std::vector<Tensor>& slots, const StepServices& services) {
  const bool wants_kernels = pace_.WantsKernels();
  DeviceStream& launches = *services.devices->KernelStream(device_);
  program_ = std::make_unique<Program>(launches);
  TAGFLOW_RETURN_IF_ERROR(RecordOnce(slots, services, wants_kernels, *program_));
  if (!pace_.MakeWanted(launches)) return Status();
  program_ = std::make_unique<Program>(launches);
  return RecordOnce(slots, services, wants_kernels, *program_);
}

Status StepProgram::RecordOnce(const std::vector<Tensor>& slots, const StepServices& services,
                               bool wants_kernels, Program& program) const {
  DeviceStream& stream = *services.devices->KernelStream(device_);
  program.memory = &stream.memory();
  program.recorded = stream.NewProgram();
  if (program.recorded == nullptr) return FailedPrecondition("the device runs no programs");
  for (size_t i = 0; i < num_feeds_; ++i) {
    const bool is_baked = slots[i].is_inline() || !IsPlainDType(slots[i].dtype());
    program.feeds.push_back({i, last_[i], slots[i], Tensor(), is_baked});
  }
  program.slots = slots;
  Learned learned;  // of loops whose predicate the device has, which a step's program has none of
  LoopSplit split(code_, program.slots, *program.recorded, learned);
  // Stacks and arrays are there while kernels are called, and not when the program runs.
  StepState objects;
  StepServices recorded = services;
  recorded.step = &objects;
  program.results.resize(num_fetches_);
  TAGFLOW_RETURN_IF_ERROR(RecordStep({loops_, code_, program.slots, recorded, *program.recorded,
                                      program, program.variables, split, wants_kernels},
                                     program.results));
  for (Program::Feed& feed : program.feeds) {
    if (!feed.is_baked) feed.value = Tensor();
  }
  if (!std::ranges::all_of(program.results, &Tensor::has_value)) {
    return FailedPrecondition("a fetch is dead");
  }
  return Status();
}

Result<bool> StepProgram::Run(const std::vector<Tensor>& slots, const StepServices& services,
                              std::vector<Tensor>& results) {
  std::lock_guard lock(mutex_);
  if (!why_not_.empty() || device_ < 0) return false;
  const bool suits = program_ != nullptr && program_->Suits(slots);
  if (!suits && (!IsLikeTheLast(slots) || num_recorded_ == kMaxRecorded)) return false;
  if (!suits || pace_.IsDue()) {
    if (!suits) ++num_recorded_;
    const Status recorded = Record(slots, services);
    if (!recorded.ok()) {
      program_ = nullptr;
      const bool is_for_good = recorded.code() != tagflow::Code::kResourceExhausted;
      if (is_for_good) why_not_ = recorded.message();
      return false;
    }
  }
  return pace_.Measured([&] { return Launch(slots, services, results); });
}

Result<bool> StepProgram::Launch(const std::vector<Tensor>& slots, const StepServices& services,
                                 std::vector<Tensor>& results) {
  DeviceStream& stream = *services.devices->KernelStream(device_);
  for (const Program::Feed& feed : program_->feeds) {
    if (feed.there.has_value()) stream.CopyIn(slots[feed.number], feed.there);
  }
  using Launched = RecordedVariables::Launched;
  TAGFLOW_ASSIGN_OR_RETURN(const Launched launched, program_->variables.Launch([this] {
    return program_->recorded->Launch();
  }));
  if (launched == Launched::kMoved) program_ = nullptr;
  if (launched != Launched::kDone) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(results[i], services.devices->OnHost(program_->results[i]));
  }
  TAGFLOW_RETURN_IF_ERROR(program_->recorded->Failure());
  return true;
}

}  // namespace tagflow::optimized
