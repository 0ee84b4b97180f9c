// Tested by conformance/ops/list.ops.

#include "optimized/kernels/variant_zeros.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/limits.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"
#include "optimized/kernels/dtypes.h"

namespace tagflow::optimized {
namespace {

struct Budget {
  int64_t elements = kMostVariantElements;

  Status Spend(int64_t count, int depth) {
    if (depth >= kMostNestedVariants) {
      return ResourceExhausted("the variants are nested more than " +
                               std::to_string(kMostNestedVariants) + " deep, which is refused");
    }
    if (count > elements) {
      return ResourceExhausted("the variants hold more than " +
                               std::to_string(kMostVariantElements) +
                               " elements, which is refused");
    }
    elements -= count;
    return Status();
  }
};

Result<Tensor> Zeros(const Tensor& input, Budget& budget, int depth);

Result<Variant> ZeroList(const TensorList& list, Budget& budget, int depth) {
  TensorList zeros(list.dtype(), list.element_shape());
  zeros.Resize(list.size());
  Status status;
  list.Visit([&](int64_t i, const Tensor& element) {
    if (!status.ok()) return;
    status = budget.Spend(1, depth);
    if (!status.ok()) return;
    Result<Tensor> zero = Zeros(element, budget, depth);
    status = zero.status();
    if (zero.ok()) zeros.Set(i, *std::move(zero));
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Variant(std::make_shared<const TensorList>(std::move(zeros)));
}

Result<Variant> ZeroOptional(const OptionalTensors& optional, Budget& budget, int depth) {
  if (!optional.has_value()) return Variant(std::make_shared<const OptionalTensors>());
  std::vector<Tensor> zeros;
  for (const Tensor& component : optional.components()) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor zero, Zeros(component, budget, depth));
    zeros.push_back(std::move(zero));
  }
  return Variant(std::make_shared<const OptionalTensors>(std::move(zeros)));
}

Result<Variant> ZeroRagged(const HeldRagged& ragged, Budget& budget, int depth) {
  std::vector<Tensor> zeros = ragged.tensors();
  TAGFLOW_ASSIGN_OR_RETURN(zeros.back(), Zeros(ragged.values(), budget, depth));
  return HeldRagged::Wrap(std::move(zeros));
}

Result<Variant> ZeroVariant(const Variant& input, Budget& budget, int depth) {
  if (input.empty()) return Variant();
  if (const auto* list = input.Get<TensorList>()) return ZeroList(*list, budget, depth);
  if (const auto* optional = input.Get<OptionalTensors>()) {
    return ZeroOptional(*optional, budget, depth);
  }
  if (input.Get<TensorMap>() != nullptr) return Variant(std::make_shared<const TensorMap>());
  if (const auto* ragged = input.Get<HeldRagged>()) return ZeroRagged(*ragged, budget, depth);
  return Internal("there are no zeros of " + input.value()->DebugString());
}

Result<Tensor> Zeros(const Tensor& input, Budget& budget, int depth) {
  if (input.dtype() != DType::kVariant) {
    if (!Contains(kNumbers | SetOf(DType::kBool), input.dtype())) {
      return InvalidArgument("there are no zeros of dtype " + DTypeName(input.dtype()));
    }
    return Tensor::Allocate(input.dtype(), input.dims());
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(DType::kVariant, input.dims()));
  TAGFLOW_RETURN_IF_ERROR(budget.Spend(input.num_elements(), depth));
  Variant* out = zeros.mutable_data<Variant>();
  for (const Variant& element : input.flat<Variant>()) {
    TAGFLOW_ASSIGN_OR_RETURN(*out++, ZeroVariant(element, budget, depth + 1));
  }
  return zeros;
}

}  // namespace

Result<Tensor> ZerosLikeVariants(const Tensor& input) {
  Budget budget;
  return Zeros(input, budget, 0);
}

}  // namespace tagflow::optimized
