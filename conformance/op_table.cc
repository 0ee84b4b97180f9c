#include "conformance/op_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/case_file.h"
#include "graph/control_ops.h"
#include "graph/device_catalog.h"
#include "graph/node.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/kernel.h"
#include "reference/kernel.h"
#include "reference/program.h"
#include "transform/gradients/gradient_function.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::conformance {
namespace {

constexpr std::string_view kDash = "–";

constexpr std::string_view kHead = R"(# Ops

Every op that is defined, from the registries: `./bazelw run //docs:update_ops` writes this page.

What an op computes is what TensorFlow 2.21's op of that name computes ([op.1](semantics.md)). The columns:

- **dtypes**: what the op's type attr allows. *any*: all that a tensor may have. *floats*: half, bfloat16, float, double.
  *complex*: complex64, complex128. *signed*, *unsigned*: the integers of 8 to 64 bits; *integers*: both. Quantized types,
  which some definitions allow, are left out: no tensor has them.
- **reference**, **CPU**: whether that engine runs it. A dash: not yet.
- **GPU**: the dtypes, of its first type attr, for which a GPU has kernels of it. *yes*: it does not hang on a dtype. A dash: it
  stays on the CPU.
- **gradient**: whether gradients go through it, or stop there, as at what jumps or counts. A dash: it neither takes nor gives
  floating or complex numbers, or a gradient that reaches it is an error.
- **cases**: how many [conformance cases](../conformance/cases) have it in their graph.

)";

struct Group {
  std::string_view name;
  std::vector<DType> members;
};

// Wider groups first: a group is named only if none of it has been named.
const std::vector<Group>& Groups() {
  using enum DType;
  static const auto& groups = *new std::vector<Group>{
      {"floats", {kHalf, kBFloat16, kFloat, kDouble}},
      {"complex", {kComplex64, kComplex128}},
      {"integers", {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64}},
      {"signed", {kInt8, kInt16, kInt32, kInt64}},
      {"unsigned", {kUInt8, kUInt16, kUInt32, kUInt64}},
  };
  return groups;
}

// In the order in which they are listed.
const std::vector<DType>& TensorDTypes() {
  using enum DType;
  static const auto& dtypes = *new std::vector<DType>{
      kHalf,  kBFloat16, kFloat,  kDouble, kComplex64, kComplex128, kInt8,   kInt16,    kInt32,
      kInt64, kUInt8,    kUInt16, kUInt32, kUInt64,    kBool,       kString, kResource, kVariant};
  return dtypes;
}

std::string NamesOf(std::set<DType> dtypes) {
  const auto allowed = [&](DType dtype) { return dtypes.contains(dtype); };
  if (std::ranges::all_of(TensorDTypes(), allowed)) return "any";
  std::string text;
  const auto add = [&](std::string_view name) {
    text.append(text.empty() ? "" : ", ").append(name);
  };
  for (const Group& group : Groups()) {
    const auto& members = group.members;
    if (!std::ranges::all_of(members, allowed)) continue;
    add(group.name);
    for (const DType dtype : members) dtypes.erase(dtype);
  }
  for (const DType dtype : TensorDTypes()) {
    if (allowed(dtype)) add(DTypeName(dtype));
  }
  return text;
}

const AttrDef* FirstTypeAttr(const OpDef& op, const std::vector<ArgDef>& args) {
  for (const ArgDef& arg : args) {
    const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    if (!attr.empty()) return op.FindAttr(attr);
  }
  return nullptr;
}

// The attr that says what the op works on, by its usual name, else by where it is used; may be
// null. An op whose first input has a fixed, plain dtype works on that, whatever its indices are.
const AttrDef* TypeAttrOf(const OpDef& op) {
  for (const char* name : {"T", "dtype", "element_dtype", "Tparams"}) {
    if (const AttrDef* attr = op.FindAttr(name)) return attr;
  }
  if (const AttrDef* attr = FirstTypeAttr(op, op.outputs)) return attr;
  const DType first = op.inputs.empty() ? DType::kInvalid : op.inputs.front().dtype;
  const bool is_plain = IsTensorDType(first) && IsPlainDType(first);
  return is_plain ? nullptr : FirstTypeAttr(op, op.inputs);
}

}  // namespace

std::string DTypesOf(const OpDef& op) {
  if (const AttrDef* attr = TypeAttrOf(op)) {
    if (attr->allowed_types.empty()) return "any";
    return NamesOf({attr->allowed_types.begin(), attr->allowed_types.end()});
  }
  std::set<DType> fixed;
  for (const ArgDef& arg : op.inputs.empty() ? op.outputs : op.inputs) fixed.insert(arg.dtype);
  return fixed.empty() ? std::string(kDash) : NamesOf(fixed);
}

namespace {

// Control flow, and what partitions exchange: no kernel, but every engine runs it.
bool IsRuleOfTheStandard(const OpDef& op) {
  Node node;
  node.op = op.name;
  return reference::RoleOf(node) != reference::Role::kOrdinary;
}

// Whether a node of the op may be placed on a device that has no kernels.
bool NeedsNoKernel(const OpDef& op) {
  DeviceCatalog one;
  one.AddDevice({"/device:GPU:0", "GPU", MemoryKind::kDevice, 0});
  Node node;
  node.op = op.name;
  return DevicesFor(node, one)[0];
}

// The registry of the kind GPU, which is empty in a build without a CUDA toolkit.
const optimized::KernelRegistry& GpuKernels() { return *optimized::GpuDevices()->kernels(); }

}  // namespace

bool ReferenceRuns(const OpDef& op) {
  return IsRuleOfTheStandard(op) || reference::KernelRegistry::Standard().Find(op.name) != nullptr;
}

bool EngineRuns(const OpDef& op) {
  return IsRuleOfTheStandard(op) || optimized::KernelRegistry::Standard().Find(op.name) != nullptr;
}

std::string OnGpu(const OpDef& op) {
  if (NeedsNoKernel(op)) return "yes";
  std::set<DType> dtypes;
  for (const optimized::KernelTarget& target : GpuKernels().Targets()) {
    if (target.op != op.name) continue;
    // A kernel for any dtype that reads all on the host is the host's, run in the GPU's place.
    const bool is_hosts =
        target.dtype == DType::kInvalid && GpuKernels().FindFor(target)->is_for_host != nullptr;
    if (!is_hosts) dtypes.insert(target.dtype);
  }
  if (dtypes.contains(DType::kInvalid)) return "yes";
  return dtypes.empty() ? std::string(kDash) : NamesOf(std::move(dtypes));
}

std::string_view GradientOf(const OpDef& op) {
  const ControlOp control = ControlOpOf(op.name);
  if (control == ControlOp::kLoopCond) return kDash;
  if (control != ControlOp::kNone || op.name == "_SwitchN") return "yes";
  const GradientFunction* function = GradientRegistry::Standard().Find(op.name);
  return function == nullptr ? kDash : *function == nullptr ? "stop" : "yes";
}

std::vector<OpColumn> OpColumns() {
  const auto yes = [](bool (*knows)(const OpDef&)) {
    return [knows](const OpDef& op) { return std::string(knows(op) ? "yes" : kDash); };
  };
  const bool knows_gpu = !GpuKernels().Targets().empty();
  return {{"reference", yes(ReferenceRuns)},
          {"CPU", yes(EngineRuns)},
          {"GPU", knows_gpu ? OnGpu : nullptr},
          {"gradient", [](const OpDef& op) { return std::string(GradientOf(op)); }}};
}

Result<std::map<std::string, int>> CountCases(const std::string& folder) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FindCases({folder}));
  std::map<std::string, int> counts;
  for (const std::string& path : paths) {
    TAGFLOW_ASSIGN_OR_RETURN(const Case read, ReadCase(path));
    std::set<std::string> ops;
    for (const auto& node : read.graph().node()) ops.insert(node.op());
    for (const std::string& op : ops) ++counts[op];
  }
  return counts;
}

std::string OpTable(const OpRegistry& registry, const std::vector<OpColumn>& columns,
                    const std::map<std::string, int>& cases) {
  std::string text(kHead);
  text += "| op | dtypes |";
  for (const OpColumn& column : columns) text += " " + column.heading + " |";
  text += " cases |\n| --- | --- |";
  for (size_t i = 0; i < columns.size(); ++i) text += " --- |";
  text += " ---: |\n";
  for (const OpDef* op : registry.All()) {
    text += "| `" + op->name + "` | " + DTypesOf(*op) + " |";
    for (const OpColumn& column : columns) {
      text.append(" ").append(column.says ? column.says(*op) : std::string(kDash)).append(" |");
    }
    const auto count = cases.find(op->name);
    text += " " + std::to_string(count == cases.end() ? 0 : count->second) + " |\n";
  }
  return text;
}

}  // namespace tagflow::conformance
