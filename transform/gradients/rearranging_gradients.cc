// Gradients of the ops that turn a tensor around or cut it into blocks: each is undone by the same
// op or by its counterpart.

#include <string>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// The op `op` with the further inputs and the attrs `attrs` of the node, applied to its gradient.
Status Undone(NodeGradient& node, const char* op, std::initializer_list<const char*> names) {
  AttrMap attrs;
  for (const char* name : names) {
    const AttrValue* attr = FindAttr(node.node(), name);
    TAGFLOW_CHECK(attr != nullptr);
    attrs.emplace_back(name, *attr);
  }
  std::vector<Input> inputs = {node.grad(0)};
  for (size_t slot = 1; slot < node.num_inputs(); ++slot) inputs.push_back(node.input(slot));
  const Output undone = Op(node.scope(), op, std::move(inputs), std::move(attrs));
  node.scope().SetShape(undone, node.input_shape(0));
  node.Give(0, undone);
  return Status();
}

// An op that is undone by `by`, with the same attrs.
struct Counterpart {
  const char* op;
  const char* by;
  std::initializer_list<const char*> attrs;
};

//   input, shift, axis
Status RollGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  node.Give(0, Op(scope, "Roll", {node.grad(0), Neg(scope, node.input(1)), node.input(2)}));
  return Status();
}

}  // namespace

Status RegisterRearrangingGradients(GradientRegistry& registry) {
  static const Counterpart kCounterparts[] = {
      {"Reverse", "Reverse", {}},
      {"ReverseV2", "ReverseV2", {}},
      {"ReverseSequence", "ReverseSequence", {"seq_dim", "batch_dim"}},
      {"SpaceToBatchND", "BatchToSpaceND", {}},
      {"BatchToSpaceND", "SpaceToBatchND", {}},
      {"SpaceToBatch", "BatchToSpace", {"block_size"}},
      {"BatchToSpace", "SpaceToBatch", {"block_size"}},
      {"SpaceToDepth", "DepthToSpace", {"block_size", "data_format"}},
      {"DepthToSpace", "SpaceToDepth", {"block_size", "data_format"}},
  };
  for (const Counterpart& pair : kCounterparts) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(
        pair.op, [&pair](NodeGradient& node) { return Undone(node, pair.by, pair.attrs); }));
  }
  return registry.Register("Roll", RollGradient);
}

}  // namespace tagflow
