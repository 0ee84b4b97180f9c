#include "optimized/straight/device_loops.h"

#include <algorithm>
#include <optional>

#include "optimized/straight/chains_pace.h"
#include "optimized/straight/code_loops.h"
#include "optimized/straight/recorder.h"

namespace tagflow::optimized {
namespace {

// Between two looks at whether the step is to end.
constexpr int64_t kIterationsAtOnce = 100'000;
// The same where kernels may soon be made for it.
constexpr int64_t kIterationsWithoutKernels = 2'000;

bool IsInLoop(OpCode op) {
  switch (op) {
    case OpCode::kCall:
    case OpCode::kTryFused:
    case OpCode::kMove:
    case OpCode::kScalar:
    case OpCode::kDrop:
    case OpCode::kJump:
    case OpCode::kUnless:
    case OpCode::kEnter:
    case OpCode::kRepeat:
      return true;
    default:
      return false;
  }
}

std::string Quoted(const Node& node) { return "'" + node.name + "'"; }

// The device of all its kernels.   Errors: FAILED_PRECONDITION: there are others, or none
Result<int> DeviceOf(const ExecutableSpec& spec, const Values& values, const Code& code,
                     const CodeLoop& loop) {
  const Node* first = nullptr;
  for (uint32_t i = loop.head; i <= loop.repeat; ++i) {
    const Instruction& at = code.instructions[i];
    if (at.op == OpCode::kUnlessIndex) return FailedPrecondition("it has a branch of many");
    if (!IsInLoop(at.op)) return FailedPrecondition("it reads a variable");
    if (at.op != OpCode::kCall) continue;
    const Node& node = spec.graph.node(at.node);
    if (!values.is_on_device(at.node)) {
      return FailedPrecondition(Quoted(node) + " is a kernel of the host's");
    }
    if (first == nullptr) first = &node;
    if (node.device == first->device) continue;
    return FailedPrecondition("it is over several devices: " + Quoted(*first) + " is on " +
                              first->device + ", " + Quoted(node) + " on " + node.device);
  }
  if (first == nullptr) return FailedPrecondition("it has no kernels");
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

// All that the loop reads is where it reads it, since the host has run an iteration.
class LoopRecording : public DeviceRecording {
 public:
  LoopRecording(DeviceProgram& program, RecordedVariables& variables)
      : program_(program), variables_(variables) {}
  DeviceProgram& program() override { return program_; }
  Result<Tensor> Bring(const Tensor&) override {
    return FailedPrecondition("an input is not where the kernel reads it");
  }
  void NoteHostRead(const Tensor&) override {}
  Result<Tensor> StandInFor(KernelContext& context, int i, bool changes) override {
    return variables_.StandInFor(context, i, changes);
  }

 private:
  DeviceProgram& program_;
  RecordedVariables& variables_;
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
    return std::ranges::all_of(given,
                               [&](const Given& each) {
                                 const Tensor& value = slots[each.slot];
                                 return value.has_value() && IsThere(value) &&
                                        HasShapeOf(value, each.there);
                               }) &&
           std::ranges::all_of(baked, [&](const auto& each) {
             const Tensor& value = slots[each.first];
             return value.has_value() && HasShapeOf(value, each.second) &&
                    value.memory_kind() == MemoryKind::kHost && BitwiseEqual(value, each.second);
           });
  }

  std::unique_ptr<DeviceProgram> program;  // before what is in its memory
  std::vector<Given> given;
  std::vector<std::pair<uint32_t, Tensor>> baked;
  std::vector<Tensor> constants;  // that its kernels read
  RecordedVariables variables;
};

struct DeviceLoops::Made {
  Made(const Code& code, const DeviceLoop& loop) : pace(code, loop.head, loop.repeat) {}

  mutable std::mutex mutex;
  ChainsPace pace;                   // guarded by mutex, as the rest
  std::unique_ptr<Program> program;  // null: not made
  std::string left_to_host;
};

DeviceLoops::DeviceLoops(const ExecutableSpec& spec, const Values& values, Code& code)
    : graph_(spec.graph),
      code_(code),
      is_constant_(code.num_slots),
      is_of_host_(spec.graph.id_limit(), true) {
  for (const Instruction& at : code.instructions) {
    if (at.op == OpCode::kCall) is_of_host_[Index(at.node)] = !values.is_on_device(at.node);
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
  TAGFLOW_ASSIGN_OR_RETURN(const int device, DeviceOf(spec, values, code, found));
  const std::optional<uint32_t> test = TestOf(code, found);
  if (!test) return FailedPrecondition("it goes on where its predicate does not hold");
  DeviceLoop loop = {found.head, *test, found.repeat, found.end, device, {}, {}};
  FindSlots(code, loop);
  loops_.push_back(std::move(loop));
  made_.push_back(std::make_unique<Made>(code, loops_.back()));
  return Status();
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
  if (has_program(static_cast<size_t>(loop))) return "without the host";
  for (size_t i = 0; i < loops_.size(); ++i) {
    const DeviceLoop& around = loops_[i];
    const bool is_in_it = around.head < inner.head && inner.repeat < around.repeat;
    if (!is_in_it || !has_program(i)) continue;
    return "without the host, in that of " +
           Quoted(graph_.node(code_.instructions[around.test].node));
  }
  const Made& made = *made_[static_cast<size_t>(loop)];
  std::lock_guard lock(made.mutex);
  if (made.left_to_host.empty()) return "by the host: its predicate has been on no device";
  return "by the host: " + made.left_to_host;
}

Status DeviceLoops::Record(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                           const StepServices& services, Made& made) const {
  const bool wants_kernels = made.pace.WantsKernels();
  DeviceStream& launches = *services.devices->KernelStream(loop.device);
  made.program = std::make_unique<Program>(launches);
  TAGFLOW_RETURN_IF_ERROR(RecordOnce(loop, slots, services, wants_kernels, *made.program));
  if (!made.pace.MakeWanted(launches)) return Status();
  made.program = std::make_unique<Program>(launches);
  return RecordOnce(loop, slots, services, wants_kernels, *made.program);
}

Status DeviceLoops::RecordOnce(const DeviceLoop& loop, const std::vector<Tensor>& slots,
                               const StepServices& services, bool wants_kernels,
                               Program& program) const {
  program.program = services.devices->KernelStream(loop.device)->NewProgram();
  if (program.program == nullptr) return FailedPrecondition("the device runs no programs");
  DeviceStream& stream = program.program->stream();
  std::vector<Tensor> own(slots.size());
  for (size_t i = 0; i < loop.slots.size(); ++i) {
    const uint32_t slot = loop.slots[i];
    const Tensor& value = slots[slot];
    if (!value.has_value()) continue;
    own[slot] = value;
    if (is_constant_[slot]) {
      program.constants.push_back(value);
    } else if (loop.writes[i] ? IsThere(value) : value.memory_kind() == MemoryKind::kDevice) {
      TAGFLOW_ASSIGN_OR_RETURN(
          own[slot], Tensor::AllocateUninitialized(value.dtype(), value.dims(), stream.memory()));
      program.given.push_back({slot, loop.writes[i], own[slot]});
    } else if (loop.writes[i]) {
      return FailedPrecondition("a loop changes what the host has");
    } else {
      program.baked.emplace_back(slot, value);
    }
  }
  LoopRecording recording(*program.program, program.variables);
  return RecordLoop(loop, {*this, code_, own, services, *program.program, recording,
                           program.variables, wants_kernels});
}

Result<DeviceLoops::Ran> DeviceLoops::Run(int number, std::vector<Tensor>& slots,
                                          const StepServices& services, const StopFlag& stop,
                                          bool may_record) {
  const DeviceLoop& loop = loops_[static_cast<size_t>(number)];
  Made& made = *made_[static_cast<size_t>(number)];
  constexpr Ran kNothing;
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
  Ran ran;
  while (!ran.is_over && !made.pace.IsDue()) {
    if (stop.is_set()) return stop.status();
    const int64_t most = made.pace.wants_kernels() ? kIterationsAtOnce : kIterationsWithoutKernels;
    TAGFLOW_ASSIGN_OR_RETURN(const DeviceProgram::Ended ended,
                             made.pace.Measured([&] { return program.program->Run(most); }));
    if (ended.has_failed) return kNothing;
    ran.iterations += ended.iterations;
    ran.is_over = ended.is_over;
  }
  DeviceMemory& memory = services.devices->KernelStream(loop.device)->memory();
  for (const Program::Given& given : program.given) {
    if (!given.is_written) continue;
    Tensor& value = slots[given.slot];
    TAGFLOW_ASSIGN_OR_RETURN(
        value, Tensor::AllocateUninitialized(given.there.dtype(), given.there.dims(), memory));
    TAGFLOW_RETURN_IF_ERROR(program.program->Set(value, given.there));
  }
  if (ran.is_over) slots[code_.instructions[loop.test].a] = Tensor::Scalar<bool>(false);
  return ran;
}

}  // namespace tagflow::optimized
