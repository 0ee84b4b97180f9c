#ifndef TAGFLOW_FUZZ_GRAPHS_WIRING_H_
#define TAGFLOW_FUZZ_GRAPHS_WIRING_H_

// A graph that is being altered: which outputs a node could take as inputs, and nodes added to it.
// What comes before a node, by id, does not depend on it but for NextIterations.

#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::fuzz {

class Wiring {
 public:
  // frames: of the graph as it is now; nodes that are added have none.
  // REQUIRES: all outlive it.
  Wiring(Choices& choices, Graph& graph, const FrameTree& frames)
      : choices_(choices), graph_(graph), frames_(frames) {}

  // Whether it is known in which frame the node takes its inputs.
  bool IsPlaced(const Node& node) const;
  // The frame of a node's tokens. REQUIRES: IsPlaced
  int FrameOf(NodeId id) const { return frames_.output_frame_of[Index(id)]; }
  // How many frames that is within one another. REQUIRES: as above
  int DepthOf(NodeId id) const;

  // Nothing where the node has no such output.
  std::optional<ArgType> TypeOf(OutputRef output) const;
  bool Is(OutputRef output, DType dtype) const { return TypeOf(output) == ArgType{dtype, false}; }
  // Neither a reference nor a handle.
  bool IsPlain(OutputRef output) const;

  // Nodes before this one whose tokens are in the frame of its inputs. REQUIRES: IsPlaced(node)
  std::vector<NodeId> Earlier(const Node& node) const;
  // Of those, one of their outputs, where there is one. REQUIRES: as above
  // … of the type of another, and one of the latest as a rule;
  std::optional<OutputRef> Another(const Node& node, OutputRef than);
  // … a bool, one that is a predicate already as often as not;
  std::optional<OutputRef> AnyTruth(const Node& node);
  // … an int32.
  std::optional<OutputRef> AnyNumber(const Node& node);

  // What is in the root, brought into the frame of the node's inputs by constant Enters; nothing
  // where a frame on the way has no Enter.
  std::optional<OutputRef> Brought(OutputRef value, const Node& node);

  // A node named after its op; T is set where there is a type.
  NodeId Add(const std::string& op, std::vector<OutputRef> inputs, DType type = DType::kInvalid);

 private:
  std::optional<OutputRef> BroughtInto(int frame, OutputRef value);
  std::vector<OutputRef> EarlierOf(const Node& node, ArgType type) const;
  std::optional<OutputRef> OneOf(const std::vector<OutputRef>& outputs);

  Choices& choices_;
  Graph& graph_;
  const FrameTree& frames_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_WIRING_H_
