#ifndef TAGFLOW_GRAPH_SAVED_TENSOR_SLICE_H_
#define TAGFLOW_GRAPH_SAVED_TENSOR_SLICE_H_

// Blocks of tensors, in which large variables are saved: how graphs and checkpoints write them, and
// how they are put together.
//
// Tested by tensor_slice_test.cc.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Of each dimension a run of places, or all of it.
struct TensorSlice {
  static constexpr int64_t kAll = -1;
  struct Extent {
    int64_t start = 0;
    int64_t length = kAll;
  };
  std::vector<Extent> extents;

  static TensorSlice Whole(size_t rank) { return {std::vector<Extent>(rank)}; }
  // As graphs write it: "0,2:-".
  std::string ToString() const;
};

// "4 3 0,2:-": a shape, and a block of a tensor of that shape.
struct ShapeAndSlice {
  Dims dims;
  TensorSlice slice;
};
//   Errors: INVALID_ARGUMENT for what is not written so; INTERNAL, as in TensorFlow, for a block
//   that is not inside
Result<ShapeAndSlice> ParseShapeAndSlice(const std::string& text);

// The same block, with every length said.
//   Errors: INTERNAL for one that is not inside a tensor of these dimensions
Result<TensorSlice> Bounded(const TensorSlice& slice, const Dims& dims);
// The shape of a block.   REQUIRES: every length is said
Dims LengthsOf(const TensorSlice& slice);

// The key in a checkpoint's index of a block of the tensor of this name. It begins with a zero
// byte.
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// A block of a tensor, and the tensor that it is.
struct Block {
  TensorSlice slice;  // every length is said
  Tensor values;
};
// What two blocks share, of some length 0 where that is nothing.
//   REQUIRES, of all these: blocks of one tensor, every length said
TensorSlice Shared(const TensorSlice& a, const TensorSlice& b);
// Whether they share an element.
bool Overlap(const TensorSlice& a, const TensorSlice& b);
// Copies what two blocks of one tensor share; `filled` has a bit for each element of `to`.
//   Errors: INTERNAL for an element that is filled already
Status CopyShared(const Block& from, Block& to, std::vector<bool>& filled);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_TENSOR_SLICE_H_
