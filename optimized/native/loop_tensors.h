#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_

// Where the elements of the small tensors of a compiled loop are: in their slots.
//
// Each such slot has two registers: where its elements are, and, where nobody else has
// them, where they may be written; null: that is not known. A call writes into the memory that its
// output's slot has from the iteration before, so that a loop that has run once needs no more
// memory; where others have that memory, too, the slot gets new one. A move swaps two slots.
//
//     %v1 = load ptr, ptr %w3         its own?
//     …   call ptr @own_rarely(…)     else make it so
//
// Tested by loop_source_test.cc and native_tensors_test.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class LoopTensors {
 public:
  // Gives a label of a way out of the loop.
  using Way = std::function<std::string()>;

  // Both outlive this.
  LoopTensors(const LoopToCompile& loop, const LoopValues& values);

  // Enter's lines come before the first instruction.
  void Enter(IrLines& lines) const;

  // Places of pointers to the elements of a slot: to be read, and to be written once they are
  // owned.
  std::string Readable(uint32_t slot) const { return "%p" + Number(slot); }
  std::string Writable(uint32_t slot) const { return "%w" + Number(slot); }
  // Has the slot own its elements, for instruction `writer`.
  //   failed: where there is no memory; the error is told
  void Own(IrLines& lines, uint32_t slot, uint32_t writer, const Way& failed) const;
  // The same for a part of them.
  //   shared: a label, where others have them, too
  void OwnToChange(IrLines& lines, uint32_t slot, const std::string& shared) const;
  // The tensors of two slots change places, as where one is moved that is not read again.
  void Swap(IrLines& lines, uint32_t first, uint32_t second) const;
  // A slot's tensor goes into a cell (cells.h), and one from there into a slot.
  //   keeps: whether it stays in the cell, too, an i1
  //   other: where it is of another type than was expected
  void Put(IrLines& lines, uint32_t slot, const std::string& cell, bool moves) const;
  void Get(IrLines& lines, uint32_t slot, const std::string& cell, const std::string& keeps,
           const Way& other) const;
  // The tensor goes from slot to slot.
  void Hand(IrLines& lines, uint32_t from, uint32_t to, bool moves) const;
  // A pointer to the type of a slot's tensor: the same for all of one type.
  std::string Type(uint32_t slot) const;
  // How many instructions' inputs the slot is, in all of the code.
  uint32_t reads(uint32_t slot) const { return reads_[slot]; }

  // Before and after the machine runs an instruction: it may hand tensors on that it reads.
  //   other: where it has given something of another shape
  void BeforeRun(IrLines& lines, const Instruction& instruction) const;
  void AfterRun(IrLines& lines, const Instruction& instruction, const Way& other) const;
  // The same after a kTryFused did the work of its calls.
  void AfterFused(IrLines& lines, uint32_t at, const Way& other) const;

  // A function that is put behind the loop.
  std::string RareCalls() const;

 private:
  void OwnOr(IrLines& lines, uint32_t slot, int32_t writer, const Way& otherwise) const;
  std::string Number(uint32_t slot) const { return std::to_string(*values_.TensorOf(slot)); }
  // other: null: whatever is there
  void Look(IrLines& lines, uint32_t slot, const Way& other) const;

  const LoopToCompile& loop_;
  const LoopValues& values_;
  std::vector<uint32_t> reads_;  // by slot
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_
