#include "fuzz/partition/small_graphs.h"

#include <utility>

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

// What a loop counts with.
struct Counter {
  OutputRef body;       // the count, in the body
  OutputRef predicate;  // of the LoopCond
};

class Builder {
 public:
  Builder(const Body& body, int64_t parallel_iterations)
      : body_(body), parallel_iterations_(parallel_iterations) {}

  SmallGraph Build(Surroundings surroundings) && {
    made_.units.emplace_back();
    for (const char* name : {"x0", "c"}) Fed(0, name, DType::kInt32);
    for (const char* name : {"alive", "q_fed"}) Fed(0, name, DType::kBool);
    const OutputRef gate = Add(0, "gate", "Switch", {Named("x0"), Named("alive")});
    const OutputRef in = {gate.node, 1};
    OutputRef out;
    if (surroundings == Surroundings::kCond) {
      const OutputRef q = Add(0, "q", "Switch", {Named("q_fed"), Named("alive")});
      made_.graph.SetAttr(q.node, "T", DType::kBool);
      out = AddBody(in, Named("c"), {q.node, 1});
    } else if (surroundings == Surroundings::kNested) {
      out = AddNested(in);
    } else {
      const int unit = NewUnit();
      const Captures captures = {Fed(unit, "n", DType::kInt32), Named("c"), Number(unit, "one", 1)};
      out = AddLoop(unit, in, Start(unit), captures, surroundings == Surroundings::kWaiting);
    }
    const OutputRef either = Add(0, "either", "Merge", {gate, out});
    made_.graph.SetAttr(either.node, "N", 2);
    Add(0, "result", "Identity", {either});
    made_.fetch = "result";
    AddCalls(surroundings);
    return std::move(made_);
  }

 private:
  OutputRef Named(const std::string& name) const { return {made_.graph.Find(name), 0}; }

  bool Has(const std::string& name) const { return made_.graph.Find(name) != NodeId::kNone; }

  int NewUnit() {
    made_.units.emplace_back();
    return static_cast<int>(made_.units.size()) - 1;
  }

  OutputRef Add(int unit, const std::string& name, const std::string& op,
                std::vector<OutputRef> inputs) {
    const Result<NodeId> id = made_.graph.AddNode(name, op);
    TAGFLOW_CHECK(id.ok());
    if (op != "Placeholder" && op != "Const" && op != "LoopCond") {
      made_.graph.SetAttr(*id, "T", DType::kInt32);
    }
    made_.graph.mutable_node(*id).inputs = std::move(inputs);
    made_.units[static_cast<size_t>(unit)].push_back(*id);
    return {*id, 0};
  }

  OutputRef Fed(int unit, const std::string& name, DType dtype) {
    const OutputRef fed = Add(unit, name, "Placeholder", {});
    made_.graph.SetAttr(fed.node, "dtype", dtype);
    return fed;
  }

  OutputRef Number(int unit, const std::string& name, int32_t value) {
    const OutputRef constant = Add(unit, name, "Const", {});
    made_.graph.SetAttr(constant.node, "dtype", DType::kInt32);
    made_.graph.SetAttr(constant.node, "value", Int(value));
    return constant;
  }

  // Where a loop of the root begins to count, if it is not left out.
  OutputRef Start(int unit) {
    const OutputRef gate = Add(unit, "start", "Switch", {Number(unit, "zero", 0), Named("alive")});
    return {gate.node, 1};
  }

  // Goes with its consumers, so its unit does not matter.
  OutputRef Enter(const std::string& name, const std::string& frame, OutputRef from,
                  bool is_constant) {
    const OutputRef enter = Add(0, name, "Enter", {from});
    made_.graph.SetAttr(enter.node, "frame_name", frame);
    made_.graph.SetAttr(enter.node, "is_constant", is_constant);
    made_.graph.SetAttr(enter.node, "parallel_iterations", parallel_iterations_);
    return enter;
  }

  // A Merge of an Enter and of a NextIteration, which CloseVariable makes.
  OutputRef OpenVariable(int unit, const std::string& name, const std::string& frame,
                         OutputRef from) {
    const OutputRef merge = Add(unit, name, "Merge", {Enter(name + "_enter", frame, from, false)});
    made_.graph.SetAttr(merge.node, "N", 2);
    return merge;
  }
  void CloseVariable(OutputRef merge, OutputRef value) {
    const std::string name = made_.graph.node(merge.node).name;
    const OutputRef next = Add(0, name + "_next", "NextIteration", {value});
    made_.graph.mutable_node(merge.node).inputs.push_back(next);
  }

  Counter Count(int unit, const std::string& prefix, const std::string& frame, OutputRef start,
                OutputRef limit, OutputRef one) {
    const OutputRef i = OpenVariable(unit, prefix + "i", frame, start);
    const OutputRef less = Add(unit, prefix + "less", "Less", {i, limit});
    const OutputRef again = Add(unit, prefix + "again", "LoopCond", {less});
    const OutputRef way = Add(unit, prefix + "i_switch", "Switch", {i, again});
    const OutputRef body = {way.node, 1};
    CloseVariable(i, Add(unit, prefix + "i_add", "AddV2", {body, one}));
    return {body, again};
  }

  struct Captures {
    OutputRef limit, c, one;
  };
  // unit: of what counts. Returns the Exit of x.
  OutputRef AddLoop(int unit, OutputRef x0, OutputRef start, const Captures& outside, bool waits) {
    const std::string frame = "loop";
    const OutputRef limit = Enter("n_enter", frame, outside.limit, true);
    const OutputRef c = Enter("c_enter", frame, outside.c, true);
    const OutputRef one = Enter("one_enter", frame, outside.one, true);
    const Counter counter = Count(unit, "", frame, start, limit, one);
    made_.out_unit = made_.units.size();
    const OutputRef x = OpenVariable(NewUnit(), "x", frame, x0);
    if (waits) {
      const OutputRef ready = Add(NewUnit(), "ready", "Identity", {c});
      made_.graph.mutable_node(x.node).control_inputs.push_back(ready.node);
    }
    made_.x_unit = made_.units.size();
    const OutputRef way = Add(NewUnit(), "x_switch", "Switch", {x, counter.predicate});
    const OutputRef q = Add(unit, "q", "Less", {counter.body, one});
    CloseVariable(x, AddBody({way.node, 1}, c, q));
    return Add(NewUnit(), "x_exit", "Exit", {way});
  }

  // What the inner loop counts with is on its device, but for how far, which is on the outer one's.
  OutputRef AddNested(OutputRef x0) {
    const std::string frame = "outer";
    const int unit = NewUnit();
    const int inner_unit = NewUnit();
    const OutputRef limit = Enter("outer_n_enter", frame, Fed(unit, "n", DType::kInt32), true);
    const OutputRef more = Enter("m_enter", frame, Fed(unit, "m", DType::kInt32), true);
    const OutputRef c = Enter("outer_c_enter", frame, Named("c"), true);
    const OutputRef outer_one = Enter("outer_one_enter", frame, Number(unit, "outer_one", 1), true);
    const OutputRef one = Enter("one_on_way", frame, Number(inner_unit, "one", 1), true);
    const Counter counter = Count(unit, "outer_", frame, Start(unit), limit, outer_one);
    const OutputRef x = OpenVariable(NewUnit(), "outer_x", frame, x0);
    const OutputRef way = Add(NewUnit(), "outer_x_switch", "Switch", {x, counter.predicate});
    const OutputRef start = Add(unit, "inner_start", "Sub", {counter.body, counter.body});
    const OutputRef inner_limit = Add(unit, "inner_limit", "AddV2", {counter.body, more});
    CloseVariable(x, AddLoop(inner_unit, {way.node, 1}, start, {inner_limit, c, one}, false));
    return Add(NewUnit(), "outer_x_exit", "Exit", {way});
  }

  OutputRef AddBody(OutputRef x, OutputRef c, OutputRef q) {
    std::vector<OutputRef> values = {x, c};
    auto value = [&](int i) { return values[static_cast<size_t>(i)]; };
    made_.first_op_unit = made_.units.size();
    for (size_t i = 0; i < body_.size(); ++i) {
      const BodyNode& node = body_[i];
      const std::string name = "body" + std::to_string(i);
      const int unit = NewUnit();
      OutputRef made;
      switch (node.op) {
        case BodyOp::kNeg:
          made = Add(unit, name, "Neg", {value(node.a)});
          break;
        case BodyOp::kAdd:
          made = Add(unit, name, "AddV2", {value(node.a), value(node.b)});
          break;
        case BodyOp::kWait:
          made = Add(unit, name, "Identity", {value(node.a)});
          made_.graph.mutable_node(made.node).control_inputs = {value(node.b).node};
          break;
        case BodyOp::kSwitch:
          made = Add(unit, name, "Switch", {value(node.a), q});
          break;
        case BodyOp::kMerge:
          made = Add(unit, name, "Merge", {value(node.a), value(node.b)});
          made_.graph.SetAttr(made.node, "N", 2);
          break;
      }
      values.push_back(made);
      if (node.op == BodyOp::kSwitch) values.push_back({made.node, 1});
    }
    return values.back();
  }

  void AddCalls(Surroundings surroundings) {
    auto add = [this](bool alive, int trips, int more, bool q, std::string about) {
      SmallGraph::Call& call = made_.calls.emplace_back();
      call.about = std::move(about);
      call.feeds = {{"x0", Int(3)}, {"c", Int(5)}, {"alive", Bool(alive)}, {"q_fed", Bool(q)}};
      if (Has("n")) call.feeds.emplace_back("n", Int(trips));
      if (Has("m")) call.feeds.emplace_back("m", Int(more));
    };
    if (surroundings == Surroundings::kCond) {
      for (const bool q : {false, true}) add(true, 0, 0, q, q ? "true" : "false");
      add(false, 0, 0, true, "left out");
      return;
    }
    const int mores = surroundings == Surroundings::kNested ? 2 : 1;
    for (int trips = 0; trips <= 2; ++trips) {
      for (int more = 0; more < mores; ++more) {
        add(true, trips, more, true,
            std::to_string(trips) + " trips" + (more > 0 ? ", one more inside" : ""));
      }
    }
    add(false, 2, 0, true, "left out");
  }

  const Body& body_;
  const int64_t parallel_iterations_;
  SmallGraph made_;
};

}  // namespace

SmallGraph BuildSmallGraph(const Body& body, Surroundings surroundings,
                           int64_t parallel_iterations) {
  return Builder(body, parallel_iterations).Build(surroundings);
}

Placement PlaceUnits(const SmallGraph& small, const std::vector<int>& devices) {
  Placement placement{{"a", "b", "c"}, std::vector<std::string>(small.graph.id_limit())};
  for (size_t unit = 0; unit < devices.size(); ++unit) {
    for (const NodeId id : small.units[unit]) {
      placement.device_of[Index(id)] = placement.devices[static_cast<size_t>(devices[unit])];
    }
  }
  return placement;
}

std::string TextOf(const SmallGraph& small) {
  std::string text;
  for (const NodeId id : small.graph.NodeIds()) {
    const Node& node = small.graph.node(id);
    text += node.name + " = " + node.op + "(";
    for (const OutputRef& input : node.inputs) text += " " + OutputName(small.graph, input);
    for (const NodeId control : node.control_inputs) {
      text += " ^" + small.graph.node(control).name;
    }
    text += " )\n";
  }
  return text;
}

}  // namespace tagflow::fuzz
