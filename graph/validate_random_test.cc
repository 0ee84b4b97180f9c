// The checks of a call on random graphs, most of them broken: no crash, and what is accepted obeys
// the rules as an independent, naive statement of them says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>

#include "graph/control_ops.h"
#include "graph/test_graph.h"
#include "graph/validate.h"

namespace tagflow {
namespace {

class RandomGraphs {
 public:
  explicit RandomGraphs(uint64_t seed) : random_(seed) {}

  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  // Up to 12 nodes. `tidy`: every node has the inputs its op wants, and edges lead forward but for
  // some into Merges, so that most graphs come close to being right.
  Graph Make(bool tidy) {
    Graph graph(TestOps());
    const int size = 2 + Below(11);
    for (int i = 0; i < size; ++i) {
      static constexpr std::array<const char*, 11> kOps = {
          "Const", "Neg",           "Add",  "Switch",      "Merge",  "Enter",
          "Exit",  "NextIteration", "NoOp", "Placeholder", "Mystery"};
      const int op = i == 0 ? 0 : Below(tidy ? 10 : 11);
      const NodeId id = *graph.AddNode("n" + std::to_string(i), kOps[static_cast<size_t>(op)]);
      graph.SetAttr(id, "T", DType::kBool);  // so that any output can be a predicate
      graph.SetAttr(id, "N", 2);
      graph.SetAttr(id, "frame_name", std::string(1, "fgh"[Below(tidy ? 2 : 3)]));
      graph.SetAttr(id, "parallel_iterations", tidy ? 1 + Below(3) : Below(3));
    }
    for (NodeId id : graph.NodeIds()) Connect(graph, graph.mutable_node(id), size, tidy);
    return graph;
  }

  CallSpec Call(const Graph& graph) {
    CallSpec call;
    std::set<OutputRef> fed;
    const int size = static_cast<int>(graph.id_limit());
    for (int i = Below(3); i > 0; --i) {
      const NodeId node{Below(size)};
      // As ResolveCall does, only outputs that there are.
      const bool two = IsSwitch(graph.node(node)) || IsMerge(graph.node(node));
      fed.insert({node, two ? Below(2) : 0});
    }
    call.feeds.assign(fed.begin(), fed.end());
    for (int i = Below(3); i > 0; --i) call.fetches.push_back({NodeId{Below(size)}, 0});
    for (int i = Below(3); i > 0; --i) call.targets.push_back(NodeId{Below(size)});
    return call;
  }

 private:
  void Connect(Graph& graph, Node& node, int size, bool tidy) {
    const int place = static_cast<int>(Index(node.id));
    size_t wanted = tidy ? ResolveSignature(node)->inputs.size() : static_cast<size_t>(Below(3));
    if (place == 0 && tidy) return;
    while (node.inputs.size() < wanted) {
      const bool back = tidy ? IsMerge(node) && Below(3) == 0 : true;
      const NodeId from{Below(back ? size : place)};
      const bool has_output = graph.node(from).op != "NoOp";
      if (tidy && !has_output) continue;
      const bool two = graph.node(from).op == "Switch";
      node.inputs.push_back({from, two || !tidy ? Below(2) : 0});
    }
    if (Below(5) == 0) node.control_inputs.push_back(NodeId{Below(tidy ? place : size)});
  }

  std::mt19937_64 random_;
};

bool IsFed(const CallSpec& call, OutputRef output) {
  return std::find(call.feeds.begin(), call.feeds.end(), output) != call.feeds.end();
}

// [feed.4], by repeating one round until nothing is added.
std::vector<bool> NaiveNeeded(const Graph& graph, const CallSpec& call) {
  std::set<NodeId> needed(call.targets.begin(), call.targets.end());
  for (const OutputRef& fetch : call.fetches) {
    if (!IsFed(call, fetch)) needed.insert(fetch.node);
  }
  for (size_t before = 0; before != needed.size();) {
    before = needed.size();
    for (NodeId id : std::set<NodeId>(needed)) {
      const Node& node = graph.node(id);
      if (IsPlaceholderOp(node) && IsFed(call, {id, 0})) continue;
      for (const OutputRef& input : node.inputs) {
        if (!IsFed(call, input)) needed.insert(input.node);
      }
      needed.insert(node.control_inputs.begin(), node.control_inputs.end());
    }
  }
  std::vector<bool> result(graph.id_limit());
  for (NodeId id : needed) result[Index(id)] = true;
  return result;
}

// Every edge of an accepted call ends in the frame it leads to; [frame.2], [feed.3], [fetch.2].
void ExpectFramesAgree(const Graph& graph, const CallSpec& call, const ValidatedCall& valid) {
  const FrameTree& tree = valid.frames;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const bool fed_placeholder = IsPlaceholderOp(node) && IsFed(call, {id, 0});
    if (!valid.needed[Index(id)] || fed_placeholder) continue;
    const int frame = tree.frame_of[Index(id)];
    auto expect_from = [&](NodeId from) {
      const int sent = tree.OutputFrame(graph.node(from));
      if (sent != FrameTree::kUnreached) {
        EXPECT_EQ(sent, frame) << graph.node(from).name << " " << node.name;
      }
    };
    for (const OutputRef& input : node.inputs) {
      if (IsFed(call, input)) {
        EXPECT_EQ(frame, FrameTree::kRoot);
      } else {
        expect_from(input.node);
      }
    }
    for (NodeId control : node.control_inputs) expect_from(control);
  }
  for (const OutputRef& fetch : call.fetches) {
    if (!IsFed(call, fetch)) {
      EXPECT_LE(tree.OutputFrame(graph.node(fetch.node)), FrameTree::kRoot);
    }
  }
}

// [graph.2] by depth-first search from every node.
bool HasIllegalCycle(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed) {
  std::function<bool(NodeId, NodeId, std::set<NodeId>&)> reaches = [&](NodeId from, NodeId to,
                                                                       std::set<NodeId>& seen) {
    const Node& node = graph.node(from);
    if (IsPlaceholderOp(node) && IsFed(call, {from, 0})) return false;
    std::set<NodeId> inputs(node.control_inputs.begin(), node.control_inputs.end());
    for (const OutputRef& input : node.inputs) {
      if (!IsFed(call, input)) inputs.insert(input.node);
    }
    for (NodeId input : inputs) {
      if (IsNextIteration(graph.node(input))) continue;
      if (input == to) return true;
      if (seen.insert(input).second && reaches(input, to, seen)) return true;
    }
    return false;
  };
  for (NodeId id : graph.NodeIds()) {
    std::set<NodeId> seen;
    if (needed[Index(id)] && reaches(id, id, seen)) return true;
  }
  return false;
}

TEST(ValidateRandomTest, BrokenGraphsGiveErrorsNotCrashes) {
  RandomGraphs random(1);
  for (int i = 0; i < 20000; ++i) {
    const Graph graph = random.Make(/*tidy=*/false);
    const CallSpec call = random.Call(graph);
    const Result<ValidatedCall> valid = ValidateCall(graph, call);
    if (!valid.ok()) {
      EXPECT_FALSE(valid.status().node().empty()) << valid.status().ToString();
      EXPECT_FALSE(valid.status().rule().empty()) << valid.status().ToString();
    }
    for (const Status& problem : ValidateGraph(graph)) EXPECT_FALSE(problem.ok());
    (void)GraphNotes(graph);
  }
}

TEST(ValidateRandomTest, WhatIsAcceptedObeysTheRules) {
  RandomGraphs random(2);
  int accepted = 0;
  int with_frames = 0;
  int cycles = 0;
  for (int i = 0; i < 30000; ++i) {
    const Graph graph = random.Make(/*tidy=*/true);
    const CallSpec call = random.Call(graph);
    const std::vector<bool> needed = NeededNodes(graph, call);
    ASSERT_EQ(needed, NaiveNeeded(graph, call));
    const Result<ValidatedCall> valid = ValidateCall(graph, call);
    const bool cyclic = HasIllegalCycle(graph, call, needed);
    if (valid.ok()) {
      ++accepted;
      with_frames += valid->frames.frames.size() > 1;
      EXPECT_FALSE(cyclic);
      ExpectFramesAgree(graph, call, *valid);
    } else if (cyclic) {
      ++cycles;
    } else {
      EXPECT_EQ(valid.status().message().find("cycle"), std::string::npos);
    }
  }
  // The generator reaches what it is for.
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(with_frames, 500);
  EXPECT_GT(cycles, 500);
}

}  // namespace
}  // namespace tagflow
