#include "optimized/straight/values.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "graph/control_ops.h"
#include "graph/unknown_ops.h"
#include "optimized/devices/devices.h"
#include "optimized/straight/device_calls.h"
#include "transform/deadness/structure.h"

namespace tagflow::optimized {
namespace {

// Whether it fails when it fires, because its value is of another dtype than it says.
bool IsBadConstant(const Node& node, NodeKind kind) {
  if (kind != NodeKind::kConstant) return false;
  const AttrValue* const attr = FindAttr(node, "value");
  const Tensor* const value = attr == nullptr ? nullptr : attr->Get<Tensor>();
  const Result<DType> dtype = TypeAttr(node, "dtype");
  return value != nullptr && dtype.ok() && value->dtype() != *dtype;
}

}  // namespace

NodeKind KindOf(const Node& node) {
  switch (ControlOpOf(node.op)) {
    case ControlOp::kMerge:
      return NodeKind::kMerge;
    case ControlOp::kSwitch:
    case ControlOp::kEnter:
    case ControlOp::kExit:
    case ControlOp::kNextIteration:
    case ControlOp::kLoopCond:
      return NodeKind::kHandsOn;
    case ControlOp::kNone:
      break;
  }
  if (node.op == "NoOp" || node.op == "ControlTrigger") return NodeKind::kNothing;
  if (node.op == "Const") return NodeKind::kConstant;
  static constexpr std::string_view kHandOn[] = {
      "Identity",       "RefIdentity", "StopGradient",          "PreventGradient",
      "GuaranteeConst", "_SwitchN",    "PlaceholderWithDefault"};
  const bool hands_on = std::ranges::find(kHandOn, node.op) != std::end(kHandOn);
  return hands_on ? NodeKind::kHandsOn : NodeKind::kKernel;
}

bool IsScalarPlaceholder(const Node& node) {
  if (node.op != "Placeholder") return false;
  const Result<PartialShape> shape = ShapeAttr(node, "shape");
  return shape.ok() && shape->known_rank() && shape->rank() == 0;
}

Values::Values(const ExecutableSpec& spec, const FeedSet& fed) : spec_(spec), fed_(fed) {
  const size_t limit = spec.graph.id_limit();
  kinds_.resize(limit, NodeKind::kFed);
  kernel_of_.resize(limit);
  num_outputs_.resize(limit);
  first_output_.resize(limit);
  num_slots_ = static_cast<uint32_t>(spec.call.feeds.size());
}

const OpInfo& Values::InfoOf(const Node& node) {
  const auto [place, is_new] = infos_.try_emplace(node.def);
  if (is_new) {
    const auto is_ref = [](const ArgDef& arg) { return arg.is_ref; };
    place->second = {KindOf(node), spec_.kernels.Find(node.op),
                     std::ranges::any_of(node.def->inputs, is_ref),
                     std::ranges::any_of(node.def->outputs, is_ref)};
    any_refs_ |= place->second.gives_refs;
  }
  return place->second;
}

Status Values::Bind(const std::vector<NodeId>& nodes) {
  kernels_.reserve(nodes.size());
  if (spec_.devices != nullptr) {
    const HostNumbers::Of of = {spec_.graph, fed_, *spec_.devices, spec_.kernels, signatures_};
    host_numbers_.emplace(of, nodes);
  }
  for (const NodeId id : nodes) {
    const Node& node = spec_.graph.node(id);
    if (fed_.IsFedPlaceholder(node)) continue;
    const OpInfo& info = InfoOf(node);
    const NodeKind kind = IsBadConstant(node, info.kind) ? NodeKind::kKernel : info.kind;
    kinds_[Index(id)] = kind;
    first_output_[Index(id)] = static_cast<uint32_t>(slots_.size());
    uint32_t& outputs = num_outputs_[Index(id)];
    if (kind == NodeKind::kKernel) {
      TAGFLOW_RETURN_IF_ERROR(BindKernel(node, info));
    } else if (kind == NodeKind::kConstant) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorAttr(node, "value"));
      outputs = 1;
      constants_.emplace_back(NewSlot(), std::move(value));
    } else if (kind != NodeKind::kNothing) {
      const Result<int64_t> ways = IsSwitchN(node) ? IntAttr(node, "num_outs") : int64_t{2};
      outputs = static_cast<uint32_t>(ways.ok() ? *ways : 1);
    }
    slots_.resize(slots_.size() + outputs, kNone);
    if (kind == NodeKind::kConstant) slots_.back() = constants_.back().first;
  }
  return RefuseWhatMustRun(spec_.graph, spec_.call, spec_.valid, cannot_run_, "CPU");
}

Result<BoundKernel> Values::BoundOf(const Node& node, const Signature& signature,
                                    const OpInfo& info) {
  const Devices* const devices = spec_.devices;
  const bool is_known = devices == nullptr && !IsRefused(node);
  const Devices::Found found =
      is_known ? Devices::Found{info.kernel, false} : FindKernel(devices, node, spec_.kernels);
  if (found.entry == nullptr) {
    cannot_run_.push_back(node.id);
    return CannotRun(node, "CPU");
  }
  const bool is_of_host =
      info.kernel != nullptr && host_numbers_ && host_numbers_->AreComputedBy(node);
  if (is_of_host) return info.kernel->bind({node, signature, &spec_.graph});
  if (!found.is_own) return found.entry->bind({node, signature, &spec_.graph});
  TAGFLOW_ASSIGN_OR_RETURN(BoundKernel bound, found.entry->bind({node, signature, &spec_.graph}));
  const int device = devices->Find(node.device);
  const bool may_join = spec_.may_replay && spec_.native.choice != NativeChoice::kOff;
  const KernelPart* const part = may_join ? PartOf(bound) : nullptr;
  if (part != nullptr) device_parts_[node.id] = {device, part};
  auto kernel = std::make_shared<const DeviceKernel>(
      MakeDeviceKernel(device, node, signature, *found.entry, std::move(bound), found.is_own));
  const auto is_list = [](const ArgType& type) { return type.dtype == DType::kVariant; };
  has_lists_on_device_ |= !kernel->is_carrier && !kernel->joins &&
                          (std::ranges::any_of(signature.inputs, is_list) ||
                           std::ranges::any_of(signature.outputs, is_list));
  device_kernels_.resize(spec_.graph.id_limit());
  device_kernels_[Index(node.id)] = kernel;
  return CallInOrder(std::move(kernel));
}

Status Values::BindKernel(const Node& node, const OpInfo& info) {
  TAGFLOW_ASSIGN_OR_RETURN(const Signature* signature, signatures_.Of(node));
  Result<BoundKernel> bound = BoundOf(node, *signature, info);
  if (!bound.ok()) {
    // A branch that is not taken does no harm: the error comes when the node fires.
    bound = BoundKernel([error = bound.status()](KernelContext&) { return error; });
  }
  kernel_of_[Index(node.id)] = static_cast<uint32_t>(kernels_.size());
  kernels_.push_back(*std::move(bound));
  num_outputs_[Index(node.id)] = static_cast<uint32_t>(signature->outputs.size());
  return Status();
}

uint32_t Values::slot(OutputRef output) const {
  if (fed_.Contains(output)) {
    const auto& feeds = spec_.call.feeds;
    return static_cast<uint32_t>(std::ranges::find(feeds, output) - feeds.begin());
  }
  const uint32_t slot = slots_[Place(output)];
  TAGFLOW_CHECK(slot != kNone);
  return slot;
}

uint32_t Values::IndexSlot(int32_t value) {
  const auto [place, is_new] = index_slots_.try_emplace(value, 0);
  if (is_new) {
    place->second = NewSlot();
    constants_.emplace_back(place->second, Tensor::Scalar(value));
  }
  return place->second;
}

bool Values::IsReference(OutputRef output) const {
  if (!any_refs_ || fed_.Contains(output)) return false;
  const Node& node = spec_.graph.node(output.node);
  const auto info = infos_.find(node.def);
  if (info == infos_.end() || !info->second.gives_refs) return false;
  const auto& outputs = node.def->outputs;
  return outputs[std::min(static_cast<size_t>(output.index), outputs.size() - 1)].is_ref;
}

bool Values::WantsReference(const Node& node, size_t input) const {
  const auto info = infos_.find(node.def);
  if (info == infos_.end() || !info->second.takes_refs) return false;
  const auto& inputs = node.def->inputs;
  return inputs[std::min(input, inputs.size() - 1)].is_ref;
}

}  // namespace tagflow::optimized
