// Violations of variables, stacks, arrays and indices: what must fail in a step. Nothing but the
// violation is asked for, so that no other error comes first. Tested by invalid_test.cc.

#include <string>

#include "fuzz/graphs/violation.h"

namespace tagflow::fuzz {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;
constexpr DType kInt = DType::kInt32;

using Attrs = std::vector<std::pair<const char*, AttrValue>>;

OutputRef Int(Graph& graph, int32_t value) {
  return AddConstTo(graph, Tensor::Scalar<int32_t>(value));
}

ExpectedError OnlyTarget(GraphSample& sample, NodeId node, Code code = kInvalid) {
  const std::string& name = sample.graph.node(node).name;
  sample.fetches.clear();
  sample.targets = {name};
  return {"", code, "", name};
}

// Nodes that come one after the other, of which the last is to fail.
class Sequence {
 public:
  explicit Sequence(Graph& graph) : graph_(graph) {}

  NodeId Then(const std::string& op, const std::vector<OutputRef>& inputs, const Attrs& attrs) {
    const NodeId node = AddTo(graph_, "bad", op, inputs, attrs);
    if (last_ != NodeId::kNone) graph_.mutable_node(node).control_inputs.push_back(last_);
    last_ = node;
    return node;
  }

 private:
  Graph& graph_;
  NodeId last_ = NodeId::kNone;
};

ExpectedError ReadsNoValue(GraphSample& sample, Choices&) {
  Graph& graph = sample.graph;
  const NodeId handle = AddTo(graph, "variable", "VarHandleOp", {},
                              {{"dtype", kInt}, {"shape", PartialShape::Scalar()}});
  return OnlyTarget(sample, AddTo(graph, "bad", "ReadVariableOp", {{handle, 0}}, {{"dtype", kInt}}),
                    Code::kFailedPrecondition);
}

// By a node that wants a value, by one that changes it, or by a fetch.
ExpectedError ReadsNoReference(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  OutputRef reference = {AddTo(graph, "variable", "VariableV2", {},
                               {{"dtype", kInt}, {"shape", PartialShape::Scalar()}}),
                         0};
  if (choices.Chance(kEvenly)) {
    reference = {AddTo(graph, "passed", "RefIdentity", {reference}, {{"T", kInt}}), 0};
  }
  enum { kRead, kChange, kFetch };
  switch (choices.Of({kRead, kChange, kFetch})) {
    case kRead:
      return OnlyTarget(sample, AddTo(graph, "bad", "Identity", {reference}, {{"T", kInt}}),
                        Code::kFailedPrecondition);
    case kChange:
      return OnlyTarget(sample,
                        AddTo(graph, "bad", "AssignAdd", {reference, Int(graph, 1)}, {{"T", kInt}}),
                        Code::kFailedPrecondition);
    default:
      sample.targets.clear();
      sample.fetches = {OutputName(graph, reference)};
      return {"", Code::kFailedPrecondition, "", graph.node(reference.node).name};
  }
}

// A stack of at most one element that is pushed to twice, popped when it is empty, or used when it
// is closed.
ExpectedError MisusesStack(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  Sequence sequence(graph);
  const NodeId stack = sequence.Then("StackV2", {Int(graph, 1)}, {{"elem_type", kInt}});
  const OutputRef handle = {stack, 0};
  const auto push = [&] {
    return sequence.Then("StackPushV2", {handle, Int(graph, 3)}, {{"T", kInt}});
  };
  const auto pop = [&] { return sequence.Then("StackPopV2", {handle}, {{"elem_type", kInt}}); };
  enum { kFull, kEmpty, kPopClosed, kPushClosed };
  switch (choices.Of({kFull, kEmpty, kPopClosed, kPushClosed})) {
    case kFull:
      push();
      return OnlyTarget(sample, push());
    case kEmpty:
      push();
      pop();
      return OnlyTarget(sample, pop());
    case kPopClosed:
      push();
      sequence.Then("StackCloseV2", {handle}, {});
      return OnlyTarget(sample, pop());
    default:
      sequence.Then("StackCloseV2", {handle}, {});
      return OnlyTarget(sample, push());
  }
}

// An element that is written twice, read twice, written when it was read, or not there.
ExpectedError MisusesArray(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  Sequence sequence(graph);
  const NodeId array = sequence.Then("TensorArrayV3", {Int(graph, 2)}, {{"dtype", kInt}});
  const OutputRef handle = {array, 0};
  const OutputRef flow = {array, 1};
  const auto write = [&](int32_t index) {
    return sequence.Then("TensorArrayWriteV3", {handle, Int(graph, index), Int(graph, 3), flow},
                         {{"T", kInt}});
  };
  const auto read = [&](int32_t index) {
    return sequence.Then("TensorArrayReadV3", {handle, Int(graph, index), flow}, {{"dtype", kInt}});
  };
  const int32_t index = choices.Between(kNoneOrOne);
  enum { kWrittenTwice, kReadTwice, kWrittenWhenRead, kNotThere };
  switch (choices.Of({kWrittenTwice, kReadTwice, kWrittenWhenRead, kNotThere})) {
    case kWrittenTwice:
      write(index);
      return OnlyTarget(sample, write(index));
    case kReadTwice:
      write(index);
      read(index);
      return OnlyTarget(sample, read(index));
    case kWrittenWhenRead:
      write(index);
      read(index);
      return OnlyTarget(sample, write(index));
    default:
      return OnlyTarget(sample, choices.Chance(kEvenly) ? write(2) : read(-1));
  }
}

ExpectedError IndexOutOfRange(GraphSample& sample, Choices& choices) {
  Graph& graph = sample.graph;
  constexpr int kCount = 3;
  const OutputRef values = AddConstTo(graph, Tensor::Vector<int32_t>({5, 6, 7}));
  const OutputRef index =
      Int(graph, choices.Chance(kEvenly) ? kCount + choices.Between(kUpToThree) : -1);
  return OnlyTarget(sample, AddTo(graph, "bad", "GatherV2", {values, index, Int(graph, 0)},
                                  {{"Tparams", kInt}, {"Tindices", kInt}, {"Taxis", kInt}}));
}

}  // namespace

const std::vector<Violation>& StateViolations() {
  static const auto& violations = *new std::vector<Violation>{
      {"a read of a variable without a value", ReadsNoValue},
      {"a read of a reference without a value", ReadsNoReference},
      {"a stack that is full, empty or closed", MisusesStack},
      {"an array's element that is written or gone", MisusesArray},
      {"an index out of range", IndexOutOfRange},
  };
  return violations;
}

}  // namespace tagflow::fuzz
