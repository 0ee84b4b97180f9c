#include "graph/function_body.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "graph/frames.h"

namespace tagflow {
namespace {

// An output argument of a node, or an argument of the function: so many outputs from `first` on.
struct Range {
  NodeId node = NodeId::kNone;  // kNone: of args_
  size_t first = 0;
  size_t count = 0;
};

std::optional<size_t> NumberOf(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Instantiator {
 public:
  Instantiator(const Graph& caller, const Function& function, const AttrMap& bound,
               const std::string& prefix)
      : function_(function),
        bound_(bound),
        prefix_(prefix),
        body_{Graph(caller.registry()), {}, {}, {}} {
    body_.graph.library = caller.library;
    body_.graph.versions = caller.versions;
  }

  Result<FunctionBody> Run() {
    body_.graph.Reserve(function_.nodes.size() + function_.op.inputs.size());
    TAGFLOW_RETURN_IF_ERROR(AddArgs());
    for (const FunctionNode& node : function_.nodes) {
      const Status status = AddNode(node);
      if (!status.ok()) return Wrong("node '" + node.name + "'", status);
    }
    for (const FunctionNode& node : function_.nodes) {
      const Status status = Connect(node);
      if (!status.ok()) return Wrong("node '" + node.name + "'", status);
    }
    TAGFLOW_RETURN_IF_ERROR(AddReturns());
    return std::move(body_);
  }

 private:
  Status Wrong(const std::string& place, const Status& why) const {
    return Status(why.code(),
                  "function '" + function_.op.name + "', " + place + ": " + why.message())
        .WithNode(prefix_);
  }

  // ---- Attrs ----

  const AttrValue* Bound(std::string_view name) const {
    const auto found = std::ranges::find(bound_, name, &AttrMap::value_type::first);
    if (found != bound_.end()) return &found->second;
    const AttrDef* const attr = function_.op.FindAttr(name);
    return attr != nullptr && attr->default_value ? &*attr->default_value : nullptr;
  }

  // The value with what the call binds in the place of placeholders.
  Result<AttrValue> Bind(const AttrValue& value) const {
    if (const auto* const placeholder = value.Get<AttrPlaceholder>()) {
      const AttrValue* const bound = Bound(placeholder->name);
      if (bound != nullptr) return *bound;
      return InvalidArgument("the call binds no attr '" + placeholder->name + "'");
    }
    if (const NameAttrList* const call = value.function()) {
      TAGFLOW_ASSIGN_OR_RETURN(NameAttrList made, Bind(*call));
      return AttrValue(std::move(made));
    }
    if (value.list() == nullptr || value.list()->functions.empty()) return value;
    AttrList list = *value.list();
    for (auto& each : list.functions) {
      TAGFLOW_ASSIGN_OR_RETURN(NameAttrList made, Bind(*each));
      each = std::make_shared<const NameAttrList>(std::move(made));
    }
    return AttrValue(std::move(list));
  }
  Result<NameAttrList> Bind(const NameAttrList& call) const {
    NameAttrList made = {call.name, {}};
    for (const auto& [name, value] : call.attrs) {
      TAGFLOW_ASSIGN_OR_RETURN(AttrValue bound, Bind(value));
      made.attrs.emplace_back(name, std::move(bound));
    }
    return made;
  }

  // ---- Nodes ----

  // The function as a node that calls it, for the types of its arguments.
  Result<Signature> SignatureOfCall() const {
    Node call;
    call.name = prefix_;
    call.op = function_.op.name;
    call.def = &function_.op;
    call.attrs = bound_;
    return ResolveSignature(call);
  }

  Status AddArgs() {
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, SignatureOfCall());
    for (const ArgDef& arg : function_.op.inputs) {
      TAGFLOW_ASSIGN_OR_RETURN(const size_t count, CountOf(arg, bound_, function_.op));
      ranges_[arg.name] = {NodeId::kNone, body_.args.size(), count};
      for (size_t i = 0; i < count; ++i) {
        const std::string name = prefix_ + "/" + arg.name + (i == 0 ? "" : "_" + std::to_string(i));
        TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                                 body_.graph.AddNode(body_.graph.UniqueName(name), "Placeholder"));
        const size_t index = body_.args.size();
        if (index >= signature.inputs.size()) return Internal("arguments and types differ");
        body_.graph.SetAttr(id, "dtype", AttrValue(signature.inputs[index].dtype));
        body_.args.push_back(id);
      }
    }
    return Status();
  }

  // How many tensors an argument stands for.
  static Result<size_t> CountOf(const ArgDef& arg, const AttrMap& attrs, const OpDef& op) {
    if (arg.number_attr.empty() && arg.type_list_attr.empty()) return size_t{1};
    Node node;
    node.op = op.name;
    node.def = &op;
    node.attrs = attrs;
    if (!arg.number_attr.empty()) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t number, IntAttr(node, arg.number_attr));
      if (number < 0) return InvalidArgument("attr '" + arg.number_attr + "' is negative");
      return static_cast<size_t>(number);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, arg.type_list_attr));
    return list.types.size();
  }

  Status AddNode(const FunctionNode& from) {
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                             body_.graph.AddNode(prefix_ + "/" + from.name, from.op));
    Node& node = body_.graph.mutable_node(id);
    node.device = from.device;
    for (const auto& [name, value] : from.attrs) {
      TAGFLOW_ASSIGN_OR_RETURN(AttrValue bound, Bind(value));
      if (name == "_class") bound = Renamed(bound);
      // Each call has its own frames.
      if (name == "frame_name" && bound.Get<std::string>() != nullptr) {
        bound = prefix_ + "/" + *bound.Get<std::string>();
      }
      node.attrs.emplace_back(name, std::move(bound));
    }
    ids_[from.name] = id;
    if (node.def == nullptr) return Status();
    if (node.def->is_stateful) body_.effects.push_back(id);
    size_t first = 0;
    for (const ArgDef& output : node.def->outputs) {
      TAGFLOW_ASSIGN_OR_RETURN(const size_t count, CountOf(output, node.attrs, *node.def));
      ranges_[from.name + ":" + output.name] = {id, first, count};
      first += count;
    }
    return Status();
  }

  // "loc:@node" names a node of the body.
  AttrValue Renamed(const AttrValue& classes) const {
    constexpr std::string_view kLocation = "loc:@";
    if (classes.list() == nullptr) return classes;
    AttrList list = *classes.list();
    for (std::string& text : list.strings) {
      if (!text.starts_with(kLocation)) continue;
      text = std::string(kLocation) + prefix_ + "/" + text.substr(kLocation.size());
    }
    return AttrValue(std::move(list));
  }

  Status Connect(const FunctionNode& from) {
    const NodeId id = ids_.at(from.name);
    for (const std::string& input : from.inputs) {
      if (input.starts_with('^')) {
        TAGFLOW_ASSIGN_OR_RETURN(const NodeId node, FindNode(input.substr(1)));
        body_.graph.mutable_node(id).control_inputs.push_back(node);
        continue;
      }
      TAGFLOW_ASSIGN_OR_RETURN(const std::vector<OutputRef> outputs, FindTensors(input));
      Node& node = body_.graph.mutable_node(id);
      if (!node.control_inputs.empty()) {
        return InvalidArgument("input '" + input + "' comes behind a control input");
      }
      node.inputs.insert(node.inputs.end(), outputs.begin(), outputs.end());
    }
    return Status();
  }

  Result<NodeId> FindNode(const std::string& name) const {
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    const auto arg = ranges_.find(name);
    const bool is_arg = arg != ranges_.end() && arg->second.node == NodeId::kNone;
    if (is_arg && arg->second.count > 0) return body_.args[arg->second.first];
    return InvalidArgument("there is no node or argument '" + name + "'");
  }

  // "x" and "node:output" are all tensors that these stand for, "x:1" and "node:output:1" one.
  Result<std::vector<OutputRef>> FindTensors(const std::string& text) {
    if (const auto found = ranges_.find(text); found != ranges_.end()) {
      std::vector<OutputRef> all;
      for (size_t i = 0; i < found->second.count; ++i) all.push_back(*At(found->second, i));
      return all;
    }
    const size_t colon = text.rfind(':');
    const auto number = NumberOf(colon == std::string::npos ? "" : text.substr(colon + 1));
    if (number.has_value()) {
      const auto found = ranges_.find(text.substr(0, colon));
      if (found != ranges_.end()) {
        TAGFLOW_ASSIGN_OR_RETURN(const OutputRef one, At(found->second, *number));
        return std::vector<OutputRef>{one};
      }
      const auto unknown = ids_.find(text.substr(0, text.find(':')));
      if (unknown != ids_.end() && body_.graph.node(unknown->second).def == nullptr) {
        return std::vector<OutputRef>{{unknown->second, UnknownOutput(unknown->second, text)}};
      }
    }
    return InvalidArgument("'" + text + "' is no argument, and no output of a node");
  }
  // Numbers the output names of an unknown op in the order in which they come: which output a name
  // stands for is not known, but two names are two outputs.
  int32_t UnknownOutput(NodeId node, const std::string& text) {
    std::vector<std::string>& known = unknown_outputs_[node];
    const auto place = std::ranges::find(known, text) - known.begin();
    if (static_cast<size_t>(place) == known.size()) known.push_back(text);
    return static_cast<int32_t>(place);
  }
  Result<OutputRef> At(const Range& range, size_t index) const {
    if (index >= range.count) {
      return InvalidArgument("output " + std::to_string(index) + " of " +
                             std::to_string(range.count) + " is asked for");
    }
    const size_t at = range.first + index;
    if (range.node == NodeId::kNone) return OutputRef{body_.args[at], 0};
    return OutputRef{range.node, static_cast<int32_t>(at)};
  }

  Status AddReturns() {
    for (size_t i = 0; i < function_.op.outputs.size(); ++i) {
      const ArgDef& result = function_.op.outputs[i];
      TAGFLOW_ASSIGN_OR_RETURN(const size_t count, CountOf(result, bound_, function_.op));
      const auto outputs = FindTensors(function_.returns[i]);
      const std::string place = "result '" + result.name + "'";
      if (!outputs.ok()) return Wrong(place, outputs.status());
      if (outputs->size() != count) {
        return Wrong(place, InvalidArgument("'" + function_.returns[i] + "' gives " +
                                            std::to_string(outputs->size()) + " tensors for " +
                                            std::to_string(count)));
      }
      body_.returns.insert(body_.returns.end(), outputs->begin(), outputs->end());
    }
    for (const std::string& name : function_.control_returns) {
      const Result<NodeId> node = FindNode(name);
      if (!node.ok()) return Wrong("control result", node.status());
      body_.effects.push_back(*node);
    }
    std::ranges::sort(body_.effects);
    body_.effects.erase(std::unique(body_.effects.begin(), body_.effects.end()),
                        body_.effects.end());
    LeaveOutLoops();
    return Status();
  }

  // What is in a loop of primitives runs when that does.
  void LeaveOutLoops() {
    const auto is_enter = [](const FunctionNode& node) {
      return node.op == "Enter" || node.op == "RefEnter";
    };
    if (std::ranges::none_of(function_.nodes, is_enter)) return;
    const std::vector<bool> all(body_.graph.id_limit(), true);
    const Result<FrameTree> frames = AssignFrames(body_.graph, all, {});
    if (!frames.ok()) return;  // the call is refused for it
    std::erase_if(body_.effects, [&](NodeId id) {
      return frames->output_frame_of[Index(id)] != FrameTree::kRoot;
    });
  }

  const Function& function_;
  const AttrMap& bound_;
  const std::string& prefix_;
  FunctionBody body_;
  std::unordered_map<std::string, Range> ranges_;  // by argument, and by "node:output"
  std::unordered_map<std::string, NodeId> ids_;
  std::map<NodeId, std::vector<std::string>> unknown_outputs_;  // as they are written
};

}  // namespace

Result<FunctionBody> InstantiateFunction(const Graph& caller, const NameAttrList& call,
                                         const std::string& prefix) {
  const FunctionDef* const found = caller.library.Find(call.name);
  if (found == nullptr) {
    return NotFound("the graph's library has no function '" + call.name + "'").WithNode(prefix);
  }
  if (!found->function.ok()) return found->function.status().WithNode(prefix);
  return Instantiator(caller, **found->function, call.attrs, prefix).Run();
}

}  // namespace tagflow
