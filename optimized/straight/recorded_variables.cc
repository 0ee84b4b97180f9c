#include "optimized/straight/recorded_variables.h"

#include <algorithm>
#include <utility>

#include "graph/device_access.h"
#include "optimized/devices/kept_value.h"
#include "optimized/kernels/variable_access.h"

namespace tagflow::optimized {
namespace {

const void* PlaceOf(const Tensor& value) {
  const DeviceAccess access;
  return value.raw_data();
}

// Gives one tensor an address that somebody else keeps, and goes with it.
class OtherPlace : public Allocator {
 public:
  explicit OtherPlace(const void* place) : place_(place) {}
  void* Allocate(size_t) override { return const_cast<void*>(place_); }
  void Deallocate(void*, size_t) override { delete this; }
  MemoryKind memory_kind() const override { return MemoryKind::kDevice; }
  Status Read(const Tensor&, void*) const override {
    return FailedPrecondition("the host reads a variable");
  }

 private:
  const void* const place_;
};

Result<Tensor> TensorAt(const void* place, DType dtype, DimsView dims) {
  auto at = std::make_unique<OtherPlace>(place);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::AllocateUninitialized(dtype, dims, *at));
  at.release();  // it deletes itself with the tensor
  return tensor;
}

}  // namespace

bool RecordedVariables::Recorded::Suits(const Variable::Contents& contents) const {
  const Tensor& value = contents.value;
  return value.memory_kind() == MemoryKind::kDevice && PlaceOf(value) == place &&
         contents.dtype == dtype && std::ranges::equal(value.dims(), dims);
}

bool RecordedVariables::Recorded::Overlaps(const Tensor& tensor) const {
  if (tensor.memory_kind() != MemoryKind::kDevice) return false;
  const auto* const begin = static_cast<const char*>(place);
  const auto* const at = static_cast<const char*>(PlaceOf(tensor));
  return at < begin + bytes && begin < at + tensor.byte_size();
}

Result<RecordedVariables::Recorded*> RecordedVariables::FindOrAdd(
    std::shared_ptr<Variable> variable) {
  const auto at = std::ranges::lower_bound(recorded_, variable.get(), {},
                                           [](const auto& each) { return each->variable.get(); });
  if (at != recorded_.end() && (*at)->variable == variable) return at->get();
  auto added = std::make_unique<Recorded>();
  TAGFLOW_ASSIGN_OR_RETURN(
      const Variable::Contents contents,
      variable->WithAnywhere([&](Variable::Contents& held) -> Result<Variable::Contents> {
        if (!held.value.has_value()) return FailedPrecondition("a variable has no value");
        TAGFLOW_RETURN_IF_ERROR(BringTo(*launches_, held, HostScalars::kMove));
        return held;
      }));
  const DimsView dims = contents.value.dims();
  const void* const place = PlaceOf(contents.value);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TensorAt(place, contents.dtype, dims));
  auto stand_in = std::make_shared<Variable>(
      variable->name(), Variable::Contents{contents.dtype, contents.shape, std::move(value)});
  *added = {std::move(variable),
            place,
            contents.value.byte_size(),
            contents.dtype,
            Dims(dims.begin(), dims.end()),
            false,
            std::move(stand_in)};
  return recorded_.insert(at, std::move(added))->get();
}

Result<Tensor> RecordedVariables::StandInFor(KernelContext& context, int i, bool changes) {
  TAGFLOW_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, VariableOf(context, i));
  TAGFLOW_ASSIGN_OR_RETURN(Recorded* const recorded, FindOrAdd(std::move(variable)));
  recorded->is_changed |= changes;
  ResourceHandle handle = *context.input(i).data<ResourceHandle>();
  handle.object = recorded->stand_in;
  return Tensor::Scalar(std::move(handle));
}

RecordedVariables::Places RecordedVariables::PlacesNow() const {
  Places places;
  for (const auto& each : recorded_) {
    const Tensor value = each->stand_in->value();
    places[each->variable.get()] = value.has_value() ? PlaceOf(value) : nullptr;
  }
  return places;
}

Status RecordedVariables::CheckUnmoved(const Places& before) const {
  for (const auto& [variable, place] : PlacesNow()) {
    const auto found = before.find(variable);
    const auto is_this = [variable](const auto& each) { return each->variable.get() == variable; };
    const void* const was =
        found != before.end() ? found->second : (*std::ranges::find_if(recorded_, is_this))->place;
    if (place != was) return FailedPrecondition("a variable is assigned in a branch");
  }
  return Status();
}

bool RecordedVariables::HavePartOf(const Tensor& tensor) const {
  return std::ranges::any_of(recorded_, [&](const auto& each) { return each->Overlaps(tensor); });
}

Status RecordedVariables::Finish(DeviceProgram& program) {
  // What is a variable's value, and becomes another's, is copied before any of them changes.
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const auto& each : recorded_) {
    Tensor value = std::exchange(each->stand_in, nullptr)->value();
    const bool has_shape = value.has_value() && value.dtype() == each->dtype &&
                           std::ranges::equal(value.dims(), each->dims);
    if (!has_shape) return FailedPrecondition("a variable changes its shape");
    if (value.num_elements() == 0) continue;
    if (!value.is_inline() && PlaceOf(value) == each->place) continue;
    if (HavePartOf(value)) {
      TAGFLOW_ASSIGN_OR_RETURN(
          Tensor apart,
          Tensor::AllocateUninitialized(value.dtype(), value.dims(), program.stream().memory()));
      TAGFLOW_RETURN_IF_ERROR(program.Set(apart, value));
      value = std::move(apart);
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor there, TensorAt(each->place, each->dtype, each->dims));
    copies.emplace_back(std::move(there), std::move(value));
  }
  for (const auto& [to, from] : copies) TAGFLOW_RETURN_IF_ERROR(program.Set(to, from));
  return Status();
}

bool RecordedVariables::changes_any() const {
  return std::ranges::any_of(recorded_, [](const auto& each) { return each->is_changed; });
}

bool RecordedVariables::Hold(std::vector<Tensor>& values) const {
  for (const auto& each : recorded_) {
    const Variable::Contents contents =
        each->variable->WithAnywhere([](const Variable::Contents& held) { return held; });
    if (!each->Suits(contents)) return false;
    values.push_back(contents.value);
  }
  return true;
}

}  // namespace tagflow::optimized
