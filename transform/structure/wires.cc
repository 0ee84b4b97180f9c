#include "transform/structure/wires.h"

#include <algorithm>
#include <optional>
#include <string>

#include "graph/control_ops.h"
#include "transform/simplify/call_view.h"
#include "transform/structure/liveness.h"
#include "transform/structure/uses.h"
#include "transform/structure/value_types.h"

namespace tagflow::recovery {
namespace {

class Wirer {
 public:
  Wirer(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged)
      : of_(of),
        roles_(roles),
        work_(work),
        arranged_(arranged),
        tree_(arranged.tree),
        liveness_(of, roles, work, arranged) {}

  Wires Run(bool& declined) {
    wires_.choices.resize(tree_.choices.size());
    wires_.loops.resize(tree_.loops.size());
    wires_.loop_of_frame.assign(of_.structure.frames.size(), -1);
    captured_.resize(tree_.choices.size());
    exported_.resize(tree_.choices.size());
    for (size_t i = 0; i < tree_.loops.size(); ++i) {
      wires_.loop_of_frame[static_cast<size_t>(tree_.loops[i].frame)] = static_cast<int32_t>(i);
    }
    UseVisitor(
        of_, roles_, work_, arranged_,
        [this](OutputRef output, const User& user) { Use(output, user); },
        [this](NodeId node, const User& user) { Wait(node, user); })
        .Run();
    while (!again_.empty()) {
      const auto [node, user] = again_.back();
      again_.pop_back();
      for (const OutputRef input : of_.graph.node(node).inputs) Use(input, user);
    }
    for (size_t i = 0; i < tree_.choices.size(); ++i) {
      const std::string why = liveness_.WhyNotDead(i);
      if (!why.empty()) Decline(i, why);
    }
    declined = declined_;
    return std::move(wires_);
  }

 private:
  const std::string& Name(NodeId id) const { return of_.graph.node(id).name; }
  const Block& BlockOf(BlockId id) const { return tree_.block(id); }
  bool IsOfChoice(BlockId id) const { return BlockOf(id).within.kind == TreeItem::Kind::kChoice; }
  size_t ChoiceOf(BlockId id) const { return static_cast<size_t>(BlockOf(id).within.index); }

  void Decline(size_t choice, const std::string& why) {
    declined_ |= of_.places.Decline(tree_.choices[choice].region, why);
  }
  // Declines what a block is a part of.
  void DeclineBlock(BlockId block, const std::string& why) {
    if (IsOfChoice(block)) return Decline(ChoiceOf(block), why);
    const auto loop = static_cast<size_t>(BlockOf(block).within.index);
    declined_ |= of_.DeclineFrame(tree_.loops[loop].frame, why);
  }

  // ---- Where values are ----

  // The block that has a value for a user at a place.
  BlockId HomeOf(Value& value, PlaceId user_place, const User& user) {
    const NodeId node = value.output.node;
    if (of_.fed.Contains(value.output)) return BlockId::kRoot;
    const int frame = of_.places[user_place].frame;
    const Part part = of_.places[user_place].part;
    const int32_t in_loop = wires_.loop_of_frame[static_cast<size_t>(frame)];
    const Role role = roles_[node];
    const bool is_argument = role == Role::kVariable || role == Role::kConstant;
    if (is_argument) {
      const Loop& loop = tree_.loops[static_cast<size_t>(in_loop)];
      return value.after ? loop.home : part == Part::kBody ? loop.body : loop.test;
    }
    const int32_t item = work_.ItemOf(of_, roles_, node);
    const Place& made_at = of_.places[work_.items[static_cast<size_t>(item)].place];
    const BlockId home = arranged_.home[static_cast<size_t>(item)];
    if (made_at.frame != frame || made_at.part == part) return home;
    return ComputeAgain(node, in_loop, part, home, value, user);
  }

  // A node of a loop's test, for its body or what comes after.
  BlockId ComputeAgain(NodeId node, int32_t in_loop, Part part, BlockId home, Value& value,
                       const User& user) {
    const Loop& loop = tree_.loops[static_cast<size_t>(in_loop)];
    const BlockId block = part == Part::kBody ? loop.body : loop.home;
    value.after = part == Part::kAfter;
    const bool is_pure = (TraitsOf(of_.graph.node(node).def) & kPure) != 0;
    if (roles_[node] != Role::kReal || !is_pure || home != loop.test ||
        of_.ConditionOf(node) != ConditionId::kAlways) {
      declined_ |= of_.DeclineFrame(
          loop.frame, "'" + Name(node) +
                          "', which is computed before it is known whether there is another "
                          "iteration, is used behind that, and cannot be computed twice");
      return block;
    }
    LoopWires& wires = wires_.loops[static_cast<size_t>(in_loop)];
    std::set<NodeId>& again = value.after ? wires.again_after : wires.again_in_body;
    if (!again.insert(node).second) return block;
    User clone = user;
    clone.block = block;
    clone.place = PlaceOfPart(loop.frame, part);
    clone.is_way = false;
    again_.emplace_back(node, clone);
    if (value.after) UsesAfter(loop);
    return block;
  }
  PlaceId PlaceOfPart(int frame, Part part) {
    const ConditionLiteral repeats = *of_.structure.frames[static_cast<size_t>(frame)].repeats;
    const int32_t value = part == Part::kBody ? repeats.value : 1 - repeats.value;
    return of_.places.At(
        frame, of_.structure.conditions.With(ConditionId::kAlways, {repeats.predicate, value}));
  }
  // What comes after a loop without taking what it gives is not dead where the loop is: so the loop
  // has to be live wherever its block is.
  void UsesAfter(const Loop& loop) {
    const PlaceId place = of_.PlaceOfFrame(loop.frame);
    if (of_.places.ConditionOf(place) == of_.Entered(loop.frame)) return;
    declined_ |= of_.DeclineFrame(
        loop.frame, "what its last iteration computes for outside is in a cond that stays");
  }

  // ---- Data ----

  void Use(OutputRef output, const User& user) {
    if (!of_.fed.Contains(output) && roles_[output.node] == Role::kGone) return;
    PlaceId user_place = user.place;
    Value value = roles_.Resolve(output, user_place);
    const bool is_fed = of_.fed.Contains(output);
    if (!is_fed) CheckStillInside(of_.EdgeCondition(output), user, Name(output.node));
    const Place& place = of_.places[user.place];
    if (place.part == Part::kAfter && !value.after) UsesAfter(LoopOf(place.frame));
    const BlockId home = HomeOf(value, user_place, user);
    const ConditionId live = value.after || of_.fed.Contains(value.output)
                                 ? ConditionId::kAlways
                                 : of_.EdgeCondition(value.output);
    Connect(value, live, home, user, user_place);
    if (user.is_way && !is_fed) {
      CheckGiven(ChoiceOf(user.block), of_.EdgeCondition(output), user.block, Name(output.node));
    }
  }
  const Loop& LoopOf(int frame) const {
    return tree_.loops[static_cast<size_t>(wires_.loop_of_frame[static_cast<size_t>(frame)])];
  }

  // What a node hung on has to be around it still: as a region, or as what stays.
  void CheckStillInside(ConditionId condition, const User& user, const std::string& name) {
    if (condition == ConditionId::kNever) return;
    const int frame = of_.places[user.place].frame;
    for (PlaceId at = of_.places.At(frame, condition);
         of_.places[at].parent != PlaceId::kNone && !of_.places.IsWithin(user.place, at);
         at = of_.places[at].parent) {
      const RegionId region = of_.places[at].region;
      const auto value = of_.places.ValueAt(user.place, of_.places[region].predicate);
      if (value == of_.places[at].value) continue;
      const std::string why = "'" + name + "' is used where the cond is not";
      if (of_.places.Decline(region, why)) {
        declined_ = true;
      } else if (of_.places[region].declined.empty()) {
        declined_ |=
            of_.DeclineFrame(frame, "'" + name + "' is used where its iteration may not be");
      }
    }
  }

  void Connect(const Value& value, ConditionId live, BlockId from, const User& user,
               PlaceId user_place) {
    BlockId to = user.block;
    while (from != to) {
      const bool lifts_source = BlockOf(from).depth > BlockOf(to).depth;
      const bool lifts_both = BlockOf(from).depth == BlockOf(to).depth;
      if (lifts_source || lifts_both) {
        live = Export(value, live, from);
        from = BlockOf(from).parent;
      }
      if (!lifts_source) {
        Capture(value, live, to, of_.places[user_place].frame);
        to = BlockOf(to).parent;
      }
    }
  }

  bool IsReference(const Value& value) const {
    const std::optional<ArgType> type = TypeOf(of_.graph, value.output);
    return !type || type->is_ref;
  }

  void Capture(const Value& value, ConditionId live, BlockId block, int frame) {
    const std::string& name = Name(value.output.node);
    if (!IsOfChoice(block)) return DeclineBlock(block, "'" + name + "' gets into it by no Enter");
    const size_t choice = ChoiceOf(block);
    if (!captured_[choice].insert(value).second) return;
    wires_.choices[choice].captures.push_back(value);
    if (!of_.fed.Contains(value.output) && IsReference(value)) {
      return Decline(choice, "it takes the reference '" + name + "'");
    }
    if (!liveness_.Takes(choice, live, frame)) {
      Decline(choice, "'" + name + "', which it takes, may be dead where the cond is not");
    }
  }

  // The condition under which the choice gives the value.
  ConditionId Export(const Value& value, ConditionId live, BlockId block) {
    const std::string& name = Name(value.output.node);
    if (!IsOfChoice(block)) {
      DeclineBlock(block, "'" + name + "' gets out of it by no Exit");
      return live;
    }
    const size_t choice = ChoiceOf(block);
    const std::optional<ArgType> type = TypeOf(of_.graph, value.output);
    if (exported_[choice].insert(value).second) {
      wires_.choices[choice].exports.emplace_back(value, BranchOf(block));
      if (!type || type->is_ref || !HasStandIn(of_.graph, type->dtype)) {
        Decline(choice, "'" + name + "' is used outside of the cond, and is no plain value");
      }
    }
    return CheckGiven(choice, live, block, name);
  }
  size_t BranchOf(BlockId block) const {
    const std::vector<BlockId>& branches = tree_.choices[ChoiceOf(block)].branches;
    return static_cast<size_t>(std::ranges::find(branches, block) - branches.begin());
  }

  // ---- Waits ----

  void Wait(NodeId control, const User& user) {
    const Role role = roles_[control];
    if (role == Role::kGone) return;
    const Part part = of_.places[user.place].part;
    if (!user.knows_dead) CheckStillInside(of_.ControlCondition(control), user, Name(control));
    for (const NodeId node : roles_.WaitsFor(control)) {
      const Role made = roles_[node];
      if (made == Role::kVariable || made == Role::kConstant || made == Role::kEntry) {
        if (part != Part::kAfter) continue;
        const Loop& loop = LoopOf(of_.places[user.place].frame);
        const auto index = wires_.loop_of_frame[static_cast<size_t>(loop.frame)];
        WaitFor({TreeItem::Kind::kLoop, index}, loop.home, ConditionId::kAlways, user, node);
        continue;
      }
      const int32_t item = work_.ItemOf(of_, roles_, node);
      const TreeItem source = {TreeItem::Kind::kNode, static_cast<int32_t>(node)};
      WaitFor(source, arranged_.home[static_cast<size_t>(item)], of_.ControlCondition(node), user,
              node);
    }
  }

  void WaitFor(TreeItem source, BlockId from, ConditionId live, const User& user, NodeId node) {
    TreeItem item = user.item;
    BlockId to = user.block;
    while (from != to) {
      const bool lifts_source = BlockOf(from).depth > BlockOf(to).depth;
      const bool lifts_both = BlockOf(from).depth == BlockOf(to).depth;
      if (lifts_source || lifts_both) {
        if (!user.knows_dead && IsOfChoice(from)) {
          live = CheckGiven(ChoiceOf(from), live, from, Name(node));
        }
        source = BlockOf(from).within;
        from = BlockOf(from).parent;
      }
      if (!lifts_source) {
        const int frame = of_.places[user.place].frame;
        if (IsOfChoice(to) && !liveness_.Takes(ChoiceOf(to), live, frame)) {
          Decline(ChoiceOf(to),
                  "'" + Name(node) + "', which it waits for, may be dead where the cond is not");
        }
        item = BlockOf(to).within;
        to = BlockOf(to).parent;
      }
    }
    if (source != item) wires_.waits[from].emplace_back(source, item);
  }
  // What comes out of a branch has to be live wherever the branch runs. Returns where it is then.
  ConditionId CheckGiven(size_t choice, ConditionId live, BlockId block, const std::string& name) {
    if (!liveness_.Gives(choice, BranchOf(block), live)) {
      Decline(choice, "'" + name + "', which it gives, may be dead where the cond is not");
    }
    return liveness_.is_precise() ? liveness_.Of(choice) : live;
  }

  Recovery& of_;
  const Roles& roles_;
  const Work& work_;
  const Arrangement& arranged_;
  const Tree& tree_;
  Wires wires_;
  std::vector<std::set<Value>> captured_;  // by choice
  std::vector<std::set<Value>> exported_;
  std::vector<std::pair<NodeId, User>> again_;
  Liveness liveness_;
  bool declined_ = false;
};

}  // namespace

Wires FindWires(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged,
                bool& declined) {
  return Wirer(of, roles, work, arranged).Run(declined);
}

}  // namespace tagflow::recovery
