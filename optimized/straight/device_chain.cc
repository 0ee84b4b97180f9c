#include "optimized/straight/device_chain.h"

#include <algorithm>
#include <optional>
#include <span>

#include "optimized/devices/step_devices.h"
#include "optimized/native/compile_costs.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized {
namespace {

// Calls whose shapes change again and again are done one by one from then on.
constexpr size_t kMostWorks = 4;
// What a kernel takes that the host enqueues.
constexpr double kEnqueueNs = 4e3;

ElementInput InputOf(const Tensor& value) {
  return {{value.dtype(), Dims(value.dims().begin(), value.dims().end())}, value.is_inline()};
}

Status WhyNot(std::string why) { return FailedPrecondition(std::move(why)); }

bool HasElements(const TensorType& type) {
  return std::ranges::find(type.dims, 0) == type.dims.end();
}

// ---- Which kernels ----

// One kernel; values are those of all calls.
struct Piece {
  ElementProgram program;
  std::vector<int> inputs;                      // values: of the program's inputs
  std::vector<int> outputs;                     // values
  std::vector<int> numbers;                     // in the program, of the outputs with elements
  std::shared_ptr<const ElementKernel> kernel;  // null: no output has elements
};

class Planner {
 public:
  // whole: with the types of the inputs
  Planner(const ElementProgram& whole, std::span<const int> outputs)
      : whole_(whole), outputs_(outputs) {}

  // In the order in which they run.   Errors: why the calls are to be done one by one
  Result<std::vector<Piece>> Plan() {
    std::optional<std::vector<TensorType>> types = TypesOfValues(whole_);
    if (!types) return WhyNot("the shapes do not fit");
    types_ = *std::move(types);
    FindMakers();
    FindLevels();
    return Pieces();
  }
  const std::vector<TensorType>& types() const { return types_; }
  // Steps, by number, that the host does.
  const std::vector<size_t>& steps_on_host() const { return steps_on_host_; }

 private:
  static size_t At(int value) { return static_cast<size_t>(value); }
  int num_inputs() const { return static_cast<int>(whole_.inputs.size()); }

  void FindMakers() {
    maker_.assign(whole_.inputs.size(), nullptr);
    for (const ElementInput& input : whole_.inputs) is_on_host_.push_back(input.is_given);
    for (size_t i = 0; i < whole_.steps.size(); ++i) {
      const ElementStep& step = whole_.steps[i];
      const bool on_host =
          std::ranges::all_of(step.inputs, [&](int input) { return is_on_host_[At(input)]; });
      if (on_host) steps_on_host_.push_back(i);
      is_on_host_.insert(is_on_host_.end(), At(step.num_outputs()), on_host);
      maker_.insert(maker_.end(), At(step.num_outputs()), &step);
    }
  }

  // A value that is repeated is of a level below those that repeat it, and comes from a kernel.
  void FindLevels() {
    level_.assign(types_.size(), 0);
    is_kept_.assign(types_.size(), false);
    for (const int output : outputs_) is_kept_[At(output)] = !is_on_host_[At(output)];
    for (size_t value = whole_.inputs.size(); value < types_.size(); ++value) {
      const ElementStep& step = *maker_[value];
      for (const int input : step.inputs) {
        const bool is_made = input >= num_inputs() && !is_on_host_[At(input)];
        const bool repeats =
            is_made && step.pieces == 0 && types_[At(input)].dims != types_[value].dims;
        if (repeats) is_kept_[At(input)] = true;
        level_[value] = std::max(level_[value], level_[At(input)] + (repeats ? 1 : 0));
      }
    }
  }

  // One for each level.
  std::vector<Piece> Pieces() const {
    std::vector<Piece> pieces;
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      if (!is_kept_[At(value)]) continue;
      const auto level = At(level_[At(value)]);
      if (pieces.size() <= level) pieces.resize(level + 1);
      pieces[level].outputs.push_back(value);
    }
    std::erase_if(pieces, [](const Piece& piece) { return piece.outputs.empty(); });
    for (Piece& piece : pieces) Fill(level_[At(piece.outputs.front())], piece);
    return pieces;
  }

  // What the host makes, and what was kept at lower levels, is among the inputs.
  void Fill(int level, Piece& piece) const {
    std::vector<int> number(types_.size(), -1);
    const auto add_input = [&](int value, const ElementInput& input) {
      number[At(value)] = static_cast<int>(piece.inputs.size());
      piece.inputs.push_back(value);
      piece.program.inputs.push_back(input);
    };
    for (int value = 0; value < num_inputs(); ++value) add_input(value, whole_.inputs[At(value)]);
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      if (is_on_host_[At(value)]) add_input(value, {types_[At(value)], true});
    }
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      if (is_kept_[At(value)] && level_[At(value)] < level)
        add_input(value, {types_[At(value)], false});
    }
    int next = static_cast<int>(piece.inputs.size());
    int value = num_inputs();
    for (const ElementStep& step : whole_.steps) {
      ElementStep own = step;
      for (int& input : own.inputs) input = number[At(input)];
      piece.program.steps.push_back(std::move(own));
      for (int i = 0; i < step.num_outputs(); ++i, ++value, ++next) {
        if (number[At(value)] < 0) number[At(value)] = next;
      }
    }
    for (const int output : piece.outputs) {
      if (HasElements(types_[At(output)])) piece.numbers.push_back(number[At(output)]);
    }
  }

  const ElementProgram& whole_;
  const std::span<const int> outputs_;
  std::vector<TensorType> types_;          // by value, as the rest
  std::vector<const ElementStep*> maker_;  // null: an input
  std::vector<bool> is_on_host_;           // where calls one by one have it
  std::vector<int> level_;
  std::vector<bool> is_kept_;  // it is in memory
  std::vector<size_t> steps_on_host_;
};

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
  std::vector<TensorType> types;  // by value
  std::vector<size_t> steps_on_host;
  std::vector<Piece> pieces;
  std::string why_not;  // empty: it can be done
};

Status DeviceChain::Work::Run(const DeviceCalls& calls, KernelContext& context) const {
  DeviceStream& stream = *context.stream();
  std::vector<Tensor> values(types.size());
  for (int i = 0; i < calls.num_inputs; ++i) values[static_cast<size_t>(i)] = context.input(i);
  TAGFLOW_RETURN_IF_ERROR(RunOnHost(calls, context.services(), values));
  for (const Piece& piece : pieces) {
    std::vector<Tensor> inputs, outputs;
    for (const int input : piece.inputs) inputs.push_back(values[static_cast<size_t>(input)]);
    for (const int output : piece.outputs) {
      const TensorType& type = types[static_cast<size_t>(output)];
      TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(), Tensor::AllocateUninitialized(
                                                           type.dtype, type.dims, stream.memory()));
      values[static_cast<size_t>(output)] = outputs.back();
      if (!HasElements(type)) outputs.pop_back();
    }
    if (piece.kernel != nullptr)
      TAGFLOW_RETURN_IF_ERROR(piece.kernel->Enqueue(stream, inputs, outputs));
  }
  for (size_t i = 0; i < calls.outputs.size(); ++i) {
    context.output(static_cast<int>(i)) = std::move(values[static_cast<size_t>(calls.outputs[i])]);
  }
  return Status();
}

Status DeviceChain::Work::RunOnHost(const DeviceCalls& calls, const StepServices& services,
                                    std::vector<Tensor>& values) const {
  for (const size_t number : steps_on_host) {
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

// Whether machine code has all that the steps call.
bool HasBodies(const std::vector<ElementStep>& steps) {
  const NativeLibrary* const library = NativeLibrary::Get();
  return library != nullptr && std::ranges::all_of(steps, [&](const ElementStep& step) {
           return step.call.body.empty() || library->HasBody(step.call.body);
         });
}

Status MakeKernels(DeviceStream& stream, std::vector<Piece>& pieces) {
  for (Piece& piece : pieces) {
    if (piece.numbers.empty()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(piece.kernel, stream.NewElementKernel(piece.program, piece.numbers));
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

bool DeviceChain::IsDue(bool makes_kernels) {
  const int64_t tries = num_tries_++;
  if (options_.choice == NativeChoice::kAlways) return tries >= options_.after;
  const double enqueued_ns = kEnqueueNs * static_cast<double>(num_calls() * tries);
  return makes_kernels || enqueued_ns >= kPaysAfter * kMakeKernelNs;
}

std::shared_ptr<const DeviceChain::Work> DeviceChain::Find(KernelContext& context,
                                                           bool makes_kernels, Outcome& outcome) {
  std::vector<ElementInput> given;
  for (int i = 0; i < calls_.num_inputs; ++i) given.push_back(InputOf(context.input(i)));
  std::lock_guard lock(mutex_);
  for (const auto& work : works_) {
    if (work->given != given) continue;
    outcome = work->why_not.empty() ? Outcome::kDone : Outcome::kNotSuited;
    return work;
  }
  outcome = works_.size() < kMostWorks ? Outcome::kNotNow : Outcome::kNotSuited;
  if (outcome != Outcome::kNotNow || !IsDue(makes_kernels)) return nullptr;
  auto work = std::make_shared<Work>();
  work->given = std::move(given);
  const ElementProgram whole = {work->given, calls_.steps};
  Planner planner(whole, calls_.outputs);
  Result<std::vector<Piece>> pieces = planner.Plan();
  Status made = pieces.status();
  if (made.ok() && !HasBodies(calls_.steps))
    made = WhyNot("there is no machine code for one of them");
  const size_t calls_there = calls_.steps.size() - planner.steps_on_host().size();
  if (made.ok() && pieces->size() >= calls_there) {
    made = WhyNot("they would be as many kernels");
  }
  if (made.ok()) {
    DeviceStream& stream = *context.services().devices->KernelStream(calls_.device);
    made = MakeKernels(stream, *pieces);
  }
  if (made.ok()) {
    work->types = planner.types();
    work->steps_on_host = planner.steps_on_host();
    work->pieces = *std::move(pieces);
  } else {
    work->why_not = made.message();
  }
  outcome = made.ok() ? Outcome::kDone : Outcome::kNotSuited;
  works_.push_back(work);
  return work;
}

DeviceChain::Outcome DeviceChain::Try(KernelContext& context, bool makes_kernels) {
  Outcome outcome = Outcome::kNotNow;
  const std::shared_ptr<const Work> work = Find(context, makes_kernels, outcome);
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
  const std::string plural = last.pieces.size() == 1 ? "" : "s";
  return calls + " as " + std::to_string(last.pieces.size()) + " kernel" + plural;
}

}  // namespace tagflow::optimized
