#ifndef TAGFLOW_GRAPH_BUILDER_BUILD_STATE_H_
#define TAGFLOW_GRAPH_BUILDER_BUILD_STATE_H_

// The graph under construction that all Scopes, Outputs and Operations of one builder share: its
// nodes, their types, shapes and contexts, and the first error.
//
// Thread safety: none; one thread builds a graph.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/builder/context.h"
#include "graph/builder/while_context.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"
#include "graph/status.h"

namespace tagflow::internal {

// A node to be made: every input already lies in the frame of `context`.
struct NodeSpec {
  std::string name;  // made unique
  std::string op;
  std::vector<OutputRef> inputs;
  std::vector<NodeId> controls;
  AttrMap attrs;
  std::string device;
  ContextId context = ContextId::kRoot;
};

class BuildState {
 public:
  explicit BuildState(const OpRegistry& registry);
  // Over a graph that was made elsewhere: all of its nodes are the root's, whatever their frames.
  // Nodes of unknown ops and with illegal attrs are let be.
  //   Errors: InferShapes'.
  static Result<std::unique_ptr<BuildState>> Open(Graph graph);

  // For what may have to be taken back: a copy of all that is here, and the way back to it.
  std::unique_ptr<BuildState> Copy() const;
  void Restore(std::unique_ptr<BuildState> copy) { *this = std::move(*copy); }

  const Graph& graph() const { return graph_; }
  Graph& mutable_graph() { return graph_; }

  // The first error sticks; `status` after that is dropped.
  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  void Fail(const Status& status);

  // Adds a node: its attrs must be complete. In a branch or a loop a node without inputs of that
  // context gets a control edge from the context's pivot.
  //   Errors: ResolveSignature's; inputs of the wrong number or type; shapes that cannot fit.
  Result<NodeId> AddNode(NodeSpec spec);
  // Adds a node with the types `signature`, checked already.
  Result<NodeId> AddChecked(NodeSpec spec, Signature signature);
  // Makes input `index` of `node` another tensor of the same type.
  Status ReplaceInput(NodeId node, size_t index, OutputRef input);
  void AddControl(NodeId node, NodeId control);

  const std::vector<ArgType>& output_types(NodeId node) const {
    return info_[tagflow::Index(node)].signature.outputs;
  }
  ArgType type(OutputRef output) const {
    return output_types(output.node)[static_cast<size_t>(output.index)];
  }
  const PartialShape& shape(OutputRef output) const {
    return info_[tagflow::Index(output.node)].shapes[static_cast<size_t>(output.index)];
  }
  void SetShape(OutputRef output, PartialShape shape);
  // The value of a constant, or of a capture of one; null when it is not known.
  const Tensor* ConstantValue(OutputRef output) const;
  ContextId context_of(NodeId node) const { return info_[tagflow::Index(node)].context; }
  std::string Name(OutputRef output) const { return OutputName(graph_, output); }

  // Contexts.
  ContextId AddContext(Context context);
  const Context& context(ContextId id) const { return contexts_[Index(id)]; }
  Context& mutable_context(ContextId id) { return contexts_[Index(id)]; }
  size_t AddCondFrame(CondFrame frame);
  size_t AddLoopFrame(LoopFrame frame);
  CondFrame& cond_frame(size_t i) { return cond_frames_[i]; }
  LoopFrame& loop_frame(size_t i) { return loop_frames_[i]; }
  std::deque<WhileContext>& while_contexts() { return while_contexts_; }
  // Whether `outer` is `inner` or around it.
  bool Encloses(ContextId outer, ContextId inner) const;
  std::string Describe(ContextId id) const;  // "the body of loop 'while'"
  // The index of the innermost loop around (or at) `id`; -1: none.
  int InnermostLoop(ContextId id) const;

  // The tensor that stands for `output` in `to`, made on first use: a Switch port per branch, a
  // constant Enter per loop on the way in. `user` is the op that wants it, for the message.
  //   Errors: INVALID_ARGUMENT for a tensor of a context that `to` is not in.
  Result<OutputRef> Capture(OutputRef output, ContextId to, const std::string& user);
  // The node that stands for `control` as a control input in `to`: itself, unless a loop is
  // entered on the way.
  Result<NodeId> CaptureControl(NodeId control, ContextId to, const std::string& user);
  Result<std::vector<NodeId>> CaptureControls(const std::vector<NodeId>& controls, ContextId to,
                                              const std::string& user);
  // The node that runs once whenever the context is entered. REQUIRES: not the root.
  Result<NodeId> Pivot(ContextId id);

  // `prefix`, or prefix_1, …: a name that no node, scope or loop has, and that none will get.
  std::string UniqueScopeName(const std::string& prefix);
  bool ClaimFrameName(const std::string& name) { return frame_names_.insert(name).second; }

  // The scope of the function that is being called: where operators make their nodes.
  const ScopeData& current() const { return current_.back(); }
  void PushCurrent(ScopeData data) { current_.push_back(std::move(data)); }
  void PopCurrent() { current_.pop_back(); }
  bool in_function() const { return current_.size() > 1; }

 private:
  BuildState(const BuildState& other);
  BuildState& operator=(BuildState&&) = default;

  struct NodeInfo {
    ContextId context = ContextId::kRoot;
    Signature signature;
    std::vector<PartialShape> shapes;
  };

  OutputRef Origin(OutputRef output) const;
  Status CheckInputs(const NodeSpec& spec, const Signature& signature) const;
  Result<bool> NeedsPivot(const NodeSpec& spec) const;
  Result<std::vector<PartialShape>> InferNodeShapes(const Node& node, size_t num_outputs) const;
  Status NotVisible(const std::string& what, ContextId made_in, ContextId to,
                    const std::string& user) const;
  Result<OutputRef> CaptureInBranch(OutputRef source, OutputRef outer, const Context& context);
  Result<OutputRef> CaptureInLoop(OutputRef source, OutputRef outer, const Context& context);
  Result<NodeId> CaptureControlInLoop(NodeId outer, const Context& context);

  Graph graph_;
  Status status_;
  std::vector<NodeInfo> info_;  // by node id
  std::deque<Context> contexts_;
  std::deque<CondFrame> cond_frames_;
  std::deque<LoopFrame> loop_frames_;
  std::deque<WhileContext> while_contexts_;  // by loop frame
  std::set<std::string> scope_names_;
  std::set<std::string> frame_names_;
  std::vector<ScopeData> current_;
  mutable std::map<OutputRef, OutputRef> origins_;  // of what was asked for
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_BUILD_STATE_H_
