#include "graph/held_tensor.h"

#include <memory>
#include <span>
#include <utility>

#include "graph/take_down.h"

namespace tagflow {

HeldTensor::~HeldTensor() { TakeDown(std::span(&tensor_, 1)); }

Variant HeldTensor::Wrap(Tensor tensor) {
  return Variant(std::make_shared<const HeldTensor>(std::move(tensor)));
}

std::string HeldTensor::DebugString() const {
  return "Tensor " + DTypeName(tensor_.dtype()) + DimsString(tensor_.dims());
}

}  // namespace tagflow
