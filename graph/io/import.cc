#include "graph/io/import.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <utility>

#include "graph/io/attr_proto.h"
#include "graph/io/parse.h"
#include "graph/io/tensor_proto.h"
#include "graph/io/unknown_fields.h"

namespace tagflow {
namespace {

Status CheckVersions(const VersionDef& versions) {
  const std::string ours = "version " + std::to_string(kGraphDefVersion);
  if (versions.producer() < 0) {
    return InvalidArgument("the graph's producer version " + std::to_string(versions.producer()) +
                           " is negative");
  }
  if (versions.min_consumer() > kGraphDefVersion) {
    return InvalidArgument("the graph asks for a consumer of version " +
                           std::to_string(versions.min_consumer()) + " or later; this is " + ours);
  }
  const auto& bad = versions.bad_consumers();
  if (std::find(bad.begin(), bad.end(), kGraphDefVersion) != bad.end()) {
    return InvalidArgument("the graph lists " + ours + " among those that must not read it");
  }
  return Status();
}

Versions VersionsFromProto(const VersionDef& proto) {
  return {proto.producer(),
          proto.min_consumer(),
          {proto.bad_consumers().begin(), proto.bad_consumers().end()}};
}

FunctionLibrary LibraryFromProto(const FunctionDefLibrary& proto) {
  FunctionLibrary library;
  for (const FunctionDefProto& function : proto.function()) {
    library.functions.push_back({function.signature().name(), SerializeDeterministic(function)});
  }
  FunctionDefLibrary rest = proto;
  rest.clear_function();
  library.unknown_fields = SerializeDeterministic(rest);
  return library;
}

// All of the graph but nodes, functions and the versions we know, as bytes.
std::string RestOfGraph(const GraphDef& def) {
  GraphDef rest;
  if (def.version() != 0) rest.set_version(def.version());
  if (def.has_debug_info()) *rest.mutable_debug_info() = def.debug_info();
  const auto& of_versions = UnknownFields(def.versions());
  if (!of_versions.empty()) AddUnknownFields(of_versions, *rest.mutable_versions());
  AddUnknownFields(UnknownFields(def), rest);
  return SerializeDeterministic(rest);
}

std::string RestOfNode(const NodeDef& def) {
  if (!def.has_experimental_debug_info() && !def.has_experimental_type() &&
      UnknownFields(def).empty()) {
    return std::string();
  }
  NodeDef rest;
  if (def.has_experimental_debug_info()) {
    *rest.mutable_experimental_debug_info() = def.experimental_debug_info();
  }
  if (def.has_experimental_type()) *rest.mutable_experimental_type() = def.experimental_type();
  AddUnknownFields(UnknownFields(def), rest);
  return SerializeDeterministic(rest);
}

std::string Describe(const NodeDef& def) {
  return "node '" + def.name() + "' (op " + def.op() + ")";
}

Status AddAttrs(const NodeDef& def, TensorBudget& budget, Node& node) {
  node.attrs.reserve(static_cast<size_t>(def.attr_size()));
  for (const auto& [name, value] : def.attr()) {
    const bool is_read = node.def != nullptr && node.def->FindAttr(name) != nullptr;
    Result<AttrValue> attr = AttrFromProto(value, is_read, budget);
    if (!attr.ok()) {
      const Status why = attr.status();
      return Status(why.code(), Describe(def) + ", attr '" + name + "': " + why.message())
          .WithNode(def.name());
    }
    node.attrs.emplace_back(name, *std::move(attr));
  }
  std::sort(node.attrs.begin(), node.attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return Status();
}

Status AddNode(const NodeDef& def, TensorBudget& budget, Graph& graph) {
  Result<NodeId> id = graph.AddNode(def.name(), def.op());
  if (!id.ok()) return id.status().WithNode(def.name());
  if (def.op().empty()) {
    return InvalidArgument("node '" + def.name() + "' has no op").WithNode(def.name());
  }
  Node& node = graph.mutable_node(*id);
  node.device = def.device();
  node.unknown_fields = RestOfNode(def);
  return AddAttrs(def, budget, node);
}

Status BadInput(const NodeDef& def, int i, const std::string& why) {
  return InvalidArgument(Describe(def) + ", input " + std::to_string(i) + " '" + def.input(i) +
                         "': " + why)
      .WithNode(def.name());
}

Status AddInputs(const NodeDef& def, Graph& graph, Node& node) {
  node.inputs.reserve(static_cast<size_t>(def.input_size()));
  for (int i = 0; i < def.input_size(); ++i) {
    Result<TensorName> parsed = ParseTensorName(def.input(i));
    if (!parsed.ok()) return BadInput(def, i, parsed.status().message());
    const NodeId from = graph.Find(parsed->node);
    if (from == NodeId::kNone) {
      return BadInput(def, i, "the graph has no node named '" + std::string(parsed->node) + "'");
    }
    if (parsed->index == TensorName::kControl) {
      node.control_inputs.push_back(from);
    } else if (node.control_inputs.empty()) {
      node.inputs.push_back({from, parsed->index});
    } else {
      return BadInput(def, i, "data inputs must come before control inputs");
    }
  }
  return Status();
}

}  // namespace

Result<Graph> ImportGraph(const GraphDef& def, const ImportOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(CheckVersions(def.versions()));
  TensorBudget budget =
      options.tensor_bytes_max > 0 ? TensorBudget(options.tensor_bytes_max) : TensorBudget();
  Graph graph(options.registry != nullptr ? *options.registry : OpRegistry::Standard());
  graph.Reserve(static_cast<size_t>(def.node_size()));
  for (const NodeDef& node : def.node()) TAGFLOW_RETURN_IF_ERROR(AddNode(node, budget, graph));
  // A fresh graph numbers its nodes in the order in which they were added.
  for (int i = 0; i < def.node_size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(AddInputs(def.node(i), graph, graph.mutable_node(NodeId{i})));
  }
  graph.versions = VersionsFromProto(def.versions());
  graph.library = LibraryFromProto(def.library());
  graph.unknown_fields = RestOfGraph(def);
  return graph;
}

Result<Graph> ImportGraphFromBytes(std::string_view bytes, const ImportOptions& options,
                                   std::string_view what) {
  google::protobuf::ArenaOptions arena_options;
  // Blocks large enough that a graph of any size needs few of them.
  arena_options.start_block_size =
      std::max<size_t>(1 << 12, std::min(bytes.size(), size_t{1} << 20));
  arena_options.max_block_size = size_t{1} << 20;
  google::protobuf::Arena arena(arena_options);
  auto* def = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
  TAGFLOW_RETURN_IF_ERROR(ParseMessage(bytes, what, *def));
  return ImportGraph(*def, options);
}

Result<Graph> ReadGraphFile(const std::string& path, const ImportOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  if (bytes.empty()) return Status(Code::kDataLoss, path + ": the file is empty");
  Result<Graph> graph = ImportGraphFromBytes(bytes, options, path);
  if (graph.ok() || graph.status().message().starts_with(path)) return graph;
  const Status why = graph.status();
  return Status(why.code(), path + ": " + why.message()).WithNode(why.node());
}

}  // namespace tagflow
