#ifndef TAGFLOW_OPTIMIZED_NATIVE_WHOLE_CALLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_WHOLE_CALLS_H_

// What reductions, small products, joins and reshapes make of tensors of known shapes: calls of
// functions on all of their elements, whose sizes are constant.
//
//     Sum([4,128], 1)          Sum_f32_rows(x, out, 4, 128)
//     ConcatV2([2,3], [2,5])   CopyRows(x, out, 2, 12, 32), CopyRows(y, out + 12, 2, 20, 32)
//
// Tested by native_wholes_test.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "optimized/kernels/part.h"
#include "optimized/native/scalar_calls.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {

struct WholeCall {
  // A call: pointers to the inputs, to the output and some bytes, and then the sizes.
  struct Piece {
    std::string body;
    std::vector<size_t> inputs;
    int64_t offset = 0;
    std::vector<int64_t> sizes;
  };
  std::vector<Piece> pieces;
};

// How the calls make an output of this type; nothing where they do not, or are not for machine
// code.
//   axes: what is reduced, where input 1 lists it
std::optional<WholeCall> WholeCallOf(const ReductionPart& part, const TensorType& input,
                                     std::span<const int64_t> axes, const TensorType& output,
                                     const HasBody& has_body);
std::optional<WholeCall> WholeCallOf(const ProductPart& part, const TensorType& x,
                                     const TensorType& y, const TensorType& output,
                                     const HasBody& has_body);
//   inputs: of which the one that says the axis is none
std::optional<WholeCall> WholeCallOf(const JoinPart& part,
                                     const std::vector<const TensorType*>& inputs, int64_t axis,
                                     const TensorType& output);
std::optional<WholeCall> WholeCallOf(const ReshapePart& part, const TensorType& input,
                                     const TensorType& output);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_WHOLE_CALLS_H_
