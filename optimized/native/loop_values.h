#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_

// What the slots of a loop hold when the loop is compiled, and what can be made of that: a slot
// with a scalar in it becomes a register of machine code, others stay tensors in their slots.
//
// A call runs as machine code where its inputs and outputs are registers and its kernel has a body,
// or where it puts a register into a stack, array or list, or takes one from there (cells.h);
// others are run by the machine, on the slots. That a call of the machine's gives the scalar again
// that it gave before is looked at when it has (native_loops.h).
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/native/scalar_calls.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

// Instructions of a loop that is made into the best code there is.
constexpr uint32_t kMostOptimized = 256;

// Instructions [head, last] of code.
struct LoopBounds {
  bool Contains(uint32_t at) const { return at >= head && at <= last; }
  uint32_t size() const { return last - head + 1; }
  bool is_long() const { return size() > kMostOptimized; }

  uint32_t head = 0;
  uint32_t last = 0;
};

// A loop, which ends with its kRepeat, or a piece of code outside of loops (code_pieces.h), which
// is a loop that never repeats.
struct LoopToCompile {
  bool is_piece() const { return code.instructions[bounds.last].op != OpCode::kRepeat; }
  // Whether it is compiled with little effort, its values in memory and its blocks short: LLVM's
  // time for good code grows faster than a loop (1,011 instructions took 1.1 s).
  bool takes_little() const { return is_piece() || bounds.is_long(); }

  const Code& code;
  LoopBounds bounds;
  const std::vector<const KernelPart*>& parts;  // of the calls, by instruction; null: none
  const HasBody& has_body;
  bool counts_firings = false;
};

// A slot that is a register.
struct NativeValue {
  uint32_t slot = 0;
  DType dtype = DType::kInvalid;
  bool is_written = false;  // by the loop; what is not must be there at the entry
};

class LoopValues {
 public:
  explicit LoopValues(const LoopToCompile& loop) : loop_(loop) {}

  // REQUIRES: called once, before the rest
  //   Errors: FAILED_PRECONDITION where a predicate is no scalar
  Status Look(const std::vector<Tensor>& slots);

  const std::vector<NativeValue>& values() const { return values_; }
  // How many instructions machine code does.
  uint32_t num_native() const;
  // Whether some slot that may turn out to be a scalar holds nothing yet.
  bool has_unknown() const { return has_unknown_; }
  // kInvalid: it stays a tensor.
  DType dtype(uint32_t slot) const;
  bool is_native(uint32_t slot) const { return dtype(slot) != DType::kInvalid; }
  // What a slot holds in every step, as LLVM writes it; empty: it may change.
  std::string Constant(uint32_t slot) const;
  // Whether machine code does the instruction; else the machine does.
  bool RunsNative(uint32_t at) const;
  // Slots with lists, and with handles of objects, whose elements machine code puts and takes.
  const std::set<uint32_t>& lists() const { return lists_; }
  const std::set<uint32_t>& objects() const { return objects_; }
  // Of a call; null: it puts and takes no element.
  const ElementPart* ElementAt(uint32_t at) const {
    return loop_.parts[at] == nullptr ? nullptr : std::get_if<ElementPart>(loop_.parts[at]);
  }
  // Of a call; nothing: its kernel has no body.
  const std::optional<ScalarCall>& CallAt(uint32_t at) const {
    return calls_[at - loop_.bounds.head];
  }

 private:
  struct Slot {
    DType dtype = DType::kInvalid;
    bool is_written = false;
    bool is_empty = false;  // when the loop is compiled
  };
  const Instruction& At(uint32_t at) const { return loop_.code.instructions[at]; }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (uint32_t at = loop_.bounds.head; at <= loop_.bounds.last; ++at) visit(at);
  }
  void FindCalls();
  void FindSlots(const std::vector<Tensor>& slots);
  // Gives empty slots the dtypes that machine code will give them; whether it found some.
  bool Infer();
  bool InferElement(const Instruction& call, const ElementPart& part);
  void FindContainers();
  bool InferOutput(uint32_t slot, DType dtype);
  bool CallRunsNative(uint32_t at) const;
  bool AccessRunsNative(const Instruction& call, const ElementPart& part) const;
  bool FusedOutside(uint32_t at) const;

  const LoopToCompile& loop_;
  std::vector<std::optional<ScalarCall>> calls_;  // by instruction, from the head on
  std::unordered_map<uint32_t, Slot> slots_;
  std::unordered_map<uint32_t, std::string> constants_;
  std::set<uint32_t> lists_;
  std::set<uint32_t> objects_;
  std::vector<NativeValue> values_;  // in the order of slots
  bool has_unknown_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_
