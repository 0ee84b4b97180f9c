#include "optimized/straight/device_chains.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimized/straight/device_chain.h"

namespace tagflow::optimized {
namespace {

constexpr size_t kCallsMax = 64;  // of a run

// A chain of the calls, as they are fused.
class ChainMaker {
 public:
  ChainMaker(Code& code, std::span<const ElementCall> calls) : code_(code), calls_(calls) {}

  // Nothing where a slot is given twice.
  std::optional<FusedCalls> Make(const NativeOptions& options) {
    FusedCalls fused;
    DeviceCalls made;
    if (!Number(made)) return std::nullopt;
    FindDeaths(fused.released);
    made.device = calls_.front().device;
    made.num_inputs = num_inputs_;
    fused.first_arg = static_cast<uint32_t>(code_.args.size());
    fused.num_args = static_cast<uint32_t>(num_inputs_);
    fused.first_output = static_cast<uint32_t>(code_.outputs.size());
    fused.num_calls = static_cast<uint32_t>(calls_.size());
    // Whoever releases a value is told by `released`.
    for (int i = 0; i < num_inputs_; ++i) code_.args.push_back({slots_[static_cast<size_t>(i)], 0});
    for (size_t i = static_cast<size_t>(num_inputs_); i < slots_.size(); ++i) {
      if (Dies(slots_[i])) continue;
      made.outputs.push_back(static_cast<int>(i));
      code_.outputs.push_back(slots_[i]);
    }
    if (made.outputs.empty()) return std::nullopt;
    fused.on_device = std::make_shared<DeviceChain>(std::move(made), options);
    return fused;
  }

 private:
  const Instruction& At(const ElementCall& call) const { return code_.instructions[call.at]; }
  std::span<const Arg> ValuesOf(const ElementCall& call) const {
    const Instruction& at = At(call);
    return std::span<const Arg>(code_.args).subspan(at.a + call.first_value, call.num_values);
  }
  std::span<const uint32_t> OutputsOf(const ElementCall& call) const {
    return std::span<const uint32_t>(code_.outputs).subspan(At(call).b, At(call).num_outputs);
  }
  int ValueOf(uint32_t slot) const {
    return static_cast<int>(std::ranges::find(slots_, slot) - slots_.begin());
  }
  bool IsKnown(uint32_t slot) const { return std::ranges::find(slots_, slot) != slots_.end(); }

  // Inputs come first.
  bool Number(DeviceCalls& made) {
    std::vector<uint32_t> given;
    for (const ElementCall& call : calls_) {
      for (const Arg arg : ValuesOf(call)) {
        const bool is_given = std::ranges::find(given, arg.slot) != given.end();
        if (!is_given && !IsKnown(arg.slot)) slots_.push_back(arg.slot);
      }
      for (const uint32_t slot : OutputsOf(call)) {
        // What is an input already, of this iteration or the one before, cannot be made here.
        if (IsKnown(slot) || std::ranges::find(given, slot) != given.end()) return false;
        given.push_back(slot);
      }
    }
    num_inputs_ = static_cast<int>(slots_.size());
    slots_.insert(slots_.end(), given.begin(), given.end());
    for (const ElementCall& call : calls_) {
      ElementStep step = call.step;
      for (const Arg arg : ValuesOf(call)) step.inputs.push_back(ValueOf(arg.slot));
      made.steps.push_back(std::move(step));
      made.kernels.push_back({At(call).function, At(call).state});
    }
    return true;
  }

  // Which values nobody reads behind the calls, and what is released by them.
  void FindDeaths(std::vector<uint32_t>& released) {
    for (const ElementCall& call : calls_) {
      for (const Arg arg : ValuesOf(call)) {
        if (arg.is_last == 1) dead_.push_back(arg.slot);
      }
    }
    const auto& instructions = code_.instructions;
    for (uint32_t at = calls_.front().at; at < instructions.size(); ++at) {
      const bool is_behind = at > calls_.back().at;
      if (instructions[at].op != OpCode::kDrop) {
        if (is_behind) break;
        continue;
      }
      dead_.push_back(instructions[at].a);
      if (!is_behind) released.push_back(instructions[at].a);
    }
    for (int i = 0; i < num_inputs_; ++i) {
      const uint32_t slot = slots_[static_cast<size_t>(i)];
      if (Dies(slot)) released.push_back(slot);
    }
  }
  bool Dies(uint32_t slot) const { return std::ranges::find(dead_, slot) != dead_.end(); }

  Code& code_;
  const std::span<const ElementCall> calls_;
  std::vector<uint32_t> slots_;  // by value
  int num_inputs_ = 0;
  std::vector<uint32_t> dead_;  // slots
};

class Runs {
 public:
  Runs(const NativeOptions& options, const ElementCalls& calls, Fusions& fusions)
      : options_(options), calls_(calls), fusions_(fusions), code_(fusions.code()) {}

  void Fuse() {
    for (uint32_t at = 0; at < fusions_.size(); ++at) {
      if (fusions_.is_jump_target(at)) FuseRun();
      if (fusions_.at(at).op == OpCode::kDrop) continue;
      std::optional<ElementCall> call = calls_.At(at);
      const bool continues =
          call && !run_.empty() && run_.size() < kCallsMax && run_.back().device == call->device;
      if (!continues) FuseRun();
      if (call) run_.push_back(*std::move(call));
    }
    FuseRun();
  }

 private:
  void FuseRun() {
    if (run_.size() > 1) {
      std::optional<FusedCalls> fused = ChainMaker(code_, run_).Make(options_);
      if (fused) fusions_.Add(run_.front().at, run_.back().at + 1, *std::move(fused));
    }
    run_.clear();
  }

  const NativeOptions& options_;
  const ElementCalls& calls_;
  Fusions& fusions_;
  Code& code_;
  std::vector<ElementCall> run_;
};

}  // namespace

void FuseDeviceChains(const NativeOptions& options, const ElementCalls& calls, Fusions& fusions) {
  Runs(options, calls, fusions).Fuse();
}

}  // namespace tagflow::optimized
