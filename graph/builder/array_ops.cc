#include "graph/builder/array_ops.h"

namespace tagflow {
namespace {

OutputList AllOutputs(const Operation& op) {
  std::vector<Output> outputs;
  for (int i = 0; i < op.num_outputs(); ++i) outputs.push_back(op.output(i));
  return OutputList(std::move(outputs), op.state());
}

}  // namespace

Output Placeholder(const Scope& scope, DType dtype, const PartialShape& shape) {
  return Op(scope, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
}

Output Placeholder(const Scope& scope, DType dtype, const Dims& dims) {
  return Placeholder(scope, dtype, PartialShape(dims));
}

Output PlaceholderWithDefault(const Scope& scope, const Input& value, const PartialShape& shape) {
  return Op(scope, "PlaceholderWithDefault", {value}, {{"shape", shape}});
}

Output Identity(const Scope& scope, const Input& x) { return Op(scope, "Identity", {x}); }

OutputList IdentityN(const Scope& scope, const OutputList& xs) {
  return AllOutputs(Op(scope, "IdentityN", {xs}));
}

Output StopGradient(const Scope& scope, const Input& x) { return Op(scope, "StopGradient", {x}); }

Output Shape(const Scope& scope, const Input& x, DType out_type) {
  return Op(scope, "Shape", {x}, {{"out_type", out_type}});
}

Output Size(const Scope& scope, const Input& x, DType out_type) {
  return Op(scope, "Size", {x}, {{"out_type", out_type}});
}

Output Rank(const Scope& scope, const Input& x) { return Op(scope, "Rank", {x}); }

Output Reshape(const Scope& scope, const Input& x, const Input& dims) {
  return Op(scope, "Reshape", {x, dims});
}

Output ExpandDims(const Scope& scope, const Input& x, const Input& axis) {
  return Op(scope, "ExpandDims", {x, axis});
}

Output Squeeze(const Scope& scope, const Input& x, const std::vector<int64_t>& axes) {
  return Op(scope, "Squeeze", {x}, {{"squeeze_dims", IntList(axes)}});
}

Output Pack(const Scope& scope, const OutputList& xs, int64_t axis) {
  return Op(scope, "Pack", {xs}, {{"axis", axis}});
}

OutputList Unpack(const Scope& scope, const Input& x, int64_t count, int64_t axis) {
  return AllOutputs(Op(scope, "Unpack", {x}, {{"num", count}, {"axis", axis}}));
}

Output Concat(const Scope& scope, const OutputList& xs, const Input& axis) {
  return Op(scope, "ConcatV2", {xs, axis});
}

Output Slice(const Scope& scope, const Input& x, const Input& begin, const Input& size) {
  return Op(scope, "Slice", {x, begin, size});
}

Output Gather(const Scope& scope, const Input& x, const Input& indices, const Input& axis) {
  return Op(scope, "GatherV2", {x, indices, axis});
}

Output ElementAt(const Scope& scope, const Input& x, const Input& index) {
  return Gather(scope, x, index, 0);
}

Output Tile(const Scope& scope, const Input& x, const Input& multiples) {
  return Op(scope, "Tile", {x, multiples});
}

Output Transpose(const Scope& scope, const Input& x, const Input& perm) {
  return Op(scope, "Transpose", {x, perm});
}

Output Fill(const Scope& scope, const Input& dims, const Input& value) {
  return Op(scope, "Fill", {dims, value});
}

Output ZerosLike(const Scope& scope, const Input& x) { return Op(scope, "ZerosLike", {x}); }
Output OnesLike(const Scope& scope, const Input& x) { return Op(scope, "OnesLike", {x}); }

Output Range(const Scope& scope, const Input& start, const Input& limit, const Input& delta) {
  return Op(scope, "Range", {start, limit, delta});
}

Output BroadcastTo(const Scope& scope, const Input& x, const Input& dims) {
  return Op(scope, "BroadcastTo", {x, dims});
}

Operation NoOp(const Scope& scope) { return Op(scope, "NoOp"); }

Operation Group(const Scope& scope, const std::vector<Operation>& ops) {
  return NoOp(scope.WithControlDependencies(ops));
}

Operation Assert(const Scope& scope, const Input& condition, const OutputList& data,
                 int64_t summarize) {
  return Op(scope, "Assert", {condition, data}, {{"summarize", summarize}});
}

}  // namespace tagflow
