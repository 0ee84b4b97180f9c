#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_

// What machine code does of a loop, and with which slots: a slot with a scalar in it becomes a
// register; a small tensor stays in its slot, and machine code works on its elements there; what
// others hold is for kernels.
//
// A call runs as machine code where its inputs and outputs are registers or such tensors and its
// kernel has a body, for elements (scalar_calls.h) or for whole tensors (whole_calls.h), or where
// it puts an element into a stack, array or list, or takes one from there (cells.h); others are run
// by the machine, on the slots. That a call of the machine's gives the scalar or the shape that it
// was expected to give is looked at when it has (native_loops.h).
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/native/loop_counters.h"
#include "optimized/native/loop_to_compile.h"
#include "optimized/native/loop_types.h"

namespace tagflow::optimized {

// A slot that is a register.
struct NativeValue {
  uint32_t slot = 0;
  DType dtype = DType::kInvalid;
  bool is_written = false;  // by the loop; what is not must be there at the entry
  bool is_natural = false;  // code relies upon it that it is not negative at the entry
};

// A slot with a tensor whose elements machine code reads or writes.
struct NativeTensor {
  TensorType type;  // what points to the whole points to it
  uint32_t slot = 0;
  bool is_written = false;
};

class LoopValues {
 public:
  // loop: it outlives this
  explicit LoopValues(const LoopToCompile& loop) : loop_(loop) {}

  // REQUIRES: called once, before the rest
  //   Errors: FAILED_PRECONDITION where a predicate is no scalar
  Status Look(const std::vector<Tensor>& slots);

  // Both in the order of slots.
  const std::vector<NativeValue>& values() const { return values_; }
  const std::vector<NativeTensor>& tensors() const { return tensors_; }
  const std::vector<LoopCounter>& counters() const { return counters_; }
  // How many instructions machine code does.
  uint32_t num_native() const;
  // Whether it is not known what some slot will hold.
  bool has_unknown() const { return types_->has_unknown(); }
  // Of a register; kInvalid: it is none.
  DType dtype(uint32_t slot) const { return types_->ScalarIn(slot); }
  bool is_native(uint32_t slot) const { return dtype(slot) != DType::kInvalid; }
  // Its place in tensors(); nothing: it is none of them.
  std::optional<size_t> TensorOf(uint32_t slot) const;
  // REQUIRES: TensorOf(slot)
  const TensorType& TensorTypeOf(uint32_t slot) const { return tensors_[*TensorOf(slot)].type; }
  // What a register holds in every step, as LLVM writes it; empty: it may change.
  std::string Constant(uint32_t slot) const { return types_->Constant(slot); }
  // Whether machine code does the instruction; else the machine does.
  bool RunsNative(uint32_t at) const;
  // Slots with lists, and with handles of objects, whose elements machine code puts and takes.
  const std::set<uint32_t>& lists() const { return lists_; }
  const std::set<uint32_t>& objects() const { return objects_; }
  // Of a call; null: it puts and takes no element.
  const ElementPart* ElementAt(uint32_t at) const { return types_->ElementAt(at); }
  // Of a call; nothing: its kernel has no body.
  const std::optional<ScalarCall>& CallAt(uint32_t at) const { return types_->CallAt(at); }
  // Of a call that takes a row, that makes a vector, and that changes a row where it lies; null:
  // machine code does no such thing here.
  const RowPart* RowAt(uint32_t at) const { return types_->RowAt(at); }
  const VectorPart* VectorAt(uint32_t at) const { return types_->VectorAt(at); }
  const PlacePart* PlaceAt(uint32_t at) const { return types_->PlaceAt(at); }
  // Whether a call does one of the three.
  bool UsesRows(uint32_t at) const {
    return RowAt(at) != nullptr || VectorAt(at) != nullptr || PlaceAt(at) != nullptr;
  }
  // Of a call that machine code does on tensors, also of one that takes a row which is one, and of
  // a move that copies one.
  const std::optional<TensorCall>& TensorCallAt(uint32_t at) const {
    return tensor_calls_[at - loop_.bounds.head];
  }
  // Of a call that machine code does on whole tensors.
  const std::optional<WholeCall>& WholeCallAt(uint32_t at) const {
    return whole_calls_[at - loop_.bounds.head];
  }

 private:
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (uint32_t at = loop_.bounds.head; at <= loop_.bounds.last; ++at) visit(at);
  }
  void FindContainers();
  void FindTensorCalls();
  void FindRegisters();
  void NoteCounters();
  void FindTensors();
  // Whether machine code has to do with tensors there.
  bool UsesTensors(uint32_t at) const;
  void FindCopies();
  // Adds the slots that tensors are moved to and from, as long as there are new ones.
  void FollowMoves(std::set<uint32_t>& slots, bool (LoopValues::*suits)(uint32_t slot) const) const;
  bool IsTensor(uint32_t slot) const;
  // Whether the slots hold the same scalar or tensor.
  bool AreAlike(uint32_t first, uint32_t second) const;
  bool IsNoRegister(uint32_t slot) const { return !is_native(slot); }
  bool MoveRunsNative(const Instruction& move) const;
  bool CallRunsNative(uint32_t at) const;
  bool AccessRunsNative(const Instruction& call, const ElementPart& part) const;
  // Of a kTryFused: whether its calls give no registers, and whether machine code does all of them.
  bool FusedGivesNoRegister(uint32_t at) const;
  bool FusedRunsNative(uint32_t at) const;

  const LoopToCompile& loop_;
  std::optional<LoopTypes> types_;
  std::vector<std::optional<TensorCall>> tensor_calls_;  // by instruction, from the head on
  std::vector<std::optional<WholeCall>> whole_calls_;    // likewise
  std::set<uint32_t> lists_;
  std::set<uint32_t> objects_;
  std::vector<NativeValue> values_;
  std::vector<NativeTensor> tensors_;
  std::vector<LoopCounter> counters_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_VALUES_H_
