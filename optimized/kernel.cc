#include "optimized/kernel.h"

#include <algorithm>

#include "graph/shape_inference.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

namespace {

// A range is worth the hand-over to another thread, which costs a microsecond or two where that one
// is awake; there are some for each thread, so that one that comes late holds up nobody.
constexpr double kRangeNs = 7'500;
constexpr int64_t kRangesPerThread = 4;

}  // namespace

std::string TagWithin(const StepServices& services, std::string tag) {
  if (services.around == nullptr || services.around->empty()) return tag;
  return tag.empty() ? *services.around : *services.around + "/" + tag;
}

int64_t KernelContext::RangesFor(int64_t count, double ns_each) const {
  if (services_.crew == nullptr) return 1;
  const double worthwhile = static_cast<double>(count) * ns_each / kRangeNs;
  // Of a few, each is a range: two of twelve are not one and one and a half.
  const int64_t share = kRangesPerThread * services_.crew->size();
  const int64_t most = count <= 2 * share ? count : share;
  return worthwhile < static_cast<double>(most) ? static_cast<int64_t>(worthwhile) : most;
}

bool Binding::IsConstant(size_t i) const {
  return graph != nullptr && ConstantBehind(*graph, node.inputs[i]) != nullptr;
}

namespace {

// Whether what an earlier firing gave is memory for such a tensor that nobody looks at any more.
bool IsMemoryFor(const Tensor& left, DType dtype, DimsView dims) {
  return !left.is_inline() && left.dtype() == dtype && IsPlainDType(dtype) &&
         std::ranges::equal(left.dims(), dims) && left.memory_kind() == MemoryKind::kHost &&
         left.unique();
}

}  // namespace

Result<Tensor*> KernelContext::Allocate(int i, DType dtype, DimsView dims,
                                        std::initializer_list<int> reuse) {
  Tensor& out = output(i);
  for (int candidate : reuse) {
    const Tensor& value = input(candidate);
    if (value.is_inline() || value.dtype() != dtype || !IsPlainDType(dtype)) continue;
    // As a rule `dims` are those of this value, where they are.
    const DimsView own = value.dims();
    const bool is_own = own.data() == dims.data() && own.size() == dims.size();
    if (!is_own && !std::ranges::equal(own, dims)) continue;
    if (!MayOverwrite(candidate)) continue;
    // The input keeps its share until the firing is over, so that its data stays where it is.
    out = value;
    return &out;
  }
  if (IsMemoryFor(out, dtype, dims)) return &out;
  TAGFLOW_ASSIGN_OR_RETURN(out, Tensor::AllocateUninitialized(dtype, dims));
  return &out;
}

Result<std::shared_ptr<Variable>> KernelContext::variable(int i) const {
  const Tensor& value = input(i);
  if (value.dtype() == DType::kResource && value.num_elements() == 1) {
    const ResourceHandle& handle = *value.data<ResourceHandle>();
    if (auto variable = std::dynamic_pointer_cast<Variable>(handle.object)) return variable;
  }
  return InvalidArgument("input " + std::to_string(i) + " is no reference to a variable");
}

void KernelContext::set_output_variable(int i, std::shared_ptr<Variable> variable) {
  output(i) = VariableReference(std::move(variable));
}

Status KernelRegistry::Register(std::string_view op, Binder bind, Cost cost) {
  auto entry = std::make_unique<KernelEntry>(KernelEntry{std::move(bind), cost, {}});
  if (kernels_.emplace(op, std::move(entry)).second) return Status();
  return AlreadyExists("op " + std::string(op) + " has an engine kernel already");
}

Status KernelRegistry::RegisterFor(const KernelTarget& target, KernelEntry entry) {
  auto made = std::make_unique<KernelEntry>(std::move(entry));
  if (device_kernels_.emplace(target, std::move(made)).second) return Status();
  return AlreadyExists("op " + target.op + " has a kernel for " + target.kind + " already");
}

const KernelEntry* KernelRegistry::FindFor(const KernelTarget& target) const {
  auto found = device_kernels_.find(target);
  if (found == device_kernels_.end()) {
    found = device_kernels_.find({target.op, target.kind, DType::kInvalid});
  }
  return found == device_kernels_.end() ? nullptr : found->second.get();
}

const KernelEntry* KernelRegistry::Find(std::string_view op) const {
  auto found = kernels_.find(std::string(op));
  return found == kernels_.end() ? nullptr : found->second.get();
}

std::vector<std::string> KernelRegistry::Ops() const {
  std::vector<std::string> ops;
  for (const auto& [op, kernel] : kernels_) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

std::vector<KernelTarget> KernelRegistry::Targets() const {
  std::vector<KernelTarget> targets;
  for (const auto& [target, kernel] : device_kernels_) targets.push_back(target);
  return targets;
}

std::unique_ptr<KernelRegistry> KernelRegistry::WithBinders(const ChangeBinder& bind) const {
  auto changed = std::make_unique<KernelRegistry>();
  const auto changed_entry = [&bind](const std::string& op, const KernelEntry& entry) {
    return std::make_unique<KernelEntry>(
        KernelEntry{bind(op, entry), entry.cost, entry.host_inputs});
  };
  for (const auto& [op, entry] : kernels_) {
    changed->kernels_.emplace(op, changed_entry(op, *entry));
  }
  for (const auto& [target, entry] : device_kernels_) {
    changed->device_kernels_.emplace(target, changed_entry(target.op, *entry));
  }
  return changed;
}

Status NoKernelFor(const Binding& binding, DType dtype) {
  return Unimplemented("op " + binding.node.op + " of node '" + binding.node.name +
                       "' has no CPU kernel for " + DTypeName(dtype))
      .WithNode(binding.node.name);
}

}  // namespace tagflow::optimized
