#include "graph/owned.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/held_tensor.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"

namespace tagflow {
namespace {

bool NeedsCopy(const Tensor& tensor);

bool NeedsCopy(const Variant& variant) {
  if (const auto* list = variant.Get<TensorList>()) {
    bool needs = false;
    list->Visit([&](int64_t, const Tensor& element) { needs = needs || NeedsCopy(element); });
    return needs;
  }
  if (const auto* held = variant.Get<HeldTensor>()) return NeedsCopy(held->tensor());
  const auto* optional = variant.Get<OptionalTensors>();
  if (optional == nullptr || !optional->has_value()) return false;
  return std::ranges::any_of(optional->components(),
                             [](const Tensor& component) { return NeedsCopy(component); });
}

bool NeedsCopy(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant) return tensor.is_borrowed();
  return std::ranges::any_of(tensor.flat<Variant>(),
                             [](const Variant& variant) { return NeedsCopy(variant); });
}

Result<Variant> OwnedVariant(const Variant& variant) {
  if (!NeedsCopy(variant)) return variant;
  if (const auto* borrowed = variant.Get<TensorList>()) {
    std::vector<std::pair<int64_t, Tensor>> elements;
    borrowed->Visit([&](int64_t i, const Tensor& element) { elements.emplace_back(i, element); });
    auto list = std::make_shared<TensorList>(*borrowed);
    for (auto& [i, element] : elements) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor owned, Owned(std::move(element)));
      list->Set(i, std::move(owned));
    }
    return Variant(std::move(list));
  }
  if (const auto* held = variant.Get<HeldTensor>()) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor owned, Owned(held->tensor()));
    return HeldTensor::Wrap(std::move(owned));
  }
  std::vector<Tensor> components = variant.Get<OptionalTensors>()->components();
  for (Tensor& component : components) {
    TAGFLOW_ASSIGN_OR_RETURN(component, Owned(std::move(component)));
  }
  return Variant(std::make_shared<OptionalTensors>(std::move(components)));
}

}  // namespace

Result<Tensor> Owned(Tensor tensor) {
  if (!NeedsCopy(tensor)) return tensor;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor owned, tensor.Clone());
  if (tensor.dtype() != DType::kVariant) return owned;
  for (Variant& variant : owned.mutable_flat<Variant>()) {
    TAGFLOW_ASSIGN_OR_RETURN(variant, OwnedVariant(variant));
  }
  return owned;
}

}  // namespace tagflow
