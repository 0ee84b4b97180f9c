#ifndef TAGFLOW_GRAPH_BUILDER_OUTPUT_H_
#define TAGFLOW_GRAPH_BUILDER_OUTPUT_H_

// What a graph under construction hands out: an Output (one tensor of one node) and an Operation (a
// node). Both are small values that keep the graph they belong to alive. After an error they are
// invalid, and everything made from an invalid one is invalid too: only Scope::Finish needs a
// check.

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "graph/dtype.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"

namespace tagflow {

namespace internal {
class BuildState;
}

class Operation;

class Output {
 public:
  Output() = default;  // invalid
  Output(std::shared_ptr<internal::BuildState> state, OutputRef ref)
      : state_(std::move(state)), ref_(ref) {}

  bool valid() const { return ref_.node != NodeId::kNone; }
  OutputRef ref() const { return ref_; }  // in the graph that Finish gives
  std::string name() const;               // "node" or "node:1"; "" when invalid
  DType dtype() const;                    // kInvalid when invalid
  bool is_ref() const;                    // a reference to a variable, not a value
  PartialShape shape() const;             // what shape inference knows of it
  Operation op() const;

  const std::shared_ptr<internal::BuildState>& state() const { return state_; }

 private:
  std::shared_ptr<internal::BuildState> state_;
  OutputRef ref_;
};

class Operation {
 public:
  Operation() = default;             // invalid
  Operation(const Output& output) {  // NOLINT: a tensor stands for the node that makes it
    state_ = output.state();
    node_ = output.ref().node;
  }
  Operation(std::shared_ptr<internal::BuildState> state, NodeId node)
      : state_(std::move(state)), node_(node) {}

  bool valid() const { return node_ != NodeId::kNone; }
  NodeId node() const { return node_; }
  std::string name() const;
  int num_outputs() const;
  // Asking for an output that the op has not is the graph's error, and gives an invalid Output.
  Output output(int index) const;
  Output operator[](int index) const { return output(index); }
  operator Output() const { return output(0); }  // NOLINT: most ops have one output

  const std::shared_ptr<internal::BuildState>& state() const { return state_; }

 private:
  std::shared_ptr<internal::BuildState> state_;
  NodeId node_ = NodeId::kNone;
};

// Several tensors: what bodies and branches are given and give back.
class OutputList {
 public:
  using const_iterator = std::vector<Output>::const_iterator;

  OutputList() = default;
  OutputList(const Output& one) : outputs_{one} {}                           // NOLINT
  OutputList(const Operation& one) : outputs_{one.output(0)} {}              // NOLINT
  OutputList(std::initializer_list<Output> outputs) : outputs_(outputs) {}   // NOLINT
  OutputList(std::vector<Output> outputs) : outputs_(std::move(outputs)) {}  // NOLINT
  OutputList(std::vector<Output> outputs, std::shared_ptr<internal::BuildState> state)
      : outputs_(std::move(outputs)), state_(std::move(state)) {}

  size_t size() const { return outputs_.size(); }
  bool empty() const { return outputs_.empty(); }
  // An index past the end is the graph's error, and gives an invalid Output.
  Output operator[](size_t index) const;
  void push_back(const Output& output) { outputs_.push_back(output); }
  const_iterator begin() const { return outputs_.begin(); }
  const_iterator end() const { return outputs_.end(); }

 private:
  std::vector<Output> outputs_;
  std::shared_ptr<internal::BuildState> state_;  // whose error a bad index is, when empty
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_OUTPUT_H_
