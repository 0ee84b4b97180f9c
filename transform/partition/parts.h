#ifndef TAGFLOW_TRANSFORM_PARTITION_PARTS_H_
#define TAGFLOW_TRANSFORM_PARTITION_PARTS_H_

// The parts while they are being made, and how a tensor crosses from one to another.  Spec:
// [partition.1], [rendezvous.*]
//
//     source                               destination
//     x --> _Send . . . . . . . . . . . .  _Recv --> consumers
//     c ==> Const --> _Send . . . . . . .  _Recv --> Identity ==> consumers      (control, ==>)
//     x --> Cast --> _Send  . . . . . . .  _Recv --> Cast --> consumers          (compressed)
//
// A control edge is dead when its node is, and a Recv that received a dead token is not: so the
// Identity, which takes the token, hands the deadness on.
//
// Tested by partition_test.cc.

#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/hash.h"
#include "transform/partition/partition.h"

namespace tagflow {

class Parts {
 public:
  // whole, placement: outlive this.
  Parts(const Graph& whole, const Placement& placement, const PartitionOptions& options);

  Graph& graph(int device) { return parts_[static_cast<size_t>(device)].graph; }
  std::vector<DevicePart> Take() && { return std::move(parts_); }
  std::vector<DevicePart>& all() { return parts_; }
  // The Recvs that bring tensors to a device: of what, and from where.
  using Received = std::unordered_map<NodeId, std::pair<OutputRef, int>>;
  const Received& received(int device) const { return recvs_[static_cast<size_t>(device)]; }

  // A node without inputs, named as the prefix and the device say, or else by a number more.
  NodeId Add(int device, const std::string& prefix, std::string_view op);

  struct Crossing {
    OutputRef tensor;  // of the whole graph; index kControl: its control edge
    OutputRef there;   // the same in the source's part
    int source = 0;    // devices
    int destination = 0;
    DType dtype = DType::kInvalid;  // of a tensor
    NodeId gate = NodeId::kNone;    // in the destination: what the Recv waits for; kNone: nothing
  };
  static constexpr int kControl = TensorName::kControl;
  // The tensor in the destination's part; or the node there that stands for the control edge. Made
  // once for each tensor and destination.
  OutputRef Cross(const Crossing& crossing);
  bool Crosses(OutputRef tensor, int destination) const {
    return received_.contains({tensor.node, tensor.index, destination});
  }

 private:
  OutputRef ControlAsTensor(const Crossing& crossing);
  OutputRef SendAndReceive(const Crossing& crossing, OutputRef local, DType dtype);
  OutputRef Cast(int device, const std::string& prefix, OutputRef from, DType source,
                 DType destination);
  OutputRef Compressed(const Crossing& crossing);

  const Graph& whole_;
  const Placement& placement_;
  const PartitionOptions& options_;
  std::vector<DevicePart> parts_;
  std::unordered_set<std::string> new_names_;
  std::unordered_map<std::tuple<NodeId, int, int>, OutputRef, TupleHash> received_;
  std::vector<Received> recvs_;  // by device
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_PARTS_H_
