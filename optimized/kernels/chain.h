#ifndef TAGFLOW_OPTIMIZED_KERNELS_CHAIN_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CHAIN_H_

// Several elementwise kernels in one pass over memory: the gates of an LSTM cell, a gradient's
// products, an optimizer's update.
//
// How: piece by piece. What steps hand to each other lies in a few rooms that stay in the first
// cache, and only what others read becomes a tensor. A piece is a block of elements where all
// tensors have one shape; else it is a row, the elements along the last dimension: then a vector
// may repeat for each row (a bias), and a row may be split into equal parts, which are read where
// they lie.
//
// Every element is what the kernels make of it one after the other, to the bit: the pieces go
// through the same loops, and a loop gives each element the same bits wherever it lies. What
// shapes a chain meets shows when it runs; one that it is not made for is left to the kernels, and
// so is every error.
//
// Cost: a few hundred instructions for a chain and about forty for each step of a piece, where a
// kernel of its own has some hundreds, a tensor to allocate and a pass over memory.
//
// Tested by optimized/straight/chains_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/dtype.h"
#include "optimized/kernel.h"
#include "optimized/kernels/elementwise.h"

namespace tagflow::optimized {

// Elements of a row, from which on a chain runs row by row where its values differ in shape:
// shorter rows cost more than passes over all of them.
inline constexpr int64_t kRowMin = 32;

// One of the kernels. Values are numbered: a chain's inputs come first, then what its steps give,
// in order.
struct ChainStep {
  enum class Kind : uint8_t {
    kPair,
    kMap,
    kBias,   // BiasAdd with the channels last: y is the bias
    kSplit,  // Split: y is the input of the context that holds the axis
  };
  Kind kind = Kind::kMap;
  int x = 0, y = 0;
  int pieces = 1;   // kSplit: how many values it gives; others give one
  PairLoop pair{};  // kPair, kBias
  MapLoop map{};    // kMap
};

// Where a value that a step gives is kept.
struct ChainPlace {
  enum class Kind : uint8_t { kRoom, kOutput, kPiece };
  Kind kind = Kind::kRoom;
  int index = 0;  // of the room, of the output, or of the piece
  int whole = 0;  // kPiece: the value it is a piece of
};

struct ChainOutput {
  int value = 0;
  // An input that no step reads after the one that gives the value: it may be overwritten.
  std::optional<int> reuse;
};

struct ElementChain {
  // Of all inputs and values; IsFloating, so that no formula refuses an element.
  DType dtype = DType::kFloat;
  int num_inputs = 0;  // the axes of Splits are inputs of the context behind these
  std::vector<ChainStep> steps;
  std::vector<ChainPlace> places;    // of the values that steps give
  std::vector<ChainOutput> outputs;  // of the context, in order
  int num_rooms = 0;
};

inline constexpr int kChainValuesMax = 64;  // of inputs and of what steps give together
inline constexpr int kChainRoomsMax = 16;

// Computes the outputs from the inputs.
//   returns: whether it did. Else outputs may hold anything and nothing else has happened: where no
//     input is a tensor of several elements, where shapes do not suit, where there is no memory.
// REQUIRES: no more values and rooms than the maxima; outputs are in other slots than inputs
bool RunChain(const ElementChain& chain, KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CHAIN_H_
