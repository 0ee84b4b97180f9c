#ifndef TAGFLOW_OPTIMIZED_KERNELS_PART_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PART_H_

// What a bound kernel computes, for those who compute it together with what its neighbours do
// (optimized/straight/fusion.h): a kernel that says nothing is always called by itself. A kernel of
// the caller's has no part, nor has one of ours that somebody wraps, such as an observer.
//
// The part is kept by what deletes the kernel's state, so that a kernel costs no more for it.
//
// Tested by chain_test.cc.

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "optimized/kernel.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/native/cells.h"

namespace tagflow::optimized {

// The sum of two inputs: of one shape, or of a value and a vector along its last dimension.
struct AdditionPart {
  DType dtype;
  bool is_of_bias;
};

// The sum of all inputs, of one shape: from first to last, each sum rounded.
struct SumPart {
  DType dtype;
};

// Input 1 in equal pieces, along the dimension that input 0 says.
struct SplitPart {
  DType dtype;
  int pieces;
};

// The product of two matrices, and how it reads them.
struct ProductPart {
  DType dtype;  // float or double
  bool transpose_a;
  bool transpose_b;
};

// Every element, in another dtype (formulas/casts.h).
struct CastPart {
  DType source;
  DType target;
};

// Input 1 or 2, as the bool of input 0 says, or element by element.
struct ChoicePart {
  DType dtype;
  bool broadcasts;  // else inputs 1 and 2 are of one shape, and input 0 may be for their rows
};

// Each output is the input of its number.
struct HandOnPart {};

// Every element is `value`, in the shape of input 0.
struct FillPart {
  DType dtype;
  int value;
};

// An element is put into the stack, array or list of input 0, or taken from it. Inputs and outputs
// are told by their numbers; kNone: there is no such.
struct ElementPart {
  static constexpr int kNone = -1;

  CellsKind kind = CellsKind::kStack;
  const char* access = "";        // the function of native/cells.h that does it with scalars
  int index = kNone;              // the input that says which element it is
  int value = kNone;              // the input that is put there
  int element = kNone;            // the output that is what was taken
  int handed_on = kNone;          // the input that output 0 is
  bool gives_list = false;        // output 0 is the changed list
  DType dtype = DType::kInvalid;  // of the element; kInvalid: of any
};

// Output 0 is a row of input 0, its slice at an index along the first dimension, x[i], or at some
// along the first ones, x[i, j]. What others are asked for must be so, or the kernel does something
// else.
struct RowPart {
  static constexpr int kNone = -1;
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();

  int index = 1;               // the input that has the indices
  int most_items = 0;          // how many at most: it is a vector then; 0: it is a scalar
  bool wraps = false;          // a negative index counts from the end
  int axis = kNone;            // the input that must be a scalar of 0
  int as_many_items = kNone;   // the input that must be a vector of as many elements
  int positive_items = kNone;  // and the one that must be one of positive ones
};

// Output 0 is a vector of the inputs, if they are scalars.
struct VectorPart {
  DType dtype;
  bool takes_tensors = false;  // it is them along a new first dimension, if they are tensors
};

// Output 0 is input 0, but for one slice of it, which is input 2, if input 1 has one row of
// indices.
struct PlacePart {};

// Which dimensions are reduced: those that input 1 lists, all but the last, or all.
enum class ReducedAxes : uint8_t { kInput, kAllButLast, kAll };
// Output 0 is input 0 reduced along some dimensions.
struct ReductionPart {
  const char* formula;  // of formulas/reductions.h
  DType dtype;
  ReducedAxes axes;
};

// Output 0 is the inputs but one, one behind the other, along the dimension which that one says.
struct JoinPart {
  bool axis_is_first;  // else it is the last input
};

// Output 0 has the elements of input 0, in a shape that the other inputs and its own say.
struct ReshapePart {};

// The loops are those that the kernel runs on all elements of its inputs.
using KernelPart =
    std::variant<const PairLoop*, const MapLoop*, AdditionPart, SplitPart, ProductPart, SumPart,
                 CastPart, ChoicePart, HandOnPart, FillPart, ElementPart, RowPart, VectorPart,
                 PlacePart, ReductionPart, JoinPart, ReshapePart>;

// Whether straight code may make one of such a kernel and its neighbours; the others say what they
// compute for machine code (optimized/native/).
inline bool JoinsNeighbours(const KernelPart& part) {
  return std::holds_alternative<const PairLoop*>(part) ||
         std::holds_alternative<const MapLoop*>(part) ||
         std::holds_alternative<AdditionPart>(part) || std::holds_alternative<SplitPart>(part) ||
         std::holds_alternative<ProductPart>(part);
}

BoundKernel BindLoop(BoundKernel::Function function, const PairLoop& loop);
BoundKernel BindLoop(BoundKernel::Function function, const MapLoop& loop);

// Null where it is to be called by itself. Lives as long as the kernel.
const KernelPart* PartOf(const BoundKernel& kernel);

struct PartHolder {
  KernelPart part;
  void (*destroy)(const void* state);
  void operator()(const void* state) const { destroy(state); }
};

// A kernel whose state may be anything, such as a lambda.
template <typename F>
BoundKernel BindPart(const KernelPart& part, F callable) {
  const auto destroy = [](const void* state) { delete static_cast<const F*>(state); };
  return BoundKernel(
      [](const void* state, KernelContext& context) -> Status {
        return (*static_cast<const F*>(state))(context);
      },
      std::shared_ptr<const void>(new F(std::move(callable)), PartHolder{part, destroy}));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PART_H_
