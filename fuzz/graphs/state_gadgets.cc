// Tested by unstructured_test.cc.

#include "fuzz/graphs/state_gadgets.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tagflow::fuzz {
namespace {

constexpr DType kInt = DType::kInt32;

class Gadget {
 public:
  Gadget(Choices& choices, GraphMaker& maker, const GadgetSite& site)
      : choices_(choices), maker_(maker), site_(site) {}

 protected:
  static constexpr int kRoot = GraphMaker::kRoot;

  Value Constant(DType type, int64_t number) {
    const NodeId anchor = site_.number.output.node;
    return maker_.AddConst(site_.frame, type, number, site_.frame == kRoot ? nullptr : &anchor);
  }

  Value Sum(int frame, const Value& a, const Value& b) {
    maker_.AddOp(frame, "AddV2", {a, b}, {DType::kInt32}, {{"T", DType::kInt32}});
    return maker_.frame(frame).values.back();
  }

  Choices& choices_;
  GraphMaker& maker_;
  const GadgetSite& site_;
};

// A loop that counts, to which the gadget adds.
class LoopGadget : public Gadget {
 public:
  using Gadget::Gadget;

 protected:
  void BeginLoop(int least_trips, int most_trips) {
    static const std::vector<int64_t> parallel = {2, 10, 1, 3};
    parallel_ = choices_.Of(parallel);
    frame_ = maker_.AddFrame(site_.frame, parallel_);
    const Value start = maker_.AddEnter(frame_, Constant(DType::kInt32, 0), false, parallel_);
    const Value limit =
        maker_.AddEnter(frame_, Constant(DType::kInt32, choices_.Between(least_trips, most_trips)),
                        true, parallel_);
    counter_ = Header(start);
    maker_.AddOp(frame_, "Less", {counter_, limit}, {DType::kBool}, {{"T", DType::kInt32}});
    maker_.AddOp(frame_, "LoopCond", {maker_.frame(frame_).values.back()}, {DType::kBool}, {});
    maker_.frame(frame_).has_loop_cond = true;
    pivot_ = maker_.frame(frame_).values.back();
    maker_.frame(frame_).pivots.push_back(pivot_.output);
    std::tie(done_, go_) = maker_.AddSwitch(frame_, counter_, pivot_);
    const NodeId body = go_.output.node;
    const Value one = maker_.AddConst(frame_, DType::kInt32, 1, &body);
    next_ = GoRound(counter_, Sum(frame_, go_, one));
    exit_ = maker_.AddExit(frame_, done_);
  }

  // The Merge of a variable, and what goes round to it.
  Value Header(const Value& start) {
    const Value hole{OutputRef(), DType::kInt32, Span::kEndless, {}};
    return maker_.AddMerge(frame_, {start, hole}, Span::kEndless);
  }
  Value GoRound(const Value& header, const Value& value) {
    const Value next = maker_.AddNext(frame_, value);
    maker_.graph.mutable_node(header.output.node).inputs[1] = next.output;
    return next;
  }

  int frame_ = 0;
  int64_t parallel_ = 1;
  Value counter_, pivot_, done_, go_, next_, exit_;
};

// A gadget whose nodes come one after the other; of a few gadgets, not all of them.
class Sequence : public LoopGadget {
 public:
  using LoopGadget::LoopGadget;

 protected:
  NodeId Then(const std::string& op, const std::vector<Value>& inputs,
              const std::vector<DType>& outputs, const GraphMaker::Attrs& attrs) {
    return After(maker_.AddOp(site_.frame, op, inputs, outputs, attrs));
  }

  NodeId After(NodeId node) {
    const bool is_free = is_loose_ && choices_.Chance(kEvenly);
    if (last_ != NodeId::kNone && !is_free) maker_.AddControl(node, last_);
    return last_ = node;
  }

  // A number that no other place of the gadget has.
  Value Fresh() {
    const Value number = Constant(kInt, 10 * ++numbers_);
    return choices_.Chance(kSometimes) ? Sum(site_.frame, site_.number, number) : number;
  }

  Value Output(NodeId node, int32_t index, DType type) const {
    return {{node, index}, type, site_.number.span, site_.number.conditions};
  }

  NodeId last_ = NodeId::kNone;
  const bool is_loose_ = choices_.Chance(kSeldom);

 private:
  int64_t numbers_ = 0;
};

class StackGadget : public Sequence {
 public:
  using Sequence::Sequence;

  void Add() {
    const int most = choices_.Between(-1, 3);
    const NodeId stack = Then("StackV2", {Constant(kInt, most)}, {DType::kResource},
                              {{"elem_type", kInt}, {"stack_name", "s"}});
    handle_ = Output(stack, 0, DType::kResource);
    const int uses = choices_.Between(2, 5);
    for (int i = 0; i < uses; ++i) Use(most);
    if (choices_.Chance(kSometimes)) Close();
  }

 private:
  void Use(int most) {
    const bool careless = choices_.Chance(kSeldom);
    const bool full = most >= 0 && size_ >= most;
    if (size_ == 0 ? !careless : choices_.Chance(kEvenly) && !full) {
      if (full && !careless) return;
      Push();
    } else if (full && careless) {
      Push();
    } else {
      Then("StackPopV2", {handle_}, {kInt}, {{"elem_type", kInt}});
      --size_;
    }
  }

  void Push() {
    Then("StackPushV2", {handle_, Fresh()}, {kInt}, {{"T", kInt}});
    ++size_;
  }

  void Close() {
    Then("StackCloseV2", {handle_}, {}, {});
    if (!choices_.Chance(kEvenly)) return;
    if (choices_.Chance(kEvenly)) return Push();
    Then("StackPopV2", {handle_}, {kInt}, {{"elem_type", kInt}});
  }

  Value handle_;
  int size_ = 0;
};

class ArrayGadget : public Sequence {
 public:
  using Sequence::Sequence;

  void Add() {
    const int size = choices_.Between(1, 3);
    const bool clears = choices_.Chance(kEvenly);
    // Which of several reads makes the zeros that a gradient array finds, their order says.
    has_zeros_ = choices_.Chance(kEvenly) && !is_loose_;
    const PartialShape shape = has_zeros_ ? PartialShape::Scalar() : PartialShape();
    const NodeId array =
        Then("TensorArrayV3", {Constant(kInt, size)}, {DType::kResource, DType::kFloat},
             {{"dtype", kInt}, {"clear_after_read", clears}, {"element_shape", shape}});
    arrays_.push_back(HandleOf(array, ""));
    contents_[""] = {clears, std::vector<State>(static_cast<size_t>(size))};
    const int uses = choices_.Between(2, 6);
    for (int i = 0; i < uses; ++i) Use();
    if (choices_.Chance(kSometimes)) {
      Then("TensorArraySizeV3", {arrays_[0].array, arrays_[0].flow}, {kInt}, {});
    }
    if (choices_.Chance(kSeldom)) Then("TensorArrayCloseV3", {arrays_[0].array}, {}, {});
    if (!choices_.Chance(kEvenly)) return;
    const int gradients = choices_.Between(1, 3);
    for (int i = 0; i < gradients; ++i) Gradient();
  }

 private:
  enum class State : uint8_t { kNew, kWritten, kRead };
  struct Contents {
    bool clears = true;
    std::vector<State> states;
  };
  struct Handle {
    Value array, flow;
    std::string source;  // of a gradient array
  };

  Handle HandleOf(NodeId node, const std::string& source) {
    return {Output(node, 0, DType::kResource), Output(node, 1, DType::kFloat), source};
  }

  // A node for the gradient array of one of two sources, which may be there already, and its use.
  void Gradient() {
    const std::string source = choices_.Chance(kMostly) ? "a" : "b";
    const Handle& of = arrays_[0];
    const NodeId node = Then("TensorArrayGradV3", {of.array, of.flow},
                             {DType::kResource, DType::kFloat}, {{"source", source}});
    arrays_.push_back(HandleOf(node, source));
    auto [contents, is_new] = contents_.try_emplace(source, contents_.at(""));
    if (is_new) {
      contents->second.clears = true;
      for (State& state : contents->second.states) {
        if (state == State::kRead) state = State::kWritten;
      }
    }
    const int uses = choices_.Between(1, 3);
    for (int i = 0; i < uses; ++i) Use();
    // What the others wrote is seen here.
    std::vector<State>& states = contents_.at(source).states;
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i] != State::kWritten || !choices_.Chance(kEvenly)) continue;
      Read(arrays_.back(), i);
      states[i] = State::kRead;
    }
  }

  void Use() {
    const uint32_t count = static_cast<uint32_t>(arrays_.size());
    Handle& handle = arrays_[choices_.Chance(kEvenly) ? count - 1 : choices_.Below(count)];
    Contents& contents = contents_.at(handle.source);
    const bool careless = choices_.Chance(kSeldom);
    const size_t index = choices_.Below(static_cast<uint32_t>(contents.states.size()));
    State& state = contents.states[index];
    const bool adds = !handle.source.empty();
    const bool can_write = state == State::kNew || (adds && state == State::kWritten);
    const bool can_read = state == State::kWritten || (state == State::kNew && has_zeros_) ||
                          (state == State::kRead && !contents.clears);
    const bool writes = can_write && can_read ? choices_.Chance(kEvenly) : can_write != careless;
    if ((writes ? can_write : can_read) || careless) {
      writes ? Write(handle, index) : Read(handle, index);
      state = writes ? State::kWritten : State::kRead;
    }
  }

  void Write(Handle& handle, size_t index) {
    const NodeId node =
        Then("TensorArrayWriteV3", {handle.array, Index(index), Fresh(), handle.flow},
             {DType::kFloat}, {{"T", kInt}});
    handle.flow = Output(node, 0, DType::kFloat);
  }

  void Read(const Handle& handle, size_t index) {
    Then("TensorArrayReadV3", {handle.array, Index(index), handle.flow}, {kInt}, {{"dtype", kInt}});
  }

  Value Index(size_t index) { return Constant(kInt, static_cast<int64_t>(index)); }

  std::vector<Handle> arrays_;                // the first is the array itself
  std::map<std::string, Contents> contents_;  // by source
  bool has_zeros_ = false;
};

class ReferenceGadget : public Sequence {
 public:
  using Sequence::Sequence;

  void Add() {
    AddVariable();
    if (choices_.Chance(kSometimes)) Pass();  // before it has a value, perhaps
    if (!choices_.Chance(kSeldom)) Assign("Assign");
    const int uses = choices_.Between(1, 5);
    for (int i = 0; i < uses; ++i) Use();
    if (!choices_.Chance(kMostly)) return;
    Value left{ref_, kInt, Span::kOnce, {}};
    left.is_ref = true;
    maker_.Publish(kRoot, left);
  }

 private:
  NodeId Node(int frame, const std::string& op, const std::vector<OutputRef>& inputs,
              const GraphMaker::Attrs& attrs) {
    const NodeId node = maker_.AddNode(op, inputs, attrs);
    maker_.frame(frame).nodes.push_back(node);
    return node;
  }

  // Now and then two nodes name one variable, or another container's ([resource.1]). What they say
  // of its shape may differ: the first counts.
  void AddVariable() {
    const std::string name = "r" + std::to_string(maker_.graph.num_nodes());
    ref_ = {Named(name, "", PartialShape::Scalar()), 0};
    if (choices_.Chance(kMostly)) return;
    const std::string container = choices_.Chance(kEvenly) ? "" : "other";
    if (choices_.Chance(kEvenly)) {
      const NodeId other = Named(name, container, PartialShape::Scalar());
      After(Node(kRoot, "Assign", {{other, 0}, Fresh().output}, {{"T", kInt}}));
      return;
    }
    const NodeId other = Named(name, container, PartialShape(Dims{1}));
    maker_.AddControl(After(other), ref_.node);
    After(Node(kRoot, "IsVariableInitialized", {{other, 0}}, {{"dtype", kInt}}));
  }

  NodeId Named(const std::string& name, const std::string& container, const PartialShape& shape) {
    return Node(
        kRoot, "VariableV2", {},
        {{"dtype", kInt}, {"shape", shape}, {"container", container}, {"shared_name", name}});
  }

  void Use() {
    static const int weights[] = {4, 3, 3, 3, 3, 2, 2, 3};
    switch (choices_.Weighted(weights)) {
      case 0:
        return Assign(choices_.Chance(kEvenly) ? "AssignAdd" : "Assign");
      case 1:
        return Pass();
      case 2:
        return Branch();
      case 3:
        return Loop();
      case 4:
        return ReadLate();
      case 5:
        return Read();
      case 6:
        return Send();
      default:
        return GoRoundAndRound();
    }
  }

  void Assign(const std::string& op) {
    ref_ = {After(Node(kRoot, op, {ref_, Fresh().output}, {{"T", kInt}})), 0};
  }

  // What asks for no value.
  void Pass() {
    if (choices_.Chance(kEvenly)) {
      ref_ = {Node(kRoot, "RefIdentity", {ref_}, {{"T", kInt}}), 0};
      return;
    }
    const NodeId node = After(Node(kRoot, "IsVariableInitialized", {ref_}, {{"dtype", kInt}}));
    maker_.Publish(kRoot, Output(node, 0, DType::kBool));
  }

  // Both ways to a RefMerge, one of them past a write.
  void Branch() {
    const NodeId branch =
        After(Node(kRoot, "RefSwitch", {ref_, site_.truth.output}, {{"T", kInt}}));
    OutputRef sides[] = {{branch, 0}, {branch, 1}};
    if (choices_.Chance(kEvenly)) {
      OutputRef& side = sides[choices_.Below(2)];
      side = {Node(kRoot, "AssignAdd", {side, Fresh().output}, {{"T", kInt}}), 0};
    }
    const NodeId merge =
        After(Node(kRoot, "RefMerge", {sides[0], sides[1]}, {{"T", kInt}, {"N", 2}}));
    maker_.Publish(kRoot, Output(merge, 1, kInt));
    ref_ = {merge, 0};
  }

  NodeId Enter(const std::string& op, OutputRef input, int frame, bool is_constant) {
    const int64_t parallel = maker_.frame(frame).parallel;
    return Node(frame, op, {input},
                {{"T", kInt},
                 {"frame_name", maker_.frame(frame).name},
                 {"is_constant", is_constant},
                 {"parallel_iterations", parallel}});
  }

  // Through a frame, by its first iteration or its second.
  void Loop() {
    const int frame = maker_.AddFrame(kRoot, choices_.Between(1, 2));
    if (choices_.Chance(kSometimes)) return LeaveLater(frame);
    const NodeId enter = After(Enter("RefEnter", ref_, frame, false));
    OutputRef inner = {enter, 0};
    if (choices_.Chance(kEvenly)) {
      inner = {Node(frame, "AssignAdd", {inner, inner}, {{"T", kInt}}), 0};
    }
    if (choices_.Chance(kEvenly))
      inner = {Node(frame, "RefNextIteration", {inner}, {{"T", kInt}}), 0};
    const NodeId exit = maker_.AddNode("RefExit", {inner}, {{"T", kInt}});
    maker_.frame(kRoot).nodes.push_back(exit);
    last_ = exit;
    ref_ = {exit, 0};
  }

  // Through a loop that counts, which may change it in each trip. What begins it may be dead, while
  // the loop goes on: then the other way joins what leaves.
  void GoRoundAndRound() {
    const bool is_of_branch = choices_.Chance(kEvenly);
    OutputRef begins = ref_, other;
    if (is_of_branch) {
      const NodeId branch =
          After(Node(kRoot, "RefSwitch", {ref_, site_.truth.output}, {{"T", kInt}}));
      const int side = choices_.Between(0, 1);
      begins = {branch, side};
      other = {branch, 1 - side};
    }
    BeginLoop(0, 3);
    const NodeId enter = After(Enter("RefEnter", begins, frame_, false));
    const NodeId header =
        Node(frame_, "RefMerge", {{enter, 0}, {enter, 0}}, {{"T", kInt}, {"N", 2}});
    const NodeId sides = Node(frame_, "RefSwitch", {{header, 0}, pivot_.output}, {{"T", kInt}});
    OutputRef body = {sides, 1};
    if (choices_.Chance(kMostly)) {
      body = {Node(frame_, "AssignAdd", {body, go_.output}, {{"T", kInt}}), 0};
    }
    const NodeId next = Node(frame_, "RefNextIteration", {body}, {{"T", kInt}});
    maker_.graph.mutable_node(header).inputs[1] = {next, 0};
    last_ = Node(kRoot, "RefExit", {{sides, 0}}, {{"T", kInt}});
    ref_ = {last_, 0};
    if (!is_of_branch) return;
    last_ = Node(kRoot, "RefMerge", {ref_, other}, {{"T", kInt}, {"N", 2}});
    ref_ = {last_, 0};
  }

  // A reference that is there in every iteration leaves with the number that goes on to one.
  void LeaveLater(int frame) {
    const NodeId constant = After(Enter("RefEnter", ref_, frame, true));
    OutputRef number = {Enter("Enter", site_.number.output, frame, false), 0};
    for (int more = choices_.Between(0, 2); more > 0; --more) {
      number = {Node(frame, "NextIteration", {number}, {{"T", kInt}}), 0};
    }
    // Made before what waits for it, as nodes of a frame are.
    const bool is_told = choices_.Chance(kEvenly);
    const NodeId before =
        is_told ? Node(frame, "Identity", {{constant, 0}}, {{"T", kInt}}) : NodeId::kNone;
    const NodeId changed = Node(frame, "AssignAdd", {{constant, 0}, number}, {{"T", kInt}});
    if (is_told) TellWhatWas(frame, before, changed, number);
    const NodeId exit = maker_.AddNode("RefExit", {{changed, 0}}, {{"T", kInt}});
    maker_.frame(kRoot).nodes.push_back(exit);
    last_ = exit;
    ref_ = {exit, 0};
  }

  // What it was before it changed, as is told afterwards.
  void TellWhatWas(int frame, NodeId before, NodeId changed, OutputRef number) {
    maker_.AddControl(changed, before);
    const NodeId after = Node(frame, "AddV2", {{before, 0}, number}, {{"T", kInt}});
    maker_.AddControl(after, changed);
    const NodeId exit = Node(kRoot, "Exit", {{after, 0}}, {{"T", kInt}});
    maker_.Publish(kRoot, Output(exit, 0, kInt));
  }

  void Read() {
    const NodeId node = After(Node(kRoot, "Identity", {ref_}, {{"T", kInt}}));
    maker_.Publish(kRoot, Output(node, 0, kInt));
  }

  // What it holds, sent in a branch alone; otherwise the Send does not read it.
  void Send() {
    const auto [no, yes] = maker_.AddSwitch(kRoot, site_.number, site_.truth);
    const Value side = maker_.AddIdentity(kRoot, choices_.Chance(kEvenly) ? no : yes);
    const std::string name = "r" + std::to_string(maker_.graph.num_nodes());
    const auto [send, receive] =
        AddMessage(maker_, {ref_, kInt, Span::kOnce, {}}, site_.number.output.node, {name},
                   choices_.Chance(kSometimes));
    maker_.AddControl(send, side.output.node);
    const NodeId after = Node(kRoot, "ControlTrigger", {}, {});
    maker_.AddControl(after, After(send));
    last_ = after;
    for (const NodeId end : {receive, send}) maker_.frame(kRoot).nodes.push_back(end);
    maker_.Publish(kRoot, {{receive, 0}, kInt, Span::kOnce, side.conditions});
  }

  // A node that has the reference before a write, and fires after it.
  void ReadLate() {
    const OutputRef before = ref_;
    Assign("AssignAdd");
    const NodeId late = Node(kRoot, "Identity", {site_.number.output}, {{"T", kInt}});
    maker_.AddControl(late, last_);
    const NodeId sum = After(Node(kRoot, "AddV2", {before, {late, 0}}, {{"T", kInt}}));
    maker_.Publish(kRoot, Output(sum, 0, kInt));
  }

  OutputRef ref_;
};

}  // namespace

void AddStack(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  StackGadget(choices, maker, site).Add();
}

void AddArray(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  ArrayGadget(choices, maker, site).Add();
}

void AddReference(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  ReferenceGadget(choices, maker, site).Add();
}

}  // namespace tagflow::fuzz
