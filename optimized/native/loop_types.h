#ifndef TAGFLOW_OPTIMIZED_NATIVE_LOOP_TYPES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LOOP_TYPES_H_

// The types of what the slots of a loop hold: scalars, and tensors of a shape, which are small
// where the loop writes them.
//
// That is what they hold when the loop is compiled, or were seen to hold before, or what the calls
// that fill them make of such. It is a guess: machine code looks whether it is so.
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/tensor.h"
#include "optimized/native/loop_to_compile.h"
#include "optimized/native/scalar_calls.h"
#include "optimized/native/tensor_calls.h"
#include "optimized/native/tensor_type.h"
#include "optimized/native/whole_calls.h"

namespace tagflow::optimized {

// Elements of a tensor that machine code computes. Of more of them, a kernel is worth its call, and
// shares them among threads.
constexpr int64_t kMostElements = 4096;
// Elements of a vector that is made of scalars, or of a tensor that is made of others.
constexpr int64_t kMostPacked = 64;
// Elements that a move copies where its source is still read, and a reshape: memory of its own is
// worth more than a share in what others have, since it can be written over.
constexpr int64_t kMostCopied = 1024;

// Whether machine code can have its elements, of which there are several.
bool IsSmallTensor(const TensorType& type);

class LoopTypes {
 public:
  // loop: it outlives this
  LoopTypes(const LoopToCompile& loop, const std::vector<Tensor>& slots);

  struct Slot {
    std::optional<TensorType> type;  // nothing: not for machine code
    bool is_written = false;         // by the loop; what is not must be there at the entry
    bool is_computed = false;        // by the loop, as a whole
    bool is_empty = false;           // when the loop is compiled
  };
  const std::unordered_map<uint32_t, Slot>& slots() const { return slots_; }
  // Whether it is not known what some slot will hold.
  bool has_unknown() const;
  // Null: not for machine code.
  const TensorType* TypeOf(uint32_t slot) const;
  // The types of a call's inputs; nothing where one has none.
  std::optional<std::vector<const TensorType*>> InputTypes(const Instruction& call) const;
  // Of a scalar; kInvalid: it is none.
  DType ScalarIn(uint32_t slot) const;
  // What a slot holds in every step, as LLVM writes it; empty: it may change.
  std::string Constant(uint32_t slot) const;

  // Of a call; null: it puts and takes no element.
  const ElementPart* ElementAt(uint32_t at) const { return loop_.PartAt<ElementPart>(at); }
  // Of a call; nothing: its kernel has no body.
  const std::optional<ScalarCall>& CallAt(uint32_t at) const {
    return calls_[at - loop_.bounds.head];
  }
  // Of a call whose inputs and outputs have types that suit it; nothing of others.
  std::optional<TensorCall> TensorCallAt(uint32_t at) const;
  // The same of a call that does something with whole tensors, and may give a scalar.
  std::optional<WholeCall> WholeCallAt(uint32_t at) const;
  // Of a call that takes a row, that makes a vector, and that changes a row where it lies, of such
  // types; null of others.
  const RowPart* RowAt(uint32_t at) const;
  const VectorPart* VectorAt(uint32_t at) const;
  const PlacePart* PlaceAt(uint32_t at) const;

 private:
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (uint32_t at = loop_.bounds.head; at <= loop_.bounds.last; ++at) visit(at);
  }
  bool IsForMachineCode(const TensorType& type) const;
  void FindSlots(const std::vector<Tensor>& slots);
  // Gives empty slots what the loop's calls give; whether it found some.
  bool Infer();
  bool InferCall(const Instruction& call, const ScalarCall& scalar);
  bool InferSplit(const Instruction& call, const SplitPart& split);
  bool InferElement(const Instruction& call, const ElementPart& part);
  bool InferOutput(uint32_t slot, const TensorType& type);
  bool InferRow(const Instruction& call, const RowPart& row);
  bool InferVector(const Instruction& call, const VectorPart& vector);
  // What a call makes of scalars or tensors; nothing: they are not alike, or too many.
  std::optional<TensorType> TypeOfVector(const Instruction& call, const VectorPart& vector) const;
  // Whether an input, if there is one, is integers above 0, the same in every step.
  bool ArePositive(const Instruction& call, int input) const;
  // The one element of an input, an integer that is the same in every step; else nothing.
  std::optional<int64_t> ConstantInput(const Instruction& call, int input) const;
  // All elements of an input, integers that are the same in every step; else nothing.
  std::optional<std::vector<int64_t>> ConstantsInput(const Instruction& call, int input) const;

  const LoopToCompile& loop_;
  std::vector<std::optional<ScalarCall>> calls_;  // by instruction, from the head on
  std::unordered_map<uint32_t, Slot> slots_;
  std::unordered_map<uint32_t, const Tensor*> constants_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LOOP_TYPES_H_
