#include "transform/structure/body.h"

#include <algorithm>
#include <utility>

#include "transform/structure/value_types.h"

namespace tagflow::recovery {
namespace {

// How many outputs an argument of a node's op is.
size_t CountOf(const Node& node, const ArgDef& arg) {
  if (!arg.number_attr.empty()) {
    const Result<int64_t> number = IntAttr(node, arg.number_attr);
    return number.ok() ? static_cast<size_t>(*number) : 0;
  }
  if (arg.type_list_attr.empty()) return 1;
  const Result<AttrList> list = ListAttr(node, arg.type_list_attr);
  return list.ok() ? list->types.size() : 0;
}

// "node:output:1".
std::string InputText(const Node& node, int32_t index) {
  if (node.def == nullptr) return node.name + ":" + std::to_string(index);
  auto left = static_cast<size_t>(index);
  for (const ArgDef& output : node.def->outputs) {
    const size_t count = CountOf(node, output);
    if (left < count) return node.name + ":" + output.name + ":" + std::to_string(left);
    left -= count;
  }
  return node.name + ":" + std::to_string(index);  // cannot be: the node has no such output
}

// From one body to one function.
class Writer {
 public:
  Writer(const Body& body, const std::string& name) : body_(body), graph_(body.graph) {
    function_.op.name = name;
  }

  Function Run(bool& is_stateful) {
    FindNeeded();
    for (size_t i = 0; i < body_.args.size(); ++i) AddArg(i);
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      if (!is_needed_[Index(id)] || IsArg(id)) continue;
      is_stateful |= node.def == nullptr || node.def->is_stateful;
      AddNode(node);
    }
    is_stateful |= !function_.control_returns.empty();
    for (const OutputRef output : body_.returns) AddReturn(output);
    return std::move(function_);
  }

 private:
  bool IsArg(NodeId id) const { return !arg_name_[Index(id)].empty(); }

  // What results need, and what is taken by nobody.
  void FindNeeded() {
    arg_name_.resize(graph_.id_limit());
    for (size_t i = 0; i < body_.args.size(); ++i) {
      arg_name_[Index(body_.args[i])] = "arg" + std::to_string(i);
    }
    std::vector<bool> is_taken(graph_.id_limit());
    for (const NodeId id : graph_.NodeIds()) {
      for (const OutputRef input : graph_.node(id).inputs) is_taken[Index(input.node)] = true;
      for (const NodeId input : graph_.node(id).control_inputs) is_taken[Index(input)] = true;
    }
    std::vector<NodeId> open;
    for (const OutputRef output : body_.returns) {
      is_taken[Index(output.node)] = true;
      open.push_back(output.node);
    }
    for (const NodeId id : graph_.NodeIds()) {
      if (is_taken[Index(id)] || IsArg(id) || body_.spare.contains(id)) continue;
      function_.control_returns.push_back(graph_.node(id).name);
      open.push_back(id);
    }
    is_needed_.resize(graph_.id_limit());
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (is_needed_[Index(id)]) continue;
      is_needed_[Index(id)] = true;
      for (const OutputRef input : graph_.node(id).inputs) open.push_back(input.node);
      for (const NodeId input : graph_.node(id).control_inputs) open.push_back(input);
    }
  }

  std::string Text(OutputRef output) const {
    if (IsArg(output.node)) return arg_name_[Index(output.node)];
    return InputText(graph_.node(output.node), output.index);
  }

  void AddArg(size_t i) {
    ArgDef arg;
    arg.name = arg_name_[Index(body_.args[i])];
    arg.dtype = *TypeAttr(graph_.node(body_.args[i]), "dtype");
    function_.op.inputs.push_back(std::move(arg));
  }
  void AddReturn(OutputRef output) {
    ArgDef result;
    result.name = "result" + std::to_string(function_.op.outputs.size());
    const std::optional<ArgType> type = TypeOf(graph_, output);
    result.dtype = type ? type->dtype : DType::kInvalid;
    function_.op.outputs.push_back(std::move(result));
    function_.returns.push_back(Text(output));
  }
  void AddNode(const Node& node) {
    FunctionNode made = {node.name, node.op, node.device, {}, node.attrs};
    for (const OutputRef input : node.inputs) made.inputs.push_back(Text(input));
    for (const NodeId input : node.control_inputs) {
      if (!IsArg(input)) made.inputs.push_back("^" + graph_.node(input).name);
    }
    KeepPlace(made);
    function_.nodes.push_back(std::move(made));
  }

  // A variable is the same one by whatever name its node goes, and a node is colocated with those
  // that are in the function.                                       Spec: [resource.1]
  void KeepPlace(FunctionNode& node) const {
    constexpr std::string_view kLocation = "loc:@";
    const OpDef* const def = graph_.registry().Find(node.op);
    const bool has_name = def != nullptr && def->FindAttr("shared_name") != nullptr;
    auto shared = std::ranges::find(node.attrs, "shared_name", &AttrMap::value_type::first);
    if (has_name && shared == node.attrs.end()) {
      node.attrs.emplace_back("shared_name", AttrValue(node.name));
      std::ranges::sort(node.attrs, {}, &AttrMap::value_type::first);
    } else if (has_name) {
      const auto* const text = shared->second.Get<std::string>();
      if (text == nullptr || text->empty()) shared->second = AttrValue(node.name);
    }
    const auto classes = std::ranges::find(node.attrs, "_class", &AttrMap::value_type::first);
    if (classes == node.attrs.end() || classes->second.list() == nullptr) return;
    AttrList list = *classes->second.list();
    std::erase_if(list.strings, [&](const std::string& word) {
      if (!word.starts_with(kLocation)) return false;
      const std::string other = word.substr(kLocation.size());
      if (graph_.Find(other) != NodeId::kNone) return false;
      const NodeId outside = body_.original.Find(other);
      if (outside != NodeId::kNone && node.device.empty()) {
        node.device = body_.original.node(outside).device;
      }
      return true;
    });
    classes->second = AttrValue(std::move(list));
  }

  const Body& body_;
  const Graph& graph_;
  Function function_;
  std::vector<std::string> arg_name_;  // by node id: of a Placeholder of an argument, else ""
  std::vector<bool> is_needed_;
};

// If and Case, of any kind.
bool IsChoice(const Node& node) {
  return FindAttr(node, "then_branch") != nullptr || FindAttr(node, "branches") != nullptr;
}
bool RunsFunctions(const Graph& graph, const Node& node) {
  const auto is_function = [](const AttrMap::value_type& attr) {
    return attr.second.function() != nullptr;
  };
  return IsChoice(node) || std::ranges::any_of(node.attrs, is_function) ||
         graph.library.Find(node.op) != nullptr;
}

}  // namespace

std::string Body::FreshName(const std::string& prefix) {
  std::string name = graph.UniqueName(prefix);
  while (original.Find(name) != NodeId::kNone) name = graph.UniqueName(name + "_r");
  return name;
}

NodeId Body::Add(const std::string& name, std::string_view op, const std::string& device,
                 std::vector<OutputRef> inputs) {
  const NodeId id = *graph.AddNode(name, op);
  Node& node = graph.mutable_node(id);
  node.device = device;
  node.inputs = std::move(inputs);
  return id;
}

NodeId Body::Copy(const Node& node, const std::string& name) {
  const NodeId id = Add(name, node.op, node.device, {});
  Node& copy = graph.mutable_node(id);
  copy.attrs = node.attrs;
  copy.unknown_fields = node.unknown_fields;
  return id;
}

NodeId Body::AddIdentity(const std::string& name, const std::string& device,
                         std::vector<OutputRef> inputs, const std::vector<ArgType>& types) {
  if (inputs.size() == 1) {
    const NodeId id = Add(name, "Identity", device, std::move(inputs));
    graph.SetAttr(id, "T", AttrValue(types[0].dtype));
    return id;
  }
  const NodeId id = Add(name, "IdentityN", device, std::move(inputs));
  AttrList list;
  list.types = types;
  graph.SetAttr(id, "T", AttrValue(std::move(list)));
  return id;
}

OutputRef Body::AddArgument(DType dtype) {
  const NodeId id = Add(FreshName("arg" + std::to_string(args.size())), "Placeholder", "", {});
  graph.SetAttr(id, "dtype", AttrValue(dtype));
  args.push_back(id);
  return {id, 0};
}

void Body::AddControl(NodeId before, NodeId after) {
  if (before == after) return;
  Node& node = graph.mutable_node(after);
  // Once it is lowered, a body may begin when some of its node's inputs are there (all of it comes
  // after the predicate), but never before what the node waits for by a control edge.
  const size_t awaited = !RunsFunctions(graph, node) ? node.inputs.size() : IsChoice(node) ? 1 : 0;
  for (size_t i = 0; i < awaited; ++i) {
    if (node.inputs[i].node == before) return;
  }
  if (std::ranges::find(node.control_inputs, before) != node.control_inputs.end()) return;
  node.control_inputs.push_back(before);
}

Function FunctionOf(const Body& body, const std::string& name, bool& is_stateful) {
  return Writer(body, name).Run(is_stateful);
}

}  // namespace tagflow::recovery
