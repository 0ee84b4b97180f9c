#ifndef TAGFLOW_OPTIMIZED_NATIVE_TENSOR_CALLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_TENSOR_CALLS_H_

// What elementwise kernels and Split make of tensors of known shapes, as loops over rows and
// columns: which element of each input the element at (row, column) of an output is made of.
//
//     [4,128] + [128]                   rows of 128 columns: kElement, kRow
//     [4,128] * [4,1]                   kElement, kColumn
//     2 pieces of [4,256] along 1       rows of 128 columns of an input whose rows have 256
//
// Tested by tensor_calls_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "optimized/native/scalar_calls.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {

// Where an input is read.
enum class Walk : uint8_t {
  kScalar,   // it is a scalar
  kOne,      // at its one element
  kElement,  // at the same place: its shape is the output's
  kRow,      // at the column: it is one row
  kColumn,   // at the row: it is one column
  kPiece,    // in a row of several outputs' columns
  kGiven,    // at the same place from a pointer on
  kNot,      // it is not read
};

struct TensorCall {
  Dims dims = {};       // of each output
  int64_t columns = 0;  // of a row; 0: any number, since all inputs are read at the same place
  int pieces = 0;       // of a Split: its outputs; 0: it is none
  std::vector<Walk> inputs = {};
};

// How the call makes an output of `dims`; nothing where it does not, or is not for machine code.
//   inputs: their types
std::optional<TensorCall> TensorCallOf(const ScalarCall& call,
                                       const std::vector<const TensorType*>& inputs,
                                       const TensorType& output);
// The same of a Split of `value` into pieces along `axis`, which may count from the end.
std::optional<TensorCall> TensorCallOfSplit(const TensorType& value, int64_t axis, int pieces,
                                            const TensorType& output);

// The shape that elementwise inputs give; nothing where they do not fit.
std::optional<Dims> DimsOfCall(const ScalarCall& call,
                               const std::vector<const TensorType*>& inputs);
// The shape of a piece; nothing where the value has no such pieces.
std::optional<Dims> DimsOfPiece(const Dims& value, int64_t axis, int pieces);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_TENSOR_CALLS_H_
