// Violations of frames and cycles. Tested by invalid_test.cc.

#include <limits>

#include "fuzz/graphs/violation.h"

namespace tagflow::fuzz {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;

// A place where a frame begins: a value inside it, one outside, neither of them fed.
struct Site {
  NodeId enter;
  std::string frame;
  DType type;
  OutputRef inside;
  OutputRef outside;
};

NodeId AddEnter(GraphSample& sample, OutputRef input, DType type, const std::string& frame) {
  return AddTo(sample.graph, "start", "Enter", {input}, {{"T", type}, {"frame_name", frame}});
}

// Some Enter of the sample; one more frame where it has none.
Site AnySite(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  std::vector<NodeId> enters;
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op == "Enter") enters.push_back(id);
  }
  Site site;
  if (enters.empty()) {
    const OutputRef input = AddConstTo(graph, Tensor::Scalar<int32_t>(3));
    enters.push_back(AddEnter(sample, input, DType::kInt32, "fresh"));
  }
  site.enter = choices.Of(enters);
  const Node& enter = graph.node(site.enter);
  site.frame = *StringAttr(enter, "frame_name");
  site.type = *TypeAttr(enter, "T");
  site.inside = {site.enter, 0};
  // A feed consumed in a frame is another violation; a copy of it is not fed.
  const OutputRef input = enter.inputs[0];
  site.outside = {AddTo(graph, "outside", "Identity", {input}, {{"T", site.type}}), 0};
  return site;
}

ExpectedError Blame(GraphSample& sample, NodeId node, const char* rule, Code code = kInvalid) {
  const std::string& name = sample.graph.node(node).name;
  sample.targets.push_back(name);
  return {"", code, rule, name};
}

// Reads the value in its frame, so that what is before it is needed.
void Ask(GraphSample& sample, OutputRef value, DType type) {
  const NodeId reader = AddTo(sample.graph, "reader", "Identity", {value}, {{"T", type}});
  sample.targets.push_back(sample.graph.node(reader).name);
}

ExpectedError NoExit(GraphSample& sample, Choices& choices) {
  const Site site = AnySite(sample, choices);
  std::vector<OutputRef> inputs = {site.inside, site.outside};
  if (choices.Chance(kEvenly)) std::swap(inputs[0], inputs[1]);
  return Blame(sample, AddTo(sample.graph, "bad", "Merge", inputs, {{"T", site.type}, {"N", 2}}),
               "frame.2");
}

// An Identity of `value` behind `control`.
ExpectedError ControlAcross(GraphSample& sample, OutputRef value, OutputRef control, DType type) {
  const NodeId bad = AddTo(sample.graph, "bad", "Identity", {value}, {{"T", type}});
  sample.graph.mutable_node(bad).control_inputs.push_back(control.node);
  return Blame(sample, bad, "frame.2");
}

ExpectedError ControlIntoLoop(GraphSample& sample, Choices& choices) {
  const Site site = AnySite(sample, choices);
  return ControlAcross(sample, site.inside, site.outside, site.type);
}

ExpectedError ControlOutOfLoop(GraphSample& sample, Choices& choices) {
  const Site site = AnySite(sample, choices);
  return ControlAcross(sample, site.outside, site.inside, site.type);
}

ExpectedError NoFrameName(GraphSample& sample, Choices&) {
  const OutputRef input = AddConstTo(sample.graph, Tensor::Scalar<int32_t>(3));
  return Blame(sample, AddEnter(sample, input, DType::kInt32, ""), "frame.3");
}

ExpectedError FrameInItself(GraphSample& sample, Choices& choices) {
  const Site site = AnySite(sample, choices);
  return Blame(sample, AddEnter(sample, site.inside, site.type, site.frame), "frame.3",
               Code::kInternal);
}

ExpectedError OutsideAnyLoop(GraphSample& sample, Choices& choices) {
  const OutputRef input = AddConstTo(sample.graph, Tensor::Scalar<int32_t>(3));
  const std::string op = choices.Chance(kEvenly) ? "Exit" : "NextIteration";
  return Blame(sample, AddTo(sample.graph, "bad", op, {input}, {{"T", DType::kInt32}}), "frame.4");
}

ExpectedError NoIterationsAtATime(GraphSample& sample, Choices& choices) {
  static const std::vector<int64_t> values = {0, -1, std::numeric_limits<int32_t>::min(),
                                              std::numeric_limits<int64_t>::min()};
  const Site site = AnySite(sample, choices);
  sample.graph.SetAttr(site.enter, "parallel_iterations", choices.Of(values));
  Ask(sample, site.inside, site.type);
  return {"", kInvalid, "frame.5", sample.graph.node(site.enter).name};
}

ExpectedError Cycle(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef input = AddConstTo(graph, Tensor::Scalar<int32_t>(3));
  NodeId bad = NodeId::kNone;
  enum { kOfTwo, kThroughMerge, kOnItself, kThroughFrame };
  switch (choices.Of({kOfTwo, kThroughMerge, kOnItself, kThroughFrame})) {
    case kOfTwo: {
      bad = AddTo(graph, "bad", "Identity", {}, {{"T", DType::kInt32}});
      const NodeId other = AddTo(graph, "other", "Identity", {{bad, 0}}, {{"T", DType::kInt32}});
      graph.mutable_node(bad).inputs = {{other, 0}};
      break;
    }
    case kThroughMerge: {
      bad = AddTo(graph, "bad", "Merge", {}, {{"T", DType::kInt32}, {"N", 2}});
      const NodeId other = AddTo(graph, "other", "Identity", {{bad, 0}}, {{"T", DType::kInt32}});
      graph.mutable_node(bad).inputs = {input, {other, 0}};
      break;
    }
    case kOnItself: {  // by a control edge
      bad = AddTo(graph, "bad", "Identity", {input}, {{"T", DType::kInt32}});
      graph.mutable_node(bad).control_inputs = {bad};
      break;
    }
    case kThroughFrame: {
      bad = AddTo(graph, "bad", "Enter", {}, {{"T", DType::kInt32}, {"frame_name", "fresh"}});
      const NodeId other = AddTo(graph, "other", "Exit", {{bad, 0}}, {{"T", DType::kInt32}});
      graph.mutable_node(bad).inputs = {{other, 0}};
    }
  }
  return Blame(sample, bad, "graph.2");
}

// Mostly of a loop that has an Exit, which must not come instead.
ExpectedError FetchInLoop(GraphSample& sample, Choices& choices) {
  const Site site = AnySite(sample, choices);
  if (choices.Chance(kMostly)) {
    AddTo(sample.graph, "leaves", "Exit", {site.inside}, {{"T", site.type}});
  }
  sample.fetches.push_back(OutputName(sample.graph, site.inside));
  return {"", kInvalid, "fetch.2", sample.graph.node(site.enter).name};
}

ExpectedError FeedInLoop(GraphSample& sample, Choices& choices) {
  const OutputRef input = AddConstTo(sample.graph, Tensor::Scalar<int32_t>(3));
  const OutputRef inside = {AddEnter(sample, input, DType::kInt32, "fresh"), 0};
  const NodeId fed = AddTo(sample.graph, "fed", "Identity", {inside}, {{"T", DType::kInt32}});
  for (NamedTensors& feeds : sample.runs) {
    feeds.emplace_back(sample.graph.node(fed).name, Tensor::Scalar<int32_t>(1));
  }
  std::vector<OutputRef> inputs = {inside, {fed, 0}};
  if (choices.Chance(kEvenly)) std::swap(inputs[0], inputs[1]);
  return Blame(sample, AddTo(sample.graph, "bad", "AddV2", inputs, {{"T", DType::kInt32}}),
               "feed.3");
}

ExpectedError SecondLoopCond(GraphSample& sample, Choices& choices) {
  const OutputRef input = AddConstTo(sample.graph, Tensor::Scalar<bool>(false));
  const OutputRef inside = {AddEnter(sample, input, DType::kBool, "fresh"), 0};
  const int conds = choices.Between(kTwoToFour);
  for (int i = 0; i < conds; ++i) {
    const NodeId cond = AddTo(sample.graph, "bad", "LoopCond", {inside});
    sample.targets.push_back(sample.graph.node(cond).name);
  }
  return {"", kInvalid, "frame.9", ""};
}

}  // namespace

const std::vector<Violation>& FrameViolations() {
  static const auto& violations = *new std::vector<Violation>{
      {"a value leaves a loop without an Exit", NoExit},
      {"a control edge goes into a loop", ControlIntoLoop},
      {"a control edge goes out of a loop", ControlOutOfLoop},
      {"an Enter without a frame_name", NoFrameName},
      {"a frame inside itself", FrameInItself},
      {"an Exit or NextIteration at the root", OutsideAnyLoop},
      {"parallel_iterations below 1", NoIterationsAtATime},
      {"a cycle without NextIteration", Cycle},
      {"a fetch from a loop", FetchInLoop},
      {"a feed in a loop", FeedInLoop},
      {"a second LoopCond in a frame", SecondLoopCond},
  };
  return violations;
}

}  // namespace tagflow::fuzz
