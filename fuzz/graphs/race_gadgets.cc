// Tested by unstructured_test.cc.

#include "fuzz/graphs/race_gadgets.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzz/graphs/gadget_base.h"

namespace tagflow::fuzz {
namespace {

class RaceGadget : public LoopGadget {
 public:
  RaceGadget(Choices& choices, GraphMaker& maker, const GadgetSite& site, const Value& handle)
      : LoopGadget(choices, maker, site), handle_(handle) {}

  void Add() { choices_.Chance(kSometimes) ? BehindMerge() : InLoop(); }

 private:
  // A Merge waits for one of its inputs, or, where none is live, for all.
  void BehindMerge() {
    const int frame = site_.frame;
    const NodeId first = Touch(frame, handle_, site_.number.output.node);
    const auto [no, yes] = maker_.AddSwitch(frame, site_.number, site_.truth);
    std::vector<Value> sides = {no, yes};
    if (choices_.Chance(kEvenly)) std::ranges::reverse(sides);
    sides[0] = maker_.AddIdentity(frame, sides[0]);
    maker_.AddControl(sides[0].output.node, first);
    sides[1] = Chain(frame, sides[1], choices_.Between(0, 3));
    if (choices_.Chance(kEvenly)) std::ranges::reverse(sides);
    Touch(frame, handle_, maker_.AddMerge(frame, sides, no.span).output.node);
  }

  // Of two variables that go round, the first counts.
  void InLoop() {
    BeginLoop(2, 3);
    number_ = maker_.AddEnter(frame_, site_.number, true, parallel_);
    const Value handle = maker_.AddEnter(frame_, handle_, true, parallel_);
    const Value header = Header(maker_.AddEnter(frame_, site_.number, false, parallel_));
    const Value go = maker_.AddSwitch(frame_, header, pivot_).second;
    std::vector<Value> places = {counter_, go_, header, go};
    NodeId last = Touch(frame_, handle, choices_.Of(places).output.node);
    if (choices_.Chance(kEvenly)) last = Touch(frame_, handle, last);
    // Made after what it waits for, as nodes of a frame are; a NextIteration need not be.
    const Value body = maker_.AddIdentity(frame_, go);
    if (choices_.Chance(kMostly)) {
      maker_.AddControl(choices_.Of(std::vector<Value>{next_, body}).output.node, last);
    }
    const Value next = GoRound(header, body);
    places.insert(places.end(), {next_, next});
    const uint32_t more = choices_.Below(3);
    if (more == 0) return;
    if (more == 1) {
      Touch(frame_, handle, choices_.Of(places).output.node);
    } else {
      TouchBehind();
    }
  }

  // After an Exit, which may be dead.
  void TouchBehind() {
    const Value never = maker_.AddEnter(frame_, Constant(DType::kBool, 0), true, parallel_);
    const Value left = maker_.AddExit(frame_, maker_.AddSwitch(frame_, number_, never).second);
    const NodeId trigger = maker_.AddNode("ControlTrigger", {}, {});
    maker_.frame(site_.frame).nodes.push_back(trigger);
    maker_.AddControl(trigger, choices_.Chance(kEvenly) ? left.output.node : exit_.output.node);
    number_ = site_.number;
    Touch(site_.frame, handle_, trigger);
  }

  NodeId Touch(int frame, const Value& handle, NodeId after) {
    const bool reads = choices_.Chance(kEvenly);
    const NodeId touch = reads ? maker_.AddOp(frame, "ReadVariableOp", {handle}, {DType::kInt32},
                                              {{"dtype", DType::kInt32}})
                               : maker_.AddOp(frame, "AssignAddVariableOp", {handle, number_}, {},
                                              {{"dtype", DType::kInt32}});
    maker_.AddControl(touch, after);
    return touch;
  }

  const Value handle_;
  Value number_ = site_.number;  // of the frame that is added to
};

}  // namespace

void AddRace(Choices& choices, GraphMaker& maker, const GadgetSite& site, const Value& handle) {
  RaceGadget(choices, maker, site, handle).Add();
}

}  // namespace tagflow::fuzz
