// The types of a node's inputs and outputs, computed from its op's definition and its attrs.

#include <algorithm>

#include "graph/graph.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

Status CheckAttrs(const Node& node) {
  for (const AttrDef& attr : node.def->attrs) {
    const AttrValue* value = FindAttr(node, attr.name);
    if (value == nullptr) {
      return InvalidArgument("node '" + node.name + "' (op " + node.op + ") lacks the attr '" +
                             attr.name + "', a " + AttrKindName(attr.kind));
    }
    const Status status = CheckAttr(attr, *value);
    if (!status.ok()) {
      return InvalidArgument("node '" + node.name + "' (op " + node.op + "): " + status.message());
    }
  }
  return Status();
}

// Appends the types of one declared argument. REQUIRES: CheckAttrs(node) passed.
Status AppendArg(const Node& node, const ArgDef& arg, std::vector<ArgType>* types) {
  if (!arg.type_list_attr.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, arg.type_list_attr));
    types->insert(types->end(), list.types.begin(), list.types.end());
    return Status();
  }
  ArgType type{arg.dtype, arg.is_ref};
  if (!arg.type_attr.empty()) type = *FindAttr(node, arg.type_attr)->Get<ArgType>();
  type.is_ref |= arg.is_ref;
  int64_t count = 1;
  if (!arg.number_attr.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(count, IntAttr(node, arg.number_attr));
    if (count < 0 || count > kMostArguments) {
      return InvalidArgument("node '" + node.name + "' (op " + node.op + ") asks for " +
                             std::to_string(count) + " '" + arg.name + "' by attr '" +
                             arg.number_attr + "': between 0 and " +
                             std::to_string(kMostArguments) + " can be");
    }
  }
  types->insert(types->end(), static_cast<size_t>(count), type);
  return Status();
}

}  // namespace

Result<Signature> ResolveSignature(const Node& node) {
  if (node.def == nullptr) {
    return Unimplemented("node '" + node.name + "' needs the op '" + node.op +
                         "', which is not defined here: leave the node out of what is fetched, or "
                         "register the op")
        .WithNode(node.name);
  }
  if (Status status = CheckAttrs(node); !status.ok()) return status.WithNode(node.name);
  Signature signature;
  for (const ArgDef& arg : node.def->inputs) {
    if (Status status = AppendArg(node, arg, &signature.inputs); !status.ok()) {
      return status.WithNode(node.name);
    }
  }
  for (const ArgDef& arg : node.def->outputs) {
    if (Status status = AppendArg(node, arg, &signature.outputs); !status.ok()) {
      return status.WithNode(node.name);
    }
  }
  return signature;
}

}  // namespace tagflow
