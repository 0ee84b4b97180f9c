#include "graph/io/export.h"

#include "graph/io/attr_proto.h"
#include "graph/io/function_proto.h"
#include "graph/io/parse.h"
#include "graph/io/protobuf_call.h"
#include "graph/out_of_memory.h"

namespace tagflow {
namespace {

// Adds what `bytes` hold to the message, as parsing both one after the other would.
template <typename Message>
Status Merge(const std::string& bytes, std::string_view what, Message& message) {
  if (bytes.empty()) return Status();
  Message parsed;
  TAGFLOW_RETURN_IF_ERROR(ParseBinary(bytes, what, parsed));
  message.MergeFrom(parsed);
  return Status();
}

Status ExportNode(const Graph& graph, const Node& node, TensorForm form, NodeDef& def) {
  def.set_name(node.name);
  def.set_op(node.op);
  def.set_device(node.device);
  for (OutputRef input : node.inputs) def.add_input(OutputName(graph, input));
  for (NodeId control : node.control_inputs) def.add_input("^" + graph.node(control).name);
  TAGFLOW_RETURN_IF_ERROR(AttrsToProto(node.attrs, form, *def.mutable_attr()));
  return Merge(node.unknown_fields, "unknown fields", def);
}

// As it came, or what was made.
Status ExportFunction(const FunctionDef& function, TensorForm form, FunctionDefProto& proto) {
  if (function.bytes.empty() && function.function.ok() && *function.function != nullptr) {
    return FunctionToProto(**function.function, form, proto);
  }
  return ParseBinary(function.bytes, "the function '" + function.name + "'", proto);
}

Status ExportLibrary(const FunctionLibrary& library, TensorForm form, GraphDef& def) {
  const auto& gradients = library.gradients();
  if (library.empty() && gradients.empty() && library.unknown_fields.empty()) return Status();
  FunctionDefLibrary& proto = *def.mutable_library();
  for (const FunctionDef& function : library.all()) {
    TAGFLOW_RETURN_IF_ERROR(ExportFunction(function, form, *proto.add_function()));
  }
  for (const auto& [function, gradient] : gradients) {
    GradientDef& entry = *proto.add_gradient();
    entry.set_function_name(function);
    entry.set_gradient_func(gradient);
  }
  return Merge(library.unknown_fields, "unknown fields of the function library", proto);
}

void ExportVersions(const Versions& versions, GraphDef& def) {
  if (versions.producer == 0 && versions.min_consumer == 0 && versions.bad_consumers.empty()) {
    return;
  }
  VersionDef& proto = *def.mutable_versions();
  proto.set_producer(versions.producer);
  proto.set_min_consumer(versions.min_consumer);
  for (int32_t bad : versions.bad_consumers) proto.add_bad_consumers(bad);
}

Result<GraphDef> ToMessage(const Graph& graph, TensorForm form) {
  const ProtobufCall call;
  GraphDef def;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const Status status = ExportNode(graph, node, form, *def.add_node());
    if (!status.ok()) {
      return Status(status.code(), "node '" + node.name + "', " + status.message())
          .WithNode(node.name);
    }
  }
  ExportVersions(graph.versions, def);
  TAGFLOW_RETURN_IF_ERROR(ExportLibrary(graph.library, form, def));
  TAGFLOW_RETURN_IF_ERROR(Merge(graph.unknown_fields, "unknown fields of the graph", def));
  return def;
}

}  // namespace

Result<GraphDef> ExportGraph(const Graph& graph, TensorForm form) {
  return OrOutOfMemory([&] { return ToMessage(graph, form); });
}

Result<std::string> ExportGraphToBytes(const Graph& graph) {
  return OrOutOfMemory([&]() -> Result<std::string> {
    TAGFLOW_ASSIGN_OR_RETURN(const GraphDef def, ToMessage(graph, TensorForm::kCompact));
    return SerializeDeterministic(def);
  });
}

Result<std::string> ExportGraphToText(const Graph& graph) {
  return OrOutOfMemory([&]() -> Result<std::string> {
    TAGFLOW_ASSIGN_OR_RETURN(const GraphDef def, ToMessage(graph, TensorForm::kReadable));
    return ToText(def);
  });
}

}  // namespace tagflow
