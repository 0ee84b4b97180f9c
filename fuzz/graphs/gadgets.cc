// Tested by unstructured_test.cc.

#include "fuzz/graphs/gadgets.h"

#include <algorithm>
#include <string>

#include "fuzz/graphs/gadget_base.h"

namespace tagflow::fuzz {
namespace {

class HeaderGadget : public LoopGadget {
 public:
  using LoopGadget::LoopGadget;

  void Add() {
    BeginLoop(1, 3);
    const int headers = choices_.Between(1, 2);
    for (int i = 0; i < headers; ++i) Watch(AddHeader());
    if (choices_.Chance(kEvenly)) WatchNext();
  }

 private:
  Value Enter(const Value& value, bool is_constant) {
    const bool late = choices_.Chance(kEvenly);
    const Value from = late ? Chain(site_.frame, value, choices_.Between(1, 12)) : value;
    NodeId control = NodeId::kNone;
    if (choices_.Chance(kEvenly)) {
      const int length = choices_.Chance(kEvenly) ? choices_.Between(1, 12) : 0;
      control = Chain(site_.frame, site_.number, length).output.node;
    }
    const Value entered = maker_.AddEnter(frame_, from, is_constant, parallel_);
    if (control != NodeId::kNone) maker_.AddControl(entered.output.node, control);
    return entered;
  }

  Value Dead() {
    switch (choices_.Below(4)) {
      case 0:
        return Enter(DeadOutside(), false);
      case 1:
        return Enter(DeadOutside(), true);
      case 2:  // live in no iteration
        return maker_.AddSwitch(frame_, go_, pivot_).first;
      default:
        return Enter(DeadOutside(), choices_.Chance(kEvenly));
    }
  }

  Value AddHeader() {
    std::vector<Value> inputs;
    Span span = Span::kEndless;
    const uint32_t mode = choices_.Below(4);
    if (mode == 0) inputs = {Enter(site_.number, true)};
    if (mode == 1) {
      inputs = {Enter(site_.number, false), maker_.AddNext(frame_, go_)};
    }
    if (mode == 2) {
      inputs = {go_};
      span = Span::kGuarded;
      if (choices_.Chance(kSometimes)) {
        inputs.push_back(done_);
        span = Span::kEndless;
      }
    }
    if (mode == 3) span = Span::kGuarded;  // nothing is live
    const int dead = choices_.Between(mode == 3 ? 1 : 0, 2);
    for (int i = 0; i < dead; ++i) inputs.push_back(Dead());
    if (choices_.Chance(kEvenly)) std::reverse(inputs.begin(), inputs.end());
    return maker_.AddMerge(frame_, inputs, span);
  }

  // Lets a value leave the loop that needs the header, dead or live, in the last iteration.
  void Watch(const Value& header) {
    const NodeId trigger = maker_.AddNode("ControlTrigger", {}, {});
    maker_.AddControl(trigger, header.output.node);
    maker_.frame(frame_).nodes.push_back(trigger);
    const Value seen = maker_.AddConst(frame_, DType::kInt32, choices_.Between(1, 9), &trigger);
    maker_.AddExit(frame_, Sum(frame_, done_, seen));
    if (choices_.Chance(kEvenly)) {
      maker_.AddExit(frame_, maker_.AddSwitch(frame_, header, pivot_).first);
    }
  }

  // The same for a control edge out of a NextIteration ([control.3]).
  void WatchNext() {
    const Value next = maker_.AddNext(frame_, go_);
    const Value copy = maker_.AddIdentity(frame_, counter_);
    maker_.AddControl(copy.output.node, next.output.node);
    maker_.AddExit(frame_, Sum(frame_, done_, copy));
  }
};

class WaitingMerge : public Gadget {
 public:
  using Gadget::Gadget;

  void Add() {
    const int frame = site_.frame;
    const auto [no, yes] = maker_.AddSwitch(frame, site_.number, site_.truth);
    const Value late = Chain(frame, site_.number, choices_.Between(2, 10));
    NodeId last = late.output.node;
    if (frame == kRoot) {
      AddVariable();
      last = Assign(late, assigned_);
      if (choices_.Chance(kSometimes)) last = AssignElsewhere(last);
    }
    std::vector<NodeId> controls = {site_.truth.output.node, last};
    if (choices_.Chance(kSometimes)) controls.push_back(site_.number.output.node);
    if (choices_.Chance(kEvenly)) std::reverse(controls.begin(), controls.end());
    const bool dead = choices_.Chance(kSometimes);  // fires dead, which waits too ([merge.4])
    const Value merge = dead ? maker_.AddMerge(frame, {DeadOutside()}, no.span)
                             : maker_.AddMerge(frame, {yes, no}, no.span);
    for (const NodeId control : controls) maker_.AddControl(merge.output.node, control);
    if (frame == kRoot) Read(merge);
  }

 private:
  void AddVariable() {
    name_ = "w" + std::to_string(maker_.graph.num_nodes());
    handle_ = Handle("");
    assigned_ = Assign(Constant(DType::kInt32, 7), NodeId::kNone);
  }

  Value Handle(const std::string& container) {
    const NodeId handle = maker_.AddNode("VarHandleOp", {},
                                         {{"dtype", DType::kInt32},
                                          {"shape", PartialShape::Scalar()},
                                          {"container", container},
                                          {"shared_name", name_}});
    maker_.frame(kRoot).nodes.push_back(handle);
    return {{handle, 0}, DType::kResource, Span::kOnce, {}};
  }

  // Writes to the variable of that name in another container ([resource.1]).
  NodeId AssignElsewhere(NodeId after) {
    const NodeId id =
        maker_.AddOp(kRoot, "AssignVariableOp", {Handle("other"), Constant(DType::kInt32, 9)}, {},
                     {{"dtype", DType::kInt32}});
    maker_.AddControl(id, after);
    return id;
  }

  NodeId Assign(const Value& value, NodeId after) {
    const NodeId id =
        maker_.AddOp(kRoot, "AssignVariableOp", {handle_, value}, {}, {{"dtype", DType::kInt32}});
    if (after != NodeId::kNone) maker_.AddControl(id, after);
    return id;
  }

  void Read(const Value& merge) {
    const NodeId trigger = maker_.AddNode("ControlTrigger", {}, {});
    maker_.AddControl(trigger, merge.output.node);
    maker_.frame(kRoot).nodes.push_back(trigger);
    const NodeId read = maker_.AddOp(kRoot, "ReadVariableOp", {handle_}, {DType::kInt32},
                                     {{"dtype", DType::kInt32}});
    maker_.AddControl(read, trigger);
  }

  std::string name_;
  Value handle_;
  NodeId assigned_ = NodeId::kNone;
};

class UnbegunFrame : public Gadget {
 public:
  using Gadget::Gadget;

  void Add() {
    const int before = maker_.AddFrame(site_.frame, 1);
    const Value dead = maker_.AddEnter(before, DeadOutside(), false, 1);
    const Value never = maker_.AddIdentity(before, maker_.AddNext(before, dead));
    // Unpublished: nothing else is to wait for it.
    const NodeId exit = maker_.AddNode("Exit", {never.output}, {{"T", never.type}});
    maker_.frame(site_.frame).nodes.push_back(exit);
    const Value left{{exit, 0}, never.type, never.span, {}};
    const int frame = maker_.AddFrame(site_.frame, 2);
    const Value entered = maker_.AddEnter(frame, left, choices_.Chance(kSometimes), 2);
    Chain(frame, entered, choices_.Between(1, 2));
  }
};

class Branches : public Gadget {
 public:
  using Gadget::Gadget;

  void AddSwitchControl() {
    const NodeId node = maker_.AddSwitch(site_.frame, site_.number, site_.truth).first.output.node;
    const Value copy = maker_.AddIdentity(site_.frame, site_.number);
    maker_.AddControl(copy.output.node, node);
    maker_.AddConst(site_.frame, DType::kInt32, choices_.Between(0, 9), &node);
  }

  void AddSwitchN() {
    const int64_t outputs = choices_.Between(1, 4);
    const Value index =
        choices_.Chance(kEvenly) ? Constant(DType::kInt32, choices_.Between(-2, 5)) : site_.number;
    const NodeId id = maker_.AddNode("_SwitchN", {site_.number.output, index.output},
                                     {{"T", DType::kInt32}, {"num_outs", outputs}});
    maker_.frame(site_.frame).nodes.push_back(id);
    std::vector<Value> sides;
    for (int32_t side = 0; side < outputs; ++side) {
      const Value value{{id, side}, DType::kInt32, std::min(site_.number.span, index.span), {}};
      sides.push_back(choices_.Chance(kEvenly) ? maker_.AddIdentity(site_.frame, value) : value);
    }
    maker_.AddMerge(site_.frame, sides, sides[0].span);
  }

  Value AddFedBranch() {
    const auto [no, yes] = maker_.AddSwitch(kRoot, site_.number, site_.truth);
    const Value inner = maker_.AddIdentity(kRoot, no);
    const Value copy = maker_.AddIdentity(kRoot, site_.number);
    maker_.AddControl(copy.output.node, inner.output.node);
    Value other = copy;
    other.conditions = inner.conditions;
    maker_.AddMerge(kRoot, {yes, other}, Span::kOnce);
    if (choices_.Chance(kEvenly)) Sum(kRoot, inner, site_.number);
    return inner;
  }

  Value AddDefault() {
    const NodeId id = maker_.AddOp(kRoot, "PlaceholderWithDefault", {site_.number}, {DType::kInt32},
                                   {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
    const Value made = maker_.frame(kRoot).values.back();
    const Value copy = maker_.AddIdentity(kRoot, site_.number);
    maker_.AddControl(copy.output.node, id);
    return made;
  }

  // A node that fires in its frame all the same, or a placeholder, which does not.
  Value AddFedInside() {
    const bool is_placeholder = choices_.Chance(kEvenly);
    NodeId node = NodeId::kNone;
    if (is_placeholder) {
      node = maker_.AddNode("PlaceholderWithDefault", {site_.number.output},
                            {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
    } else {
      node = maker_.AddNode("Identity", {site_.number.output}, {{"T", DType::kInt32}});
    }
    maker_.frame(is_placeholder ? kRoot : site_.frame).nodes.push_back(node);
    if (is_placeholder) maker_.AddConst(kRoot, DType::kInt32, choices_.Between(1, 9), &node);
    const Value fed{{node, 0}, DType::kInt32, Span::kOnce, {}};
    maker_.AddIdentity(kRoot, fed);  // whose node is of the root, too
    return fed;
  }

  Value AddFedCycle() {
    const Value hole{OutputRef(), DType::kInt32, Span::kOnce, {}};
    const Value sum = Sum(kRoot, site_.number, hole);
    const Value back = Chain(kRoot, sum, choices_.Between(1, 2));
    maker_.graph.mutable_node(sum.output.node).inputs[1] = back.output;
    const Value copy = maker_.AddIdentity(kRoot, site_.number);
    maker_.AddControl(copy.output.node, back.output.node);
    return back;
  }
};

}  // namespace

void AddHeaderGadget(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  HeaderGadget(choices, maker, site).Add();
}

void AddWaitingMerge(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  WaitingMerge(choices, maker, site).Add();
}

void AddSwitchControl(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  Branches(choices, maker, site).AddSwitchControl();
}

void AddSwitchN(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  Branches(choices, maker, site).AddSwitchN();
}

void AddUnbegunFrame(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  UnbegunFrame(choices, maker, site).Add();
}

Value AddFedBranch(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  return Branches(choices, maker, site).AddFedBranch();
}

Value AddDefault(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  return Branches(choices, maker, site).AddDefault();
}

Value AddFedInside(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  return Branches(choices, maker, site).AddFedInside();
}

Value AddFedCycle(Choices& choices, GraphMaker& maker, const GadgetSite& site) {
  return Branches(choices, maker, site).AddFedCycle();
}

void SetMessage(Graph& graph, NodeId end, const MessageKey& key) {
  const std::string device = "/job:localhost/replica:0/task:0/device:CPU:";
  graph.SetAttr(end, "tensor_name", key.name);
  graph.SetAttr(end, "send_device", device + std::to_string(key.sender));
  graph.SetAttr(end, "send_device_incarnation", 1);
  graph.SetAttr(end, "recv_device", device + std::to_string(key.receiver));
}

std::pair<NodeId, NodeId> AddMessage(GraphMaker& maker, const Value& value, NodeId control,
                                     const MessageKey& key) {
  const NodeId receive =
      maker.AddNode(key.is_on_host ? "_HostRecv" : "_Recv", {}, {{"tensor_type", value.type}});
  maker.AddControl(receive, control);
  const NodeId send =
      maker.AddNode(key.is_on_host ? "_HostSend" : "_Send", {value.output}, {{"T", value.type}});
  for (const NodeId end : {send, receive}) SetMessage(maker.graph, end, key);
  return {send, receive};
}

}  // namespace tagflow::fuzz
