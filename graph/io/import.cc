#include "graph/io/import.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "graph/io/attr_proto.h"
#include "graph/io/file_kind.h"
#include "graph/io/function_proto.h"
#include "graph/io/input_names.h"
#include "graph/io/parse.h"
#include "graph/io/protobuf_call.h"
#include "graph/io/tensor_proto.h"
#include "graph/io/unknown_fields.h"
#include "graph/io/unpack.h"
#include "graph/io/wire_node.h"
#include "graph/limits.h"
#include "graph/out_of_memory.h"

namespace tagflow {
namespace {

bool Parses(std::string_view bytes, google::protobuf::MessageLite& message) {
  const ProtobufCall call;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

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

// A function that cannot be read harms only where it is called.
FunctionLibrary LibraryFromProto(const FunctionDefLibrary& proto, const OpRegistry& registry,
                                 TensorBudget& budget) {
  FunctionLibrary library;
  for (const FunctionDefProto& function : proto.function()) {
    FunctionDef def = {function.signature().name(), SerializeDeterministic(function)};
    Result<Function> read = FunctionFromProto(function, registry, budget);
    if (read.ok()) {
      def.function = std::make_shared<const Function>(*std::move(read));
    } else {
      def.function = read.status();
    }
    library.Add(std::move(def));
  }
  for (const GradientDef& gradient : proto.gradient()) {
    library.SetGradient(gradient.function_name(), gradient.gradient_func());
  }
  FunctionDefLibrary rest;
  *rest.mutable_registered_gradients() = proto.registered_gradients();
  AddUnknownFields(UnknownFields(proto), rest);
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

// Two sources of nodes, NodeDef and WireNode, through the same functions below.

std::string Describe(std::string_view name, std::string_view op) {
  return "node '" + std::string(name) + "' (op " + std::string(op) + ")";
}

// Up to this version of the format a Placeholder could not be a scalar: [] says nothing, for an
// unknown shape was written so (TensorFlow's array_ops.cc). A graph that names no producer was
// written by hand or by a program of ours, and means it.                            Spec: [feed.3]
bool IsFromBeforeScalarPlaceholders(const Versions& versions) {
  return versions.producer > 0 && versions.producer <= 21;
}

// Placeholders that say [] get the shape they mean, an unknown one.
void ForgetScalarShapes(Graph& graph) {
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op != "Placeholder") continue;
    const AttrValue* const attr = FindAttr(node, "shape");
    const PartialShape* const shape = attr != nullptr ? attr->Get<PartialShape>() : nullptr;
    const bool is_scalar = shape != nullptr && shape->known_rank() && shape->rank() == 0;
    if (is_scalar) graph.SetAttr(id, "shape", PartialShape());
  }
}

bool ByName(const std::pair<std::string, AttrValue>& a,
            const std::pair<std::string, AttrValue>& b) {
  return a.first < b.first;
}

// Blocks large enough that messages of any size need few of them. Powers of two: the arena keeps
// pointers at a block's end, which it takes to be aligned.
google::protobuf::ArenaOptions ArenaFor(size_t bytes) {
  google::protobuf::ArenaOptions options;
  options.start_block_size = std::bit_ceil(std::clamp(bytes, size_t{1} << 12, size_t{1} << 20));
  options.max_block_size = size_t{1} << 20;
  return options;
}

class Importer {
 public:
  explicit Importer(const ImportOptions& options)
      : budget_(options.tensor_bytes_max > 0 ? TensorBudget(options.tensor_bytes_max)
                                             : TensorBudget()),
        graph_(options.registry != nullptr ? *options.registry : OpRegistry::Standard()) {}

  Result<Graph> FromMessage(const GraphDef& def) {
    TAGFLOW_RETURN_IF_ERROR(CheckVersions(def.versions()));
    TakeLibrary(def);
    graph_.Reserve(static_cast<size_t>(def.node_size()));
    for (const NodeDef& node : def.node()) {
      TAGFLOW_RETURN_IF_ERROR(AddMessage(node));
      inputs_.names.insert(inputs_.names.end(), node.input().begin(), node.input().end());
      inputs_.ends.push_back(inputs_.names.size());
    }
    return Finish(def);
  }

  // The same from bytes taken apart; `strange` turns true (and the result means nothing) for what
  // only the protobuf parser reads.
  Result<Graph> FromWire(const WireGraph& wire, bool& strange) {
    google::protobuf::Arena arena(ArenaFor(wire.rest.size()));
    GraphDef& rest = *google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
    WireNode node;
    strange = !Parses(wire.rest, rest);
    if (strange) return Graph();
    TAGFLOW_RETURN_IF_ERROR(CheckVersions(rest.versions()));
    TakeLibrary(rest);
    graph_.Reserve(wire.nodes.size());
    inputs_.names.reserve(2 * wire.nodes.size());
    inputs_.ends.reserve(wire.nodes.size());
    for (std::string_view bytes : wire.nodes) {
      strange = !ReadNode(bytes, node);
      if (strange) return Graph();
      TAGFLOW_RETURN_IF_ERROR(AddWire(node, strange));
      if (strange) return Graph();
      inputs_.names.insert(inputs_.names.end(), node.inputs.begin(), node.inputs.end());
      inputs_.ends.push_back(inputs_.names.size());
    }
    return Finish(rest);
  }

 private:
  void TakeLibrary(const GraphDef& def) {
    graph_.library = LibraryFromProto(def.library(), graph_.registry(), budget_);
  }

  Result<Node*> Add(std::string_view name, std::string_view op, std::string_view device) {
    Result<NodeId> id = graph_.AddNode(std::string(name), op);
    // INVALID_ARGUMENT for a name given twice too: the graph is wrong, nothing was there before.
    if (!id.ok()) return InvalidArgument(id.status().message()).WithNode(name);
    if (op.empty()) {
      return InvalidArgument("node '" + std::string(name) + "' has no op").WithNode(name);
    }
    Node& node = graph_.mutable_node(*id);
    node.device = device;
    return &node;
  }

  Status AddMessage(const NodeDef& def) {
    TAGFLOW_ASSIGN_OR_RETURN(Node * node, Add(def.name(), def.op(), def.device()));
    node->unknown_fields = RestOfNode(def);
    node->attrs.reserve(static_cast<size_t>(def.attr_size()));
    for (const auto& [name, value] : def.attr()) {
      TAGFLOW_RETURN_IF_ERROR(AddAttr(name, value, *node));
    }
    std::sort(node->attrs.begin(), node->attrs.end(), ByName);
    return Status();
  }

  Status AddWire(const WireNode& wire, bool& strange) {
    TAGFLOW_ASSIGN_OR_RETURN(Node * node, Add(wire.name, wire.op, wire.device));
    node->attrs.reserve(wire.attrs.size());
    AttrValue simple;
    for (const auto& [name, bytes] : wire.attrs) {
      if (ReadSimpleAttr(bytes, simple)) {
        node->attrs.emplace_back(name, std::move(simple));
        continue;
      }
      strange = !Parses(bytes, scratch_);
      if (strange) return Status();
      TAGFLOW_RETURN_IF_ERROR(AddAttr(std::string(name), scratch_, *node));
    }
    if (node->attrs.size() < 2) return Status();
    std::sort(node->attrs.begin(), node->attrs.end(), ByName);
    strange = std::adjacent_find(node->attrs.begin(), node->attrs.end(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; }) !=
              node->attrs.end();
    return Status();
  }

  Status AddAttr(const std::string& name, const AttrValueProto& value, Node& node) {
    const bool is_read = node.def != nullptr && node.def->FindAttr(name) != nullptr;
    Result<AttrValue> attr = AttrFromProto(value, is_read, budget_);
    if (!attr.ok()) {
      const Status why = attr.status();
      return Status(why.code(),
                    Describe(node.name, node.op) + ", attr '" + name + "': " + why.message())
          .WithNode(node.name);
    }
    node.attrs.emplace_back(name, *std::move(attr));
    return Status();
  }

  // Connects the nodes and takes the rest of the graph. A fresh graph has numbered its nodes in the
  // order in which they were added.
  Result<Graph> Finish(const GraphDef& def) {
    TAGFLOW_RETURN_IF_ERROR(ConnectInputs(inputs_, graph_));
    graph_.versions = VersionsFromProto(def.versions());
    if (IsFromBeforeScalarPlaceholders(graph_.versions)) ForgetScalarShapes(graph_);
    graph_.unknown_fields = RestOfGraph(def);
    return std::move(graph_);
  }

  TensorBudget budget_;
  Graph graph_;
  InputNames inputs_;
  AttrValueProto scratch_;
};

// All of the message is made here, and read by the importer, which allocates nothing in it.
Status ParseWhole(std::string_view bytes, std::string_view what, google::protobuf::Arena& arena,
                  const GraphDef*& parsed) {
  const ProtobufCall call;
  auto* def = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
  parsed = def;
  return ParseMessage(bytes, what, *def);
}

Result<Graph> ImportByParser(std::string_view bytes, const ImportOptions& options,
                             std::string_view what) {
  google::protobuf::Arena arena(ArenaFor(bytes.size()));
  const GraphDef* def = nullptr;
  TAGFLOW_RETURN_IF_ERROR(ParseWhole(bytes, what, arena, def));
  return ImportGraph(*def, options);
}

// The file's bytes; what they hold, if that is compressed by gzip.
Result<std::string> ReadUnpacked(const std::string& path) {
  std::error_code none;
  if (std::filesystem::exists(path + "/saved_model.pb", none)) {
    return InvalidArgument(path + ": " + NotAGraph(SavedModelFolder()).message());
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (bytes.empty()) return Status(Code::kDataLoss, path + ": the file is empty");
  if (!IsGzip(bytes)) return bytes;
  Result<std::string> unpacked = Gunzip(bytes);
  if (unpacked.ok() && !unpacked->empty()) return unpacked;
  if (unpacked.ok()) return Status(Code::kDataLoss, path + ": the gzip file holds nothing");
  return Status(unpacked.status().code(), path + ": a gzip file: " + unpacked.status().message());
}

}  // namespace

Result<Graph> ImportGraph(const GraphDef& def, const ImportOptions& options) {
  return OrOutOfMemory([&] { return Importer(options).FromMessage(def); });
}

Result<Graph> ImportGraphFromBytes(std::string_view bytes, const ImportOptions& options,
                                   std::string_view what) {
  return OrOutOfMemory([&]() -> Result<Graph> {
    if (const auto kind = OtherKindOf(bytes)) {
      const Status status = NotAGraph(*kind);
      return Status(status.code(), std::string(what) + ": " + status.message());
    }
    WireGraph wire;
    if (!LooksLikeText(bytes) && bytes.size() <= kMostMessageBytes && SplitGraph(bytes, wire)) {
      google::protobuf::LogSilencer quiet;
      bool strange = false;
      Result<Graph> graph = Importer(options).FromWire(wire, strange);
      if (!strange) return graph;
    }
    return ImportByParser(bytes, options, what);
  });
}

Result<Graph> ReadGraphFile(const std::string& path, const ImportOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadUnpacked(path));
  Result<Graph> graph = ImportGraphFromBytes(bytes, options, path);
  if (graph.ok() || graph.status().message().starts_with(path)) return graph;
  const Status why = graph.status();
  return Status(why.code(), path + ": " + why.message()).WithNode(why.node());
}

}  // namespace tagflow
