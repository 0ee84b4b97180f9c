#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/devices/gpu/kernels/casting.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/short_floats.h"
#include "optimized/devices/own_context.h"
#include "optimized/kernels/addition.h"

namespace tagflow::optimized {
namespace {

// Sums of several tensors, of which each addition is rounded.
bool IsSum(const std::string& op) { return op == "AddN" || op == "AccumulateNV2"; }

// Ops that give other numbers in float, a quotient that is rounded before it is cut off, or the
// least of the dtype where there is nothing; and those that the host does not have.
bool DiffersInFloat(const std::string& op) {
  const std::set<std::string> differing = {"FloorDiv", "FloorMod", "TruncateDiv",
                                           "UnsortedSegmentMax", "UnsortedSegmentMin"};
  const std::set<std::string> unknown = {"Mod", "Rint", "TruncateMod"};
  return differing.contains(op) || unknown.contains(op);
}

// A firing within that of the node.
class InnerContext : public OwnContext {
 public:
  InnerContext(KernelContext& around, std::vector<Tensor> inputs, size_t num_outputs)
      : OwnContext(std::move(inputs), {}, num_outputs, around.services()), around_(around) {
    set_stream(around.stream(), around.faults());
  }
  std::string tag() const override { return around_.tag(); }

 private:
  const KernelContext& around_;
};

// A node as it is in float, and its kernels.
struct InFloat {
  Node node;
  Signature signature;
  DType dtype;  // of the node, in place of which there is float
  std::vector<bool> is_short_output;
  BoundKernel kernel, on_host;

  Status operator()(KernelContext& context) const {
    if (AllAreOnHost(context)) return on_host(context);
    if (IsSum(node.op)) return Sum(context);
    std::vector<Tensor> inputs;
    for (int i = 0; i < context.num_inputs(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor input, Widened(context, context.input(i)));
      inputs.push_back(std::move(input));
    }
    InnerContext in_float(context, std::move(inputs), is_short_output.size());
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, in_float.Run(kernel));
    for (size_t i = 0; i < outputs.size(); ++i) {
      Tensor& output = context.output(static_cast<int>(i));
      output = std::move(outputs[i]);
      if (!is_short_output[i]) continue;
      TAGFLOW_ASSIGN_OR_RETURN(output, CastWhereItIs(context, output, dtype));
    }
    return Status();
  }
  Result<Tensor> Widened(KernelContext& context, const Tensor& value) const {
    return value.dtype() == dtype ? CastWhereItIs(context, value, DType::kFloat)
                                  : Result<Tensor>(value);
  }

  Status Sum(KernelContext& context) const {
    TAGFLOW_RETURN_IF_ERROR(RequireOneShape(context));
    Tensor sum = context.input(0);
    for (int i = 1; i < context.num_inputs(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(const Tensor so_far, Widened(context, sum));
      TAGFLOW_ASSIGN_OR_RETURN(const Tensor next, Widened(context, context.input(i)));
      InnerContext two(context, {so_far, next}, 1);
      TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> added, two.Run(kernel));
      TAGFLOW_ASSIGN_OR_RETURN(sum, CastWhereItIs(context, added[0], dtype));
    }
    context.output(0) = std::move(sum);
    return Status();
  }
};

// The first of kind "type", of which a node's kernel is (KernelDType); null.
const AttrDef* FirstTypeAttr(const OpDef& op) {
  const auto attr = std::ranges::find(op.attrs, AttrKind::kType, &AttrDef::kind);
  return attr == op.attrs.end() ? nullptr : &*attr;
}

// Whether the op may be of that dtype, and computes what its inputs of the dtype say.
bool Computes(const OpDef& op, DType dtype) {
  const AttrDef* const attr = FirstTypeAttr(op);
  if (attr == nullptr || HasEffects(op) || DiffersInFloat(op.name)) return false;
  const auto& allowed = attr->allowed_types;
  if (!allowed.empty() && std::ranges::find(allowed, dtype) == allowed.end()) return false;
  return std::ranges::find(op.inputs, attr->name, &ArgDef::type_attr) != op.inputs.end();
}

}  // namespace

Result<BoundKernel> BindInFloat(const Binder& in_float, const Binder& on_host,
                                const Binding& binding) {
  const auto made = std::make_shared<InFloat>();
  TAGFLOW_ASSIGN_OR_RETURN(made->on_host, on_host(binding));
  made->node = binding.node;
  made->signature = binding.signature;
  const AttrDef& first = *FirstTypeAttr(*binding.node.def);
  TAGFLOW_ASSIGN_OR_RETURN(made->dtype, TypeAttr(binding.node, first.name));
  for (auto& [name, value] : made->node.attrs) {
    if (name == first.name) value = DType::kFloat;
  }
  const auto widen = [&](auto& arg) {
    if (arg.dtype == made->dtype) arg.dtype = DType::kFloat;
  };
  for (const auto& output : made->signature.outputs) {
    made->is_short_output.push_back(output.dtype == made->dtype);
  }
  std::ranges::for_each(made->signature.inputs, widen);
  std::ranges::for_each(made->signature.outputs, widen);
  TAGFLOW_ASSIGN_OR_RETURN(made->kernel, in_float({made->node, made->signature, binding.graph}));
  return BoundKernel([made](KernelContext& context) { return (*made)(context); });
}

void RegisterGpuShortFloatKernels(KernelRegistry& registry) {
  for (const KernelTarget& target : registry.Targets()) {
    if (target.dtype != DType::kFloat) continue;
    const OpDef* const op = OpRegistry::Standard().Find(target.op);
    TAGFLOW_CHECK(op != nullptr);
    for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
      if (!Computes(*op, dtype) || registry.FindFor({target.op, "GPU", dtype}) != nullptr) continue;
      KernelEntry entry = *registry.FindFor(target);
      entry.bind = [in_float = entry.bind, on_host = HostKernel(target.op).bind](
                       const Binding& binding) { return BindInFloat(in_float, on_host, binding); };
      RegisterForGpu(target.op, dtype, std::move(entry), registry);
    }
  }
}

}  // namespace tagflow::optimized
