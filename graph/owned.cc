#include "graph/owned.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/held_tensor.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"

namespace tagflow {
namespace {

bool NeedsCopy(const Tensor& tensor);

// Calls visit for the tensors that the variant holds.
template <typename Visit>
void VisitHeld(const Variant& variant, const Visit& visit) {
  if (const auto* list = variant.Get<TensorList>()) {
    list->Visit([&](int64_t, const Tensor& element) { visit(element); });
  } else if (const auto* map = variant.Get<TensorMap>()) {
    map->Visit([&](const Tensor& key, const Tensor& value) {
      visit(key);
      visit(value);
    });
  } else if (const auto* held = variant.Get<HeldTensor>()) {
    visit(held->tensor());
  } else if (const auto* ragged = variant.Get<HeldRagged>()) {
    std::ranges::for_each(ragged->tensors(), visit);
  } else if (const auto* optional = variant.Get<OptionalTensors>()) {
    if (optional->has_value()) std::ranges::for_each(optional->components(), visit);
  }
}

bool NeedsCopy(const Variant& variant) {
  bool needs = false;
  VisitHeld(variant, [&](const Tensor& held) { needs = needs || NeedsCopy(held); });
  return needs;
}

bool NeedsCopy(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant) return tensor.is_borrowed();
  return std::ranges::any_of(tensor.flat<Variant>(),
                             [](const Variant& variant) { return NeedsCopy(variant); });
}

Result<Variant> OwnedList(const TensorList& borrowed) {
  std::vector<std::pair<int64_t, Tensor>> elements;
  borrowed.Visit([&](int64_t i, const Tensor& element) { elements.emplace_back(i, element); });
  auto list = std::make_shared<TensorList>(borrowed);
  for (auto& [i, element] : elements) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor owned, Owned(std::move(element)));
    list->Set(i, std::move(owned));
  }
  return Variant(std::move(list));
}

Result<Variant> OwnedMap(const TensorMap& borrowed) {
  std::vector<std::pair<Tensor, Tensor>> entries;
  borrowed.Visit([&](const Tensor& key, const Tensor& value) { entries.emplace_back(key, value); });
  auto map = std::make_shared<TensorMap>();
  for (auto& [key, value] : entries) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor owned_key, Owned(std::move(key)));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor owned_value, Owned(std::move(value)));
    map->Insert(std::move(owned_key), std::move(owned_value));
  }
  return Variant(std::move(map));
}

Result<std::vector<Tensor>> OwnedEach(std::vector<Tensor> tensors) {
  for (Tensor& tensor : tensors) {
    TAGFLOW_ASSIGN_OR_RETURN(tensor, Owned(std::move(tensor)));
  }
  return tensors;
}

Result<Variant> OwnedVariant(const Variant& variant) {
  if (!NeedsCopy(variant)) return variant;
  if (const auto* list = variant.Get<TensorList>()) return OwnedList(*list);
  if (const auto* map = variant.Get<TensorMap>()) return OwnedMap(*map);
  if (const auto* held = variant.Get<HeldTensor>()) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor owned, Owned(held->tensor()));
    return HeldTensor::Wrap(std::move(owned));
  }
  if (const auto* ragged = variant.Get<HeldRagged>()) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> owned, OwnedEach(ragged->tensors()));
    return HeldRagged::Wrap(std::move(owned));
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> components,
                           OwnedEach(variant.Get<OptionalTensors>()->components()));
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
