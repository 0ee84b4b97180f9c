// Tested by conformance/ops/list.ops.

#include "reference/kernels/variant_math.h"

#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "graph/held_ragged.h"
#include "graph/limits.h"
#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"

namespace tagflow::reference {
namespace {

// Walks a value, or two of one form. A list may hold a list that it shares with itself, twice,
// which again…: so what is walked is bounded, not only how deep it goes.
class Walk {
 public:
  Result<Tensor> Sum(const Tensor& a, const Tensor& b);
  Result<Tensor> Zeros(const Tensor& input);

 private:
  Status Enter(int64_t elements);
  Result<Variant> Sum(const Variant& a, const Variant& b);
  Result<Variant> Sum(const TensorList& a, const TensorList& b);
  Result<Variant> Sum(const OptionalTensors& a, const OptionalTensors& b);
  Result<Variant> Sum(const TensorMap& a, const TensorMap& b);
  Result<Variant> Sum(const HeldRagged& a, const HeldRagged& b);
  Result<Variant> Zeros(const Variant& input);
  Result<Variant> Zeros(const TensorList& input);
  Result<Variant> Zeros(const OptionalTensors& input);
  Result<Variant> Zeros(const HeldRagged& input);

  int depth_ = 0;
  int64_t elements_ = 0;
};

Status Walk::Enter(int64_t elements) {
  if (elements > kMostVariantElements - elements_) {
    return ResourceExhausted("the variants hold more than " + std::to_string(kMostVariantElements) +
                             " elements, which is refused");
  }
  elements_ += elements;
  if (depth_ < kMostNestedVariants) return Status();
  return ResourceExhausted("the variants are nested more than " +
                           std::to_string(kMostNestedVariants) + " deep, which is refused");
}

Variant Wrapped(TensorList list) {
  return Variant(std::make_shared<const TensorList>(std::move(list)));
}
Variant Wrapped(std::vector<Tensor> components) {
  return Variant(std::make_shared<const OptionalTensors>(std::move(components)));
}

// ---- Sums ----

Result<Tensor> Walk::Sum(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) {
    return InvalidArgument("tensors of dtypes " + DTypeName(a.dtype()) + " and " +
                           DTypeName(b.dtype()) + " cannot be added");
  }
  if (ToDims(a.dims()) != ToDims(b.dims())) {
    return InvalidArgument("tensors of shapes " + DimsString(a.dims()) + " and " +
                           DimsString(b.dims()) + " cannot be added");
  }
  if (a.dtype() == DType::kVariant) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor sum, Tensor::Allocate(DType::kVariant, a.dims()));
    TAGFLOW_RETURN_IF_ERROR(Enter(a.num_elements()));
    ++depth_;
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(sum.mutable_data<Variant>()[i],
                               Sum(a.data<Variant>()[i], b.data<Variant>()[i]));
    }
    --depth_;
    return sum;
  }
  if (!kNumbers.contains(a.dtype())) {
    return InvalidArgument("elements of dtype " + DTypeName(a.dtype()) + " cannot be added");
  }
  std::vector<int64_t> all(static_cast<size_t>(a.num_elements()));
  std::iota(all.begin(), all.end(), int64_t{0});
  return Changed("AddN", a, all, b, Change::kAdd);
}

Result<Variant> Walk::Sum(const Variant& a, const Variant& b) {
  if (a.empty() && b.empty()) return Variant();
  const auto* list_a = a.Get<TensorList>();
  const auto* list_b = b.Get<TensorList>();
  if (list_a != nullptr && list_b != nullptr) return Sum(*list_a, *list_b);
  const auto* optional_a = a.Get<OptionalTensors>();
  const auto* optional_b = b.Get<OptionalTensors>();
  if (optional_a != nullptr && optional_b != nullptr) return Sum(*optional_a, *optional_b);
  const auto* map_a = a.Get<TensorMap>();
  const auto* map_b = b.Get<TensorMap>();
  if (map_a != nullptr && map_b != nullptr) return Sum(*map_a, *map_b);
  const auto* ragged_a = a.Get<HeldRagged>();
  const auto* ragged_b = b.Get<HeldRagged>();
  if (ragged_a != nullptr && ragged_b != nullptr) return Sum(*ragged_a, *ragged_b);
  auto text = [](const Variant& v) { return v.empty() ? "nothing" : v.value()->DebugString(); };
  return Internal("variants of different types cannot be added: " + text(a) + ", and " + text(b));
}

Result<Variant> Walk::Sum(const TensorList& a, const TensorList& b) {
  if (a.dtype() != b.dtype() || a.size() != b.size()) {
    return InvalidArgument("lists that differ in dtype or length cannot be added: " +
                           a.DebugString() + ", and " + b.DebugString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(a.element_shape(), b.element_shape()));
  TensorList sum(a.dtype(), std::move(shape));
  sum.Resize(a.size());
  // An element without value is zero.
  Status status;
  a.Visit([&](int64_t i, const Tensor& element) {
    if (status.ok()) status = Enter(1);
    if (status.ok()) sum.Set(i, element);
  });
  b.Visit([&](int64_t i, const Tensor& element) {
    if (status.ok()) status = Enter(1);
    if (!status.ok()) return;
    Result<Tensor> added = sum.Get(i).has_value() ? Sum(sum.Get(i), element) : element;
    if (added.ok()) {
      sum.Set(i, *std::move(added));
    } else {
      status = added.status();
    }
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Wrapped(std::move(sum));
}

Result<Variant> Walk::Sum(const OptionalTensors& a, const OptionalTensors& b) {
  if (a.has_value() != b.has_value()) {
    return InvalidArgument("an optional that has a value and one that has none cannot be added");
  }
  if (!a.has_value()) return Variant(std::make_shared<const OptionalTensors>());
  if (a.components().size() != b.components().size()) {
    return InvalidArgument("optionals of different components cannot be added: " + a.DebugString() +
                           ", and " + b.DebugString());
  }
  std::vector<Tensor> sums;
  for (size_t i = 0; i < a.components().size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor sum, Sum(a.components()[i], b.components()[i]));
    sums.push_back(std::move(sum));
  }
  return Wrapped(std::move(sums));
}

// A key that one of the maps lacks has the value zero there.
Result<Variant> Walk::Sum(const TensorMap& a, const TensorMap& b) {
  TensorMap sum = a;
  Status status;
  b.Visit([&](const Tensor& key, const Tensor& value) {
    if (status.ok()) status = Enter(1);
    if (!status.ok()) return;
    const Tensor* const before = sum.Find(key);
    Result<Tensor> added = before != nullptr ? Sum(*before, value) : value;
    if (added.ok()) {
      sum.Insert(key, *std::move(added));
    } else {
      status = added.status();
    }
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Variant(std::make_shared<const TensorMap>(std::move(sum)));
}

Result<Variant> Walk::Sum(const HeldRagged& a, const HeldRagged& b) {
  if (a.ragged_rank() != b.ragged_rank()) {
    return InvalidArgument("ragged tensors of ragged ranks " + std::to_string(a.ragged_rank()) +
                           " and " + std::to_string(b.ragged_rank()) + " cannot be added");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Sum(a.values(), b.values()));
  for (size_t i = 0; i < a.ragged_rank(); ++i) {
    if (!BitwiseEqual(a.splits(i), b.splits(i))) {
      return InvalidArgument("ragged tensors whose row_splits differ cannot be added");
    }
  }
  std::vector<Tensor> tensors = a.tensors();
  tensors.back() = std::move(values);
  return HeldRagged::Wrap(std::move(tensors));
}

// ---- Zeros ----

Result<Tensor> Walk::Zeros(const Tensor& input) {
  if (input.dtype() == DType::kVariant) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(DType::kVariant, input.dims()));
    TAGFLOW_RETURN_IF_ERROR(Enter(input.num_elements()));
    ++depth_;
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(zeros.mutable_data<Variant>()[i], Zeros(input.data<Variant>()[i]));
    }
    --depth_;
    return zeros;
  }
  if (!kNumbers.contains(input.dtype()) && input.dtype() != DType::kBool) {
    return InvalidArgument("there are no zeros of dtype " + DTypeName(input.dtype()));
  }
  return Tensor::Allocate(input.dtype(), input.dims());
}

Result<Variant> Walk::Zeros(const Variant& input) {
  if (input.empty()) return Variant();
  if (const auto* list = input.Get<TensorList>()) return Zeros(*list);
  if (const auto* optional = input.Get<OptionalTensors>()) return Zeros(*optional);
  if (input.Get<TensorMap>() != nullptr) return Variant(std::make_shared<const TensorMap>());
  if (const auto* ragged = input.Get<HeldRagged>()) return Zeros(*ragged);
  return Internal("there are no zeros of " + input.value()->DebugString());
}

Result<Variant> Walk::Zeros(const TensorList& input) {
  TensorList zeros(input.dtype(), input.element_shape());
  zeros.Resize(input.size());
  Status status;
  input.Visit([&](int64_t i, const Tensor& element) {
    if (status.ok()) status = Enter(1);
    if (!status.ok()) return;
    Result<Tensor> zero = Zeros(element);
    if (zero.ok()) {
      zeros.Set(i, *std::move(zero));
    } else {
      status = zero.status();
    }
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Wrapped(std::move(zeros));
}

Result<Variant> Walk::Zeros(const OptionalTensors& input) {
  if (!input.has_value()) return Variant(std::make_shared<const OptionalTensors>());
  std::vector<Tensor> zeros;
  for (const Tensor& component : input.components()) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor zero, Zeros(component));
    zeros.push_back(std::move(zero));
  }
  return Wrapped(std::move(zeros));
}

Result<Variant> Walk::Zeros(const HeldRagged& input) {
  std::vector<Tensor> zeros = input.tensors();
  TAGFLOW_ASSIGN_OR_RETURN(zeros.back(), Zeros(input.values()));
  return HeldRagged::Wrap(std::move(zeros));
}

}  // namespace

Result<Tensor> SumOfVariants(const std::vector<Tensor>& inputs) {
  Tensor sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(sum, Walk().Sum(sum, inputs[i]));
  }
  return sum;
}

Result<Tensor> ZerosLikeVariants(const Tensor& input) { return Walk().Zeros(input); }

}  // namespace tagflow::reference
