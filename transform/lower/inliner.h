#ifndef TAGFLOW_TRANSFORM_LOWER_INLINER_H_
#define TAGFLOW_TRANSFORM_LOWER_INLINER_H_

// Nodes that lowering adds to a graph, and bodies that it puts there.
//
// Tested by lower_test.cc.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/function_body.h"
#include "graph/graph.h"

namespace tagflow {

// A functional node to be lowered.
struct LoweringTask {
  NodeId node = NodeId::kNone;
  NodeId pivot = NodeId::kNone;     // of the branch or iteration that it is in; kNone: none
  bool among_primitives = false;    // whether its graph had Switches or loops before lowering
  std::vector<std::string> within;  // the functions that it is in, outermost first
};

// What a body has become.
struct Inlined {
  std::vector<OutputRef> returns;
  NodeId done = NodeId::kNone;  // fires when its effects have happened; kNone: it has none
};

class Inliner {
 public:
  //   depth: calls that the graph is in, besides those that tasks are within
  Inliner(Graph& graph, int depth) : graph_(graph), depth_(depth) {}
  int depth() const { return depth_; }

  // A new node: "name" or, where that is taken, "name_1"; control inputs may be kNone.
  NodeId Add(const std::string& name, const char* op, const std::string& device,
             std::vector<OutputRef> inputs, const std::vector<NodeId>& control = {});
  // The same of an op with attr T, the dtype of input 0.
  NodeId AddTyped(const std::string& name, const char* op, const std::string& device, DType dtype,
                  std::vector<OutputRef> inputs, const std::vector<NodeId>& control = {});

  // The body that `function` names, for a task's node, where it takes and gives these types; any
  // types where `gives` is nothing.
  //   Errors: as InstantiateFunction; INVALID_ARGUMENT for other types
  Result<FunctionBody> Instantiate(const LoweringTask& task, const NameAttrList& function,
                                   const std::string& prefix, const std::vector<ArgType>& takes,
                                   const std::optional<std::vector<ArgType>>& gives);
  // Puts a body's nodes into the graph.
  //   args: of the graph; pivot: what fires where the body runs; kNone: it always does
  Inlined Put(const LoweringTask& task, const NameAttrList& function, FunctionBody body,
              const std::vector<OutputRef>& args, NodeId pivot, const std::string& prefix);
  // The functional nodes that Put has found, to be lowered next.
  std::deque<LoweringTask>& tasks() { return tasks_; }

  // How many calls a task's node is in.
  int DepthOf(const LoweringTask& task) const {
    return depth_ + static_cast<int>(task.within.size());
  }

  // Whoever takes that output may take this one in its place.
  void PassOn(OutputRef output, OutputRef result) { passed_on_[output] = result; }
  // Lets all nodes of the graph do so.
  void Rewire();

 private:
  Graph& graph_;
  const int depth_;
  std::deque<LoweringTask> tasks_;
  std::map<OutputRef, OutputRef> passed_on_;
  int64_t num_lowered_ = 0;    // nodes of functions that were put somewhere
  int64_t num_recursive_ = 0;  // of these, nodes of functions that call themselves
};

// Whether the graph has nodes that can be dead, or are in loops.
bool HasPrimitives(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_LOWER_INLINER_H_
