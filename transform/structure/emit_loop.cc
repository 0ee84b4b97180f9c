// Loops as While.
#include <algorithm>
#include <optional>
#include <string_view>

#include "transform/simplify/cannot_fail.h"
#include "transform/structure/emitter.h"
#include "transform/structure/value_types.h"

namespace tagflow::recovery {

std::vector<Emitter::LoopArg> Emitter::ArgsOf(int frame) const {
  std::vector<LoopArg> args;
  const auto add = [&](OutputRef inside, NodeId enter, NodeId next) {
    const std::optional<ArgType> type = TypeOf(of_.graph, {enter, 0});
    args.push_back({inside, Original(enter).inputs[0], next, type ? type->dtype : DType::kInvalid});
  };
  const auto index = static_cast<size_t>(frame);
  for (const LoopVariable& variable : of_.structure.frames[index].variables) {
    add({variable.merge, 0}, variable.enter, variable.next);
  }
  for (const NodeId enter : of_.valid.frames.frames[index].enters) {
    // What is only waited for is no argument.
    if (roles_[enter] == Role::kConstant && roles_.HasConsumers(enter))
      add({enter, 0}, enter, NodeId::kNone);
  }
  return args;
}

// What may fail does so in the last iteration, too.
bool Emitter::IsTotal(const Node& node) const {
  static constexpr std::string_view kOps[] = {"Const", "Identity", "Rank",
                                              "Shape", "ShapeN",   "Size"};
  return std::ranges::find(kOps, node.op) != std::end(kOps) || CannotFail(view_, node);
}

NameAttrList Emitter::MakeTest(const Loop& loop, const std::vector<LoopArg>& args,
                               const std::string& name, bool& is_stateful) {
  Body test(of_.graph);
  for (const LoopArg& arg : args) test.values[{arg.inside}] = test.AddArgument(arg.dtype);
  EmitBlock(loop.test, test);
  const ConditionLiteral repeats = *of_.structure.frames[static_cast<size_t>(loop.frame)].repeats;
  const OutputRef asked = of_.structure.predicates[static_cast<size_t>(repeats.predicate)].tensor;
  OutputRef result = Scalar(asked, Find(test, asked, of_.places.First(loop.frame)), test);
  if (repeats.value == 0) {
    result = {test.Add(test.FreshName("not"), "LogicalNot", "", {result}), 0};
  }
  test.returns = {result};
  const LoopWires& wires =
      made_.wires
          .loops[static_cast<size_t>(made_.wires.loop_of_frame[static_cast<size_t>(loop.frame)])];
  for (const std::set<NodeId>* again : {&wires.again_in_body, &wires.again_after}) {
    for (const NodeId id : *again) {
      if (IsTotal(Original(id))) test.spare.insert(test.graph.Find(Original(id).name));
    }
  }
  return AddFunction(test, name + "_cond", is_stateful);
}

NameAttrList Emitter::MakeBody(const Loop& loop, int32_t index, const std::vector<LoopArg>& args,
                               const std::string& name, bool& is_stateful) {
  Body body(of_.graph);
  for (const LoopArg& arg : args) body.values[{arg.inside}] = body.AddArgument(arg.dtype);
  EmitAgain(made_.wires.loops[static_cast<size_t>(index)].again_in_body, loop.frame, false, body);
  EmitBlock(loop.body, body);
  const PlaceId place = PlaceOfPart(loop.frame, true);
  for (size_t i = 0; i < args.size(); ++i) {
    body.returns.push_back(args[i].next == NodeId::kNone
                               ? OutputRef{body.args[i], 0}
                               : Find(body, Original(args[i].next).inputs[0], place));
  }
  return AddFunction(body, name + "_body", is_stateful);
}

void Emitter::EmitLoop(int32_t index, Body& body) {
  const Loop& loop = tree_.loops[static_cast<size_t>(index)];
  const std::vector<LoopArg> args = ArgsOf(loop.frame);
  const StaticFrame& frame = of_.valid.frames.frames[static_cast<size_t>(loop.frame)];
  std::string plain;
  for (const char c : frame.name) {
    const bool may_be = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_';
    plain += may_be && !(plain.empty() && (c == '/' || c == '_')) ? c : plain.empty() ? 'f' : '_';
  }
  const std::string name = body.FreshName(plain);
  bool is_stateful = false;
  NameAttrList test = MakeTest(loop, args, name, is_stateful);
  NameAttrList turn = MakeBody(loop, index, args, name, is_stateful);
  const PlaceId place = of_.PlaceOfFrame(loop.frame);
  std::vector<OutputRef> inputs;
  AttrList types;
  for (const LoopArg& arg : args) {
    inputs.push_back(Find(body, arg.outside, place));
    types.types.push_back({arg.dtype, false});
  }
  const NodeId made =
      body.Add(name, is_stateful ? "While" : "StatelessWhile", "", std::move(inputs));
  body.made[{TreeItem::Kind::kLoop, index}] = made;
  body.graph.SetAttr(made, "T", AttrValue(std::move(types)));
  body.graph.SetAttr(made, "cond", AttrValue(std::move(test)));
  body.graph.SetAttr(made, "body", AttrValue(std::move(turn)));
  body.graph.SetAttr(made, "parallel_iterations", AttrValue(frame.parallel_iterations));
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].next == NodeId::kNone) continue;
    body.values[{args[i].inside, true}] = {made, static_cast<int32_t>(i)};
  }
  EmitAgain(made_.wires.loops[static_cast<size_t>(index)].again_after, loop.frame, true, body);
}

void Emitter::EmitLeave(const Node& exit, Body& body) {
  const int frame = of_.FrameOf(exit.id);
  const int32_t index = made_.wires.loop_of_frame[static_cast<size_t>(frame)];
  const Loop& loop = tree_.loops[static_cast<size_t>(index)];
  const NodeId whole = body.made.at({TreeItem::Kind::kLoop, index});
  const OutputRef value =
      Find(body, exit.inputs[0], of_.places.At(frame, of_.ConditionOf(exit.id)));
  NodeId& made = body.made[{TreeItem::Kind::kNode, static_cast<int32_t>(exit.id)}];
  if (loop.home != BlockId::kRoot && exit.control_inputs.empty() && value.node == whole) {
    body.values[{{exit.id, 0}}] = value;
    made = whole;
    return;
  }
  made = body.AddIdentity(exit.name, exit.device, {value},
                          {{TypeOf(of_.graph, {exit.id, 0})->dtype, false}});
  body.values[{{exit.id, 0}}] = {made, 0};
  body.AddControl(whole, made);
}

}  // namespace tagflow::recovery
