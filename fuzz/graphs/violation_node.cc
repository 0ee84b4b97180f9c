// Violations of nodes and calls. Tested by invalid_test.cc.

#include "fuzz/graphs/violation.h"

namespace tagflow::fuzz {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;

// The node is asked for, and to blame.
ExpectedError Blame(GraphSample& sample, NodeId node, const char* rule, Code code = kInvalid) {
  const std::string& name = sample.graph.node(node).name;
  sample.targets.push_back(name);
  return {"", code, rule, name};
}

OutputRef Int(Graph& graph) { return AddConstTo(graph, Tensor::Scalar<int32_t>(3)); }
OutputRef Bool(Graph& graph) { return AddConstTo(graph, Tensor::Scalar<bool>(true)); }

ExpectedError WrongDtype(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  std::vector<OutputRef> inputs = {Int(graph), Int(graph)};
  inputs[choices.Below(inputs.size())] = Bool(graph);
  return Blame(sample, AddTo(graph, "bad", "AddV2", inputs, {{"T", DType::kInt32}}), "graph.1");
}

ExpectedError WrongNumberOfInputs(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef input = Int(graph);
  NodeId bad = NodeId::kNone;
  enum { kNone, kOneMore, kOtherThanN, kWhereNone };
  switch (choices.Of({kNone, kOneMore, kOtherThanN, kWhereNone})) {
    case kNone:
      bad = AddTo(graph, "bad", "Identity", {}, {{"T", DType::kInt32}});
      break;
    case kOneMore:
      bad = AddTo(graph, "bad", "Identity", {input, input}, {{"T", DType::kInt32}});
      break;
    case kOtherThanN:
      bad = AddTo(graph, "bad", "Merge", {input, input}, {{"T", DType::kInt32}, {"N", 3}});
      break;
    case kWhereNone:
      bad = AddTo(graph, "bad", "NoOp", {input});
  }
  return Blame(sample, bad, "graph.1");
}

ExpectedError BadAttr(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef input = Int(graph);
  NodeId bad = NodeId::kNone;
  enum { kNone, kOtherKind, kNotAllowed, kTooSmall, kNoFrameName };
  switch (choices.Of({kNone, kOtherKind, kNotAllowed, kTooSmall, kNoFrameName})) {
    case kNone:
      bad = AddTo(graph, "bad", "Identity", {input});
      break;
    case kOtherKind:
      bad = AddTo(graph, "bad", "Identity", {input}, {{"T", "int32"}});
      break;
    case kNotAllowed:
      bad = AddTo(graph, "bad", "Less", {Bool(graph), Bool(graph)}, {{"T", DType::kBool}});
      break;
    case kTooSmall:
      bad = AddTo(graph, "bad", "Merge", {}, {{"T", DType::kInt32}, {"N", 0}});
      break;
    case kNoFrameName:
      bad = AddTo(graph, "bad", "Enter", {input}, {{"T", DType::kInt32}});
  }
  return Blame(sample, bad, "graph.1");
}

ExpectedError NoSuchOutput(GraphSample& sample, Choices& choices) {
  OutputRef input = Int(sample.graph);
  input.index = choices.Between(kSeveral);
  return Blame(sample, AddTo(sample.graph, "bad", "Identity", {input}, {{"T", DType::kInt32}}),
               "graph.1");
}

ExpectedError UnknownOp(GraphSample& sample, Choices& choices) {
  std::vector<OutputRef> inputs;
  if (choices.Chance(kEvenly)) inputs.push_back(Int(sample.graph));
  return Blame(sample, AddTo(sample.graph, "bad", "NobodyDefinedThis", inputs), "graph.1",
               Code::kUnimplemented);
}

ExpectedError NotFed(GraphSample& sample, Choices& choices) {
  const NodeId bad = AddTo(sample.graph, "bad", "Placeholder", {}, {{"dtype", DType::kInt32}});
  if (choices.Chance(kEvenly)) return Blame(sample, bad, "");
  const NodeId reader =
      AddTo(sample.graph, "reader", "Identity", {{bad, 0}}, {{"T", DType::kInt32}});
  sample.fetches.push_back(sample.graph.node(reader).name);
  return {"", kInvalid, "", sample.graph.node(bad).name};
}

void Feed(GraphSample& sample, const std::string& name, const Tensor& value) {
  for (NamedTensors& feeds : sample.runs) feeds.emplace_back(name, value);
}

ExpectedError FedOtherwise(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId bad = AddTo(graph, "bad", "Placeholder", {}, {{"dtype", DType::kInt32}});
  const std::string name = graph.node(bad).name;
  if (choices.Chance(kEvenly)) {
    // Known in part, perhaps.
    static const std::vector<Dims> kDims = {{2}, {-1, 3}, {-1}, {2, -1}};
    const Dims& dims = choices.Of(kDims);
    graph.SetAttr(bad, "shape", PartialShape(dims));
    Dims fed = dims;
    for (int64_t& dim : fed) dim = dim < 0 ? 2 : dim;
    if (choices.Chance(kEvenly)) {
      fed.push_back(1);
    } else if (dims[0] < 0 && dims.size() == 1) {
      fed.clear();
    } else {
      ++fed[dims[0] < 0 ? 1 : 0];
    }
    Feed(sample, name, *Tensor::Allocate(DType::kInt32, fed));
  } else {
    Feed(sample, name, Tensor::Scalar<bool>(true));
  }
  return Blame(sample, bad, "");
}

OutputRef Variable(Graph& graph) {
  return {AddTo(graph, "variable", "VariableV2", {},
                {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}}),
          0};
}

// What is to be written to is a constant, or what Identity copies of a variable.
ExpectedError NoReference(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  OutputRef value = Int(graph);
  if (choices.Chance(kEvenly)) {
    value = {AddTo(graph, "copy", "Identity", {Variable(graph)}, {{"T", DType::kInt32}}), 0};
  }
  static const std::vector<std::string> ops = {"Assign", "AssignAdd"};
  const std::string& op = choices.Of(ops);
  return Blame(sample, AddTo(graph, "bad", op, {value, Int(graph)}, {{"T", DType::kInt32}}),
               "graph.1");
}

// Where a reference is wanted, which need not be the first input.
ExpectedError FedReference(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef fed = Variable(graph);
  Feed(sample, graph.node(fed.node).name, Tensor::Scalar<int32_t>(1));
  if (choices.Chance(kEvenly)) {
    std::vector<OutputRef> inputs = {Int(graph), Variable(graph), fed};
    if (choices.Chance(kEvenly)) std::swap(inputs[1], inputs[2]);
    return Blame(
        sample, AddTo(graph, "bad", "RefSelect", inputs, {{"T", DType::kInt32}, {"N", int64_t{2}}}),
        "feed.3");
  }
  return Blame(sample, AddTo(graph, "bad", "AssignAdd", {fed, Int(graph)}, {{"T", DType::kInt32}}),
               "feed.3");
}

ExpectedError FedTwice(GraphSample& sample, Choices&) {
  const std::string name = sample.runs[0][0].first;
  const std::string again = name + ":0";
  for (NamedTensors& feeds : sample.runs) feeds.emplace_back(again, feeds[0].second);
  return {"", kInvalid, "", name};
}

ExpectedError NoSuchName(GraphSample& sample, Choices& choices) {
  enum { kFetch, kTarget, kFeed };
  switch (choices.Of({kFetch, kTarget, kFeed})) {
    case kFetch:
      sample.fetches.push_back("nobody");
      break;
    case kTarget:
      sample.targets.push_back("nobody");
      break;
    case kFeed:
      Feed(sample, "nobody", Tensor::Scalar<int32_t>(0));
  }
  return {"", Code::kNotFound, "", ""};
}

ExpectedError NoTensor(GraphSample& sample, Choices& choices) {
  const NodeId node = AddTo(sample.graph, "bad", "NoOp", {});
  const std::string name = sample.graph.node(node).name;
  enum { kNoOutput, kControl, kTargetWithOutput };
  switch (choices.Of({kNoOutput, kControl, kTargetWithOutput})) {
    case kNoOutput:
      sample.fetches.push_back(name);
      return {"", kInvalid, "", name};
    case kControl:
      sample.fetches.push_back("^" + name);
      return {"", kInvalid, "", ""};
    default:
      sample.targets.push_back(name + ":0");
      return {"", kInvalid, "", ""};
  }
}

ExpectedError NoSuchDevice(GraphSample& sample, Choices& choices) {
  sample.devices = {"/job:localhost/replica:0/task:0/device:CPU:0"};
  const OutputRef bad = Int(sample.graph);
  static const std::vector<std::string> asked = {"/device:GPU:0", "/device:CPU:1", "/task:7",
                                                 "/job:worker/device:CPU:0"};
  sample.graph.mutable_node(bad.node).device = choices.Of(asked);
  return Blame(sample, bad.node, "graph.4");
}

}  // namespace

NodeId AddTo(Graph& graph, const std::string& name, const std::string& op,
             const std::vector<OutputRef>& inputs,
             const std::vector<std::pair<const char*, AttrValue>>& attrs) {
  const Result<NodeId> added = graph.AddNode(graph.UniqueName(name), op);
  TAGFLOW_CHECK(added.ok());
  graph.mutable_node(*added).inputs = inputs;
  for (const auto& [attr, value] : attrs) graph.SetAttr(*added, attr, value);
  return *added;
}

OutputRef AddConstTo(Graph& graph, Tensor value) {
  const DType dtype = value.dtype();
  return {AddTo(graph, "const", "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}}), 0};
}

const std::vector<Violation>& NodeViolations() {
  static const auto& violations = *new std::vector<Violation>{
      {"an input of another dtype", WrongDtype},
      {"too many inputs, or too few", WrongNumberOfInputs},
      {"an attr that is missing or may not be so", BadAttr},
      {"an input that its node does not have as an output", NoSuchOutput},
      {"an op that nobody defined", UnknownOp},
      {"a placeholder that is not fed", NotFed},
      {"a feed of another dtype or shape", FedOtherwise},
      {"a value where a reference is asked for", NoReference},
      {"a feed where a reference is asked for", FedReference},
      {"one tensor fed twice", FedTwice},
      {"a name that no node has", NoSuchName},
      {"a node where a tensor is asked for", NoTensor},
      {"a device that is not offered", NoSuchDevice},
  };
  return violations;
}

}  // namespace tagflow::fuzz
