#include "optimized/devices/kept_value.h"

#include <cstring>
#include <utility>

namespace tagflow::optimized {
namespace {

// The element of a scalar in memory, where a stream copies it from.
Result<Tensor> InMemory(const Tensor& scalar) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor element, Tensor::Allocate(scalar.dtype(), Dims{1}));
  std::memcpy(element.mutable_raw_data(), scalar.raw_data(), scalar.byte_size());
  return element;
}

}  // namespace

Status BringTo(DeviceStream& stream, Variable::Contents& contents, HostScalars scalars) {
  const Tensor& value = contents.value;
  const bool stays =
      value.is_inline() ? scalars == HostScalars::kStay : stream.memory().Holds(value);
  if (stays) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor from, value.is_inline() ? InMemory(value) : value.OnHost());
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor there, Tensor::AllocateUninitialized(value.dtype(), value.dims(), stream.memory()));
  stream.CopyIn(std::move(from), there);
  contents.value = std::move(there);
  return Status();
}

}  // namespace tagflow::optimized
