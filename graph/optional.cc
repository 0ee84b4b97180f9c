#include "graph/optional.h"

#include <memory>

#include "graph/take_down.h"

namespace tagflow {

OptionalTensors::~OptionalTensors() {
  if (components_.has_value()) TakeDown(*components_);
}

const OptionalTensors* OptionalTensors::In(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.num_elements() != 1) return nullptr;
  return tensor.scalar<Variant>().Get<OptionalTensors>();
}

Tensor OptionalTensors::Wrap(std::vector<Tensor> components) {
  return Tensor::Scalar(Variant(std::make_shared<const OptionalTensors>(std::move(components))));
}

Tensor OptionalTensors::WrapNothing() {
  return Tensor::Scalar(Variant(std::make_shared<const OptionalTensors>()));
}

std::string OptionalTensors::DebugString() const {
  if (!has_value()) return "Optional without a value";
  std::string text = "Optional of";
  const char* separator = " ";
  for (const Tensor& component : components()) {
    text += separator + DTypeName(component.dtype()) + DimsString(component.dims());
    separator = ", ";
  }
  return text;
}

}  // namespace tagflow
