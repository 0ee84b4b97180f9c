#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_HOST_NUMBERS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_HOST_NUMBERS_H_

// Which nodes compute numbers that the host has, or needs, and not a device: few integers, such as
// sizes and indices. Whichever device they ask for, they are the host's, which has what they need
// before the device has computed anything, and waits for nothing:
//
//   s = Shape(x)                  x is on a GPU
//   n = StridedSlice(s, 0, 1)     else the GPU would be given s, and the host would wait for n
//   r = Range(0, n, 1)
//
// Numbers are made of dimensions, constants and fed scalars alone; where a kernel reads them on the
// host, directly or through other integers, also of tensors that are fed. None are what a loop
// changes.
//
// Thread safety: none. Tested by host_numbers_test.cc.

#include <cstdint>
#include <vector>

#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"
#include "graph/signature_cache.h"
#include "optimized/devices/devices.h"

namespace tagflow::optimized {

class HostNumbers {
 public:
  struct Of {
    const Graph& graph;
    const FeedSet& fed;
    const Devices& devices;
    const KernelRegistry& kernels;
    SignatureCache& signatures;
  };
  // order: the nodes of the call, producers first
  HostNumbers(const Of& of, const std::vector<NodeId>& order);

  // Whether the host has what the node gives.
  bool Contains(NodeId node) const {
    const Number number = numbers_[Index(node)];
    return number == Number::kYes || (number == Number::kWhereRead && is_read_[Index(node)]);
  }
  // Whether the host's kernel is to run, and not that of the device that the node is on.
  bool AreComputedBy(const Node& node) const;

 private:
  // Of all outputs of a node: whether they are numbers; also where a kernel reads them on the host.
  enum class Number : uint8_t { kNone, kWhereRead, kYes };

  Number Find(const Of& of, const Node& node) const;
  Number NumberOf(const Of& of, OutputRef input) const;
  Number BySize(NodeId node) const;
  void NoteReads(const Of& of, const Node& node);

  std::vector<std::vector<PartialShape>> shapes_;  // by node; empty: nothing is known
  std::vector<Number> numbers_;                    // by node
  std::vector<bool> is_read_;  // by node: on the host, by a kernel or through other integers
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_HOST_NUMBERS_H_
