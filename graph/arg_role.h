#ifndef TAGFLOW_GRAPH_ARG_ROLE_H_
#define TAGFLOW_GRAPH_ARG_ROLE_H_

// What the elements of an argument mean to the op. Kernels and shape functions know by themselves;
// who makes calls of ops that it has never heard of (fuzz/kernels) reads it here.

#include <cstdint>

namespace tagflow {

enum class ArgRole : uint8_t {
  kData,      // what is computed with
  kRows,      // data in a matrix, of which each row stands alone
  kMatrices,  // data in matrices, most of them square, along the last two dimensions
  kTriples,   // data whose last dimension is 3
  kBase64,    // text of that alphabet
  // One number, or a few.
  kScalar,
  kRate,          // a scalar between 0 and 1
  kCount,         // how many, a scalar
  kColumnCount,   // how many elements of each row, a scalar
  kGroupCount,    // how many groups there are, a scalar that all kGroups are below
  kCountOrAny,    // how many, or -1: as many as need be
  kRange,         // the least and the greatest
  kSeed,          // two numbers
  kKey,           // of a counter-based generator: one number
  kCounter,       // … two numbers
  kAlgorithm,     // … which one, a scalar
  kSeparator,     // between words, a scalar
  kElementShape,  // of a list: a shape, -1 where a dimension or all of it is open
  // Dimensions of the data.
  kAxis,        // one, in [-rank, rank), a scalar
  kAxes,        // several, a vector
  kAxisOrAxes,  // a scalar or a vector
  kPerAxis,     // a number for each of those
  kBand,        // which diagonal, or the first and the last
  kPermutation,
  // A number for each dimension of the data.
  kBegins,
  kEnds,
  kStrides,
  kSliceSizes,  // -1: up to the end
  kMultiples,
  kFlags,     // bools
  kPaddings,  // two numbers: before and behind
  kCrops,     // the same
  kBlocks,    // a number for some dimensions, from the second
  // Shapes.
  kShape,
  kNewShape,    // of as many elements; -1: what is left
  kPieceSizes,  // along an axis; -1: what is left
  // Places in the data.
  kIndices,      // along a dimension
  kCoordinates,  // in rows, the last dimension, each a place along the first dimensions
  kUpdates,      // what comes to the places
  kRowNumbers,   // one for each row, ascending where the op asks for it
  kGroups,       // the number of a group for each row, or for each element of more dimensions
  kPartitions,   // the same, below the number of outputs
  kBias,         // as long as the data's last dimension
  kDiagonals,    // of matrices
  // What an output may be.
  kBasis,  // vectors that stand for a space, or what is told by them: each engine has its own
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_ARG_ROLE_H_
