#ifndef TAGFLOW_TRANSFORM_STRUCTURE_USES_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_USES_H_

// Every use of a value and every wait in a tree, told to whoever asks: those of nodes, of joined
// Merges by way, of predicates, of what enters loops, leaves them and goes round.
//
// Tested by structure_text_test.cc.

#include <vector>

#include "graph/control_ops.h"
#include "transform/structure/arrange.h"
#include "transform/structure/roles.h"
#include "transform/structure/work.h"

namespace tagflow::recovery {

// Who uses a value, or waits for a node.
struct User {
  PlaceId place = PlaceId::kNone;
  BlockId block = BlockId::kNone;
  TreeItem item;            // of the block
  bool knows_dead = false;  // it is live where that is dead: a Merge that stays, a ControlTrigger
  bool is_way = false;      // what a branch gives for a Merge
};

// Calls use(output, user) for each data edge and wait(node, user) for each control edge of the
// tree.
template <typename Use, typename Wait>
class UseVisitor {
 public:
  UseVisitor(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged,
             Use use, Wait wait)
      : of_(of), roles_(roles), work_(work), arranged_(arranged), use_(use), wait_(wait) {}

  void Run() {
    for (size_t i = 0; i < work_.items.size(); ++i) {
      const WorkItem& item = work_.items[i];
      if (item.kind == WorkItem::Kind::kNode) VisitNode(item, arranged_.home[i]);
      if (item.kind == WorkItem::Kind::kWay) VisitWay(item, arranged_.home[i]);
    }
    for (size_t i = 0; i < arranged_.tree.choices.size(); ++i) VisitChoice(i);
    for (size_t i = 0; i < arranged_.tree.loops.size(); ++i) VisitLoop(i);
  }

 private:
  OutputRef Asked(int32_t predicate) const {
    return of_.structure.predicates[static_cast<size_t>(predicate)].tensor;
  }

  void VisitNode(const WorkItem& item, BlockId block) {
    const Node& node = of_.graph.node(item.node);
    if (of_.fed.IsFedPlaceholder(node)) return;
    User user = {item.place, block, {TreeItem::Kind::kNode, static_cast<int32_t>(item.node)}};
    const Role role = roles_[node.id];
    user.knows_dead = IsMerge(node) || node.op == "ControlTrigger";
    for (const NodeId control : node.control_inputs) wait_(control, user);
    if (role == Role::kJoin) return;
    if (role == Role::kLeave) {
      user.place = of_.places.At(of_.FrameOf(node.id), of_.ConditionOf(node.id));
    }
    const size_t count = role == Role::kGate ? 1 : node.inputs.size();
    user.knows_dead = IsMerge(node);
    for (size_t i = 0; i < count; ++i) use_(node.inputs[i], user);
  }

  // The merge's item stands for the branch's end.
  void VisitWay(const WorkItem& item, BlockId block) {
    const User user = {item.place, block, {}, false, true};
    use_(of_.graph.node(item.node).inputs[static_cast<size_t>(item.index)], user);
  }

  void VisitChoice(size_t index) {
    const Choice& choice = arranged_.tree.choices[index];
    use_(Asked(choice.predicate), User{of_.places[choice.region].place,
                                       choice.home,
                                       {TreeItem::Kind::kChoice, static_cast<int32_t>(index)}});
  }

  void VisitLoop(size_t index) {
    const Loop& loop = arranged_.tree.loops[index];
    const TreeItem item = {TreeItem::Kind::kLoop, static_cast<int32_t>(index)};
    const User user = {of_.PlaceOfFrame(loop.frame), loop.home, item};
    for (const NodeId id : of_.valid.frames.frames[static_cast<size_t>(loop.frame)].enters) {
      if (roles_[id] != Role::kConstant && roles_[id] != Role::kEntry) continue;
      const OutputRef input = of_.graph.node(id).inputs[0];
      if (roles_.HasConsumers(id)) {
        use_(input, user);
      } else if (!of_.fed.Contains(input)) {
        wait_(input.node, user);
      }
      for (const NodeId control : of_.graph.node(id).control_inputs) wait_(control, user);
    }
    const FrameStructure& frame = of_.structure.frames[static_cast<size_t>(loop.frame)];
    use_(Asked(frame.repeats->predicate), User{of_.places.First(loop.frame), loop.test, {}});
    const PlaceId body = of_.places.At(
        loop.frame, of_.structure.conditions.With(ConditionId::kAlways, *frame.repeats));
    for (const LoopVariable& variable : frame.variables) {
      use_(of_.graph.node(variable.next).inputs[0], User{body, loop.body, {}});
    }
  }

  Recovery& of_;
  const Roles& roles_;
  const Work& work_;
  const Arrangement& arranged_;
  Use use_;
  Wait wait_;
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_USES_H_
