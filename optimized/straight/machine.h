#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_MACHINE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_MACHINE_H_

// Runs the instructions of a call, on one thread.
//
// An error ends the step at once: it is the first one in the only order there is. Limits are looked
// at before each kernel and each next iteration.           Spec: [error.*], [step.3], [step.4]
//
// Thread safety: none; a step has a machine of its own.  Tested by straight_executable_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/frames.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/executable.h"
#include "optimized/kernel.h"
#include "optimized/native/native_loops.h"
#include "optimized/native/open_cells.h"
#include "optimized/stop_flag.h"
#include "optimized/straight/code.h"
#include "optimized/straight/device_loops.h"

namespace tagflow::optimized {

// Where instructions come from, for messages. All of it outlives the machine.
struct Origin {
  const Graph& graph;
  const FrameTree& frames;
};

// The tag of a node's firing, as text.
//   iterations: of the frames around it, by depth, from 1
std::string TagOf(NodeId node, const FrameTree& frames, const std::vector<int64_t>& iterations);

class Machine : public KernelContext {
 public:
  // slots: code.num_slots values: feeds and constants in theirs
  // loops: null: all of them are the host's
  // native: null: all of them are interpreted
  Machine(const Code& code, const Origin& origin, std::vector<Tensor>& slots,
          const StepControl& control, DeviceLoops* loops = nullptr, NativeLoops* native = nullptr);

  // results: one per fetch; left without a value where the fetched tensor is dead
  Status Run(std::vector<Tensor>& results);

  std::string tag() const override;
  int64_t firings() const { return max_firings_ - fuel_; }

 private:
  Status RunCode(std::vector<Tensor>& results);
  Status Stopped(const Instruction& at);
  // The error of this instruction, with its place.
  Status At(const Instruction& at, const Status& error) const;
  // kRead, kRequire, kScalar: errors name the node.
  Status Check(const Instruction& check);
  Status Uninitialized(const Instruction& at);
  // Whether a kTryFused has done its calls' work; else nothing has happened.
  bool TryFused(const Instruction& at);
  void Release(const Instruction& call) {
    const Arg* const args = code_.args.data() + call.a;
    for (uint32_t i = 0; i < call.n; ++i) {
      if (args[i].is_last && !slots_[args[i].slot].is_inline()) Drop(args[i].slot);
    }
  }
  void Drop(uint32_t slot) { slots_[slot] = Tensor(); }
  void Move(uint32_t arg, Tensor& to) {
    const Arg from = code_.args[arg];
    if (from.is_last) {
      to = std::move(slots_[from.slot]);
    } else {
      to = slots_[from.slot];
    }
  }
  // Of a kUnless and of a kUnlessIndex, whose slots hold scalars on the host.
  bool Holds(const Instruction& test) const {
    return slots_[test.a].inline_value<bool>() == (test.n != 0);
  }
  bool HoldsIndex(const Instruction& test) const {
    return ChosenWay(slots_[test.a].inline_value<int32_t>(), test.b) == test.n;
  }
  // Runs the loop that the test ends on the device that has its predicate; whether it could.
  Result<bool> RunOnDevice(const Instruction& test);
  // The instruction after which the step goes on, at the head of a loop or a piece, with machine
  // code or without; null for an error, native_error_.
  //   before: the one before the head
  const Instruction* AtHead(const Instruction& to, const Instruction* before) {
    const bool is_due = to.loop >= 0 && native_.IsDue(to.loop);
    return is_due ? RunNative(to.loop, before) : before;
  }
  const Instruction* AtPiece(const Instruction* mark) {
    return native_.IsPieceDue(mark->loop) ? RunNative(mark->loop, mark) : mark;
  }
  const Instruction* RunNative(int32_t loop, const Instruction* before);
  // What machine code is told of this machine.
  NativeHost Host();
  // As NativeHost::elements.
  void* Elements(const NativeTensor& tensor, int32_t writer) noexcept;
  // An instruction that machine code leaves; what it says of errors is kept.
  NativeOutcome RunOne(const Instruction& instruction);
  // A kMove, kDrop, kRead, kRequire or kScalar.
  Status RunPlain(const Instruction& instruction);
  [[gnu::always_inline]] Status Call(const Instruction& call) {
    at_ = &call;
    Point(code_.args.data() + call.a, code_.outputs.data() + call.b, static_cast<int>(call.n));
    if (Status error = call.function(call.state, *this); !error.ok()) [[unlikely]]
      return At(call, error);
    if (call.releases) Release(call);
    return Status();
  }
  // Of a test whose predicate is not on the host, or that ends a loop a device can run: runs the
  // loop there, or sees that the host has the predicate.
  Status TestOfLoop(const Instruction& test);
  // Of those, where the host has the predicate: runs the loop where it goes round for long.
  Status TestCounted(const Instruction& test);
  // Of a test whose slot holds no scalar on the host: where a device has it, it is fetched.
  Status FetchScalar(const Instruction& test);

  const Code& code_;
  const Origin origin_;
  const StopFlag stop_;
  int64_t fuel_;  // firings left
  const int64_t max_firings_;
  const Instruction* at_ = nullptr;  // the instruction being run
  std::vector<int64_t> iterations_;  // by depth of frames
  std::vector<uint8_t> suits_;       // by fused calls: whether they ran whenever they were tried
  std::vector<Tensor>& values_;      // of the slots
  DeviceLoops* const loops_;         // null: none
  // By loop of `loops_`, in this step:
  enum class Tested : uint8_t {
    kNo,     // its predicate was not on the device
    kYes,    // it was, or the host has it
    kLeave,  // and the device could not run the loop
  };
  std::vector<Tested> tested_;
  NativeStep native_;
  OpenCells open_;       // for machine code
  Status native_error_;  // of an instruction that machine code left to RunOne
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_MACHINE_H_
