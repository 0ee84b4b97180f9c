// Tested by conformance/ops/list.ops.
#include "optimized/kernels/variant_sum.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/limits.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"
#include "optimized/kernels/change.h"

namespace tagflow::optimized {
namespace {

class Adder {
 public:
  // Makes `sum`, which stands `depth` variants deep, the sum of itself and `term`.
  Status Add(Tensor& sum, const Tensor& term, int depth);

 private:
  Status Meet(int64_t elements, int depth);
  Status AddVariant(Variant& sum, const Variant& term, int depth);
  Result<Variant> Lists(const TensorList& a, const TensorList& b, int depth);
  Result<Variant> Optionals(const OptionalTensors& a, const OptionalTensors& b, int depth);
  Result<Variant> Maps(const TensorMap& a, const TensorMap& b, int depth);
  Result<Variant> Ragged(const HeldRagged& a, const HeldRagged& b, int depth);
  // Whether both are values of this type: then the sum is what add(a, b) gives.
  template <typename Value>
  bool TryAdd(Variant& sum, const Variant& term, int depth,
              Result<Variant> (Adder::*add)(const Value&, const Value&, int), Status& status) {
    const auto* a = sum.Get<Value>();
    const auto* b = term.Get<Value>();
    if (a == nullptr || b == nullptr) return false;
    Result<Variant> added = (this->*add)(*a, *b, depth);
    status = added.status();
    if (added.ok()) sum = *std::move(added);
    return true;
  }

  int64_t met_ = 0;
};

Status Adder::Meet(int64_t elements, int depth) {
  if (elements > kMostVariantElements - met_) {
    return ResourceExhausted("the variants hold more than " + std::to_string(kMostVariantElements) +
                             " elements, which is refused");
  }
  met_ += elements;
  if (depth < kMostNestedVariants) return Status();
  return ResourceExhausted("the variants are nested more than " +
                           std::to_string(kMostNestedVariants) + " deep, which is refused");
}

Status Adder::Add(Tensor& sum, const Tensor& term, int depth) {
  if (sum.dtype() != term.dtype() || !std::ranges::equal(sum.dims(), term.dims())) {
    return InvalidArgument("tensors of " + DTypeName(sum.dtype()) + DimsString(sum.dims()) +
                           " and " + DTypeName(term.dtype()) + DimsString(term.dims()) +
                           " cannot be added");
  }
  if (sum.dtype() != DType::kVariant) {
    if (IsNumber(sum.dtype())) return AddTo(sum, term);
    return InvalidArgument("elements of dtype " + DTypeName(sum.dtype()) + " cannot be added");
  }
  TAGFLOW_RETURN_IF_ERROR(Meet(sum.num_elements(), depth));
  TAGFLOW_RETURN_IF_ERROR(MakeUnique(sum));
  for (int64_t i = 0; i < sum.num_elements(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(
        AddVariant(sum.mutable_data<Variant>()[i], term.data<Variant>()[i], depth + 1));
  }
  return Status();
}

Status Adder::AddVariant(Variant& sum, const Variant& term, int depth) {
  if (sum.empty() && term.empty()) return Status();
  Status status;
  if (TryAdd(sum, term, depth, &Adder::Lists, status) ||
      TryAdd(sum, term, depth, &Adder::Optionals, status) ||
      TryAdd(sum, term, depth, &Adder::Maps, status) ||
      TryAdd(sum, term, depth, &Adder::Ragged, status)) {
    return status;
  }
  const auto text = [](const Variant& v) { return v.empty() ? "nothing" : v.value()->TypeName(); };
  return Internal("variants of different types cannot be added: " + text(sum) + ", and " +
                  text(term));
}

Result<Variant> Adder::Lists(const TensorList& a, const TensorList& b, int depth) {
  if (a.dtype() != b.dtype() || a.size() != b.size()) {
    return InvalidArgument("lists that differ in dtype or length cannot be added: " +
                           a.DebugString() + ", and " + b.DebugString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(a.element_shape(), b.element_shape()));
  TensorList sum(a.dtype(), std::move(shape));
  sum.Resize(a.size());
  Status status;
  a.Visit([&](int64_t i, const Tensor& element) {
    if (status.ok()) status = Meet(1, depth);
    if (status.ok()) sum.Set(i, element);
  });
  b.Visit([&](int64_t i, const Tensor& term) {
    if (status.ok()) status = Meet(1, depth);
    if (!status.ok()) return;
    Tensor element = sum.Get(i);
    if (element.has_value()) {
      status = Add(element, term, depth);
    } else {
      element = term;
    }
    sum.Set(i, std::move(element));
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Variant(std::make_shared<const TensorList>(std::move(sum)));
}

Result<Variant> Adder::Optionals(const OptionalTensors& a, const OptionalTensors& b, int depth) {
  if (a.has_value() != b.has_value()) {
    return InvalidArgument("an optional that has a value and one that has none cannot be added");
  }
  if (!a.has_value()) return Variant(std::make_shared<const OptionalTensors>());
  if (a.components().size() != b.components().size()) {
    return InvalidArgument("optionals of different components cannot be added: " + a.DebugString() +
                           ", and " + b.DebugString());
  }
  std::vector<Tensor> sums = a.components();
  for (size_t i = 0; i < sums.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(Add(sums[i], b.components()[i], depth));
  }
  return Variant(std::make_shared<const OptionalTensors>(std::move(sums)));
}

Result<Variant> Adder::Maps(const TensorMap& a, const TensorMap& b, int depth) {
  // The fewer are put to the more: a gradient map grows by one entry at a time.
  const bool is_a_smaller = a.size() < b.size();
  const TensorMap& fewer = is_a_smaller ? a : b;
  TensorMap sum = is_a_smaller ? b : a;
  Status status;
  fewer.Visit([&](const Tensor& key, const Tensor& value) {
    if (status.ok()) status = Meet(1, depth);
    if (!status.ok()) return;
    const Tensor* const there = sum.Find(key);
    Tensor total = there == nullptr ? value : *there;
    if (there != nullptr) status = Add(total, value, depth);
    if (status.ok()) sum.Insert(key, std::move(total));
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Variant(std::make_shared<const TensorMap>(std::move(sum)));
}

Result<Variant> Adder::Ragged(const HeldRagged& a, const HeldRagged& b, int depth) {
  if (a.ragged_rank() != b.ragged_rank()) {
    return InvalidArgument("ragged tensors of ragged ranks " + std::to_string(a.ragged_rank()) +
                           " and " + std::to_string(b.ragged_rank()) + " cannot be added");
  }
  std::vector<Tensor> sums = a.tensors();
  TAGFLOW_RETURN_IF_ERROR(Add(sums.back(), b.values(), depth));
  for (size_t i = 0; i < a.ragged_rank(); ++i) {
    if (BitwiseEqual(a.splits(i), b.splits(i))) continue;
    return InvalidArgument("ragged tensors whose row_splits differ cannot be added");
  }
  return HeldRagged::Wrap(std::move(sums));
}

}  // namespace

Result<Tensor> SumOfVariants(const Tensor& a, const Tensor& b) {
  Tensor sum = a;
  TAGFLOW_RETURN_IF_ERROR(Adder().Add(sum, b, 0));
  return sum;
}

}  // namespace tagflow::optimized
