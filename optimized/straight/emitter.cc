#include "optimized/straight/emitter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "graph/control_ops.h"
#include "optimized/straight/branches.h"
#include "optimized/straight/moves.h"
#include "optimized/straight/uses.h"

namespace tagflow::optimized {
namespace {

// Brings what comes soon into the cache: the order of a large graph's items jumps about in its
// nodes. (Always inline: GCC takes a function that does nothing else for one without effect, and
// leaves out its calls.)
[[gnu::always_inline]] inline void Prefetch(const Graph& graph, const Values& values,
                                            const std::vector<Item>& items, size_t at) {
  constexpr size_t kAhead = 8;
  if (at + 2 * kAhead >= items.size()) return;
  if (const NodeId id = items[at + 2 * kAhead].node; id != NodeId::kNone) {
    __builtin_prefetch(&graph.node(id));
    __builtin_prefetch(&graph.node(id).inputs);
  }
  if (const NodeId id = items[at + kAhead].node; id != NodeId::kNone) {
    __builtin_prefetch(graph.node(id).inputs.data());
    if (values.kind(id) == NodeKind::kKernel) __builtin_prefetch(&values.kernel(id));
  }
}

class Emitter {
 public:
  Emitter(const ExecutableSpec& spec, const FeedSet& fed, Structure& structure,
          const std::vector<std::vector<Item>>& schedule, Values& values)
      : graph_(spec.graph),
        call_(spec.call),
        tree_(spec.valid.frames),
        fed_(fed),
        structure_(structure),
        schedule_(schedule),
        values_(values),
        branches_(code_, structure.conditions,
                  [this](const ConditionLiteral& literal) { AppendTest(literal); }),
        uses_(spec, fed, structure, values) {}

  Code Emit() && {
    is_checked_.resize(structure_.predicates.size());
    for (const FrameStructure& frame : structure_.frames) {
      // The loop's own test asks it in every iteration.
      if (frame.repeats) is_checked_[static_cast<size_t>(frame.repeats->predicate)] = true;
    }
    is_asked_by_loop_ = is_checked_;
    for (const OutputRef& fetch : call_.fetches) {
      if (values_.IsReference(fetch)) fetched_references_[fetch] = 0;
    }
    EmitFrame(FrameTree::kRoot);
    for (size_t i = 0; i < call_.fetches.size(); ++i) EmitFetch(i);
    if (fetch_may_be_dead_) KeepPredicates();
    branches_.Enter(ConditionId::kAlways);
    Append(ConditionId::kAlways, {.op = OpCode::kEnd});
    code_.num_slots = values_.num_slots();
    code_.constants = std::move(values_.constants());
    code_.kernels = values_.TakeKernels();
    return std::move(code_);
  }

 private:
  Instruction& Append(ConditionId condition, Instruction instruction) {
    branches_.Enter(condition);
    code_.instructions.push_back(instruction);
    return code_.instructions.back();
  }

  void AppendTest(const ConditionLiteral& literal) {
    const auto place = static_cast<size_t>(literal.predicate);
    const Predicate& predicate = structure_.predicates[place];
    code_.instructions.push_back(
        {.op = predicate.is_index ? OpCode::kUnlessIndex : OpCode::kUnless,
         .n = static_cast<uint32_t>(literal.value),
         .a = values_.slot(predicate.tensor),
         .b = static_cast<uint32_t>(structure_.conditions.arity(literal.predicate)),
         .node = predicate.first});
  }

  uint32_t NewArg(uint32_t slot) {
    code_.args.push_back({slot, 0});
    return static_cast<uint32_t>(code_.args.size() - 1);
  }

  void AppendMove(ConditionId condition, uint32_t from, uint32_t to, NodeId node) {
    if (from == to) return;
    Append(condition, {.op = OpCode::kMove, .a = NewArg(from), .b = to, .node = node});
  }

  // Where the input's value is. A variable that is wanted by value is read here, as the node fires.
  uint32_t InputSlot(const Node& node, size_t input, ConditionId condition) {
    const OutputRef source = node.inputs[input];
    const uint32_t slot = values_.slot(source);
    if (!values_.IsReference(source)) return slot;
    if (!values_.WantsReference(node, input)) return AppendRead(slot, condition, node.id);
    if (!node.def->allows_uninitialized_input && !IsSwitch(node)) {
      Append(condition, {.op = OpCode::kRequire, .a = slot, .node = node.id});
    }
    return slot;
  }
  uint32_t AppendRead(uint32_t reference, ConditionId condition, NodeId node) {
    const uint32_t value = values_.NewSlot();
    Append(condition, {.op = OpCode::kRead, .a = reference, .b = value, .node = node});
    return value;
  }

  bool IsUsed(OutputRef output) const { return uses_.IsUsed(values_.Place(output)); }

  void EmitFrame(int frame) {
    const std::vector<Item>& items = schedule_[static_cast<size_t>(frame)];
    for (size_t i = 0; i < items.size(); ++i) {
      Prefetch(graph_, values_, items, i);
      const Item& item = items[i];
      switch (item.kind) {
        case Item::Kind::kNode:
          EmitNode(graph_.node(item.node), item.condition);
          break;
        case Item::Kind::kWay:
          EmitWay(graph_.node(item.node), item);
          break;
        case Item::Kind::kFrame:
          EmitChild(item.index, item.condition);
          break;
        case Item::Kind::kRepeat:
          EmitRepeat(frame, item.condition);
          break;
      }
    }
  }

  void EmitNode(const Node& node, ConditionId condition) {
    switch (values_.kind(node.id)) {
      case NodeKind::kHandsOn:
        EmitHandOn(node, condition);
        break;
      case NodeKind::kKernel:
        EmitCall(node, condition);
        break;
      default:
        break;
    }
    auto fetched = fetched_references_.lower_bound({node.id, 0});
    for (; fetched != fetched_references_.end() && fetched->first.node == node.id; ++fetched) {
      fetched->second = ReadNow(fetched->first);
    }
  }

  // A fetch reads a variable when the token arrives, and not when the step ends ([ref.2]).
  uint32_t ReadNow(OutputRef fetch) {
    const ConditionId condition = structure_.OfOutput(graph_, tree_, fetch);
    if (condition == ConditionId::kNever) return 0;  // it is not fetched either
    return AppendRead(values_.slot(fetch), condition, fetch.node);
  }

  void EmitHandOn(const Node& node, ConditionId condition) {
    const uint32_t slot = InputSlot(node, 0, condition);
    if (const int32_t predicate = structure_.switched_on[Index(node.id)]; predicate >= 0) {
      EmitScalarCheck(static_cast<size_t>(predicate), node.id, condition);
    } else if (IsLoopCond(node) && !EndsItsLoop(node, slot)) {
      Append(condition, {.op = OpCode::kScalar, .a = slot, .node = node.id});
    }
    for (uint32_t i = 0; i < values_.num_outputs(node.id); ++i) {
      values_.set_slot({node.id, static_cast<int32_t>(i)}, slot);
    }
  }

  // Whether the loop's own test asks what this LoopCond hands on, before anything else sees it.
  bool EndsItsLoop(const Node& node, uint32_t slot) const {
    const auto frame = static_cast<size_t>(tree_.frame_of[Index(node.id)]);
    const std::optional<ConditionLiteral>& repeats = structure_.frames[frame].repeats;
    if (!repeats || !uses_.IsOnlyAsked(node.id)) return false;
    // What the loop asks may come later than a LoopCond of something else.
    const OutputRef asked = structure_.predicates[static_cast<size_t>(repeats->predicate)].tensor;
    return values_.has_slot(asked) && values_.slot(asked) == slot;
  }

  // A Switch refuses a predicate that is no scalar, whether or not anything runs in its branches.
  // One Switch asks for all that share the predicate and fire wherever it does.
  void EmitScalarCheck(size_t predicate, NodeId node, ConditionId condition) {
    // The loop's own test may come after what waits for this Switch, in neither of its branches.
    const bool may_be_first = is_asked_by_loop_[predicate] && uses_.IsAwaited(node);
    if (is_checked_[predicate] && !may_be_first) return;
    const OutputRef tensor = structure_.predicates[predicate].tensor;
    Append(condition, {.op = OpCode::kScalar, .a = values_.slot(tensor), .node = node});
    const ConditionId wherever_it_is =
        fed_.Contains(tensor) ? ConditionId::kAlways : structure_.condition[Index(tensor.node)];
    is_checked_[predicate] = is_asked_by_loop_[predicate] || condition == wherever_it_is;
  }

  void EmitCall(const Node& node, ConditionId condition) {
    const auto first_arg = static_cast<uint32_t>(code_.args.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) NewArg(InputSlot(node, i, condition));
    const BoundKernel& kernel = values_.kernel(node.id);
    const Instruction call = {.op = OpCode::kCall,
                              .num_outputs = static_cast<uint16_t>(values_.num_outputs(node.id)),
                              .n = static_cast<uint32_t>(node.inputs.size()),
                              .a = first_arg,
                              .b = static_cast<uint32_t>(code_.outputs.size()),
                              .node = node.id,
                              .function = kernel.function(),
                              .state = kernel.state().get()};
    for (int32_t i = 0; i < call.num_outputs; ++i)
      code_.outputs.push_back(OutputSlot({node.id, i}));
    Append(condition, call);
  }
  uint32_t OutputSlot(OutputRef output) {
    if (!values_.has_slot(output)) values_.set_slot(output, values_.NewSlot());
    return values_.own_slot(output);
  }

  // One of the ways into a Merge: the value goes to the Merge's slot, where its branch runs.
  void EmitWay(const Node& merge, const Item& item) {
    const OutputRef value{merge.id, 0};
    const OutputRef index{merge.id, 1};
    const auto input = static_cast<size_t>(item.index);
    if (item.condition == structure_.condition[Index(merge.id)]) {
      // The only way there is.
      values_.set_slot(value, InputSlot(merge, input, item.condition));
      values_.set_slot(index, values_.IndexSlot(item.index));
      return;
    }
    AppendMove(item.condition, InputSlot(merge, input, item.condition), OutputSlot(value),
               merge.id);
    if (!IsUsed(index)) return;
    AppendMove(item.condition, values_.IndexSlot(item.index), OutputSlot(index), merge.id);
  }

  uint16_t DepthOf(int frame) const {
    uint16_t depth = 0;
    for (; tree_.frames[static_cast<size_t>(frame)].parent >= 0; ++depth) {
      frame = tree_.frames[static_cast<size_t>(frame)].parent;
    }
    return depth;
  }

  void EmitChild(int frame, ConditionId entered) {
    const FrameStructure& structure = structure_.frames[static_cast<size_t>(frame)];
    for (const LoopVariable& variable : structure.variables) {
      EmitInitial(variable, entered);
    }
    const uint16_t depth = DepthOf(frame);
    code_.max_depth = std::max(code_.max_depth, depth);
    Append(entered, {.op = OpCode::kEnter, .n = depth});
    heads_.push_back(static_cast<uint32_t>(code_.instructions.size()));
    const size_t begun = branches_.BeginFrame();
    EmitFrame(frame);
    branches_.EndFrame(begun);
    heads_.pop_back();
  }

  // Each Merge has its own slot, whatever else the same value is.
  void EmitInitial(const LoopVariable& variable, ConditionId entered) {
    const OutputRef value{variable.merge, 0};
    const OutputRef index{variable.merge, 1};
    AppendMove(entered, values_.slot({variable.enter, 0}), OutputSlot(value), variable.enter);
    if (!IsUsed(index)) return;
    AppendMove(entered, IndexOf(variable, variable.enter), OutputSlot(index), variable.enter);
  }
  uint32_t IndexOf(const LoopVariable& variable, NodeId source) {
    const auto& inputs = graph_.node(variable.merge).inputs;
    return values_.IndexSlot(inputs[0].node == source ? 0 : 1);
  }

  void EmitRepeat(int frame, ConditionId condition) {
    const FrameStructure& structure = structure_.frames[static_cast<size_t>(frame)];
    std::vector<Move> moves;
    for (const LoopVariable& variable : structure.variables) {
      moves.push_back({values_.slot({variable.next, 0}), values_.slot({variable.merge, 0})});
      const OutputRef index{variable.merge, 1};
      if (IsUsed(index)) moves.push_back({IndexOf(variable, variable.next), values_.slot(index)});
    }
    for (const Move& move : InSequence(std::move(moves), [this] { return values_.NewSlot(); })) {
      AppendMove(condition, move.from, move.to, NodeId::kNone);
    }
    const NodeId witness =
        structure.variables.empty() ? NodeId::kNone : structure.variables[0].next;
    Append(condition,
           {.op = OpCode::kRepeat, .n = DepthOf(frame), .target = heads_.back(), .node = witness});
  }

  void EmitFetch(size_t i) {
    const OutputRef fetch = call_.fetches[i];
    const ConditionId condition =
        fed_.Contains(fetch) ? ConditionId::kAlways : structure_.OfOutput(graph_, tree_, fetch);
    fetch_may_be_dead_ |= condition != ConditionId::kAlways;
    if (condition == ConditionId::kNever) return;
    const auto read = fetched_references_.find(fetch);
    Append(condition,
           {.op = OpCode::kFetch,
            .a = NewArg(read != fetched_references_.end() ? read->second : values_.slot(fetch)),
            .b = static_cast<uint32_t>(i),
            .node = fetch.node});
  }

  void KeepPredicates() {
    for (const Predicate& predicate : structure_.predicates) {
      const OutputRef tensor = predicate.tensor;
      const bool is_fed = fed_.Contains(tensor);
      const bool is_known =
          is_fed || (tree_.output_frame_of[Index(tensor.node)] == FrameTree::kRoot &&
                     values_.has_slot(tensor));
      code_.predicate_slots.push_back(is_known ? values_.slot(tensor) : kNoSlot);
    }
  }

  const Graph& graph_;
  const CallSpec& call_;
  const FrameTree& tree_;
  const FeedSet& fed_;
  Structure& structure_;
  const std::vector<std::vector<Item>>& schedule_;
  Values& values_;
  Code code_;
  Branches branches_;
  const Uses uses_;
  std::vector<bool> is_asked_by_loop_;  // by predicate
  std::vector<bool> is_checked_;        // by predicate: whether it is known to be a scalar
  std::vector<uint32_t> heads_;         // of the loops being emitted
  std::map<OutputRef, uint32_t> fetched_references_;  // and the slot of what was read
  bool fetch_may_be_dead_ = false;
};

}  // namespace

Code EmitCode(const ExecutableSpec& spec, const FeedSet& fed, Structure& structure,
              const std::vector<std::vector<Item>>& schedule, Values& values) {
  return Emitter(spec, fed, structure, schedule, values).Emit();
}

}  // namespace tagflow::optimized
