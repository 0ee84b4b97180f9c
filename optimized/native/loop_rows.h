#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_ROWS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_ROWS_H_

// How a compiled loop takes rows of tensors by indices, x[i] and x[i, j], makes vectors of scalars,
// as StridedSlice wants its indices, and changes rows where they lie, as TensorScatterUpdate does.
//
//     %ok = icmp ult i64 %i, 1000           else the kernel says what is wrong
//     %p = getelementptr float, ptr %x, i64 %i
//     %v = load float, ptr %p               or, of several elements, %p goes into a loop over them
//
// A vector that nobody but those reads is in registers, and in memory only where the loop is
// left before they have.
//
// Tested by loop_source_test.cc and native_rows_test.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/native/body_calls.h"
#include "optimized/native/element_loops.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_tensors.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class LoopRows {
 public:
  using Way = LoopTensors::Way;

  // All of it outlives this.
  LoopRows(const LoopToCompile& loop, const LoopValues& values, const LoopTensors& tensors,
           LoopHomes& homes, BodyCalls& bodies, ElementLoops& element_loops)
      : loop_(loop),
        values_(values),
        tensors_(tensors),
        homes_(homes),
        bodies_(bodies),
        element_loops_(element_loops) {}

  // REQUIRES: values.RowAt, values.VectorAt, values.PlaceAt; no loop over elements is pending
  //   outside: where there is no such row
  //   failed: where there is no memory
  void WriteRow(IrLines& lines, uint32_t at, const Way& outside, const Way& failed) const;
  //   block_end: the instruction behind the last of this block
  void WriteVector(IrLines& lines, uint32_t at, uint32_t block_end, const Way& failed);
  //   shared: where others have the tensor, too
  void WritePlace(IrLines& lines, uint32_t at, const Way& outside, const std::string& shared) const;
  // What comes next may be reached from elsewhere.
  void BeginBlock() { vectors_.clear(); }
  // Before the machine runs an instruction.
  void BeforeRun(IrLines& lines, uint32_t at, const Way& failed) const;
  // Where the loop is left for instruction `next`.
  void Leave(IrLines& lines, uint32_t next, const Way& failed) const;

 private:
  // A vector that was written in this block, and its elements in registers.
  struct Vector {
    uint32_t at;
    std::optional<uint32_t> last_read;  // nothing: it is in memory, too
    std::vector<std::string> elements;
  };

  // Where the row of a slot's tensor begins that another slot has the index or the indices of.
  std::string RowBegin(IrLines& lines, uint32_t at, uint32_t table, uint32_t index, bool wraps,
                       const Way& outside) const;
  // The indices of a row, as i64s.
  std::vector<std::string> Indices(IrLines& lines, uint32_t at, uint32_t slot) const;
  // As they lie in memory. REQUIRES: the slot is a vector, or a matrix, of few
  std::vector<std::string> Elements(IrLines& lines, uint32_t at, uint32_t slot) const;
  // The vector that was written into the slot in this block; null: none was, or not the last.
  const Vector* VectorIn(uint32_t at, uint32_t slot) const;
  // The elements of a slot, to a place.
  void WriteSlice(IrLines& lines, uint32_t at, uint32_t slot, const std::string& to) const;
  // The last of those that read the vector; nothing: others read it, or may.
  std::optional<uint32_t> LastRow(uint32_t at, uint32_t block_end) const;
  void WriteElements(IrLines& lines, const Vector& vector, const Way& failed) const;
  bool IsWrittenBetween(uint32_t slot, uint32_t before, uint32_t behind) const;

  const LoopToCompile& loop_;
  const LoopValues& values_;
  const LoopTensors& tensors_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
  ElementLoops& element_loops_;
  std::unordered_map<uint32_t, Vector> vectors_;  // by slot
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_ROWS_H_
