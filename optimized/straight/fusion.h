#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_FUSION_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_FUSION_H_

// Calls that follow each other and whose work can be done at once, in one pass over memory.
//
// How: the calls stay as they are, and before the first comes a kTryFused, which tries to do the
// work of all and goes on behind the last. Where it cannot, since shapes show only in the step, the
// calls run one after the other, in this step from now on. So results, errors and what they name
// are those of the kernels.
//
//     m = MatMul(a, b)            try {m, s} at once, and then -> end
//     s = AddV2(c, m)             m = MatMul(a, b)
//                                 s = AddV2(c, m)
//                             end:
//
// A *fuser* looks for calls of one kind: a file of its own, and a row of kFusers in fusion.cc. What
// a call computes is what its kernel says of itself (kernels/part.h), so that the kernels of
// others, an observer's among them, are always called one by one.
//
// Cost: linear in the code.   Tested by fusion_test.cc, chains_test.cc and sums_test.cc.

#include <functional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "optimized/executable.h"
#include "optimized/kernels/part.h"
#include "optimized/straight/code.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

// What fusers see of the code, and what they have found in it.
class Fusions {
 public:
  // What the kernel of a node computes, or null.
  using FindPart = std::function<const KernelPart*(NodeId node)>;

  // is_scalar: by slot; whether it is known to hold a scalar in every step
  Fusions(Code& code, FindPart find_part, std::vector<bool> is_scalar);

  // Args and outputs may be appended; the instructions stay as they are.
  Code& code() { return code_; }
  const Instruction& at(uint32_t i) const { return code_.instructions[i]; }
  uint32_t size() const { return static_cast<uint32_t>(code_.instructions.size()); }
  bool is_jump_target(uint32_t i) const { return is_jump_target_[i]; }
  bool is_scalar(uint32_t slot) const { return is_scalar_[slot]; }
  void NoteScalar(uint32_t slot) { is_scalar_[slot] = true; }
  // What instruction i computes; null where it is no call, is to be called by itself, or is fused
  // with others already.
  const KernelPart* PartAt(uint32_t i) const;

  // The work of the calls among instructions [first, end) can be tried at once.
  // REQUIRES: nothing else is among them but kDrops; nothing jumps to what is behind the first
  void Add(uint32_t first, uint32_t end, FusedCalls fused);
  // Puts all that was added into the code.
  void Insert() &&;

 private:
  Code& code_;
  const FindPart find_part_;
  std::vector<bool> is_jump_target_;
  std::vector<bool> is_scalar_;
  std::vector<bool> is_fused_;  // by instruction
  std::vector<std::pair<uint32_t, Instruction>> tries_;
};

// REQUIRES: last uses are marked; `values` bound the code's kernels
void FuseCalls(const ExecutableSpec& spec, const Values& values, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_FUSION_H_
