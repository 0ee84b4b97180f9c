#include "graph/validate_node.h"

#include <string>

namespace tagflow {
namespace {

std::string Title(const Node& node) { return "node '" + node.name + "' (op " + node.op + ")"; }

std::string Inputs(size_t count) {
  return std::to_string(count) + (count == 1 ? " input" : " inputs");
}

bool IsThere(const Graph& graph, NodeId id) {
  return Index(id) < graph.id_limit() && !graph.node(id).removed();
}

// A reference may be read as a value; a value is no reference.
bool Accepts(ArgType wanted, ArgType given) {
  return wanted.dtype == given.dtype && (given.is_ref || !wanted.is_ref);
}

// The type attr that says what input `i` is; "" where the op does, or a list.
std::string TypeAttrOf(const Node& node, size_t i) {
  size_t first = 0;
  for (const ArgDef& arg : node.def->inputs) {
    if (!arg.type_list_attr.empty()) return "";
    const Result<int64_t> count =
        arg.number_attr.empty() ? Result<int64_t>(1) : IntAttr(node, arg.number_attr);
    first += count.ok() ? static_cast<size_t>(*count) : 0;
    if (i < first) return arg.type_attr;
  }
  return "";
}

bool CanBeCast(DType dtype) {
  return dtype != DType::kResource && dtype != DType::kVariant && dtype != DType::kString;
}

// What to do about an input of another type, where the two types tell.
std::string TypeAdvice(const Node& node, size_t i, ArgType wanted, ArgType given) {
  const std::string who = "'" + node.name + "'";
  const std::string attr = TypeAttrOf(node, i);
  const std::string say_so = attr + " of " + who + " should be " + DTypeName(given.dtype);
  if (wanted.dtype == given.dtype) return ": connect a variable";
  if (wanted.dtype == DType::kResource) {
    return ": " + who + " still expects the handle of a variable, and gets a value, as where a " +
           "variable was made a constant: " +
           (attr.empty() ? "take the value in place of what " + who + " gives" : say_so);
  }
  if (given.dtype == DType::kResource) {
    return ": read the variable, by a ReadVariableOp, or" +
           (attr.empty() ? " take what was read" : ", to hand the handle on, " + say_so);
  }
  if (CanBeCast(wanted.dtype) && CanBeCast(given.dtype)) {
    return attr.empty() ? ": insert a Cast" : ": insert a Cast; or " + say_so;
  }
  return attr.empty() ? "" : ": " + say_so + ", if that is what it is to work on";
}

}  // namespace

const Signature* NodeChecker::SignatureOf(NodeId id) {
  const Signature*& signature = signatures_[Index(id)];
  if (!is_known_[Index(id)]) {
    const Result<const Signature*> resolved = cache_.Of(graph_.node(id));
    if (resolved.ok()) signature = *resolved;
    is_known_[Index(id)] = true;
  }
  return signature;
}

Status NodeChecker::Check(const Node& node, const FeedSet& fed) {
  const Signature* signature = SignatureOf(node.id);
  const FunctionDef* const function = graph_.library.Find(node.op);
  if (signature == nullptr && function != nullptr && !function->function.ok()) {
    const Status& why = function->function.status();
    return Status(why.code(), Title(node) + " calls a function that cannot be read: " +
                                  std::string(why.message()))
        .WithNode(node.name)
        .WithRule("functional.call");
  }
  if (signature == nullptr) {
    return ResolveSignature(node).status().WithNode(node.name).WithRule("graph.1");
  }
  const size_t wanted = signature->inputs.size();
  if (wanted != node.inputs.size()) {
    return InvalidArgument(Title(node) + " takes " + Inputs(wanted) + " and has " +
                           std::to_string(node.inputs.size()) +
                           ": add or remove inputs, or set the attr that says how many there are")
        .WithNode(node.name)
        .WithRule("graph.1");
  }
  for (size_t i = 0; i < wanted; ++i) {
    TAGFLOW_RETURN_IF_ERROR(CheckInput(node, i, signature->inputs[i], fed));
  }
  for (NodeId control : node.control_inputs) {
    if (IsThere(graph_, control)) continue;
    return InvalidArgument(Title(node) + " has a control input from a node that does not exist")
        .WithNode(node.name)
        .WithRule("graph.1");
  }
  return Status();
}

Status NodeChecker::CheckInput(const Node& node, size_t i, ArgType wanted, const FeedSet& fed) {
  const OutputRef input = node.inputs[i];
  const Signature* source =
      Index(input.node) < graph_.id_limit() ? SignatureOf(input.node) : nullptr;
  // A node with a signature is there: most sources, wherever they lie in memory, are not looked at.
  if (source == nullptr && !IsThere(graph_, input.node)) {
    return BadInput(node, i, " is a node that does not exist", "graph.1");
  }
  if (fed.Contains(input) && wanted.is_ref) {
    return BadInput(node, i,
                    " must be a reference to a variable, and a feed is a value: do not "
                    "feed it",
                    "feed.3");
  }
  if (source == nullptr) return Status();  // the source's own error, or a feed stands in for it
  const size_t outputs = source->outputs.size();
  if (input.index < 0 || static_cast<size_t>(input.index) >= outputs) {
    return BadInput(node, i,
                    " does not exist: " + Title(graph_.node(input.node)) + " has " +
                        std::to_string(outputs) + (outputs == 1 ? " output" : " outputs"),
                    "graph.1");
  }
  const ArgType given = source->outputs[static_cast<size_t>(input.index)];
  if (Accepts(wanted, given)) return Status();
  return BadInput(node, i,
                  " is " + ArgTypeName(given) + " where " + ArgTypeName(wanted) + " is expected" +
                      TypeAdvice(node, i, wanted, given),
                  "graph.1");
}

Status NodeChecker::BadInput(const Node& node, size_t i, const std::string& what,
                             std::string_view rule) const {
  const OutputRef input = node.inputs[i];
  std::string message = "input " + std::to_string(i);
  if (IsThere(graph_, input.node)) {
    message += " ('" + OutputName(graph_, input) + "')";
  }
  return InvalidArgument(message + " of " + Title(node) + what).WithNode(node.name).WithRule(rule);
}

}  // namespace tagflow
