#include "optimized/straight/device_loops.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "optimized/devices/views.h"
#include "optimized/straight/chains_pace.h"
#include "optimized/straight/code_loops.h"
#include "optimized/straight/recorder.h"

namespace tagflow::optimized {
namespace {

// Between two looks at whether the step is to end.
constexpr int64_t kIterationsAtOnce = 100'000;
// The same where kernels may soon be made for it.
constexpr int64_t kIterationsWithoutKernels = 2'000;
// To record a loop takes as long as to enqueue some of its iterations.
constexpr int64_t kCountedByHost = 64;
// An iteration on the device takes as long by itself as to enqueue so few kernels.
constexpr int64_t kFewKernels = 3;
// A loop is the host's when so many programs, one after the other, have ended before an iteration
// that they were not recorded for, and none has run for more iterations than it takes to record it.
constexpr int kMaxStops = 8;
constexpr int64_t kWorthRecording = 4 * kCountedByHost;

bool IsInLoop(OpCode op) {
  switch (op) {
    case OpCode::kCall:
    case OpCode::kTryFused:
    case OpCode::kMove:
    case OpCode::kScalar:
    case OpCode::kDrop:
    case OpCode::kJump:
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
    case OpCode::kEnter:
    case OpCode::kRepeat:
      return true;
    default:
      return false;
  }
}

std::string Quoted(const Node& node) { return "'" + node.name + "'"; }

// The device of all its kernels that are not the host's.
//   Errors: FAILED_PRECONDITION: there are others, or none; or kernels with effects
Result<int> DeviceOf(const ExecutableSpec& spec, const Values& values, const Code& code,
                     const CodeLoop& loop) {
  const Node* first = nullptr;
  for (uint32_t i = loop.head; i <= loop.repeat; ++i) {
    const Instruction& at = code.instructions[i];
    if (!IsInLoop(at.op)) return FailedPrecondition("it reads a variable");
    if (at.op != OpCode::kCall) continue;
    const Node& node = spec.graph.node(at.node);
    const auto kernel = values.device_kernel(at.node);
    // Those of a device say themselves what they have effects on (StepDevices).
    const bool is_of_host = kernel == nullptr || kernel->is_carrier || kernel->joins;
    if (is_of_host && HasEffects(*node.def)) {
      return FailedPrecondition(Quoted(node) + " has state or effects");
    }
    if (kernel == nullptr) continue;
    if (first == nullptr) first = &node;
    if (node.device == first->device) continue;
    return FailedPrecondition("it is over several devices: " + Quoted(*first) + " is on " +
                              first->device + ", " + Quoted(node) + " on " + node.device);
  }
  if (first == nullptr) return FailedPrecondition("it has no kernels of a device");
  return spec.devices->Find(first->device);
}

// The test that leaves the loop where its predicate does not hold.
std::optional<uint32_t> TestOf(const Code& code, const CodeLoop& loop) {
  for (uint32_t i = loop.head; i <= loop.repeat; ++i) {
    const Instruction& at = code.instructions[i];
    if (at.op == OpCode::kUnless && at.target == loop.end && at.n == 1) return i;
  }
  return std::nullopt;
}

void FindSlots(Code& code, DeviceLoop& loop) {
  std::vector<uint32_t> read, written;
  for (uint32_t i = loop.head; i <= loop.repeat; ++i) {
    VisitSlots(
        code.instructions[i], code.args, code.outputs,
        [&](const Arg& arg) { read.push_back(arg.slot); },
        [&](uint32_t slot) { written.push_back(slot); });
  }
  loop.slots = read;
  loop.slots.insert(loop.slots.end(), written.begin(), written.end());
  std::ranges::sort(loop.slots);
  loop.slots.erase(std::unique(loop.slots.begin(), loop.slots.end()), loop.slots.end());
  std::ranges::sort(written);
  for (const uint32_t slot : loop.slots) {
    loop.writes.push_back(std::ranges::binary_search(written, slot));
  }
}

class LoopRecording : public DeviceRecording {
 public:
  // memory: of the device; constants: tensors of it that live as long as the program
  LoopRecording(DeviceProgram& program, RecordedVariables& variables, DeviceMemory& memory,
                std::vector<Tensor>& constants)
      : program_(program), variables_(variables), memory_(memory), constants_(constants) {}
  DeviceProgram& program() override { return program_; }
  // What the loop changes is there, or is lent (LoopSplit): this is the same in each iteration.
  Result<Tensor> Bring(const Tensor& value) override {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor there, DeviceCopyOf(value, memory_));
    constants_.push_back(there);
    return there;
  }
  void NoteHostRead(const Tensor&) override {}
  Result<Tensor> StandInFor(KernelContext& context, int i, bool changes) override {
    return variables_.StandInFor(context, i, changes);
  }

 private:
  DeviceProgram& program_;
  RecordedVariables& variables_;
  DeviceMemory& memory_;
  std::vector<Tensor>& constants_;
};

}  // namespace

struct DeviceLoops::Program {
  explicit Program(DeviceStream& launches) : variables(launches) {}

  struct Given {
    uint32_t slot;
    bool is_written;
    Tensor there;
  };

  bool Suits(const std::vector<Tensor>& slots) const {
    const auto is_on_host = [&slots](uint32_t slot) {
      return slots[slot].has_value() && slots[slot].memory_kind() == MemoryKind::kHost;
    };
    return std::ranges::all_of(host.read, is_on_host) &&
           std::ranges::all_of(given,
                               [&](const Given& each) {
                                 const Tensor& value = slots[each.slot];
                                 return value.has_value() && IsThere(value) &&
                                        HasShapeOf(value, each.there);
                               }) &&
           std::ranges::all_of(baked, [&](const auto& each) {
             const Tensor& value = slots[each.first];
             return is_on_host(each.first) && HasShapeOf(value, each.second) &&
                    BitwiseEqual(value, each.second);
           });
  }

  std::unique_ptr<DeviceProgram> program;  // before what is in its memory
  std::vector<Given> given;
  std::vector<std::pair<uint32_t, Tensor>> baked;
  std::vector<Tensor> constants;  // that its kernels read
  RecordedVariables variables;
  HostPart host;
};

struct DeviceLoops::Made {
  Made(const Code& code, const DeviceLoop& loop) : pace(code, loop.head, loop.repeat) {}

  // The program is not for the next iteration. A new one may be, for those after it.
  void NoteStop(const std::string& why) {
    program = nullptr;
    if (std::exchange(iterations, 0) > kWorthRecording) num_stops = 0;
    if (++num_stops == kMaxStops) left_to_host = why;
  }

  mutable std::mutex mutex;
  ChainsPace pace;                   // guarded by mutex, as the rest
  std::unique_ptr<Program> program;  // null: not made
  Learned learned;
  int64_t iterations = 0;  // since the last stop
  int num_stops = 0;       // see kMaxStops
  std::string left_to_host;
};

DeviceLoops::DeviceLoops(const ExecutableSpec& spec, const Values& values, Code& code)
    : graph_(spec.graph), frames_(spec.valid.frames), code_(code), is_constant_(code.num_slots) {
  for (const Instruction& at : code.instructions) {
    if (at.op != OpCode::kCall) continue;
    if (auto kernel = values.device_kernel(at.node)) device_kernels_[at.node] = std::move(kernel);
  }
  for (const auto& [slot, value] : code.constants) is_constant_[slot] = true;
  for (const CodeLoop& loop : FindLoops(code)) {
    const Status added = Add(spec, values, code, loop);
    const std::optional<uint32_t> test = TestOf(code, loop);
    known_.push_back({test ? code.instructions[*test].node : NodeId::kNone,
                      added.ok() ? static_cast<int>(loops_.size()) - 1 : -1, added.message()});
  }
}

Status DeviceLoops::Add(const ExecutableSpec& spec, const Values& values, Code& code,
                        const CodeLoop& found) {
  if (!spec.may_replay) return FailedPrecondition("its kernels are watched");
  TAGFLOW_ASSIGN_OR_RETURN(const int device, DeviceOf(spec, values, code, found));
  const std::optional<uint32_t> test = TestOf(code, found);
  if (!test) return FailedPrecondition("it goes on where its predicate does not hold");
  DeviceLoop loop = {found.head, *test,  found.repeat,
                     found.end,  device, CountedByHost(found, spec.native),
                     {},         {}};
  FindSlots(code, loop);
  loops_.push_back(std::move(loop));
  made_.push_back(std::make_unique<Made>(code, loops_.back()));
  return Status();
}

int64_t DeviceLoops::CountedByHost(const CodeLoop& loop, const NativeOptions& native) const {
  if (native.choice == NativeChoice::kAlways) return std::max<int64_t>(1, native.after);
  int64_t kernels = 0;
  for (uint32_t i = loop.head; i <= loop.repeat; ++i) {
    const Instruction& at = code_.instructions[i];
    const DeviceKernel* const kernel = at.op == OpCode::kCall ? device_kernel(at.node) : nullptr;
    const bool is_fused = at.op == OpCode::kTryFused && code_.fused[at.n].on_device != nullptr;
    if (is_fused || (kernel != nullptr && !kernel->is_carrier)) ++kernels;
    if (is_fused) i = at.target - 1;
  }
  return kernels > kFewKernels ? kCountedByHost : std::numeric_limits<int64_t>::max();
}

DeviceLoops::~DeviceLoops() = default;

int DeviceLoops::AtTest(uint32_t instruction) const {
  const auto found = std::ranges::find(loops_, instruction, &DeviceLoop::test);
  return found == loops_.end() ? -1 : static_cast<int>(found - loops_.begin());
}

std::string DeviceLoops::HowItRuns(int loop) const {
  const auto has_program = [this](size_t number) {
    std::lock_guard lock(made_[number]->mutex);
    return made_[number]->program != nullptr;
  };
  const DeviceLoop& inner = loops_[static_cast<size_t>(loop)];
  const Made& made = *made_[static_cast<size_t>(loop)];
  if (std::lock_guard lock(made.mutex); made.program != nullptr) {
    const int64_t calls = made.program->host.num_calls();
    if (calls == 0) return "without the host";
    return "without the host, which does its " + std::to_string(calls) + " call" +
           (calls == 1 ? "" : "s") + " of each iteration before and after";
  }
  for (size_t i = 0; i < loops_.size(); ++i) {
    const DeviceLoop& around = loops_[i];
    const bool is_in_it = around.head < inner.head && inner.repeat < around.repeat;
    if (!is_in_it || !has_program(i)) continue;
    return "without the host, in that of " +
           Quoted(graph_.node(code_.instructions[around.test].node));
  }
  std::lock_guard lock(made.mutex);
  if (made.left_to_host.empty()) return "by the host: its predicate has been on no device";
  return "by the host: " + made.left_to_host;
}

std::string DeviceLoops::NameOf(NodeId node) const { return Quoted(graph_.node(node)); }

Status DeviceLoops::Record(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                           const StepServices& services, Made& made) const {
  const bool wants_kernels = made.pace.WantsKernels();
  TAGFLOW_RETURN_IF_ERROR(RecordOnce(loop, slots, services, wants_kernels, made));
  if (!made.pace.MakeWanted(*services.devices->KernelStream(loop.device))) return Status();
  return RecordOnce(loop, slots, services, wants_kernels, made);
}

Status DeviceLoops::RecordOnce(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                               const StepServices& services, bool wants_kernels, Made& made) const {
  while (true) {
    made.program = std::make_unique<Program>(*services.devices->KernelStream(loop.device));
    const size_t known = made.learned.size();
    const Status status =
        RecordWith(loop, slots, services, wants_kernels, *made.program, made.learned);
    if (made.learned.size() == known) return status;
  }
}

Status DeviceLoops::RecordWith(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                               const StepServices& services, bool wants_kernels, Program& program,
                               Learned& learned) const {
  program.program = services.devices->KernelStream(loop.device)->NewProgram();
  if (program.program == nullptr) return FailedPrecondition("the device runs no programs");
  DeviceStream& stream = program.program->stream();
  std::vector<Tensor> own(slots.size());
  LoopSplit split(code_, own, *program.program, learned);
  for (size_t i = 0; i < loop.slots.size(); ++i) {
    const uint32_t slot = loop.slots[i];
    const Tensor& value = slots[slot];
    if (!value.has_value()) continue;
    own[slot] = value;
    if (is_constant_[slot]) {
      program.constants.push_back(value);
    } else if (IsOnDevice(value) || (value.is_inline() && learned.on_device.contains(slot))) {
      TAGFLOW_ASSIGN_OR_RETURN(
          own[slot], Tensor::AllocateUninitialized(value.dtype(), value.dims(), stream.memory()));
      program.given.push_back({slot, loop.writes[i], own[slot]});
    } else if (loop.writes[i]) {
      split.Carry(slot);
    } else {
      split.Give(slot);
    }
  }
  DeviceMemory& memory = services.devices->KernelStream(loop.device)->memory();
  LoopRecording recording(*program.program, program.variables, memory, program.constants);
  const Status status = RecordLoop(loop, {*this, code_, own, services, *program.program, recording,
                                          program.variables, split, wants_kernels});
  for (const uint32_t slot : split.baked()) program.baked.emplace_back(slot, slots[slot]);
  program.host = std::move(split.part());
  return status;
}

Result<DeviceLoops::Ran> DeviceLoops::Run(int number, std::vector<Tensor>& slots,
                                          const StepServices& services, const StopFlag& stop,
                                          bool may_record) {
  const DeviceLoop& loop = loops_[static_cast<size_t>(number)];
  Made& made = *made_[static_cast<size_t>(number)];
  const Ran kNothing;
  std::lock_guard lock(made.mutex);
  if (!made.left_to_host.empty()) return kNothing;
  std::vector<Tensor> values;  // of the variables that it reads, to stay where they are
  const bool suits =
      made.program != nullptr && made.program->Suits(slots) && made.program->variables.Hold(values);
  if (!suits && !may_record) return kNothing;
  if (!suits || (made.pace.IsDue() && may_record)) {
    const Status recorded = Record(loop, slots, services, made);
    if (!recorded.ok()) {
      made.program = nullptr;
      const bool is_for_good = recorded.code() != tagflow::Code::kResourceExhausted;
      if (is_for_good) made.left_to_host = recorded.message();
      return kNothing;
    }
    if (!made.program->variables.Hold(values)) return kNothing;
  }
  Program& program = *made.program;
  for (const Program::Given& given : program.given) {
    Tensor& value = slots[given.slot];
    TAGFLOW_ASSIGN_OR_RETURN(value, services.devices->BroughtBack(loop.device, value));
    TAGFLOW_RETURN_IF_ERROR(program.program->Set(given.there, value));
  }
  // Before the run: what it changes could not be told of without memory for it.
  DeviceMemory& memory = services.devices->KernelStream(loop.device)->memory();
  Result<std::vector<Tensor>> written = MakeWritten(program, memory);
  if (!written.ok()) return kNothing;
  HostPartRun host(program.host, code_, slots, services, loop.device);
  TAGFLOW_ASSIGN_OR_RETURN(const Ran ran, RunProgram(stop, made, host));
  if (ran.iterations > 0 || ran.is_over) {
    for (auto next = written->begin(); const Program::Given& given : program.given) {
      if (!given.is_written) continue;
      slots[given.slot] = std::move(*next++);
      TAGFLOW_RETURN_IF_ERROR(program.program->Set(slots[given.slot], given.there));
    }
    host.GiveTo(slots);
    if (ran.is_over) slots[code_.instructions[loop.test].a] = Tensor::Scalar<bool>(false);
  }
  made.iterations += ran.iterations;
  if (!ran.stopped_by.empty()) made.NoteStop(ran.stopped_by);
  return ran;
}

Result<std::vector<Tensor>> DeviceLoops::MakeWritten(const Program& program, DeviceMemory& memory) {
  std::vector<Tensor> written;
  for (const Program::Given& given : program.given) {
    if (!given.is_written) continue;
    TAGFLOW_ASSIGN_OR_RETURN(Tensor made, Tensor::AllocateUninitialized(
                                              given.there.dtype(), given.there.dims(), memory));
    written.push_back(std::move(made));
  }
  return written;
}

Result<DeviceLoops::Ran> DeviceLoops::RunProgram(const StopFlag& stop, Made& made,
                                                 HostPartRun& host) const {
  const Ran kNothing;
  Program& program = *made.program;
  Ran ran;
  while (!ran.is_over && !made.pace.IsDue()) {
    if (stop.is_set()) return stop.status();
    const int64_t most = made.pace.wants_kernels() ? kIterationsAtOnce : kIterationsWithoutKernels;
    const Result<int64_t> prepared = host.Prepare(most, *program.program);
    if (!prepared.ok() && prepared.status().code() != tagflow::Code::kResourceExhausted) {
      return prepared.status();
    }
    if (!prepared.ok() || *prepared == 0) {  // the host goes on
      const HostStep* const step = host.stopped_by();
      if (step == nullptr) break;
      ran.stopped_by = step->at == nullptr ? step->why : NameOf(step->at->node) + ": " + step->why;
      break;
    }
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceProgram::Ended ended,
                             made.pace.Measured([&] { return program.program->Run(*prepared); }));
    // The same, done by the host, finds the error, with its node and tag.
    if (ended.has_failed || !host.Follow(ended.iterations, *program.program).ok()) return kNothing;
    ran.iterations += ended.iterations;
    ran.is_over = program.host.counted ? !host.GoesOn() : ended.is_over;
  }
  return ran;
}

}  // namespace tagflow::optimized
