#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_VALUES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_VALUES_H_

// What each node of a call becomes, and in which slot each of its outputs lives.
//
// Tested by straight_executable_test.cc.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/signature_cache.h"
#include "graph/status.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/executable.h"
#include "optimized/kernels/part.h"
#include "optimized/straight/code.h"
#include "optimized/straight/host_numbers.h"

namespace tagflow::optimized {

enum class NodeKind : uint8_t {
  kFed,       // a placeholder that is fed: nothing to do
  kNothing,   // NoOp, ControlTrigger: nothing to do, others wait for it
  kConstant,  // its slot holds the value in every step
  kHandsOn,   // every output is input 0 (Identity, Switch, Enter, Exit, NextIteration, …)
  kMerge,
  kRepeats,  // NextIteration: the loop moves its input
  kKernel,
};

// What is the same for all nodes of an op.
struct OpInfo {
  NodeKind kind = NodeKind::kKernel;
  const KernelEntry* kernel = nullptr;
  bool takes_refs = false;  // declares an input that is a reference
  bool gives_refs = false;  // declares an output that is one
};

NodeKind KindOf(const Node& node);

// Whether it is fed scalars alone.
bool IsScalarPlaceholder(const Node& node);

class Values {
 public:
  Values(const ExecutableSpec& spec, const FeedSet& fed);

  // Binds the kernels of `nodes`, producers first, and gives their outputs slots. Errors: of
  // binding, naming the node.
  Status Bind(const std::vector<NodeId>& nodes);

  NodeKind kind(NodeId node) const { return kinds_[Index(node)]; }
  const BoundKernel& kernel(NodeId node) const { return kernels_[kernel_of_[Index(node)]]; }
  size_t kernel_number(NodeId node) const { return kernel_of_[Index(node)]; }
  // Whether it is a kernel of a device's own.
  bool is_on_device(NodeId node) const { return device_kernel(node) != nullptr; }
  bool has_devices() const { return !device_kernels_.empty(); }
  // Null where it is none.
  std::shared_ptr<const DeviceKernel> device_kernel(NodeId node) const {
    return device_kernels_.empty() ? nullptr : device_kernels_[Index(node)];
  }
  // What a device's own kernel computes, where its device may make one of several; a device of -1
  // where it may not, or the kernel is none, or says nothing.
  struct DevicePart {
    int device = -1;
    const KernelPart* part = nullptr;  // lives as long as the kernel
  };
  bool has_device_parts() const { return !device_parts_.empty(); }
  DevicePart device_part(NodeId node) const {
    const auto found = device_parts_.find(node);
    return found == device_parts_.end() ? DevicePart() : found->second;
  }
  // Whether some kernel of a device's own takes or gives lists, and does more than to carry or join
  // what is in them, which may be anywhere.
  bool has_lists_on_device() const { return has_lists_on_device_; }
  // All of them, by number.
  std::vector<BoundKernel> TakeKernels() { return std::move(kernels_); }
  uint32_t num_outputs(NodeId node) const { return num_outputs_[Index(node)]; }

  uint32_t NewSlot() { return num_slots_++; }
  uint32_t num_slots() const { return num_slots_; }
  // The slot of a tensor. REQUIRES: its producer has been emitted, or is a feed or a constant
  uint32_t slot(OutputRef output) const;
  // The same of what the node itself gives, also where the tensor is fed. REQUIRES:
  // has_slot(output)
  uint32_t own_slot(OutputRef output) const { return slots_[Place(output)]; }
  void set_slot(OutputRef output, uint32_t slot) { slots_[Place(output)] = slot; }
  bool has_slot(OutputRef output) const { return slots_[Place(output)] != kNone; }
  std::vector<std::pair<uint32_t, Tensor>>& constants() { return constants_; }
  // The slot of a constant int32 scalar.
  uint32_t IndexSlot(int32_t value);

  // Outputs of the bound nodes as numbers 0 … num_places()-1.
  size_t Place(OutputRef output) const {
    return first_output_[Index(output.node)] + static_cast<size_t>(output.index);
  }
  size_t num_places() const { return slots_.size(); }

  // Whether the tensor is a reference, and whether the node wants it as one.
  bool IsReference(OutputRef output) const;
  bool WantsReference(const Node& node, size_t input) const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  const OpInfo& InfoOf(const Node& node);
  Status BindKernel(const Node& node, const OpInfo& info);
  Result<BoundKernel> BoundOf(const Node& node, const Signature& signature, const OpInfo& info);
  const ExecutableSpec& spec_;
  const FeedSet& fed_;
  SignatureCache signatures_;
  std::unordered_map<const OpDef*, OpInfo> infos_;
  std::vector<NodeKind> kinds_;         // by node id
  std::vector<uint32_t> kernel_of_;     // by node id: index into kernels_
  std::vector<uint32_t> num_outputs_;   // by node id
  std::vector<uint32_t> first_output_;  // by node id: index into slots_
  std::vector<uint32_t> slots_;         // by output
  std::vector<BoundKernel> kernels_;
  std::vector<NodeId> cannot_run_;                                   // without a kernel
  std::vector<std::shared_ptr<const DeviceKernel>> device_kernels_;  // by node id; empty: no device
  std::unordered_map<NodeId, DevicePart> device_parts_;
  std::optional<HostNumbers> host_numbers_;  // where there are devices
  bool has_lists_on_device_ = false;
  std::vector<std::pair<uint32_t, Tensor>> constants_;
  std::unordered_map<int32_t, uint32_t> index_slots_;
  uint32_t num_slots_ = 0;
  bool any_refs_ = false;  // whether some bound node gives a reference
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_VALUES_H_
