#ifndef TAGFLOW_TRANSFORM_GRADIENTS_REGION_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_REGION_H_

// The way back through one frame: the nodes on the path are visited against the edges, and each
// adds to the gradients of its inputs. A loop in the frame is one node of it, whose outputs are its
// Exits and whose inputs are those of its Enters (loop_gradient.cc).
//
//   Switch    what its outputs have goes to its input as it is, conditions and all
//   Merge     its gradient goes to each input, dead where the input was
//   others    their gradient function
//
// The variables of the frame's own loop and the constants that enter it are where the way ends:
// their contributions are left for whoever began it.

#include <map>
#include <optional>
#include <vector>

#include "transform/gradients/forward.h"
#include "transform/gradients/forward_values.h"
#include "transform/gradients/gates.h"

namespace tagflow::internal {

class Region {
 public:
  // `scope`, `values` and `gates` are those of the place where the gradient of the frame is built.
  Region(Forward& forward, int frame, Scope scope, ForwardValues& values, Gates& gates)
      : forward_(forward),
        frame_(frame),
        scope_(std::move(scope)),
        values_(values),
        gates_(gates) {}

  // Adds to the gradient of a tensor, unless it leads to no x.
  void Add(OutputRef tensor, Contribution contribution);
  // Goes back from the tensors that have contributions now.
  Status Walk();

  bool Has(OutputRef tensor) const { return received_.contains(tensor); }
  std::vector<Contribution> Contributions(OutputRef tensor) const;
  // The gradient of a tensor that has contributions, live where the tensor is.
  Output Sum(OutputRef tensor);

  Forward& forward() { return forward_; }
  const Scope& scope() const { return scope_; }
  ForwardValues& values() { return values_; }
  Gates& gates() { return gates_; }

 private:
  // A node of the frame, or a loop in it.
  struct Item {
    NodeId node = NodeId::kNone;
    int loop = 0;  // its frame, where it is a loop
    friend auto operator<=>(const Item&, const Item&) = default;
  };

  bool IsEnd(const Node& node) const;
  bool Produces(OutputRef tensor, Item* item) const;
  Result<std::vector<OutputRef>> InputsOf(Item item) const;
  Result<std::vector<Item>> Order() const;
  Status Visit(NodeId id);
  void PassOn(const Node& node);
  void SplitMerge(const Node& node);

  Forward& forward_;
  int frame_;
  Scope scope_;
  ForwardValues& values_;
  Gates& gates_;
  // What a tensor has of a user, or everything that an output has which the tensor is handed on as:
  // a chain of Switches copies nothing.
  struct Received {
    Contribution contribution;
    std::optional<OutputRef> all_of;
  };
  std::map<OutputRef, std::vector<Received>> received_;
  std::map<OutputRef, Output> sums_;
};

// Adds the gradient loop of a loop in the region's frame: from the gradients of its Exits to those
// of what enters it.
//   Errors: UNIMPLEMENTED for values that leave the loop and are no variable of it; those of Walk.
Status AddLoopGradient(Region& region, const ForwardLoop& loop);

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_REGION_H_
