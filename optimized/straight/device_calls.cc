#include "optimized/straight/device_calls.h"

#include <utility>
#include <vector>

#include "optimized/devices/step_devices.h"

namespace tagflow::optimized {
namespace {

// By slot: whether its value may be in the memory of a device.
std::vector<bool> SlotsOnDevices(const Values& values, Code& code) {
  std::vector<bool> on_device(code.num_slots);
  for (const Instruction& call : code.instructions) {
    if (call.op != OpCode::kCall || !values.is_on_device(call.node)) continue;
    VisitSlots(
        call, code.args, code.outputs, [&](const Arg& arg) { on_device[arg.slot] = true; },
        [&](uint32_t slot) { on_device[slot] = true; });
  }
  // Loops move values back, so that a later move may be of what an earlier one reads.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Instruction& move : code.instructions) {
      if (move.op != OpCode::kMove || on_device[move.b]) continue;
      on_device[move.b] = on_device[code.args[move.a].slot];
      has_changed |= on_device[move.b];
    }
  }
  return on_device;
}

struct HostCall {
  Status operator()(KernelContext& context) const {
    StepDevices& devices = *context.services().devices;
    if (has_effects) TAGFLOW_RETURN_IF_ERROR(devices.CheckFaults());
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Tensor& input = context.input(i);
      const bool is_list = !IsPlainDType(input.dtype());
      if (!is_list && (input.is_inline() || input.memory_kind() != MemoryKind::kDevice)) continue;
      TAGFLOW_ASSIGN_OR_RETURN(Tensor on_host, devices.OnHost(input));
      context.MoveInput(i, std::move(on_host));
    }
    return kernel(context);
  }
  BoundKernel kernel;
  bool has_effects;
};

bool ReadsAny(const Instruction& call, const Code& code, const std::vector<bool>& slots) {
  for (uint32_t i = 0; i < call.n; ++i) {
    if (slots[code.args[call.a + i].slot]) return true;
  }
  return false;
}

}  // namespace

BoundKernel CallInOrder(std::shared_ptr<const DeviceKernel> kernel) {
  return BoundKernel([kernel = std::move(kernel)](KernelContext& context) {
    return context.services().devices->RunInOrder(*kernel, context);
  });
}

void ReadOnHost(const Graph& graph, const Values& values, Code& code) {
  const std::vector<bool> on_device = SlotsOnDevices(values, code);
  for (Instruction& call : code.instructions) {
    if (call.op != OpCode::kCall || values.is_on_device(call.node)) continue;
    const OpDef& op = *graph.node(call.node).def;
    const bool has_effects = HasEffects(op) && !op.only_looks;
    if (!has_effects && !ReadsAny(call, code, on_device)) continue;
    BoundKernel& kernel = code.kernels[values.kernel_number(call.node)];
    kernel = BoundKernel(HostCall{std::move(kernel), has_effects});
    call.function = kernel.function();
    call.state = kernel.state().get();
  }
}

}  // namespace tagflow::optimized
