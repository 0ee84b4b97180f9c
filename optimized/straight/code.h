#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CODE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CODE_H_

// The instructions that a structured graph becomes: kernels in an order that respects every edge,
// with jumps for branches and loops. Values live in slots, one per output of a node; ops that hand
// on their input (Identity, Switch, Enter, Exit, …) have no instruction, their output is the slot
// of their input.
//
// A branch       A loop
//   unless p -> else      moves: variables = initial values
//     …                   enter
//     jump -> end       head:
//   else:                 …
//     …                   unless c -> out
//   end:                    …
//                           moves: variables = next values
//                           repeat -> head
//                       out:

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/node.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

enum class OpCode : uint8_t {
  kCall,         // run the kernel on args [a, a+n) and outputs [b, …)
  kTryFused,     // fused calls number n do the work of the kCalls from here to target, and then to
                 // target; or they do nothing, and the kCalls do it (fusion.h)
  kMove,         // slot b = arg a
  kRead,         // slot b = the value of the variable that slot a refers to
  kRequire,      // the variable that slot a refers to has a value
  kScalar,       // slot a holds a scalar, as a predicate must
  kDrop,         // slot a holds nothing any more
  kJump,         // to target
  kUnless,       // to target unless the bool in slot a is n
  kUnlessIndex,  // to target unless the int32 in slot a counts as n of b ways (b-1: all others)
  kEnter,        // the loop at depth n begins its iteration 0
  kRepeat,       // the next iteration of the loop at depth n: to target
  kPiece,        // the piece of code from here on may be machine code
  kFetch,        // result b = arg a
  kEnd,
};

// Whether the instruction after it may be the one at its target, and whether it always is.
inline bool MayJump(OpCode op) {
  return op == OpCode::kTryFused || op == OpCode::kJump || op == OpCode::kUnless ||
         op == OpCode::kUnlessIndex || op == OpCode::kRepeat;
}
inline bool AlwaysJumps(OpCode op) { return op == OpCode::kJump || op == OpCode::kRepeat; }

struct Instruction {
  OpCode op = OpCode::kEnd;
  bool releases = false;  // kCall: some arg is the last use of its value
  uint16_t num_outputs = 0;
  uint32_t n = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t target = 0;          // index of an instruction
  NodeId node = NodeId::kNone;  // whose work it is, for messages
  BoundKernel::Function function = nullptr;
  const void* state = nullptr;
  // The number of a loop: of kUnless, that it ends and a device can run (device_loops.h); of kEnter
  // and kRepeat, that it goes to, and of kPiece, the piece: they may become machine code
  // (native/native_loops.h). -1: none.
  int32_t loop = -1;
};

class DeviceChain;

// What a kTryFused tries: the work of num_calls calls, from inputs [first_arg, first_arg+num_args)
// to outputs [first_output, …).
struct FusedCalls {
  // Whether it did the work. Else the outputs may hold anything and nothing else has happened.
  using Function = bool (*)(const void* state, KernelContext& context);

  Function function = nullptr;
  std::shared_ptr<const void> state;
  std::shared_ptr<DeviceChain>
      on_device;  // what does it instead, of calls on a device (device_chain.h)
  uint32_t first_arg = 0;
  uint32_t num_args = 0;
  uint32_t first_output = 0;
  uint32_t num_calls = 0;
  std::vector<uint32_t> released;  // slots that hold nothing any more
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<Arg> args;
  std::vector<uint32_t> outputs;
  std::vector<FusedCalls> fused;
  uint32_t num_slots = 0;
  uint16_t max_depth = 0;                              // of nested frames
  std::vector<std::pair<uint32_t, Tensor>> constants;  // slots that hold the same in every step
  std::vector<BoundKernel> kernels;                    // what the instructions point into
  // Where a fetch may be dead, the slots of the predicates that it may hang on, by their numbers in
  // the call's Structure: they hold their values until the step is over, to explain it. kNoSlot of
  // the others.
  std::vector<uint32_t> predicate_slots;
};

constexpr uint32_t kNoSlot = ~uint32_t{0};

// The way that an int32 chooses among `ways`: out of range it is the last.            [switch.1]
inline uint32_t ChosenWay(int32_t index, uint32_t ways) {
  return index < 0 || static_cast<uint32_t>(index) >= ways ? ways - 1
                                                           : static_cast<uint32_t>(index);
}

// What an instruction reads and writes: calls read(arg&) for every arg or slot read, and
// write(slot). A slot read without an arg (a predicate, a reference) is given as an arg of its own
// that is thrown away.
// Args: std::vector<Arg>, whose args `read` may change, or a const one.
template <typename Args, typename Read, typename Write>
void VisitSlots(const Instruction& instruction, Args& args, const std::vector<uint32_t>& outputs,
                Read&& read, Write&& write) {
  const auto peek = [&](uint32_t slot) {
    Arg arg{slot, 0};
    read(arg);
  };
  switch (instruction.op) {
    case OpCode::kCall:
      for (uint32_t i = 0; i < instruction.num_outputs; ++i) write(outputs[instruction.b + i]);
      for (uint32_t i = 0; i < instruction.n; ++i) read(args[instruction.a + i]);
      return;
    case OpCode::kMove:
      write(instruction.b);
      read(args[instruction.a]);
      return;
    case OpCode::kRead:
      write(instruction.b);
      peek(instruction.a);
      return;
    case OpCode::kFetch:
      read(args[instruction.a]);
      return;
    case OpCode::kRequire:
    case OpCode::kScalar:
    case OpCode::kUnless:
    case OpCode::kUnlessIndex:
      peek(instruction.a);
      return;
    case OpCode::kTryFused:  // the calls behind it say what is read and written
    case OpCode::kDrop:
    case OpCode::kJump:
    case OpCode::kEnter:
    case OpCode::kRepeat:
    case OpCode::kPiece:
    case OpCode::kEnd:
      return;
  }
}

// The same, with what the calls of a kTryFused read.
template <typename Read, typename Write>
void VisitAll(const Instruction& instruction, const Code& code, Read&& read, Write&& write) {
  VisitSlots(instruction, code.args, code.outputs, read, write);
  if (instruction.op == OpCode::kDrop) write(instruction.a);
  if (instruction.op != OpCode::kTryFused) return;
  const FusedCalls& fused = code.fused[instruction.n];
  for (uint32_t i = 0; i < fused.num_args; ++i) read(code.args[fused.first_arg + i]);
}

// By instruction: whether some jump leads to it.
std::vector<bool> JumpTargets(const Code& code);

// Puts each instruction before the one of that index; what jumped to that one comes to the inserted
// first. Their targets, too, are indices as they were. REQUIRES: in the order of the indices
void InsertInstructions(const std::vector<std::pair<uint32_t, Instruction>>& inserted, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CODE_H_
