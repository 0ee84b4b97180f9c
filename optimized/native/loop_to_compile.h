#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_TO_COMPILE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_TO_COMPILE_H_

// The code that becomes machine code: a loop of straight code, or a piece of it.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "optimized/kernels/part.h"
#include "optimized/native/scalar_calls.h"
#include "optimized/native/tensor_type.h"
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

// The test at the head of a loop that goes on where its slot is true; nothing: it has none.
inline std::optional<uint32_t> TestOf(const Code& code, const LoopBounds& bounds) {
  uint32_t at = bounds.head;
  while (code.instructions[at].op == OpCode::kCall || code.instructions[at].op == OpCode::kDrop) {
    ++at;
  }
  const Instruction& test = code.instructions[at];
  const bool leaves = test.op == OpCode::kUnless && !bounds.Contains(test.target);
  return leaves && test.n != 0 ? std::optional(at) : std::nullopt;
}

// The types of what slots were seen to hold, in an iteration that was looked at (scout.h).
using SeenTypes = std::unordered_map<uint32_t, TensorType>;

// Whether a call puts variants into a list or takes them from there, which mostly are lists.
inline bool IsOfLists(const ElementPart& part) {
  return part.kind == CellsKind::kList && part.dtype == DType::kVariant;
}

// A loop, which ends with its kRepeat, or a piece of code outside of loops (code_pieces.h), which
// is a loop that never repeats.
struct LoopToCompile {
  bool is_piece() const { return code.instructions[bounds.last].op != OpCode::kRepeat; }
  // Whether it is compiled with little effort, its values in memory and its blocks short: LLVM's
  // time for good code grows faster than a loop (1,011 instructions took 1.1 s).
  bool takes_little() const { return is_piece() || bounds.is_long() || has_many_accesses; }

  const Instruction& at(uint32_t number) const { return code.instructions[number]; }
  const Arg& arg(const Instruction& instruction, size_t i) const {
    return code.args[instruction.a + i];
  }
  uint32_t output(const Instruction& call, size_t i) const { return code.outputs[call.b + i]; }
  // The slot of the element that a call puts or takes.
  uint32_t ElementSlot(const Instruction& call, const ElementPart& part) const {
    return part.value >= 0 ? arg(call, static_cast<size_t>(part.value)).slot
                           : output(call, static_cast<size_t>(part.element));
  }
  // The part of a call's kernel, where it is of this kind of KernelPart; else null.
  template <typename Part>
  const Part* PartAt(uint32_t number) const {
    return parts[number] == nullptr ? nullptr : std::get_if<Part>(parts[number]);
  }

  const Code& code;
  LoopBounds bounds;
  const std::vector<const KernelPart*>& parts;  // of the calls, by instruction; null: none
  const HasBody& has_body;
  const SeenTypes& seen;
  bool counts_firings = false;
  bool takes_tensors = true;       // else their shapes may be others in each iteration
  bool has_many_accesses = false;  // to elements, more than kMostAccesses (compile_costs.h)
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_TO_COMPILE_H_
