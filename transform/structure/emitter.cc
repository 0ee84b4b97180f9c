// Blocks and their nodes. Choices are in emit_choice.cc, loops in emit_loop.cc.
#include "transform/structure/emitter.h"

#include <algorithm>
#include <optional>

#include "graph/control_ops.h"
#include "graph/shape_inference.h"
#include "transform/structure/value_types.h"

namespace tagflow::recovery {

Emitter::Emitter(RecoveredTree& made)
    : made_(made),
      of_(*made.of),
      roles_(*made.roles),
      tree_(made.tree()),
      view_(of_.graph, of_.call),
      members_(made.of->structure.frames.size()),
      library_(made.of->graph.library) {
  for (const NodeId id : of_.structure.order) {
    if (roles_[id] == Role::kMember) {
      members_[static_cast<size_t>(of_.UnitOf(of_.FrameOf(id)))].push_back(id);
    }
  }
  // Another tensor than a placeholder may be fed in any shape ([feed.3]).
  for (const OutputRef feed : of_.call.feeds) {
    if (!IsPlaceholderOp(Original(feed.node))) return;
  }
  auto shapes = InferShapes(of_.graph);
  if (shapes.ok()) shapes_ = *std::move(shapes);
}

Graph Emitter::Run(CallSpec& call) && {
  Body root(of_.graph);
  root.graph.unknown_fields = of_.graph.unknown_fields;
  EmitFeeds(root);
  EmitBlock(BlockId::kRoot, root);
  call = EmittedCall(root);
  root.graph.library = library_;
  return std::move(root.graph);
}

// ---- Values ----

// What a loop computes again for what comes after it goes by a key of its own, as its variables do.
Value Emitter::KeyOf(OutputRef output, PlaceId user) const {
  Value value = roles_.Resolve(output, user);
  if (of_.fed.Contains(value.output) || value.after) return value;
  const Role role = roles_[value.output.node];
  if (role == Role::kVariable || role == Role::kConstant) return value;
  const int32_t item = made_.work.ItemOf(of_, roles_, value.output.node);
  const Place& place = of_.places[made_.work.items[static_cast<size_t>(item)].place];
  const Place& at = of_.places[user];
  value.after = place.frame == at.frame && at.part == Part::kAfter && place.part == Part::kTest;
  return value;
}

OutputRef Emitter::Find(const Body& body, OutputRef output, PlaceId user) const {
  const auto found = body.values.find(KeyOf(output, user));
  TAGFLOW_CHECK(found != body.values.end());
  return found->second;
}

PlaceId Emitter::PlaceOfPart(int frame, bool repeats) const {
  const ConditionLiteral literal = *of_.structure.frames[static_cast<size_t>(frame)].repeats;
  const int32_t value = repeats ? literal.value : 1 - literal.value;
  return of_.places.At(
      frame, of_.structure.conditions.With(ConditionId::kAlways, {literal.predicate, value}));
}

bool Emitter::IsScalar(OutputRef original) const {
  if (shapes_.empty()) return false;
  const std::vector<PartialShape>& outputs = shapes_[Index(original.node)];
  const auto index = static_cast<size_t>(original.index);
  return index < outputs.size() && outputs[index].known_rank() && outputs[index].rank() == 0;
}

OutputRef Emitter::Scalar(OutputRef original, OutputRef tensor, Body& body) const {
  if (IsScalar(original)) return tensor;
  const std::string name = body.FreshName(Original(original.node).name + "/scalar");
  const NodeId id = body.Add(name, "EnsureShape", "", {tensor});
  body.graph.SetAttr(id, "T", AttrValue(TypeOf(of_.graph, original)->dtype));
  body.graph.SetAttr(id, "shape", AttrValue(PartialShape::Scalar()));
  return {id, 0};
}

NameAttrList Emitter::AddFunction(const Body& body, const std::string& name, bool& is_stateful) {
  std::string plain;
  for (const char c : name) plain += c == '/' || c == '.' || c == '-' ? '_' : c;
  std::string unique = plain;
  for (int i = 1; library_.Find(unique) != nullptr || of_.graph.registry().Find(unique) != nullptr;
       ++i) {
    unique = plain + "_" + std::to_string(i);
  }
  auto function = std::make_shared<const Function>(FunctionOf(body, unique, is_stateful));
  library_.Add({unique, "", std::move(function)});
  return {unique, {}};
}

// ---- Blocks ----

// Nodes of which nothing but what is fed is needed, as placeholders of that.
void Emitter::EmitFeeds(Body& root) {
  std::map<NodeId, int32_t> last;  // by node: the last output that is fed
  for (const OutputRef feed : of_.call.feeds) {
    if (roles_[feed.node] != Role::kUnneeded) continue;
    last[feed.node] = std::max(last[feed.node], feed.index);
  }
  // Others are made now, and get their inputs in their turn: who takes what is fed waits for
  // nothing.
  for (const OutputRef feed : of_.call.feeds) {
    const Node& node = Original(feed.node);
    if (roles_[feed.node] == Role::kUnneeded) continue;
    const NodeId found = root.graph.Find(node.name);
    const NodeId made = found != NodeId::kNone ? found : root.Copy(node, node.name);
    root.values[{feed}] = {made, feed.index};
  }
  for (const auto& [id, count] : last) {
    const Node& node = Original(id);
    const bool is_placeholder = node.op == "Placeholder" || node.op == "PlaceholderV2";
    std::vector<OutputRef> inputs;
    std::vector<ArgType> types;
    NodeId made = is_placeholder ? root.Copy(node, node.name) : NodeId::kNone;
    for (int32_t i = 0; i <= count && made == NodeId::kNone; ++i) {
      types.push_back({TypeOf(of_.graph, {id, i}).value_or(ArgType()).dtype, false});
      const NodeId one =
          root.Add(count == 0 ? node.name : root.FreshName(node.name), "Placeholder", "", {});
      root.graph.SetAttr(one, "dtype", AttrValue(types.back().dtype));
      root.graph.SetAttr(one, "shape", AttrValue(PartialShape()));
      inputs.push_back({one, 0});
    }
    if (made == NodeId::kNone) {
      made = count == 0 ? inputs[0].node : root.AddIdentity(node.name, node.device, inputs, types);
    }
    for (int32_t i = 0; i <= count; ++i) root.values[{{id, i}}] = {made, i};
    root.made[{TreeItem::Kind::kNode, static_cast<int32_t>(id)}] = made;
  }
}

void Emitter::EmitBlock(BlockId block, Body& body) {
  for (const TreeItem& item : tree_.block(block).items) {
    switch (item.kind) {
      case TreeItem::Kind::kNode:
        EmitNode(static_cast<NodeId>(item.index), body);
        break;
      case TreeItem::Kind::kChoice:
        EmitChoice(item.index, body);
        break;
      case TreeItem::Kind::kLoop:
        EmitLoop(item.index, body);
        break;
      case TreeItem::Kind::kFrame:
        EmitUnit(item.index, body);
        break;
    }
  }
  EmitWaits(block, body);
}

void Emitter::EmitWaits(BlockId block, Body& body) {
  const auto waits = made_.wires.waits.find(block);
  if (waits == made_.wires.waits.end()) return;
  std::set<std::pair<NodeId, NodeId>> seen;
  for (const auto& [before, after] : waits->second) {
    const auto from = body.made.find(before);
    const auto to = body.made.find(after);
    if (from == body.made.end() || to == body.made.end()) continue;
    if (seen.emplace(from->second, to->second).second) body.AddControl(from->second, to->second);
  }
}

void Emitter::EmitNode(NodeId id, Body& body) {
  const Node& node = Original(id);
  switch (roles_[id]) {
    case Role::kJoin:
      return EmitJoin(node, body);
    case Role::kLeave:
      return EmitLeave(node, body);
    case Role::kGate: {
      const OutputRef input =
          Find(body, node.inputs[0], of_.places.At(of_.FrameOf(id), of_.ConditionOf(id)));
      const NodeId made =
          body.AddIdentity(node.name, node.device, {input}, {*TypeOf(of_.graph, node.inputs[0])});
      body.values[{{id, 0}}] = {made, 0};
      body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(id)}] = made;
      return;
    }
    default:
      if (IsLoopCond(node) && of_.FrameOf(id) != FrameTree::kRoot) return EmitLoopCond(node, body);
      return EmitReal(node, body);
  }
}

// The node, unless it is there since it is fed.
NodeId Emitter::CopyOf(const Node& node, Body& body) const {
  const NodeId found = body.graph.Find(node.name);
  return found != NodeId::kNone ? found : body.Copy(node, node.name);
}

void Emitter::EmitReal(const Node& node, Body& body) {
  const NodeId made = CopyOf(node, body);
  body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(node.id)}] = made;
  const Result<Signature> signature = ResolveSignature(node);
  // Of an op that nobody defined the outputs are as many as are taken.
  constexpr size_t kOutputsOfUnknown = 64;
  const size_t outputs = signature.ok() ? signature->outputs.size() : kOutputsOfUnknown;
  for (size_t i = 0; i < outputs; ++i) {
    const auto index = static_cast<int32_t>(i);
    body.values[{{node.id, index}}] = {made, index};
  }
  if (of_.fed.IsFedPlaceholder(node)) {
    // Its default is not needed, and may not be there.
    if (!node.inputs.empty()) {
      Node& fed = body.graph.mutable_node(made);
      fed.op = "Placeholder";
      fed.def = body.graph.registry().Find(fed.op);
    }
    return;
  }
  const PlaceId place = of_.places.At(of_.FrameOf(node.id), of_.ConditionOf(node.id));
  std::vector<OutputRef> inputs;
  for (const OutputRef input : node.inputs) {
    const bool is_gone = !of_.fed.Contains(input) && roles_[input.node] == Role::kGone;
    if (!is_gone) inputs.push_back(Find(body, input, place));
  }
  const bool lacks_some = inputs.size() < node.inputs.size();
  if (lacks_some) {
    body.graph.SetAttr(made, "N", AttrValue(static_cast<int64_t>(inputs.size())));
  }
  body.graph.mutable_node(made).inputs = std::move(inputs);
}

// Among the nodes of a loop's function there must be none: the loop will have its own ([frame.9]).
void Emitter::EmitLoopCond(const Node& node, Body& body) {
  const PlaceId place = of_.places.At(of_.FrameOf(node.id), of_.ConditionOf(node.id));
  const OutputRef input = Find(body, node.inputs[0], place);
  const NodeId made = body.Add(node.name, "EnsureShape", node.device, {input});
  body.graph.SetAttr(made, "T", AttrValue(DType::kBool));
  body.graph.SetAttr(made, "shape", AttrValue(PartialShape::Scalar()));
  body.values[{{node.id, 0}}] = {made, 0};
  body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(node.id)}] = made;
}

// A declined frame as it is.
void Emitter::EmitUnit(int unit, Body& body) {
  const std::vector<NodeId>& members = members_[static_cast<size_t>(unit)];
  std::map<NodeId, NodeId> made;
  for (const NodeId id : members) {
    const Node& node = Original(id);
    made[id] = CopyOf(node, body);
    body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(id)}] = made[id];
    for (int32_t i = 0; i < 2 && IsExit(node); ++i) body.values[{{id, i}}] = {made[id], i};
  }
  for (const NodeId id : members) {
    Node& copy = body.graph.mutable_node(made[id]);
    for (const OutputRef input : Original(id).inputs) {
      const auto member = made.find(input.node);
      const auto enter = body.values.find({input});
      copy.inputs.push_back(member != made.end() ? OutputRef{member->second, input.index}
                                                 : enter->second);
    }
    for (const NodeId control : Original(id).control_inputs) {
      const auto member = made.find(control);
      copy.control_inputs.push_back(
          member != made.end()
              ? member->second
              : body.made.at({TreeItem::Kind::kNode, static_cast<int32_t>(control)}));
    }
  }
}

// Nodes of a loop's test, for its body or what follows it.
void Emitter::EmitAgain(const std::set<NodeId>& nodes, int frame, bool after, Body& body) {
  std::vector<NodeId> ordered(nodes.begin(), nodes.end());
  std::ranges::sort(ordered, {}, [&](NodeId id) { return made_.work.of_node[Index(id)]; });
  const PlaceId user = PlaceOfPart(frame, !after);
  for (const NodeId id : ordered) {
    const Node& node = Original(id);
    const NodeId made = body.Copy(node, body.FreshName(node.name));
    std::vector<OutputRef> inputs;
    for (const OutputRef input : node.inputs) inputs.push_back(Find(body, input, user));
    body.graph.mutable_node(made).inputs = std::move(inputs);
    const size_t outputs = ResolveSignature(node).ok() ? ResolveSignature(node)->outputs.size() : 0;
    for (size_t i = 0; i < outputs; ++i) {
      const auto index = static_cast<int32_t>(i);
      body.values[{{id, index}, after}] = {made, index};
    }
  }
}

// ---- The call ----

CallSpec Emitter::EmittedCall(const Body& root) const {
  CallSpec call;
  const auto mapped = [&](OutputRef output) {
    return OutputRef{root.graph.Find(Original(output.node).name), output.index};
  };
  for (const OutputRef feed : of_.call.feeds) {
    // What nothing needs is not there.
    if (mapped(feed).node != NodeId::kNone) call.feeds.push_back(mapped(feed));
  }
  for (const OutputRef fetch : of_.call.fetches) call.fetches.push_back(mapped(fetch));
  for (const NodeId target : of_.call.targets) {
    for (const NodeId node : roles_.WaitsFor(target)) {
      const Role role = roles_[node];
      TreeItem item = {TreeItem::Kind::kNode, static_cast<int32_t>(node)};
      BlockId block = BlockId::kNone;
      if (role == Role::kVariable || role == Role::kConstant || role == Role::kEntry) {
        const int frame = role == Role::kVariable ? of_.FrameOf(node) : of_.ChildOf(Original(node));
        const int32_t loop = made_.wires.loop_of_frame[static_cast<size_t>(frame)];
        item = {TreeItem::Kind::kLoop, loop};
        block = tree_.loops[static_cast<size_t>(loop)].home;
      } else {
        const int32_t index = made_.work.ItemOf(of_, roles_, node);
        block = made_.arranged.home[static_cast<size_t>(index)];
      }
      for (; block != BlockId::kRoot; block = tree_.block(block).parent) {
        item = tree_.block(block).within;
      }
      const auto made = root.made.find(item);
      if (made == root.made.end()) continue;
      if (std::ranges::find(call.targets, made->second) == call.targets.end()) {
        call.targets.push_back(made->second);
      }
    }
  }
  return call;
}

}  // namespace tagflow::recovery
