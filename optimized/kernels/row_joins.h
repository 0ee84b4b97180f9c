#ifndef TAGFLOW_OPTIMIZED_KERNELS_ROW_JOINS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ROW_JOINS_H_

// One tensor made of the elements of a list or TensorArray: TensorListStack, TensorListGather,
// TensorListConcat(V2), and the TensorArrayGather, TensorArrayConcat and TensorArrayPack of all
// versions. What is joined, and what is refused, is the same wherever the elements are; how it is
// copied is up to who binds them.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

struct JoinedPiece {
  Tensor value;
  int64_t first = 0;  // of its elements in the whole
};

// Makes output 0 of the pieces, none of which is over another; zeros are between them.
//   Errors: RESOURCE_EXHAUSTED, INVALID_ARGUMENT (dims)
using JoinPieces = Status (*)(KernelContext& context, DType dtype, DimsView dims,
                              const std::vector<JoinedPiece>& pieces);
Status JoinOnHost(KernelContext& context, DType dtype, DimsView dims,
                  const std::vector<JoinedPiece>& pieces);
// Whether they leave room for zeros.
bool LeaveGaps(DimsView dims, const std::vector<JoinedPiece>& pieces);

// The ops that are bound so.
std::vector<std::string> RowJoinOps();
//   Errors: as a Binder   REQUIRES: the node's op is one of RowJoinOps
Result<BoundKernel> BindRowJoin(const Binding& binding, JoinPieces join);

// For the two files of it.
Result<BoundKernel> BindListJoin(const Binding& binding, JoinPieces join);
Result<BoundKernel> BindArrayJoin(const Binding& binding, JoinPieces join);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ROW_JOINS_H_
