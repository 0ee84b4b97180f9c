#ifndef TAGFLOW_TRANSFORM_GRADIENTS_BODY_COPY_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_BODY_COPY_H_

// The body of a forward loop once more, as the body of a loop that is being built. Loops in it are
// copied as frames of their own.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transform/gradients/forward.h"

namespace tagflow::internal {

class BodyCopy {
 public:
  // captured: for each constant Enter of the loop what the copy captures in its place
  // scope: of the new body
  BodyCopy(Forward& forward, const ForwardLoop& loop, const std::map<NodeId, Output>& captured,
           Scope scope)
      : forward_(forward), loop_(loop), captured_(captured), scope_(std::move(scope)) {}

  // The next value of each variable of the loop, given the values that they have.
  Result<OutputList> Build(const OutputList& values);

  const Scope& scope() const { return scope_; }
  // The nodes of the body, and their copies.
  const std::map<NodeId, NodeId>& copies() const { return copies_; }
  // Those that must not run twice, each after what it takes: the copies are good for the way back
  // to be found, and have to be taken out then (effect_replay.h).
  const std::vector<NodeId>& effects() const { return effects_; }
  // The frames of the loops in the body, and the names of their copies.
  const std::map<int, std::string>& frame_names() const { return frame_names_; }

 private:
  std::vector<NodeId> NeededNodes() const;
  bool IsVariablePort(NodeId node) const;
  const ForwardVariable* VariableOf(NodeId merge) const;
  bool MustNotRunTwice(const Node& node) const;
  Result<OutputRef> InputOf(const Node& node, size_t slot);
  Result<OutputRef> CopyOf(OutputRef tensor);
  Result<NodeId> CopyOfControl(NodeId node);
  Result<AttrMap> AttrsOf(const Node& node);
  Status Copy(NodeId id);

  Forward& forward_;
  const ForwardLoop& loop_;
  const std::map<NodeId, Output>& captured_;
  Scope scope_;
  OutputList values_;
  std::map<NodeId, NodeId> copies_;
  std::vector<NodeId> effects_;
  std::vector<std::pair<NodeId, size_t>> open_;  // inputs that come from a NextIteration
  std::map<int, std::string> frame_names_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_BODY_COPY_H_
