#include "optimized/straight/chains.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "optimized/kernels/addition.h"
#include "optimized/kernels/chain.h"

namespace tagflow::optimized {
namespace {

constexpr size_t kCallsMax = 32;  // of a run

// ---- Which calls may be steps ----

struct Call {
  uint32_t at = 0;  // the instruction
  ChainStep step;   // without its values
  DType dtype = DType::kInvalid;
};

// Steps of the kinds of kernels; none, and with it kInvalid, where the kernel can be no step.
struct MakeCall {
  Call operator()(const PairLoop* loop) const {
    if (loop->elements.input != loop->elements.output) return {};
    return {0, {.kind = ChainStep::Kind::kPair, .pair = *loop}, loop->elements.input};
  }
  Call operator()(const MapLoop* loop) const {
    if (loop->elements.input != loop->elements.output) return {};
    return {0, {.kind = ChainStep::Kind::kMap, .map = *loop}, loop->elements.input};
  }
  Call operator()(const AdditionPart& part) const {
    PairLoop add = FindPairLoop(part.dtype, AddForms());
    add.shapes = part.is_of_bias ? PairShapes::kBroadcast : PairShapes::kSame;
    const auto kind = part.is_of_bias ? ChainStep::Kind::kBias : ChainStep::Kind::kPair;
    return {0, {.kind = kind, .pair = add}, part.dtype};
  }
  Call operator()(const SplitPart& part) const {
    return {0, {.kind = ChainStep::Kind::kSplit, .pieces = part.pieces}, part.dtype};
  }
  template <typename Other>
  Call operator()(const Other&) const {
    return {};
  }
};

bool IsLoop(const KernelPart& part) {
  return std::holds_alternative<const PairLoop*>(part) ||
         std::holds_alternative<const MapLoop*>(part);
}

// ---- Calls to a chain ----

using Calls = std::span<const Call>;

class ChainMaker {
 public:
  explicit ChainMaker(Fusions& fusions)
      : fusions_(fusions), code_(fusions.code()), value_of_(code_.num_slots, kNone) {}

  // Fuses the calls, or parts of them.
  void Fuse(Calls calls) {
    if (calls.size() < 2) return;
    const size_t made = Make(calls);
    for (const uint32_t slot : slots_) value_of_[slot] = kNone;
    if (made == calls.size()) return;
    Fuse(calls.first(made));
    Fuse(calls.subspan(std::max<size_t>(1, made)));
  }

 private:
  static constexpr int kNone = -1;

  const Instruction& At(const Call& call) const { return fusions_.at(call.at); }
  std::span<const Arg> ArgsOf(const Call& call) {
    // A Split's first input is its axis, which is no value.
    const uint32_t skipped = call.step.kind == ChainStep::Kind::kSplit ? 1 : 0;
    const Instruction& instruction = At(call);
    return std::span(code_.args).subspan(instruction.a + skipped, instruction.n - skipped);
  }
  std::span<const uint32_t> OutputsOf(const Call& call) {
    return std::span(code_.outputs).subspan(At(call).b, At(call).num_outputs);
  }

  // All calls, and then the number of them; or where the calls must be parted.
  size_t Make(Calls calls) {
    chain_ = ElementChain();
    chain_.dtype = calls[0].dtype;
    slots_.clear();
    if (const size_t fit = NumberValues(calls); fit < calls.size()) return fit;
    FindDeaths(calls);
    AddSteps(calls);
    if (const size_t fit = FindPlaces(calls); fit < calls.size()) return fit;
    Append(calls);
    return calls.size();
  }

  // Inputs come first. How many of the calls have values that can be numbered.
  size_t NumberValues(Calls calls) {
    made_.clear();
    for (size_t i = 0; i < calls.size(); ++i) {
      for (const Arg arg : ArgsOf(calls[i])) {
        if (value_of_[arg.slot] == kNone) Number(arg.slot, chain_.num_inputs++);
      }
      for (const uint32_t slot : OutputsOf(calls[i])) {
        // What is an input already, of this iteration or the one before, cannot be made here.
        if (value_of_[slot] != kNone) return i;
        Number(slot, kMade);
        made_.push_back(slot);
      }
      if (slots_.size() > kChainValuesMax) return i;
    }
    for (size_t i = 0; i < made_.size(); ++i) {
      value_of_[made_[i]] = chain_.num_inputs + static_cast<int>(i);
    }
    return calls.size();
  }
  static constexpr int kMade = -2;
  void Number(uint32_t slot, int value) {
    value_of_[slot] = value;
    slots_.push_back(slot);
  }

  // Which values nobody reads behind the calls.
  void FindDeaths(Calls calls) {
    dies_.assign(slots_.size(), false);
    released_.clear();
    for (const Call& call : calls) {
      for (const Arg arg : ArgsOf(call)) {
        if (arg.is_last == 1) dies_[static_cast<size_t>(value_of_[arg.slot])] = true;
      }
    }
    const auto& instructions = code_.instructions;
    for (uint32_t at = calls[0].at; at < instructions.size(); ++at) {
      const bool is_behind = at > calls.back().at;
      if (instructions[at].op == OpCode::kDrop) {
        const uint32_t slot = instructions[at].a;
        if (value_of_[slot] != kNone) dies_[static_cast<size_t>(value_of_[slot])] = true;
        if (!is_behind) released_.push_back(slot);
      } else if (is_behind) {
        break;
      }
    }
  }

  void AddSteps(Calls calls) {
    const size_t values = slots_.size();
    last_read_.assign(values, -1);
    int axis = chain_.num_inputs;
    for (const Call& call : calls) {
      ChainStep step = call.step;
      const std::span<const Arg> args = ArgsOf(call);
      step.x = value_of_[args[0].slot];
      if (args.size() > 1) step.y = value_of_[args[1].slot];
      if (step.kind == ChainStep::Kind::kSplit) step.y = axis++;
      const auto number = static_cast<int>(chain_.steps.size());
      for (const Arg arg : args) last_read_[static_cast<size_t>(value_of_[arg.slot])] = number;
      chain_.steps.push_back(step);
    }
    // Who reads a piece reads the whole.
    for (size_t i = calls.size(); i-- > 0;) {
      if (calls[i].step.kind != ChainStep::Kind::kSplit) continue;
      int& whole = last_read_[static_cast<size_t>(chain_.steps[i].x)];
      for (const uint32_t slot : OutputsOf(calls[i])) {
        whole = std::max(whole, last_read_[static_cast<size_t>(value_of_[slot])]);
      }
    }
  }

  // How many of the calls give values that have a place.
  size_t FindPlaces(Calls calls) {
    rooms_.clear();
    for (size_t i = 0; i < calls.size(); ++i) {
      const bool splits = calls[i].step.kind == ChainStep::Kind::kSplit;
      int piece = 0;
      for (const uint32_t slot : OutputsOf(calls[i])) {
        const int value = value_of_[slot];
        const bool dies = dies_[static_cast<size_t>(value)];
        if (splits && !dies) return i;
        if (splits) {
          chain_.places.push_back({ChainPlace::Kind::kPiece, piece++, chain_.steps[i].x});
        } else if (dies) {
          chain_.places.push_back({ChainPlace::Kind::kRoom, TakeRoom(i, value), 0});
        } else {
          AddOutput(i, value);
        }
      }
      if (rooms_.size() > kChainRoomsMax) return i;
    }
    chain_.num_rooms = static_cast<int>(rooms_.size());
    return calls.size();
  }

  // A room that no step from this one on reads: its loop may write over what it reads.
  int TakeRoom(size_t step, int value) {
    const int last = last_read_[static_cast<size_t>(value)];
    const auto free =
        std::ranges::find_if(rooms_, [&](int until) { return until <= static_cast<int>(step); });
    if (free != rooms_.end()) {
      *free = last;
      return static_cast<int>(free - rooms_.begin());
    }
    rooms_.push_back(last);
    return static_cast<int>(rooms_.size() - 1);
  }

  void AddOutput(size_t step, int value) {
    ChainOutput output{value, std::nullopt};
    for (int input = 0; input < chain_.num_inputs && !output.reuse; ++input) {
      const auto place = static_cast<size_t>(input);
      const bool is_taken = std::ranges::any_of(
          chain_.outputs, [&](const ChainOutput& other) { return other.reuse == input; });
      if (dies_[place] && last_read_[place] <= static_cast<int>(step) && !is_taken) {
        output.reuse = input;
      }
    }
    const auto number = static_cast<int>(chain_.outputs.size());
    chain_.places.push_back({ChainPlace::Kind::kOutput, number, 0});
    chain_.outputs.push_back(output);
  }

  void Append(Calls calls) {
    FusedCalls fused;
    fused.function = [](const void* state, KernelContext& context) {
      return RunChain(*static_cast<const ElementChain*>(state), context);
    };
    fused.first_arg = static_cast<uint32_t>(code_.args.size());
    fused.first_output = static_cast<uint32_t>(code_.outputs.size());
    fused.num_calls = static_cast<uint32_t>(calls.size());
    AppendArgs(calls);
    fused.num_args = static_cast<uint32_t>(code_.args.size()) - fused.first_arg;
    for (const ChainOutput& output : chain_.outputs) {
      code_.outputs.push_back(made_[static_cast<size_t>(output.value - chain_.num_inputs)]);
    }
    fused.state = std::make_shared<const ElementChain>(std::move(chain_));
    fused.released = released_;
    fusions_.Add(calls[0].at, calls.back().at + 1, std::move(fused));
  }
  void AppendArgs(Calls calls) {
    for (const uint32_t slot : slots_) {
      const int value = value_of_[slot];
      if (value >= chain_.num_inputs) continue;
      const bool dies = dies_[static_cast<size_t>(value)];
      code_.args.push_back({slot, dies});
      if (dies) released_.push_back(slot);
    }
    for (const Call& call : calls) {
      if (call.step.kind != ChainStep::Kind::kSplit) continue;
      code_.args.push_back({code_.args[At(call).a].slot, 0});
    }
  }

  Fusions& fusions_;
  Code& code_;
  ElementChain chain_;
  std::vector<int> value_of_;    // by slot
  std::vector<uint32_t> slots_;  // those with a value: inputs in order of their numbers
  std::vector<uint32_t> made_;   // those that calls give, in order
  std::vector<bool> dies_;       // by value
  std::vector<int> last_read_;   // by value: the last step that reads it, or -1
  std::vector<int> rooms_;       // by room: the last step that reads what is in it
  std::vector<uint32_t> released_;
};

// ---- Runs of calls ----

class Runs {
 public:
  explicit Runs(Fusions& fusions)
      : fusions_(fusions), code_(fusions.code()), maker_(fusions), made_by_(code_.num_slots) {}

  void Fuse() {
    for (uint32_t at = 0; at < fusions_.size(); ++at) {
      if (fusions_.is_jump_target(at)) FuseRun();
      if (fusions_.at(at).op == OpCode::kDrop) continue;
      std::optional<Call> call = CallAt(at);
      const bool continues =
          call && !run_.empty() && run_.size() < kCallsMax && run_.back().dtype == call->dtype;
      if (!continues) FuseRun();
      if (call) run_.push_back(*call);
    }
    FuseRun();
  }

 private:
  std::optional<Call> CallAt(uint32_t at) {
    const KernelPart* const part = fusions_.PartAt(at);
    if (part == nullptr) return std::nullopt;
    const Instruction& instruction = fusions_.at(at);
    if (IsLoop(*part) && IsOfScalars(instruction)) {
      fusions_.NoteScalar(code_.outputs[instruction.b]);
      return std::nullopt;
    }
    Call call = std::visit(MakeCall(), *part);
    call.at = at;
    return IsFloating(call.dtype) ? std::optional(call) : std::nullopt;
  }
  bool IsOfScalars(const Instruction& call) const {
    const auto args = std::span(code_.args).subspan(call.a, call.n);
    return std::ranges::all_of(args,
                               [this](const Arg arg) { return fusions_.is_scalar(arg.slot); });
  }

  // Fuses each part of the run whose calls are connected.
  void FuseRun() {
    if (run_.size() > 1) {
      Connect();
      size_t begin = 0;
      for (size_t i = 1; i <= run_.size(); ++i) {
        if (i < run_.size() && Group(i) == Group(begin)) continue;
        maker_.Fuse(Calls(run_).subspan(begin, i - begin));
        begin = i;
      }
    }
    run_.clear();
  }
  void Connect() {
    group_.clear();
    for (size_t i = 0; i < run_.size(); ++i) {
      group_.push_back(i);
      const Instruction& call = code_.instructions[run_[i].at];
      for (uint32_t k = 0; k < call.n; ++k) {
        const uint32_t maker = made_by_[code_.args[call.a + k].slot];
        if (maker != 0) group_[Group(maker - 1)] = Group(i);
      }
      for (uint32_t k = 0; k < call.num_outputs; ++k) {
        made_by_[code_.outputs[call.b + k]] = static_cast<uint32_t>(i) + 1;
      }
    }
    for (const Call& call : run_) {
      const Instruction& instruction = code_.instructions[call.at];
      for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
        made_by_[code_.outputs[instruction.b + k]] = 0;
      }
    }
  }
  size_t Group(size_t i) const {
    while (group_[i] != i) i = group_[i];
    return i;
  }

  Fusions& fusions_;
  Code& code_;
  ChainMaker maker_;
  std::vector<Call> run_;
  std::vector<uint32_t> made_by_;  // by slot: 1 + the call of the run that gives it, or 0
  std::vector<size_t> group_;      // by call: another of its group, or itself
};

}  // namespace

void FuseChains(Fusions& fusions) { Runs(fusions).Fuse(); }

}  // namespace tagflow::optimized
