// Tests: graph_maker.cc, growth_effects.cc, growth_loops.cc, growth_recipes.cc,
//        unstructured_call.cc

#include "fuzz/graphs/unstructured.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzz/graphs/observe.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kSamples = 300;

GraphSample Sample(uint64_t seed) {
  Choices choices = Choices::FromSeed(seed);
  return MakeUnstructured(choices);
}

TEST(Unstructured, EveryGraphIsValid) {
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    const Status status =
        Observer(sample).session().Check(sample.runs[0], sample.fetches, sample.targets);
    EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.ToString();
  }
}

TEST(Unstructured, TheSameChoicesMakeTheSameGraph) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Choices drawn = Choices::FromSeed(seed);
    const std::string text = ToText(MakeUnstructured(drawn));
    Choices replayed = Choices::FromNumbers(drawn.drawn());
    EXPECT_EQ(ToText(MakeUnstructured(replayed)), text);
  }
}

TEST(Unstructured, NoChoicesMakeASmallGraph) {
  Choices choices = Choices::FromNumbers({});
  const GraphSample sample = MakeUnstructured(choices);
  EXPECT_LE(SizeOf(sample), 8u);
  EXPECT_EQ(sample.runs.size(), 1u);
}

TEST(Unstructured, MostRunsEndWithValuesAndSomeDoNot) {
  std::map<Code, int> codes;
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    ++codes[Observer(sample).ObserveRun(0, ObserveOptions()).status.code()];
  }
  EXPECT_GE(codes[Code::kOk], static_cast<int>(kSamples) / 2);
  EXPECT_GE(codes[Code::kInvalidArgument], 5);     // dead fetches, Merges of two live, …
  EXPECT_GE(codes[Code::kFailedPrecondition], 5);  // starved
  EXPECT_LE(codes[Code::kResourceExhausted], static_cast<int>(kSamples) / 10);
  EXPECT_EQ(codes[Code::kInternal], 0);
}

// What a graph has that a builder's would not.
class Features {
 public:
  void Note(const GraphSample& sample) {
    const Graph& graph = sample.graph;
    for (const NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      for (const NodeId control : node.control_inputs) {
        Count("control edge out of " + graph.node(control).op);
        Count("control edge into " + node.op);
      }
      if (node.op == "Merge") NoteMerge(graph, node);
      if (node.op == "Exit") NoteExit(graph, node);
      if (node.op == "Enter") NoteEnter(graph, node);
      if (node.op == "VarHandleOp" && !StringAttr(node, "container")->empty()) Count("container");
      if (node.op == "NobodyDefinedThis") Count("no such op");
      if (!node.device.empty()) {
        const bool whole = node.device.starts_with("/job:") && node.device.ends_with("CPU:0");
        Count(whole ? "a whole device name" : "part of a device's name");
      }
      if (node.op == "Switch" && graph.node(node.inputs[1].node).op != "LoopCond") {
        Count("Switch on a plain bool");
      }
      if (node.op == "LoopCond" && node.name.find("LoopCounter") != std::string::npos) {
        Count("LoopCond of a counter");
      }
      Count(node.op);
    }
    for (const auto& [name, value] : sample.runs[0]) {
      if (name.find("feed") != 0) Count("fed inner tensor");
    }
    for (const std::string& fetch : sample.fetches) {
      const std::string& op = graph.node(FindOutput(graph, fetch)->node).op;
      if (op.starts_with("Ref") || op == "Assign" || op == "AssignAdd") Count("fetched reference");
    }
  }

  int operator[](const std::string& feature) const {
    const auto found = counts_.find(feature);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void Count(const std::string& feature) { ++counts_[feature]; }

  void NoteMerge(const Graph& graph, const Node& node) {
    if (node.inputs.size() > 2) Count("Merge of three or more");
    if (node.inputs.size() == 1) Count("Merge of one");
    if (node.control_inputs.size() >= 2) Count("Merge with two control inputs");
    for (const OutputRef& input : node.inputs) {
      const Node& from = graph.node(input.node);
      if (from.op == "Merge") Count("Merge of a Merge");
      if (from.op == "Enter" && *BoolAttr(from, "is_constant")) {
        Count("constant Enter into a Merge");
      }
      if (graph.node(input.node).op == "NextIteration" && !node.control_inputs.empty()) {
        Count("control edge into a header");
      }
    }
  }

  void NoteExit(const Graph& graph, const Node& node) {
    const Node& from = graph.node(node.inputs[0].node);
    if (from.op != "Switch") Count("Exit of no Switch");
    if (from.op == "Switch" && node.inputs[0].index == 1) Count("Exit from the body's side");
  }

  void NoteEnter(const Graph& graph, const Node& node) {
    const Node& from = graph.node(node.inputs[0].node);
    if (from.op == "Switch") Count("Enter of a branch");
    if (from.op == "Exit") Count("Enter of an Exit");
    if (from.op == "Enter") Count("Enter of an Enter");
    if (*BoolAttr(node, "is_constant")) {
      Count("constant Enter");
      if (!node.control_inputs.empty()) Count("constant Enter with a control input");
    }
    if (*IntAttr(node, "parallel_iterations") == 1) Count("one iteration at a time");
    if (*IntAttr(node, "parallel_iterations") > 1000) Count("huge parallel_iterations");
  }

  std::map<std::string, int> counts_;
};

constexpr const char* kFeatures[] = {
    "control edge out of Switch",
    "control edge out of Merge",
    "control edge out of Enter",
    "control edge out of Exit",
    "control edge out of NextIteration",
    "control edge out of LoopCond",
    "control edge into Merge",
    "control edge into Switch",
    "control edge into Exit",
    "control edge into Enter",
    "control edge into NextIteration",
    "control edge into a header",
    "Switch on a plain bool",
    "LoopCond of a counter",
    "Merge of three or more",
    "Merge of one",
    "Merge of a Merge",
    "Exit of no Switch",
    "Exit from the body's side",
    "Enter of a branch",
    "Enter of an Exit",
    "Enter of an Enter",
    "constant Enter",
    "one iteration at a time",
    "huge parallel_iterations",
    "fed inner tensor",
    "ControlTrigger",
    "ReadVariableOp",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "_Send",
    "_Recv",
    "_SwitchN",
    "PlaceholderWithDefault",
    "Merge with two control inputs",
    "constant Enter into a Merge",
    "constant Enter with a control input",
    "container",
    "control edge into RefMerge",
    "VariableV2",
    "Assign",
    "AssignAdd",
    "RefSwitch",
    "RefMerge",
    "RefEnter",
    "RefExit",
    "RefNextIteration",
    "RefIdentity",
    "IsVariableInitialized",
    "StackPushV2",
    "StackPopV2",
    "StackCloseV2",
    "TensorArrayWriteV3",
    "TensorArrayReadV3",
    "TensorArrayGradV3",
    "part of a device's name",
    "a whole device name",
    "no such op",
    "fetched reference",
    "FloorMod",
};

TEST(Unstructured, EveryFeatureOccurs) {
  Features features;
  for (uint64_t seed = 0; seed < 2 * kSamples; ++seed) features.Note(Sample(seed));
  for (const char* feature : kFeatures) {
    EXPECT_GE(features[feature], 5) << feature;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
