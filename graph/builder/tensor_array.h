#ifndef TAGFLOW_GRAPH_BUILDER_TENSOR_ARRAY_H_
#define TAGFLOW_GRAPH_BUILDER_TENSOR_ARRAY_H_

// TensorArray: tensors by index, written once each. Operations on one array are ordered by its
// flow, a tensor without meaning of its own that each write takes and gives: a TensorArray here is
// a handle and a flow, and a write gives a new one. In a loop the flow is a loop variable:
//
//   TensorArray squares(scope, 10, DType::kFloat);
//   OutputList results = WhileLoop(scope, {zero, squares.flow()}, predicate,
//       [&](const Scope& body, const OutputList& v) -> OutputList {
//         TensorArray written = squares.WithFlow(v[1]).Write(body, v[0], …);
//         return {v[0] + 1, written.flow()};
//       });
//   Output all = squares.WithFlow(results[1]).Gather(scope);

#include <string>

#include "graph/builder/op_builder.h"
#include "graph/partial_shape.h"

namespace tagflow {

struct TensorArrayOptions {
  PartialShape element_shape = {};
  bool dynamic_size = false;     // writes past the end make it longer
  bool clear_after_read = true;  // each element may be read once
  bool identical_element_shapes = false;
  std::string name = "TensorArray";
};

class TensorArray {
 public:
  // `size`: an int32 scalar. Made anew whenever the node runs: in a body, once per iteration.
  TensorArray(const Scope& scope, const Input& size, DType dtype,
              const TensorArrayOptions& options = {});
  TensorArray(Output handle, Output flow, DType dtype, PartialShape element_shape = {});

  TensorArray WithFlow(const Output& flow) const;

  TensorArray Write(const Scope& scope, const Input& index, const Input& value) const;
  Output Read(const Scope& scope, const Input& index) const;
  // Row i of `value` becomes element i.
  TensorArray Unstack(const Scope& scope, const Input& value) const;
  TensorArray Scatter(const Scope& scope, const Input& indices, const Input& value) const;
  // Every element (or those of `indices`), stacked along a new first dimension.
  Output Gather(const Scope& scope) const;
  Output Gather(const Scope& scope, const Input& indices) const;
  // Every element, concatenated along its first dimension.
  Output Concat(const Scope& scope) const;
  // Pieces of `lengths` rows (int64).
  TensorArray Split(const Scope& scope, const Input& value, const Input& lengths) const;
  Output Size(const Scope& scope) const;
  Operation Close(const Scope& scope) const;
  // The array that gathers this one's gradients; the same one for the same `source`.
  TensorArray Gradient(const Scope& scope, std::string_view source) const;

  const Output& handle() const { return handle_; }
  const Output& flow() const { return flow_; }
  DType dtype() const { return dtype_; }

 private:
  Output handle_;
  Output flow_;
  DType dtype_;
  PartialShape element_shape_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_TENSOR_ARRAY_H_
