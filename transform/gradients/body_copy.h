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
  //   Errors: UNIMPLEMENTED for a node that must not run twice.
  Result<OutputList> Build(const OutputList& values);

  // The frame names of the loops in the body, and those of their copies.
  const std::map<std::string, std::string>& frame_names() const { return frame_names_; }

 private:
  std::vector<NodeId> NeededNodes() const;
  bool IsVariablePort(NodeId node) const;
  const ForwardVariable* VariableOf(NodeId merge) const;
  Status CheckRepeatable(const Node& node) const;
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
  std::vector<std::pair<NodeId, size_t>> open_;  // inputs that come from a NextIteration
  std::map<std::string, std::string> frame_names_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_BODY_COPY_H_
