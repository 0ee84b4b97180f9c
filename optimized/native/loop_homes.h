#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_HOMES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_HOMES_H_

// Where the scalars and counters of a compiled loop are while it runs: in registers, or in the
// memory that the machine has them in.
//
// In registers (variables that LLVM makes registers of) they are loaded at the entry and written
// back where the loop is left, and before the machine runs an instruction that reads them. That is
// the quickest, but LLVM's time grows with the ways out of the loop times the values: a long loop
// with many ways out keeps its values in memory, and so does a piece of code that is run once.
//
// Tested by loop_source_test.cc and native_loops_test.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/native/cells.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_liveness.h"
#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

// How a scalar lies in a Tensor: as a Cell (cells.h). (Tensor's own business: loop_source_test.cc
// looks whether it is so.)
inline constexpr size_t kValue = offsetof(Cell, bits), kHeader = offsetof(Cell, header);

// Where a slot lies, and the byte behind that.
std::string SlotPlace(uint32_t slot, size_t offset);

class LoopHomes {
 public:
  LoopHomes(const LoopToCompile& loop, const LoopValues& values);

  std::string Load(IrLines& lines, uint32_t slot);
  void Store(IrLines& lines, uint32_t slot, const std::string& value);
  // What comes next may be reached from elsewhere.
  void BeginBlock() { known_.clear(); }
  // Places of an i64: the iterations of the frames at a depth, and the firings left.
  std::string Iterations(uint32_t depth) const;
  std::string Fuel() const { return in_memory_ ? "%fuel" : "%fuel_left"; }

  // Before the machine runs an instruction that reads these registers, and after one that has
  // written those.
  void BeforeRun(IrLines& lines, const std::vector<uint32_t>& read);
  void AfterRun(IrLines& lines, const std::vector<uint32_t>& written);
  // Whether the slot holds something else than a scalar of its dtype, after such a run.
  std::string IsOther(IrLines& lines, uint32_t slot) const;
  // Whether the slot holds nothing that would have to be freed.
  std::string IsInline(IrLines& lines, uint32_t slot) const;

  // Where the loop is left for instruction `next`: what nobody reads any more need not be there.
  void Forget(IrLines& lines, uint32_t next) const;
  // The same where nobody goes on.
  void ForgetAll(IrLines& lines) const;

  // Enter's lines come before the first instruction; every way out goes through Leave's.
  // REQUIRES: BeforeRun and AfterRun have been called for all runs of the machine
  void Enter(IrLines& lines) const;
  void Leave(IrLines& lines) const;

 private:
  template <typename IsLive>
  void ForgetUnless(IrLines& lines, const IsLive& is_live) const;
  std::string Register(uint32_t slot) const;
  // Where the value and the header of a slot lie.
  std::string Place(IrLines& lines, uint32_t slot) const;
  std::string Header(IrLines& lines, uint32_t slot) const;
  std::string FromMemory(IrLines& lines, uint32_t slot) const;
  std::string AsInMemory(IrLines& lines, uint32_t slot, const std::string& value) const;
  void ToMemory(IrLines& lines, uint32_t slot, const std::string& value) const;
  void ToMemoryUnlessTensor(IrLines& lines, uint32_t slot) const;
  void WriteIterationsBack(IrLines& lines) const;

  const LoopValues& values_;
  std::optional<LoopLiveness> liveness_;  // of registers
  const bool counts_firings_;
  bool in_memory_ = false;
  std::vector<uint32_t> depths_;                     // of the frames whose iterations are counted
  std::set<uint32_t> may_be_tensor_;                 // registers whose slots the machine writes
  std::unordered_map<uint32_t, std::string> known_;  // values of slots in memory, in this block
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_HOMES_H_
