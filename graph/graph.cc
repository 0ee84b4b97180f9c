#include "graph/graph.h"

#include <algorithm>
#include <charconv>

namespace tagflow {
namespace {

auto LowerBound(auto& attrs, std::string_view name) {
  return std::lower_bound(attrs.begin(), attrs.end(), name,
                          [](const auto& attr, std::string_view key) { return attr.first < key; });
}

// TensorFlow's rule for node names: a letter, digit or '.', then also '_', '-', '/', '\\' and '>'.
bool IsNodeName(std::string_view name) {
  auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  auto is_inner = [&](char c) {
    return is_word(c) || c == '_' || c == '-' || c == '/' || c == '\\' || c == '>';
  };
  if (name.empty()) return false;
  // A leading '_' is how the runtime's own passes name nodes; graphs that hold them must load.
  return (is_word(name[0]) || name[0] == '_') && std::all_of(name.begin(), name.end(), is_inner);
}

}  // namespace

Result<NodeId> Graph::AddNode(std::string name, std::string_view op) {
  if (!IsNodeName(name)) {
    return InvalidArgument("'" + name +
                           "' is not a node name: use letters, digits and . _ - / \\ >");
  }
  Node* node = nodes_.Add(std::move(name));
  // A name that is taken has not been moved from.
  if (node == nullptr) {
    return AlreadyExists("two nodes are named '" + name + "': node names must differ");
  }
  node->op = op;
  node->def = registry_->Find(op);
  if (node->def == nullptr) node->def = library.FindOp(op);
  return node->id;
}

void Graph::RemoveNode(NodeId id) { nodes_.Remove(id); }

std::vector<NodeId> Graph::NodeIds() const {
  std::vector<NodeId> ids;
  ids.reserve(num_nodes());
  for (size_t i = 0; i < id_limit(); ++i) {
    const NodeId id{static_cast<int32_t>(i)};
    if (!node(id).removed()) ids.push_back(id);
  }
  return ids;
}

void Graph::SetAttr(NodeId id, std::string_view name, AttrValue value) {
  AttrMap& attrs = nodes_[id].attrs;
  auto place = LowerBound(attrs, name);
  if (place != attrs.end() && place->first == name) {
    place->second = std::move(value);
  } else {
    attrs.emplace(place, std::string(name), std::move(value));
  }
}

std::string Graph::UniqueName(std::string_view prefix) {
  std::string name(prefix);
  if (Find(name) == NodeId::kNone) return name;
  int& suffix = next_suffix_[name];
  do {
    name = std::string(prefix) + "_" + std::to_string(++suffix);
  } while (Find(name) != NodeId::kNone);
  return name;
}

const AttrValue* FindAttr(const Node& node, std::string_view name) {
  auto place = LowerBound(node.attrs, name);
  if (place != node.attrs.end() && place->first == name) return &place->second;
  if (node.def == nullptr) return nullptr;
  const AttrDef* attr = node.def->FindAttr(name);
  return attr != nullptr && attr->default_value.has_value() ? &*attr->default_value : nullptr;
}

namespace {

Status BadAttr(const Node& node, std::string_view name, std::string_view kind) {
  const AttrValue* attr = FindAttr(node, name);
  const std::string what = "node '" + node.name + "' (op " + node.op + ") ";
  if (attr == nullptr)
    return InvalidArgument(what + "lacks the attr '" + std::string(name) + "'").WithNode(node.name);
  return InvalidArgument(what + "has attr '" + std::string(name) + "' = " + attr->ToString() +
                         ", which is not " + std::string(kind))
      .WithNode(node.name);
}

template <typename T>
Result<T> AttrOf(const Node& node, std::string_view name, std::string_view kind) {
  const AttrValue* attr = FindAttr(node, name);
  if (attr != nullptr && attr->Get<T>() != nullptr) return *attr->Get<T>();
  return BadAttr(node, name, kind);
}

}  // namespace

Result<int64_t> IntAttr(const Node& node, std::string_view name) {
  return AttrOf<int64_t>(node, name, "an int");
}
Result<float> FloatAttr(const Node& node, std::string_view name) {
  return AttrOf<float>(node, name, "a float");
}
Result<bool> BoolAttr(const Node& node, std::string_view name) {
  return AttrOf<bool>(node, name, "a bool");
}
Result<std::string> StringAttr(const Node& node, std::string_view name) {
  return AttrOf<std::string>(node, name, "a string");
}
Result<PartialShape> ShapeAttr(const Node& node, std::string_view name) {
  return AttrOf<PartialShape>(node, name, "a shape");
}
Result<Tensor> TensorAttr(const Node& node, std::string_view name) {
  return AttrOf<Tensor>(node, name, "a tensor");
}

Result<DType> TypeAttr(const Node& node, std::string_view name) {
  TAGFLOW_ASSIGN_OR_RETURN(const ArgType type, AttrOf<ArgType>(node, name, "a type"));
  return type.dtype;
}

Result<AttrList> ListAttr(const Node& node, std::string_view name) {
  const AttrValue* attr = FindAttr(node, name);
  if (attr != nullptr && attr->list() != nullptr) return *attr->list();
  // An empty list goes over the wire as a value with nothing set.
  if (attr != nullptr && attr->Get<std::monostate>() != nullptr) return AttrList();
  return BadAttr(node, name, "a list");
}

Result<TensorName> ParseTensorName(std::string_view name) {
  TensorName parsed;
  if (name.starts_with('^')) {
    parsed.node = name.substr(1);
    parsed.index = TensorName::kControl;
  } else if (const size_t colon = name.rfind(':'); colon == std::string_view::npos) {
    parsed.node = name;
  } else {
    parsed.node = name.substr(0, colon);
    const std::string_view digits = name.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), parsed.index);
    if (error != std::errc() || end != digits.data() + digits.size() || parsed.index < 0) {
      return InvalidArgument("'" + std::string(name) +
                             "' is not a tensor name: write node or node:index");
    }
  }
  if (parsed.node.empty()) {
    return InvalidArgument("'" + std::string(name) +
                           "' is not a tensor name: the node's name is empty");
  }
  return parsed;
}

std::string OutputName(const Graph& graph, OutputRef output) {
  const std::string& name = graph.node(output.node).name;
  return output.index == 0 ? name : name + ":" + std::to_string(output.index);
}

}  // namespace tagflow
