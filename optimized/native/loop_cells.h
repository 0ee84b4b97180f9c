#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_CELLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_CELLS_H_

// A compiled loop puts elements into stacks, arrays and lists, and takes them from there (cells.h).
//
// Each slot with such a list, or with a handle of such an object, has a register that says where
// the open container is; null: it is not open. Of a list, then, the slot has it, and else the slot
// is empty; so moving an open list to another slot is moving a register.
//
//     %c = load ptr, ptr %o3          open?
//     …    call ptr %open(…, 3)       else try
//     %ok = call i1 @ListPush(ptr %c, i64 %bits, i16 1)
//     br i1 %ok, label %next, label %slow      the machine runs the instruction there
//
// A scalar goes as its bits; a tensor is put into the cell that such a function finds, and so is a
// list, closed.
//
// Tested by loop_source_test.cc and native_loops_test.cc.

#include <string>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_tensors.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class LoopCells {
 public:
  // All of it outlives this.
  LoopCells(const LoopToCompile& loop, const LoopValues& values, const LoopTensors& tensors,
            LoopHomes& homes, BodyCalls& bodies)
      : loop_(loop), values_(values), tensors_(tensors), homes_(homes), bodies_(bodies) {}

  // Enter's lines come before the first instruction; every way out goes through Leave's.
  void Enter(IrLines& lines) const;
  void Leave(IrLines& lines) const;
  // Before the machine runs the instruction: it finds the lists in their slots, and no object open.
  void BeforeRun(IrLines& lines, const Instruction& instruction) const;

  // A call that puts or takes an element, and a move of a list: on with what is written next, or to
  // `otherwise` with nothing changed. REQUIRES: values.RunsNative
  //   other: a way out of the loop, where a tensor that was taken is of another type
  void WriteAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                   const std::string& otherwise, const LoopTensors::Way& other) const;
  void WriteMove(IrLines& lines, const Instruction& move, const std::string& otherwise) const;

  // Calls of the machine that keep all registers, which a common call does not: so the loop need
  // not keep its own elsewhere on its common way. They are put behind the loop.
  std::string RareCalls() const;

 private:
  bool has_containers() const { return !values_.lists().empty() || !values_.objects().empty(); }
  // type: a pointer to that of its tensors, or "null"
  void Open(IrLines& lines, CellsKind kind, uint32_t slot, const std::string& type,
            const std::string& otherwise) const;
  // The parameters of a function of cells.h that are the same for all elements.
  struct CellsArgs {
    std::string values, types;
  };
  CellsArgs ArgsOf(IrLines& lines, const Instruction& call, const ElementPart& part) const;
  // Finds the cell that the call writes or reads, and hands on the list that it gives: on with what
  // is written next, or to `otherwise` where there is no such cell.
  //   type: of the element;  type_place: a pointer to it
  std::string FindCell(IrLines& lines, const Instruction& call, const ElementPart& part,
                       const TensorType& type, const std::string& type_place,
                       const std::string& otherwise) const;
  void WriteScalarAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                         uint32_t element, const std::string& otherwise) const;
  void WriteTensorAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                         uint32_t element, const std::string& otherwise,
                         const LoopTensors::Way& other) const;
  void WriteListAccess(IrLines& lines, const Instruction& call, const ElementPart& part,
                       uint32_t element, const std::string& otherwise) const;
  void HandOn(IrLines& lines, const Instruction& call, const ElementPart& part) const;
  void Close(IrLines& lines, uint32_t slot) const;
  // A list is put into a slot that has none.
  void RequireEmpty(IrLines& lines, uint32_t slot, const std::string& otherwise) const;
  void Hand(IrLines& lines, uint32_t from, uint32_t to) const;

  const LoopToCompile& loop_;
  const LoopValues& values_;
  const LoopTensors& tensors_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_CELLS_H_
