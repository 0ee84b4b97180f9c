#ifndef TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_LOOPS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_LOOPS_H_

// A compiled loop computes the elements of small tensors in loops of their own.
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
#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/loop_homes.h"
#include "optimized/native/loop_tensors.h"
#include "optimized/native/loop_values.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {

class ElementLoops {
 public:
  using Way = LoopTensors::Way;

  // All of it outlives this.
  //   name: of the function that the loops are of
  ElementLoops(const LoopToCompile& loop, const LoopValues& values, const LoopTensors& tensors,
               LoopHomes& homes, BodyCalls& bodies, const std::string& name)
      : loop_(loop),
        values_(values),
        tensors_(tensors),
        homes_(homes),
        bodies_(bodies),
        name_(name) {}

  // A call that machine code does, or a move that copies: its work is written by Flush, with that
  // of those before it.
  //   failed: where there is no memory
  //   given: where the elements of its input of Walk::kGiven are
  void Add(IrLines& lines, uint32_t at, const Way& failed, const std::string& given = "");
  // REQUIRES: called before anything is written that leaves the loop or goes elsewhere in it, that
  // reads or moves a tensor, and before the machine runs something
  void Flush(IrLines& lines, const Way& failed);

  // The loops, which are functions that are put behind all others: metadata follows.
  std::string Functions() const;

 private:
  struct Pending {
    bool Reads(uint32_t slot) const;
    bool Gives(uint32_t slot) const;

    uint32_t at;
    const TensorCall* call;
    std::vector<uint32_t> inputs;  // slots
    std::vector<uint32_t> outputs;
    std::vector<std::string> scalars;  // by input: the value of a scalar, or a given pointer
  };
  // The arguments of the function of a loop.
  class Args {
   public:
    // The name that the function has for it.
    std::string Add(const std::string& type, const std::string& value) {
      const std::string separator = given_.empty() ? "" : ", ";
      const std::string name = "%a" + std::to_string(size_++);
      given_ += separator + type + " " + value;
      taken_ += separator + type + " " + name;
      return name;
    }
    const std::string& given() const { return given_; }
    const std::string& taken() const { return taken_; }

   private:
    std::string given_, taken_;
    int size_ = 0;
  };
  // Where a loop is.
  struct Place {
    std::string element, row, column;
    int64_t columns;
  };

  const NativeType& TypeOf(uint32_t slot) const;
  bool Joins(const Pending& next) const;
  bool IsReadBehind(uint32_t slot) const;
  void TakeInputs(IrLines& lines, Args& args);
  void WriteFunction(IrLines& lines, const Args& args, const std::vector<uint32_t>& kept);
  void WriteRows(IrLines& lines, const std::vector<uint32_t>& kept);
  int64_t WidestElement() const;
  bool HasLongVectors() const;
  int64_t ElementsAtOnce() const;
  void WriteElements(IrLines& lines, const Place& place, const std::vector<uint32_t>& kept);
  std::vector<std::string> LoadInputs(IrLines& lines, const Pending& pending, const Place& place);
  std::string LoadElement(IrLines& lines, uint32_t slot, const std::string& index) const;
  std::string LoadElementFrom(IrLines& lines, const NativeType& type, const std::string& base,
                              const std::string& index) const;
  std::string IndexOfPiece(IrLines& lines, const Pending& pending, int64_t piece,
                           const Place& place) const;

  const LoopToCompile& loop_;
  const LoopValues& values_;
  const LoopTensors& tensors_;
  LoopHomes& homes_;
  BodyCalls& bodies_;
  const std::string name_;
  std::vector<Pending> pending_;
  int64_t columns_ = 0;  // that one of them wants; 0: any
  // The loop that is being written has these by slot: where the elements are, and the one at the
  // same place.
  std::unordered_map<uint32_t, std::string> bases_, elements_;

  std::string functions_;
  std::string metadata_;
  int num_functions_ = 0;
  int num_loops_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_LOOPS_H_
