// FindOutput: from the name a user wrote to an output of the graph.

#include "graph/graph.h"
#include "graph/near_names.h"

namespace tagflow {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Status NoSuchOutput(const Node& node, std::string_view tensor_name, size_t num_outputs) {
  std::string message = Quoted(tensor_name) + " does not exist: node " + Quoted(node.name) +
                        " (op " + node.op + ") has ";
  if (num_outputs == 0) {
    message += "no outputs; it can only be a target or a control input";
  } else if (num_outputs == 1) {
    message += "one output, " + Quoted(node.name + ":0");
  } else {
    message += std::to_string(num_outputs) + " outputs, " + Quoted(node.name + ":0") + " to " +
               Quoted(node.name + ":" + std::to_string(num_outputs - 1));
  }
  return InvalidArgument(std::move(message)).WithNode(node.name);
}

}  // namespace

Result<OutputRef> FindOutput(const Graph& graph, std::string_view tensor_name) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorName name, ParseTensorName(tensor_name));
  if (name.index == TensorName::kControl) {
    return InvalidArgument(Quoted(tensor_name) +
                           " is a control edge and has no value: to fetch or feed a tensor write " +
                           Quoted(name.node) + ", to run the node make it a target");
  }
  const NodeId id = graph.Find(name.node);
  if (id == NodeId::kNone) return NoSuchNode(graph, name.node);
  const Node& node = graph.node(id);
  // Of an op nobody defined, or with attrs that are wrong, any output may be meant: a feed of it is
  // fine, and a run of it gets the validator's error.
  if (const Result<Signature> signature = ResolveSignature(node); signature.ok()) {
    const size_t num_outputs = signature->outputs.size();
    if (static_cast<size_t>(name.index) >= num_outputs) {
      return NoSuchOutput(node, tensor_name, num_outputs);
    }
  }
  return OutputRef{id, name.index};
}

}  // namespace tagflow
