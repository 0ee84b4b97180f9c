#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_LIVENESS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_LIVENESS_H_

// Which registers of a loop are read later, before each of its instructions and behind the loop:
// the others need not be written back where the loop is left, and so need not be kept.
//
// How: backwards over the instructions until nothing changes. What is read anywhere outside of the
// loop is taken to be read behind it.
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "optimized/native/loop_values.h"

namespace tagflow::optimized {

class LoopLiveness {
 public:
  LoopLiveness(const LoopToCompile& loop, const LoopValues& values);

  // Whether the register is read when the machine goes on with instruction `at`, of the loop or
  // not. REQUIRES: a register
  bool IsLive(uint32_t slot, uint32_t at) const;

 private:
  using Set = std::vector<bool>;  // by number of the register

  // Whether more is read before the instruction than was known.
  bool Update(const LoopToCompile& loop, uint32_t at);
  const Set& Before(uint32_t at) const;
  void FindOutside(const LoopToCompile& loop);

  const LoopBounds bounds_;
  std::unordered_map<uint32_t, uint32_t> number_;  // by slot
  std::vector<Set> before_;                        // by instruction, from the head on
  Set outside_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_LIVENESS_H_
