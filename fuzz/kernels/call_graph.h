#ifndef TAGFLOW_FUZZ_KERNELS_CALL_GRAPH_H_
#define TAGFLOW_FUZZ_KERNELS_CALL_GRAPH_H_

// The sample that a call of an op becomes, while it is put together: its graph, what is fed, what
// is fetched. Tested by kernels_test.cc.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

inline constexpr size_t kMostArgs = 20;  // that are given to a node, or fetched of it

// An output of a node, and its type.
struct TypedOutput {
  OutputRef output;
  ArgType type;
};

class CallGraph {
 public:
  explicit CallGraph(Choices& choices)
      : choices_(choices), fed_(choices.Chance(kSometimes) ? kNever : kEvenly) {}

  Choices& choices() { return choices_; }
  Graph& graph() { return sample_.graph; }
  const Node& node(NodeId id) const { return sample_.graph.node(id); }
  std::string NewName() { return "n" + std::to_string(++names_); }

  NodeId AddNode(const std::string& name, const std::string& op, std::vector<OutputRef> inputs);
  // A node of the type in its attr T, and output 0 of it.
  OutputRef Add(const std::string& op, std::vector<OutputRef> inputs, DType type);
  OutputRef Constant(Tensor value);
  // Always fed.
  OutputRef Placeholder(const std::string& name, Tensor value);
  // A constant, which shape functions see, or what is fed, of which they may know the shape.
  OutputRef Given(Tensor value);
  void Feed(NodeId node, Tensor value) {
    feeds_.emplace_back(this->node(node).name, std::move(value));
  }

  void Fetch(OutputRef output) { sample_.fetches.push_back(OutputName(graph(), output)); }
  // The sample, with these targets, which runs so often.
  GraphSample Take(std::vector<std::string> targets, size_t runs);

  // Whether the op, which has an attr T, may be of that dtype.
  static bool Allows(const std::string& op, DType dtype);
  // Of an output that is not there: an invalid one.
  ArgType TypeOf(OutputRef output) const;
  // What the node gives that can be fetched.
  std::vector<TypedOutput> ValuesOf(NodeId node) const;
  // What is fed or constant there, or what the sum of it and zero gives (Computed).
  std::optional<Tensor> ValueOf(OutputRef output) const;
  // The same value, made in the step, so that its memory may be used again. As it is where the
  // dtype cannot be added.
  OutputRef Computed(OutputRef value, DType dtype);

 private:
  Choices& choices_;
  GraphSample sample_;
  NamedTensors feeds_;
  const Odds fed_;  // of inputs; none: shape functions see all there is
  int names_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_CALL_GRAPH_H_
