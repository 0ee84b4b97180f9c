// Violations that show in a step: the graph may be run, and must fail. Nothing but the violation is
// asked for, so that no other error comes first. Tested by invalid_test.cc.

#include "fuzz/graphs/message.h"
#include "fuzz/graphs/violation.h"

namespace tagflow::fuzz {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;

OutputRef Int(Graph& graph, int32_t value) {
  return AddConstTo(graph, Tensor::Scalar<int32_t>(value));
}

ExpectedError OnlyTarget(GraphSample& sample, NodeId node, const char* rule, Code code = kInvalid) {
  const std::string& name = sample.graph.node(node).name;
  sample.fetches.clear();
  sample.targets = {name};
  return {"", code, rule, name};
}

ExpectedError TwoLive(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  std::vector<OutputRef> inputs;
  const int count = choices.Between(kTwoToFour);
  for (int i = 0; i < count; ++i) inputs.push_back(Int(graph, i));
  if (choices.Chance(kSometimes) && count > 2) inputs[0] = inputs[1];
  return OnlyTarget(sample,
                    AddTo(graph, "bad", "Merge", inputs, {{"T", DType::kInt32}, {"N", count}}),
                    "merge.3");
}

// A value that is live in iterations 0 and 1 goes to an Exit.
ExpectedError LeavesTwice(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId enter = AddTo(graph, "start", "Enter", {Int(graph, 3)},
                             {{"T", DType::kInt32},
                              {"frame_name", "fresh"},
                              {"parallel_iterations", int64_t{1} + choices.Between(kUpToTwo)}});
  const NodeId next = AddTo(graph, "next", "NextIteration", {{enter, 0}}, {{"T", DType::kInt32}});
  const NodeId header =
      AddTo(graph, "both", "Merge", {{enter, 0}, {next, 0}}, {{"T", DType::kInt32}, {"N", 2}});
  return OnlyTarget(sample, AddTo(graph, "bad", "Exit", {{header, 0}}, {{"T", DType::kInt32}}),
                    "exit.3");
}

ExpectedError NoScalarPredicate(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef predicate = AddConstTo(graph, Tensor::Vector<bool>({true}));
  if (choices.Chance(kEvenly)) {
    return OnlyTarget(sample, AddTo(graph, "bad", "LoopCond", {predicate}), "switch.2");
  }
  return OnlyTarget(
      sample, AddTo(graph, "bad", "Switch", {Int(graph, 3), predicate}, {{"T", DType::kInt32}}),
      "switch.2");
}

ExpectedError DividesByZero(GraphSample& sample, Choices& choices) {
  static const std::vector<std::string> ops = {"FloorMod", "FloorDiv"};
  Graph& graph = sample.graph;
  return OnlyTarget(
      sample,
      AddTo(graph, "bad", choices.Of(ops), {Int(graph, 7), Int(graph, 0)}, {{"T", DType::kInt32}}),
      "");
}

NodeId AddMessage(Graph& graph, const char* op, const std::vector<OutputRef>& inputs,
                  const char* type_attr) {
  const NodeId end = AddTo(graph, "bad", op, inputs, {{type_attr, DType::kInt32}});
  SetMessage(graph, end, {"message"});
  return end;
}

// The side of a branch that is not taken.
OutputRef Dead(Graph& graph, Choices& choices) {
  const bool predicate = choices.Chance(kEvenly);
  const OutputRef decides = AddConstTo(graph, Tensor::Scalar<bool>(predicate));
  const NodeId branch =
      AddTo(graph, "branch", "Switch", {Int(graph, 3), decides}, {{"T", DType::kInt32}});
  return {branch, predicate ? 0 : 1};
}

// One of them may have met its other end before the second comes, and may be dead.
ExpectedError SendsTwice(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const OutputRef sent = choices.Chance(kSometimes) ? Dead(graph, choices) : Int(graph, 1);
  const NodeId first = AddMessage(graph, "_Send", {sent}, "T");
  const NodeId second = AddMessage(graph, "_Send", {Int(graph, 2)}, "T");
  ExpectedError error = OnlyTarget(sample, second, "rendezvous.3");
  sample.targets.push_back(graph.node(first).name);
  error.node.clear();  // whichever comes second
  if (!choices.Chance(kEvenly)) return error;
  const NodeId receive = AddMessage(graph, "_Recv", {}, "tensor_type");
  sample.targets.push_back(graph.node(receive).name);
  if (choices.Chance(kEvenly)) graph.mutable_node(second).control_inputs = {receive};
  return error;
}

ExpectedError ReceivesTwice(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId send = AddMessage(graph, "_Send", {Int(graph, 1)}, "T");
  const NodeId first = AddMessage(graph, "_Recv", {}, "tensor_type");
  const NodeId second = AddMessage(graph, "_Recv", {}, "tensor_type");
  ExpectedError error = OnlyTarget(sample, second, "rendezvous.3");
  sample.targets.push_back(graph.node(first).name);
  sample.targets.push_back(graph.node(send).name);
  error.node.clear();
  if (choices.Chance(kEvenly)) graph.mutable_node(second).control_inputs = {first};
  if (choices.Chance(kEvenly)) graph.mutable_node(first).control_inputs = {send};
  return error;
}

ExpectedError ReceivesAnotherType(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId send = AddMessage(graph, "_Send", {Int(graph, 1)}, "T");
  const NodeId receive = AddMessage(graph, "_Recv", {}, "tensor_type");
  graph.SetAttr(receive, "tensor_type", choices.Chance(kEvenly) ? DType::kBool : DType::kFloat);
  if (choices.Chance(kEvenly)) graph.mutable_node(receive).control_inputs = {send};
  ExpectedError error = OnlyTarget(sample, receive, "rendezvous.3");
  sample.targets.push_back(graph.node(send).name);
  return error;
}

ExpectedError NobodySends(GraphSample& sample, Choices&) {
  ExpectedError error = OnlyTarget(sample, AddMessage(sample.graph, "_Recv", {}, "tensor_type"),
                                   "step.2", Code::kFailedPrecondition);
  return error;
}

// A loop that nothing enters: its Merge waits for ever, and so does what waits for that.
ExpectedError NothingEnters(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId header = AddTo(graph, "bad", "Merge", {}, {{"T", DType::kInt32}, {"N", 1}});
  const NodeId next = AddTo(graph, "next", "NextIteration", {{header, 0}}, {{"T", DType::kInt32}});
  graph.mutable_node(header).inputs = {{next, 0}};
  if (choices.Chance(kEvenly))
    return OnlyTarget(sample, header, "step.2", Code::kFailedPrecondition);
  const NodeId after = AddTo(graph, "after", "Neg", {Int(graph, 3)}, {{"T", DType::kInt32}});
  graph.mutable_node(after).control_inputs = {header};
  return OnlyTarget(sample, after, "step.2", Code::kFailedPrecondition);
}

// Without a kernel: nothing but the loop itself can see that it is to stop.
ExpectedError LoopsForEver(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const auto enter = [&](OutputRef value, DType type, bool is_constant) {
    return AddTo(graph, "start", "Enter", {value},
                 {{"T", type}, {"frame_name", "endless"}, {"is_constant", is_constant}});
  };
  const NodeId start = enter(Int(graph, 3), DType::kInt32, false);
  const OutputRef truth = AddConstTo(graph, Tensor::Scalar<bool>(true));
  const NodeId asked = AddTo(graph, "asked", "LoopCond", {{enter(truth, DType::kBool, true), 0}});
  const NodeId header =
      AddTo(graph, "header", "Merge", {{start, 0}, {start, 0}}, {{"T", DType::kInt32}, {"N", 2}});
  const NodeId branch =
      AddTo(graph, "branch", "Switch", {{header, 0}, {asked, 0}}, {{"T", DType::kInt32}});
  const NodeId next = AddTo(graph, "next", "NextIteration", {{branch, 1}}, {{"T", DType::kInt32}});
  graph.mutable_node(header).inputs[1] = {next, 0};
  const NodeId exit = AddTo(graph, "bad", "Exit", {{branch, 0}}, {{"T", DType::kInt32}});
  ExpectedError error = OnlyTarget(sample, exit, "", Code::kResourceExhausted);
  error.node.clear();
  if (choices.Chance(kEvenly)) sample.deadline_s = 0.05;
  return error;
}

ExpectedError DeadFetch(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  const NodeId bad =
      AddTo(graph, "bad", "Identity", {Dead(graph, choices)}, {{"T", DType::kInt32}});
  sample.targets.clear();
  sample.fetches = {graph.node(bad).name};
  return {"", kInvalid, "fetch.1", sample.fetches[0]};
}

}  // namespace

const std::vector<Violation>& StepViolations() {
  static const auto& violations = *new std::vector<Violation>{
      {"a Merge of two live tensors", TwoLive},
      {"an Exit that is live in two iterations", LeavesTwice},
      {"a predicate that is no scalar", NoScalarPredicate},
      {"a division by zero", DividesByZero},
      {"two Sends of one key", SendsTwice},
      {"two Recvs of one key", ReceivesTwice},
      {"a Recv of another dtype", ReceivesAnotherType},
      {"a Recv without a Send", NobodySends},
      {"a loop that nothing enters", NothingEnters},
      {"a loop that never ends", LoopsForEver},
      {"a fetch of a dead tensor", DeadFetch},
  };
  return violations;
}

}  // namespace tagflow::fuzz
