#ifndef TAGFLOW_GRAPH_BUILDER_ARRAY_OPS_H_
#define TAGFLOW_GRAPH_BUILDER_ARRAY_OPS_H_

// Sources, shapes and rearrangements, and nodes that only order others. Each is one node of the op
// in the comment (or of its own name).

#include <vector>

#include "graph/builder/op_builder.h"

namespace tagflow {

Output Placeholder(const Scope& scope, DType dtype, const PartialShape& shape = PartialShape());
Output Placeholder(const Scope& scope, DType dtype, const Dims& dims);
Output PlaceholderWithDefault(const Scope& scope, const Input& value, const PartialShape& shape);

Output Identity(const Scope& scope, const Input& x);
OutputList IdentityN(const Scope& scope, const OutputList& xs);
Output StopGradient(const Scope& scope, const Input& x);

Output Shape(const Scope& scope, const Input& x, DType out_type = DType::kInt32);
Output Size(const Scope& scope, const Input& x, DType out_type = DType::kInt32);
Output Rank(const Scope& scope, const Input& x);
Output Reshape(const Scope& scope, const Input& x, const Input& dims);
Output ExpandDims(const Scope& scope, const Input& x, const Input& axis);
// Every dimension of size 1, or those named.
Output Squeeze(const Scope& scope, const Input& x, const std::vector<int64_t>& axes = {});
Output Pack(const Scope& scope, const OutputList& xs, int64_t axis = 0);
OutputList Unpack(const Scope& scope, const Input& x, int64_t count, int64_t axis = 0);
Output Concat(const Scope& scope, const OutputList& xs, const Input& axis);  // ConcatV2
Output Slice(const Scope& scope, const Input& x, const Input& begin, const Input& size);
// x[index] along the first dimension.
Output ElementAt(const Scope& scope, const Input& x, const Input& index);  // GatherV2, axis 0
Output Gather(const Scope& scope, const Input& x, const Input& indices,
              const Input& axis);  // GatherV2
Output Tile(const Scope& scope, const Input& x, const Input& multiples);
Output Transpose(const Scope& scope, const Input& x, const Input& perm);
Output Fill(const Scope& scope, const Input& dims, const Input& value);
Output ZerosLike(const Scope& scope, const Input& x);
Output OnesLike(const Scope& scope, const Input& x);
Output Range(const Scope& scope, const Input& start, const Input& limit, const Input& delta);
Output BroadcastTo(const Scope& scope, const Input& x, const Input& dims);

Operation NoOp(const Scope& scope);
// A NoOp that waits for `ops`.
Operation Group(const Scope& scope, const std::vector<Operation>& ops);
// Fails the step, printing `data`, when `condition` (a bool scalar) is false.
Operation Assert(const Scope& scope, const Input& condition, const OutputList& data,
                 int64_t summarize = 3);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_ARRAY_OPS_H_
