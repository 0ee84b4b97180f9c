#ifndef TAGFLOW_OPTIMIZED_NATIVE_COMPILED_LOOP_H_
#define TAGFLOW_OPTIMIZED_NATIVE_COMPILED_LOOP_H_

// Machine code of a loop or a piece, and which steps it suits: those whose slots hold scalars where
// it has registers, none of them negative where it relies upon that (loop_counters.h), and tensors
// of the shapes that it was made for.
//
// Pieces follow each other in a step, and what one has written the next need not look at: 10,000
// ops in twenty pieces read some 18,000 slots.
//
// Tested by native_loops_test.cc.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/tensor.h"
#include "optimized/native/loop_values.h"
#include "optimized/native/native_library.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

struct CompiledLoop {
  // done: by number: of a piece, the code that has run it to its end in this step; null: none has
  bool Suits(const std::vector<Tensor>& slots, const std::vector<const void*>& done) const;
  bool Writes(const NativeValue& wanted) const;
  // Whether no slot holds a tensor of another shape than it was made for.
  bool SuitsTensors(const std::vector<Tensor>& slots) const;

  // A piece that gives values, and its code.
  struct Giver {
    int32_t piece;
    const CompiledLoop* code;
  };
  NativeCode code;
  std::vector<NativeTensor> tensors;   // by slot
  std::vector<NativeValue> values;     // by slot
  std::vector<NativeValue> looked_at;  // those of them that are looked at in each step
  std::vector<NativeValue> given;      // those that are looked at unless the givers have run
  std::vector<Giver> givers;
  const CompiledLoop* other = nullptr;  // for other values, made before this; null: none
  std::string listing;                  // where the options want it
  bool is_made_beside = false;          // by an idle thread
};

// Which piece alone writes a slot.
class SlotWriters {
 public:
  static constexpr int32_t kNoPiece = -1;  // nobody writes it, or not one piece alone

  // pieces: those with the numbers from `first` on
  SlotWriters(const Code& code, std::span<const LoopBounds> pieces, int32_t first);

  int32_t of(uint32_t slot) const { return writers_[slot]; }

 private:
  std::vector<int32_t> writers_;  // by slot
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_COMPILED_LOOP_H_
