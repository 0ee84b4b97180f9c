#include "optimized/devices/state.h"

#include <cstring>
#include <memory>
#include <utility>

#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

Status ChangeVariable(Variable& variable, const ChangeTensor& change) {
  return variable.With([&change](Variable::Contents& contents) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(contents.value, WithTensors(contents.value, change));
    return Status();
  });
}

Status ChangeHeld(const ResourceHandle& handle, SessionState& session, const ChangeTensor& change) {
  if (handle.object == nullptr) {  // what the session owns
    TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable,
                             session.FindOrCreateVariable({handle.container, handle.name},
                                                          DType::kInvalid, PartialShape()));
    return ChangeVariable(*variable, change);
  }
  if (auto* const variable = dynamic_cast<Variable*>(handle.object.get())) {
    return ChangeVariable(*variable, change);
  }
  auto* const object = dynamic_cast<StepObject*>(handle.object.get());
  if (object == nullptr) return Status();
  return object->ChangeValues([&](const Tensor& value) { return WithTensors(value, change); });
}

}  // namespace

size_t CountState(const Tensor& handle, SessionState& session, DeviceMemory& memory) {
  if (&memory.state() == &HostAllocator()) return 0;
  size_t bytes_wanted = 0;
  const auto change = [&](const Tensor& value) -> Result<Tensor> {
    if (value.memory_kind() != MemoryKind::kHost) return value;
    Result<Tensor> state =
        Tensor::AllocateUninitialized(value.dtype(), value.dims(), memory.state());
    if (!state.ok()) {
      bytes_wanted = value.byte_size();
      return state;
    }
    std::memcpy(state->mutable_raw_data(), value.raw_data(), value.byte_size());
    return state;
  };
  for (int64_t i = 0; i < handle.num_elements(); ++i) {
    if (!ChangeHeld(handle.data<ResourceHandle>()[i], session, change).ok()) return bytes_wanted;
  }
  return 0;
}

}  // namespace tagflow::optimized
