// Tested by conformance/ops/list.ops.
#include "optimized/kernels/variant_sum.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/limits.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
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
  const auto* list_a = sum.Get<TensorList>();
  const auto* list_b = term.Get<TensorList>();
  if (list_a != nullptr && list_b != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(sum, Lists(*list_a, *list_b, depth));
    return Status();
  }
  const auto* optional_a = sum.Get<OptionalTensors>();
  const auto* optional_b = term.Get<OptionalTensors>();
  if (optional_a != nullptr && optional_b != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(sum, Optionals(*optional_a, *optional_b, depth));
    return Status();
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

}  // namespace

Result<Tensor> SumOfVariants(const Tensor& a, const Tensor& b) {
  Tensor sum = a;
  TAGFLOW_RETURN_IF_ERROR(Adder().Add(sum, b, 0));
  return sum;
}

}  // namespace tagflow::optimized
