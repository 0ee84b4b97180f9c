#include "transform/gradients/forward_values.h"

#include <algorithm>
#include <cstdint>

#include "graph/builder/builder.h"
#include "graph/control_ops.h"

namespace tagflow::internal {

bool FitsConst(const PartialShape& shape) {
  return shape.known_rank() &&
         std::ranges::all_of(shape.dims(), [](int64_t dim) { return dim <= INT32_MAX; });
}

Output ShapeConst(const Scope& scope, const PartialShape& shape) {
  return Const(scope, std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

Popped PopBack(const Scope& scope, const Output& list, DType dtype, const PartialShape& shape) {
  const Input element_shape = FitsConst(shape) ? ShapeConst(scope, shape) : Input(-1);
  const Operation popped =
      Op(scope, "TensorListPopBack", {list, element_shape}, {{"element_dtype", dtype}});
  if (popped.valid()) scope.SetShape(popped[1], shape);
  return {popped[0], popped[1]};
}

Output DirectValues::Value(OutputRef tensor) {
  const auto found = known_.find(tensor);
  if (found != known_.end()) return found->second;
  return known_[tensor] = Find(tensor);
}

// The builder knows the way in, from where no loop has captured it yet: what one has is an Enter,
// which the builder takes for a tensor of the frame that it comes from.
Output DirectValues::Captured(const Node& enter) {
  OutputRef tensor = enter.inputs[0];
  while (IsEnter(forward_.graph().node(tensor.node))) {
    tensor = forward_.graph().node(tensor.node).inputs[0];
  }
  return Output(scope_.state(), tensor);
}

Output DirectValues::Find(OutputRef tensor) {
  BuildState& state = forward_.state();
  const Node& node = forward_.graph().node(tensor.node);
  if (IsEnter(node)) return Captured(node);
  const ContextId context = scope_.data().context;
  if (state.Encloses(state.context_of(tensor.node), context)) return Output(scope_.state(), tensor);
  // A tensor of a branch is of this frame, too, and only dead where the branch is not taken. The
  // builder keeps its users in the branch; the gradient is outside and heeds deadness by itself.
  NodeSpec spec;
  spec.name = scope_.OpName("Identity");
  spec.op = "Identity";
  spec.inputs = {tensor};
  spec.attrs = {{"T", state.type(tensor).dtype}};
  spec.device = node.device;
  spec.context = context;
  Result<NodeId> seen = state.AddNode(std::move(spec));
  if (!seen.ok()) scope_.Fail(seen.status());
  return Output(scope_.state(), OutputRef{seen.ok() ? *seen : NodeId::kNone, 0});
}

Output DirectValues::ShapeOf(OutputRef tensor) {
  const PartialShape& shape = forward_.GradientShape(tensor);
  if (shape.fully_known() && FitsConst(shape)) return ShapeConst(scope_, shape);
  if (forward_.IsHandle(tensor)) return Op(scope_, "VariableShape", {Value(tensor)});
  return Shape(scope_, Value(tensor));
}

}  // namespace tagflow::internal
