#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_

// A compiled loop computes small tensors element by element, in their slots.
//
// Of each such slot there are two registers: where its elements are, and, where nobody else has
// them, where they may be written; null: that is not known. A call writes into the memory that its
// output's slot has from the iteration before, so that a loop that has run once needs no more
// memory; where others have that memory, too, the slot gets new one. A move swaps two slots.
//
// Calls of one shape that follow each other are one loop. What nobody reads behind them is never in
// memory.
//
//     t = Mul(x, y)         for k < 100:
//     u = Tanh(t)             t = x[k] * y[k]
//     v = Add(u, x)           v[k] = tanh(t) + x[k]
//
// Nothing is refused in such a loop, and no limit is asked for: it runs to its end.
//
// Tested by loop_source_test.cc and native_tensors_test.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class LoopTensors {
 public:
  // All of it outlives this.
  LoopTensors(const LoopToCompile& loop, const LoopValues& values, LoopHomes& homes,
              BodyCalls& bodies);

  // Enter's lines come before the first instruction.
  void Enter(IrLines& lines) const;

  // A call that machine code does, or a move that copies: its work is written by Flush, with that
  // of those before it.
  //   failed: gives a label for where there is no memory; the error is told
  void Add(IrLines& lines, uint32_t at, const std::function<std::string()>& failed);
  // REQUIRES: called before anything is written that leaves the loop or goes elsewhere in it, and
  // before the machine runs something
  void Flush(IrLines& lines, const std::function<std::string()>& failed);
  // A move of a tensor's last use. REQUIRES: all is flushed
  void Move(IrLines& lines, const Instruction& move) const;

  // Before and after the machine runs an instruction: it may hand tensors on that it reads.
  void BeforeRun(IrLines& lines, const Instruction& instruction) const;
  //   other: gives a label for where it has given something of another shape
  void AfterRun(IrLines& lines, const Instruction& instruction,
                const std::function<std::string()>& other) const;
  // The same after a kTryFused did the work of its calls.
  void AfterFused(IrLines& lines, uint32_t at, const std::function<std::string()>& other) const;

  // Functions and metadata, behind the loop.
  std::string Rest() const;

 private:
  struct Pending {
    bool Reads(uint32_t slot) const;
    bool Gives(uint32_t slot) const;

    uint32_t at;
    const TensorCall* call;
    std::vector<uint32_t> inputs;  // slots
    std::vector<uint32_t> outputs;
    std::vector<std::string> scalars;  // by input: the value of a scalar
  };
  // Where a loop is.
  struct Place {
    std::string element, row, column;
    int64_t columns;
  };

  std::string Readable(uint32_t slot) const { return "%p" + Number(slot); }
  std::string Writable(uint32_t slot) const { return "%w" + Number(slot); }
  std::string Number(uint32_t slot) const { return std::to_string(*values_.TensorOf(slot)); }
  bool Joins(const Pending& next) const;
  bool IsReadBehind(uint32_t slot) const;
  void Own(IrLines& lines, uint32_t slot, uint32_t at,
           const std::function<std::string()>& failed) const;
  void Look(IrLines& lines, uint32_t slot, const std::function<std::string()>& other) const;
  void WriteLoop(IrLines& lines, const std::vector<uint32_t>& kept);
  void WriteRows(IrLines& lines, const std::vector<uint32_t>& kept);
  void WriteElements(IrLines& lines, const Place& place, const std::vector<uint32_t>& kept);
  std::string LoadElement(IrLines& lines, uint32_t slot, const std::string& index) const;
  std::vector<std::string> LoadInputs(IrLines& lines, const Pending& pending, const Place& place);
  std::string IndexOfPiece(IrLines& lines, const Pending& pending, int64_t piece,
                           const Place& place) const;

  const LoopToCompile& loop_;
  const LoopValues& values_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
  std::vector<uint32_t> reads_;  // by slot: how many instructions' inputs it is
  std::vector<Pending> pending_;
  int64_t columns_ = 0;                                 // that a call pending wants; 0: any
  std::unordered_map<uint32_t, std::string> elements_;  // of tensors in the loop being written
  std::unordered_map<uint32_t, std::string> bases_;     // and where their elements are
  std::string functions_;                               // of the loops
  int num_loops_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_TENSORS_H_
