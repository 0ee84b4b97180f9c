// Graphs are grown a node at a time, inputs before their consumers; only Merges may have a hole,
// which a NextIteration made later fills. Of the orders a graph's nodes can be grown in, those are
// cut off in which a node that does not use the one before it has a lesser key: in the least order
// (by the sequence of keys) that never happens, since the two could be swapped for a lesser one. So
// each graph is met at least once, and most exactly once.
//
// Tested by enumerate_test.cc.

#include "fuzz/graphs/enumerate.h"

#include <algorithm>
#include <compare>
#include <vector>

#include "graph/attr_value.h"

namespace tagflow::fuzz {
namespace {

enum class Op : uint8_t {
  kFeed,
  kNot,
  kSwitch,
  kMerge,
  kHeader,  // Merge of a value and a hole
  kEnter,
  kConstantEnter,
  kExit,
  kNext,
  kLoopCond,
};

constexpr int kNone = -1;
constexpr int kDeepest = 2;  // frames are a chain: the root, f1, f2

struct Grown {
  Op op = Op::kFeed;
  // Values, numbered over all nodes: Switch has two, every other node one.
  int a = kNone;
  int b = kNone;
  int control = kNone;  // a node
  auto operator<=>(const Grown&) const = default;
};

struct GrownValue {
  int node;
  int port;
  int frame;
};

const char* OpName(Op op) {
  switch (op) {
    case Op::kFeed:
      return "Placeholder";
    case Op::kNot:
      return "LogicalNot";
    case Op::kSwitch:
      return "Switch";
    case Op::kMerge:
    case Op::kHeader:
      return "Merge";
    case Op::kEnter:
    case Op::kConstantEnter:
      return "Enter";
    case Op::kExit:
      return "Exit";
    case Op::kNext:
      return "NextIteration";
    case Op::kLoopCond:
      return "LoopCond";
  }
  return "";
}

class Enumeration {
 public:
  Enumeration(const EnumerateOptions& options, const std::function<bool(const GraphSample&)>& each)
      : options_(options), each_(each) {}

  int64_t Run() {
    Push({Op::kFeed, kNone, kNone, kNone}, 0);
    Push({Op::kFeed, kNone, kNone, kNone}, 0);
    if (options_.in_frame) {
      Push({Op::kConstantEnter, 0, kNone, kNone}, 1);
      Push({Op::kEnter, 1, kNone, kNone}, 1);
    }
    given_ = nodes_.size();
    Grow(options_.nodes, options_.control_edges);
    return count_;
  }

 private:
  void Push(const Grown& node, int output_frame) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
    frames_.push_back(output_frame);
    values_.push_back({index, 0, output_frame});
    if (node.op == Op::kSwitch) values_.push_back({index, 1, output_frame});
  }

  void Pop() {
    while (values_.back().node == static_cast<int>(nodes_.size()) - 1) values_.pop_back();
    nodes_.pop_back();
    frames_.pop_back();
  }

  bool Uses(const Grown& node, int other) const {
    const auto is_of = [&](int value) {
      return value != kNone && values_[static_cast<size_t>(value)].node == other;
    };
    return is_of(node.a) || is_of(node.b) || node.control == other;
  }

  void Grow(int left, int controls) {
    if (stopped_) return;
    if (left == 0) return FillHoles(0);
    const int values = static_cast<int>(values_.size());
    for (int a = 0; a < values; ++a) {
      const int frame = values_[static_cast<size_t>(a)].frame;
      Try({Op::kNot, a, kNone, kNone}, frame, frame, left, controls);
      if (frame < kDeepest) {
        Try({Op::kEnter, a, kNone, kNone}, frame, frame + 1, left, controls);
        Try({Op::kConstantEnter, a, kNone, kNone}, frame, frame + 1, left, controls);
      }
      if (frame > 0) {
        Try({Op::kExit, a, kNone, kNone}, frame, frame - 1, left, controls);
        Try({Op::kNext, a, kNone, kNone}, frame, frame, left, controls);
        Try({Op::kHeader, a, kNone, kNone}, frame, frame, left, controls);
        if (!HasLoopCond(frame))
          Try({Op::kLoopCond, a, kNone, kNone}, frame, frame, left, controls);
      }
      for (int b = 0; b < values; ++b) {
        if (values_[static_cast<size_t>(b)].frame != frame) continue;
        Try({Op::kSwitch, a, b, kNone}, frame, frame, left, controls);
        if (a <= b) Try({Op::kMerge, a, b, kNone}, frame, frame, left, controls);
      }
    }
  }

  bool HasLoopCond(int frame) const {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].op == Op::kLoopCond && frames_[i] == frame) return true;
    }
    return false;
  }

  // The node as it is, and with each control input it can have.
  void Try(Grown node, int frame, int output_frame, int left, int controls) {
    GrowWith(node, output_frame, left, controls);
    if (controls == 0) return;
    const int before = static_cast<int>(nodes_.size());
    for (node.control = 0; node.control < before; ++node.control) {
      if (frames_[static_cast<size_t>(node.control)] != frame) continue;
      GrowWith(node, output_frame, left, controls - 1);
    }
  }

  void GrowWith(const Grown& node, int output_frame, int left, int controls) {
    const int last = static_cast<int>(nodes_.size()) - 1;
    const bool first = nodes_.size() == given_;
    if (!first && !Uses(node, last) && node < nodes_.back()) return;
    Push(node, output_frame);
    Grow(left - 1, controls);
    Pop();
  }

  // Each hole takes each NextIteration of its frame that came later; an earlier one is a plain
  // value.
  void FillHoles(size_t from) {
    while (from < nodes_.size() && nodes_[from].op != Op::kHeader) ++from;
    if (from == nodes_.size()) return Emit();
    for (size_t next = from + 1; next < nodes_.size() && !stopped_; ++next) {
      if (nodes_[next].op != Op::kNext || frames_[next] != frames_[from]) continue;
      nodes_[from].b = FirstValueOf(static_cast<int>(next));
      FillHoles(from + 1);
      nodes_[from].b = kNone;
    }
  }

  int FirstValueOf(int node) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].node == node) return static_cast<int>(i);
    }
    return kNone;
  }

  void Emit() {
    ++count_;
    GraphSample sample;
    std::vector<bool> taken(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) AddNode(sample, i);
    for (size_t i = 0; i < nodes_.size(); ++i) Connect(sample, i, taken);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!taken[i]) Ask(sample, i);
    }
    AddRuns(sample);
    if (!each_(sample)) stopped_ = true;
  }

  void AddNode(GraphSample& sample, size_t i) const {
    const Op op = nodes_[i].op;
    const std::string name = i < 2 ? (i == 0 ? "p" : "q") : "n" + std::to_string(i);
    const Result<NodeId> id = sample.graph.AddNode(name, OpName(op));
    TAGFLOW_CHECK(id.ok());
    if (op == Op::kFeed) return sample.graph.SetAttr(*id, "dtype", DType::kBool);
    if (op != Op::kNot && op != Op::kLoopCond) sample.graph.SetAttr(*id, "T", DType::kBool);
    if (op == Op::kMerge || op == Op::kHeader) sample.graph.SetAttr(*id, "N", 2);
    if (op != Op::kEnter && op != Op::kConstantEnter) return;
    sample.graph.SetAttr(*id, "frame_name", "f" + std::to_string(frames_[i]));
    sample.graph.SetAttr(*id, "is_constant", op == Op::kConstantEnter);
    sample.graph.SetAttr(*id, "parallel_iterations", 2);
  }

  void Connect(GraphSample& sample, size_t i, std::vector<bool>& taken) const {
    Node& node = sample.graph.mutable_node(static_cast<NodeId>(i));
    for (const int input : {nodes_[i].a, nodes_[i].b}) {
      if (input == kNone) continue;
      const GrownValue& value = values_[static_cast<size_t>(input)];
      node.inputs.push_back({static_cast<NodeId>(value.node), value.port});
      taken[static_cast<size_t>(value.node)] = true;
    }
    if (nodes_[i].control == kNone) return;
    node.control_inputs.push_back(static_cast<NodeId>(nodes_[i].control));
    taken[static_cast<size_t>(nodes_[i].control)] = true;
  }

  void Ask(GraphSample& sample, size_t i) const {
    if (nodes_[i].op == Op::kFeed) return;
    const NodeId id = static_cast<NodeId>(i);
    const bool moves = nodes_[i].op == Op::kEnter || nodes_[i].op == Op::kConstantEnter ||
                       nodes_[i].op == Op::kExit || nodes_[i].op == Op::kNext;
    if (!moves) return sample.targets.push_back(sample.graph.node(id).name);
    const std::string name = "see_" + sample.graph.node(id).name;
    const Result<NodeId> probe = sample.graph.AddNode(name, "Identity");
    TAGFLOW_CHECK(probe.ok());
    sample.graph.mutable_node(*probe).inputs = {{id, 0}};
    sample.graph.SetAttr(*probe, "T", DType::kBool);
    sample.targets.push_back(name);
  }

  static void AddRuns(GraphSample& sample) {
    for (int values = 0; values < 4; ++values) {
      sample.runs.push_back({{"p", Tensor::Scalar<bool>((values & 1) != 0)},
                             {"q", Tensor::Scalar<bool>((values & 2) != 0)}});
    }
  }

  const EnumerateOptions& options_;
  const std::function<bool(const GraphSample&)>& each_;
  std::vector<Grown> nodes_;
  std::vector<int> frames_;  // of the outputs, by node
  std::vector<GrownValue> values_;
  size_t given_ = 0;
  int64_t count_ = 0;
  bool stopped_ = false;
};

}  // namespace

int64_t Enumerate(const EnumerateOptions& options,
                  const std::function<bool(const GraphSample&)>& each) {
  return Enumeration(options, each).Run();
}

}  // namespace tagflow::fuzz
