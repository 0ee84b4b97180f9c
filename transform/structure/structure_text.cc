#include "transform/structure/structure_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "graph/control_ops.h"
#include "graph/function_body.h"
#include "transform/structure/recover_tree.h"

namespace tagflow {
namespace {

using recovery::BlockId;
using recovery::Choice;
using recovery::Loop;
using recovery::Part;
using recovery::PlaceId;
using recovery::RecoveredTree;
using recovery::Role;
using recovery::TreeItem;
using recovery::Value;

// Lines of text, each so far to the right.
class Lines {
 public:
  void Add(int indent, const std::string& line) {
    text_.append(static_cast<size_t>(indent) * 2, ' ').append(line).append("\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// " f=twice", for each function that the node calls, which are noted.
std::string FunctionsOf(const Node& node, std::set<std::string>& called) {
  std::string text;
  const auto add = [&](const std::string& attr, const NameAttrList& function) {
    called.insert(function.name);
    text += (text.empty() ? "" : ", ") + attr + "=" + function.name;
  };
  for (const auto& [name, value] : node.attrs) {
    if (value.function() != nullptr) add(name, *value.function());
    if (value.list() == nullptr) continue;
    for (const auto& function : value.list()->functions) add(name, *function);
  }
  return text;
}

// "Less(a, b, ^c)", of inputs that are named by others.
std::string CallText(const Graph& graph, const Node& node, const std::vector<std::string>& inputs,
                     std::set<std::string>& called) {
  if (node.op == "Const") {
    const AttrValue* const value = FindAttr(node, "value");
    std::string waits;
    for (const std::string& input : inputs) waits += ", " + input;
    if (value != nullptr) return value->ToString() + waits;
  }
  std::string text;
  for (const std::string& input : inputs) text += (text.empty() ? "" : ", ") + input;
  if (graph.registry().Find(node.op) == nullptr) called.insert(node.op);
  const std::string functions = FunctionsOf(node, called);
  if (!functions.empty()) text += (text.empty() ? "" : "; ") + functions;
  return node.op + "(" + text + ")";
}

// A tree as text.
class TreePrinter {
 public:
  TreePrinter(const RecoveredTree& made, Lines& lines, std::set<std::string>& called)
      : made_(made),
        of_(*made.of),
        roles_(*made.roles),
        lines_(lines),
        called_(called),
        is_literal_(of_.graph.id_limit()) {
    for (const recovery::Declined& declined : made.tree().declined) {
      if (declined.node != NodeId::kNone) why_of_node_.emplace(declined.node, declined.why);
    }
    for (const IrregularNode& irregular : of_.structure.irregular_nodes) {
      why_of_node_.emplace(irregular.node, irregular.why);
    }
    for (const NodeId id : of_.structure.order) is_literal_[Index(id)] = FindLiteral(node(id));
  }

  void Run(int indent) { Print(BlockId::kRoot, indent); }
  // An output of the root, by what it is.
  std::string NameAtRoot(OutputRef output) const {
    return NameOf(output, of_.places.First(FrameTree::kRoot));
  }

 private:
  const Node& node(NodeId id) const { return of_.graph.node(id); }
  PlaceId PlaceOf(NodeId id) const { return of_.places.At(of_.FrameOf(id), of_.ConditionOf(id)); }

  // Constants of loops go by what they are outside, small ones by their values.
  std::string NameOf(OutputRef output, PlaceId user) const {
    while (true) {
      const Value value = roles_.Resolve(output, user);
      const NodeId id = value.output.node;
      if (of_.fed.Contains(value.output) || roles_[id] != Role::kConstant) {
        const bool is_literal = !of_.fed.Contains(value.output) && IsLiteral(node(id));
        return is_literal ? LiteralOf(node(id)) : OutputName(of_.graph, value.output);
      }
      user = of_.PlaceOfFrame(of_.ChildOf(node(id)));
      output = node(id).inputs[0];
    }
  }

  // "2", of a constant that need not be a line of its own.
  static std::string LiteralOf(const Node& node) {
    constexpr size_t kMostCharacters = 16;
    const AttrValue* const value = node.op == "Const" ? FindAttr(node, "value") : nullptr;
    const Tensor* const tensor = value == nullptr ? nullptr : value->Get<Tensor>();
    if (tensor == nullptr || !tensor->dims().empty()) return "";
    const std::string text = value->ToString();
    const size_t begin = text.find("] ");
    const bool is_short = begin != std::string::npos && text.size() - begin < kMostCharacters;
    return is_short ? text.substr(begin + 2) : "";
  }

  void Print(BlockId block, int indent) {
    for (const TreeItem& item : made_.tree().block(block).items) {
      switch (item.kind) {
        case TreeItem::Kind::kNode:
          PrintNode(node(static_cast<NodeId>(item.index)), indent);
          break;
        case TreeItem::Kind::kChoice:
          PrintChoice(made_.tree().choices[static_cast<size_t>(item.index)], indent);
          break;
        case TreeItem::Kind::kLoop:
          PrintLoop(made_.tree().loops[static_cast<size_t>(item.index)], indent);
          break;
        case TreeItem::Kind::kFrame:
          PrintFrame(item.index, indent);
          break;
      }
    }
  }

  void PrintNode(const Node& node, int indent) {
    const Role role = roles_[node.id];
    if (role == Role::kJoin) return;
    if (role == Role::kLeave) {
      const PlaceId place = PlaceOf(node.id);
      return lines_.Add(indent, node.name + " = " + NameOf(node.inputs[0], place));
    }
    if (roles_.HasConsumers(node.id) && IsLiteral(node)) return;
    PrintWhy(node, indent);
    std::vector<std::string> inputs;
    const size_t count = role == Role::kGate ? 1 : node.inputs.size();
    const bool is_fed = of_.fed.IsFedPlaceholder(node);
    for (size_t i = 0; i < count && !is_fed; ++i) {
      const OutputRef input = node.inputs[i];
      const bool is_gone = !of_.fed.Contains(input) && roles_[input.node] == Role::kGone;
      inputs.push_back(is_gone ? "never" : NameOf(input, PlaceOf(node.id)));
    }
    AddWaits(node, inputs);
    if (role == Role::kGate) {
      std::string text;
      for (const std::string& input : inputs) text += (text.empty() ? "" : ", ") + input;
      return lines_.Add(indent, node.name + " = Identity(" + text + ")");
    }
    lines_.Add(indent, node.name + " = " + CallText(of_.graph, node, inputs, called_));
  }
  void PrintWhy(const Node& node, int indent) {
    const auto why = why_of_node_.find(node.id);
    if (why != why_of_node_.end()) lines_.Add(indent, "# stays: " + why->second);
  }
  void AddWaits(const Node& node, std::vector<std::string>& inputs) const {
    // What has nothing else to wait for waits to be in its branch or iteration.
    const bool is_source = node.inputs.empty();
    for (const NodeId control : node.control_inputs) {
      const Node& waited = this->node(control);
      const bool is_name = roles_[control] != Role::kReal && roles_[control] != Role::kGate &&
                           roles_[control] != Role::kJoin && roles_[control] != Role::kLeave &&
                           roles_[control] != Role::kMember;
      const bool is_pivot = is_source && waited.op == "Identity" && IsName(waited.inputs[0]);
      if (!is_name && !is_pivot && !IsLiteral(waited)) inputs.push_back("^" + waited.name);
    }
  }
  bool IsName(OutputRef output) const {
    const Role role = roles_[output.node];
    return !of_.fed.Contains(output) &&
           (role == Role::kAlias || role == Role::kVariable || role == Role::kConstant);
  }
  // A constant goes by its value where it is small and waits for nothing.
  bool IsLiteral(const Node& node) const { return is_literal_[Index(node.id)]; }
  bool FindLiteral(const Node& node) const {
    std::vector<std::string> waits;
    if (node.op == "Const") AddWaits(node, waits);
    return waits.empty() && !LiteralOf(node).empty();
  }

  void PrintChoice(const Choice& choice, int indent) {
    const Predicate& predicate = of_.structure.predicates[static_cast<size_t>(choice.predicate)];
    const std::string asked = NameOf(predicate.tensor, of_.places[choice.region].place);
    const size_t count = choice.branches.size();
    if (predicate.is_index) lines_.Add(indent, "case " + asked + ":");
    for (size_t i = 0; i < count; ++i) {
      const size_t value = predicate.is_index ? i : 1 - i;
      const bool is_empty =
          made_.tree().block(choice.branches[value]).items.empty() && choice.joins.empty();
      if (predicate.is_index) {
        lines_.Add(indent, (value + 1 < count ? std::to_string(value) : "else") + ":");
      } else if (value == 1) {
        lines_.Add(indent, "if " + asked + ":");
      } else if (!is_empty) {
        lines_.Add(indent, "else:");
      } else {
        continue;
      }
      Print(choice.branches[value], indent + 1);
      if (is_empty) lines_.Add(indent + 1, "pass");
      for (const NodeId join : choice.joins) PrintWay(node(join), choice, value, indent + 1);
    }
  }
  void PrintWay(const Node& merge, const Choice& choice, size_t branch, int indent) {
    for (const OutputRef input : merge.inputs) {
      const ConditionId condition = of_.EdgeCondition(input);
      if (condition == ConditionId::kNever) continue;
      const auto literal = of_.structure.conditions.Find(condition, choice.predicate);
      if (!literal || static_cast<size_t>(literal->value) != branch) continue;
      const PlaceId place = of_.places.At(of_.FrameOf(merge.id), condition);
      lines_.Add(indent, merge.name + " = " + NameOf(input, place));
    }
  }

  void PrintLoop(const Loop& loop, int indent) {
    const StaticFrame& frame = of_.valid.frames.frames[static_cast<size_t>(loop.frame)];
    const FrameStructure& found = of_.structure.frames[static_cast<size_t>(loop.frame)];
    lines_.Add(indent, "loop " + frame.name + ":");
    const PlaceId outside = of_.PlaceOfFrame(loop.frame);
    const PlaceId body = of_.places.At(
        loop.frame, of_.structure.conditions.With(ConditionId::kAlways, *found.repeats));
    for (const LoopVariable& variable : found.variables) {
      lines_.Add(indent + 1, node(variable.merge).name + " = " +
                                 NameOf(node(variable.enter).inputs[0], outside) + ", next " +
                                 NameOf(node(variable.next).inputs[0], body));
    }
    Print(loop.test, indent + 1);
    const Predicate& predicate =
        of_.structure.predicates[static_cast<size_t>(found.repeats->predicate)];
    const std::string asked = NameOf(predicate.tensor, of_.places.First(loop.frame));
    lines_.Add(indent + 1,
               std::string("while ") + (found.repeats->value == 0 ? "not " : "") + asked + ":");
    Print(loop.body, indent + 2);
    if (made_.tree().block(loop.body).items.empty()) lines_.Add(indent + 2, "pass");
  }

  void PrintFrame(int unit, int indent) {
    const std::string& why = of_.declined_frames[static_cast<size_t>(unit)];
    std::map<int, std::vector<NodeId>> nodes;
    for (const NodeId id : of_.structure.order) {
      if (of_.UnitOf(of_.FrameOf(id)) == unit) nodes[of_.FrameOf(id)].push_back(id);
    }
    PrintFrame(unit, why, nodes, indent);
  }
  void PrintFrame(int frame, const std::string& why,
                  const std::map<int, std::vector<NodeId>>& nodes, int indent) {
    const std::string& name = of_.valid.frames.frames[static_cast<size_t>(frame)].name;
    lines_.Add(indent, "frame " + name + ":" + (why.empty() ? "" : "  # stays: " + why));
    const auto own = nodes.find(frame);
    if (own == nodes.end()) return;
    for (const NodeId id : own->second) {
      std::vector<std::string> inputs;
      for (const OutputRef input : node(id).inputs) inputs.push_back(OutputName(of_.graph, input));
      for (const NodeId control : node(id).control_inputs)
        inputs.push_back("^" + node(control).name);
      lines_.Add(indent + 1,
                 node(id).name + " = " + CallText(of_.graph, node(id), inputs, called_));
      // A frame inside follows the first of its Enters.
      if (!IsEnter(node(id))) continue;
      const int child = of_.ChildOf(node(id));
      if (printed_.insert(child).second) PrintFrame(child, "", nodes, indent + 1);
    }
  }

  const RecoveredTree& made_;
  recovery::Recovery& of_;
  const recovery::Roles& roles_;
  Lines& lines_;
  std::set<std::string>& called_;
  std::map<NodeId, std::string> why_of_node_;
  std::set<int> printed_;
  std::vector<bool> is_literal_;  // by node id
};

void PrintFlat(const Graph& graph, const std::string& why, int indent, Lines& lines,
               std::set<std::string>& called) {
  lines.Add(indent, "# as it is: " + why);
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    std::vector<std::string> inputs;
    for (const OutputRef input : node.inputs) inputs.push_back(OutputName(graph, input));
    for (const NodeId control : node.control_inputs)
      inputs.push_back("^" + graph.node(control).name);
    lines.Add(indent, node.name + " = " + CallText(graph, node, inputs, called));
  }
}

void Print(const Graph& graph, const CallSpec& call, const std::vector<OutputRef>& returns,
           int indent, Lines& lines, std::set<std::string>& called) {
  const Result<RecoveredTree> made = recovery::RecoverTree(graph, call);
  if (!made.ok() || !made->why_not.empty()) {
    const std::string why = made.ok() ? made->why_not : made.status().message();
    PrintFlat(graph, why, indent, lines, called);
    return;
  }
  TreePrinter printer(*made, lines, called);
  printer.Run(indent);
  std::string results;
  for (const OutputRef output : returns) {
    results += (results.empty() ? " " : ", ") + printer.NameAtRoot(output);
  }
  if (!results.empty()) lines.Add(indent, "return" + results);
}

void PrintFunction(const Graph& graph, const std::string& name, Lines& lines,
                   std::set<std::string>& called) {
  const Result<FunctionBody> body = InstantiateFunction(graph, {name, {}}, name);
  if (!body.ok()) return lines.Add(0, "function " + name + ":  # " + body.status().message());
  CallSpec call;
  std::string args;
  for (const NodeId arg : body->args) {
    call.feeds.push_back({arg, 0});
    args += (args.empty() ? "" : ", ") + body->graph.node(arg).name;
  }
  call.fetches = body->returns;
  call.targets = body->effects;
  lines.Add(0, "function " + name + "(" + args + "):");
  Print(body->graph, call, body->returns, 1, lines, called);
}

}  // namespace

std::string StructureText(const Graph& graph) {
  Lines lines;
  std::set<std::string> called;
  Print(graph, recovery::WholeCall(graph), {}, 0, lines, called);
  std::set<std::string> printed;
  while (true) {
    const auto next = std::ranges::find_if(
        called, [&](const std::string& name) { return !printed.contains(name); });
    if (next == called.end()) break;
    const std::string name = *next;
    printed.insert(name);
    if (graph.library.Find(name) == nullptr) continue;
    lines.Add(0, "");
    PrintFunction(graph, name, lines, called);
  }
  return lines.Take();
}

}  // namespace tagflow
