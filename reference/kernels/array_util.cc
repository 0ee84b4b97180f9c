#include "reference/kernels/array_util.h"

#include <limits>

#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"

namespace tagflow::reference {

namespace {

Status NotAScalar(const Tensor& tensor, std::string_view what) {
  return InvalidArgument(std::string(what) + " must be a scalar, but it has shape " +
                         DimsString(tensor.dims()));
}

}  // namespace

Status RegisterAll(KernelRegistry& registry, std::vector<NamedKernel> kernels) {
  for (NamedKernel& kernel : kernels) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(kernel.op, std::move(kernel.kernel)));
  }
  return Status();
}

bool IsLegacyScalar(const Tensor& tensor) {
  return tensor.rank() == 0 || (tensor.rank() == 1 && tensor.dim(0) == 1);
}

Status RequireScalar(const Tensor& tensor, std::string_view what) {
  return tensor.rank() == 0 ? Status() : NotAScalar(tensor, what);
}

Result<std::vector<int64_t>> IndexValues(const Tensor& tensor) {
  if (kSigned.contains(tensor.dtype())) return Load<int64_t>(tensor);
  if (!kUnsigned.contains(tensor.dtype())) {
    return InvalidArgument("an index must be an integer, not " + DTypeName(tensor.dtype()));
  }
  std::vector<int64_t> values;
  for (uint64_t value : Load<uint64_t>(tensor)) values.push_back(static_cast<int64_t>(value));
  return values;
}

Result<int64_t> SingleIndex(const Tensor& tensor, std::string_view what) {
  if (tensor.num_elements() != 1) return NotAScalar(tensor, what);
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IndexValues(tensor));
  return values[0];
}

Result<Tensor> IndexTensor(DType dtype, DimsView dims, const std::vector<int64_t>& values) {
  const bool narrow = dtype == DType::kInt32;
  for (int64_t value : values) {
    if (narrow && (value > std::numeric_limits<int32_t>::max() ||
                   value < std::numeric_limits<int32_t>::min())) {
      return InvalidArgument(std::to_string(value) + " does not fit into int32: set out_type to " +
                             "int64");
    }
  }
  return Store<int64_t>(dtype, dims, values);
}

Dims WithoutDim(DimsView dims, int64_t axis) {
  Dims rest = ToDims(dims);
  rest.erase(rest.begin() + axis);
  return rest;
}

namespace {

// Wraps: a tensor without elements may have dimensions whose product does not fit.
int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

std::vector<int64_t> StridesOf(DimsView dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = Product(strides[i], dims[i]);
  return strides;
}

int64_t ProductOf(DimsView dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product = Product(product, dims[i]);
  return product;
}

Result<int64_t> CanonicalAxis(int64_t axis, int64_t rank, std::string_view error_text) {
  if (axis < -rank || axis >= rank) return InvalidArgument(std::string(error_text));
  return axis < 0 ? axis + rank : axis;
}

void ForEachPlace(DimsView dims, const std::function<void(const Dims& at)>& visit) {
  Dims at(dims.size(), 0);
  for (int64_t left = ProductOf(dims, 0, dims.size()); left > 0; --left) {
    visit(at);
    for (size_t d = dims.size(); d-- > 0 && ++at[d] == dims[d];) at[d] = 0;
  }
}

Result<Tensor> RearrangeOr(const Tensor& input, const Tensor& otherwise, DimsView dims,
                           const std::function<int64_t(const Dims& at)>& source) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(input.dtype(), dims));
  int64_t i = 0;
  ForEachPlace(dims, [&](const Dims& at) {
    const int64_t from = source(at);
    CopyElement(from == kOtherwise ? otherwise : input, from == kOtherwise ? 0 : from, output, i++);
  });
  return output;
}

Result<Tensor> Rearrange(const Tensor& input, DimsView dims,
                         const std::function<int64_t(const Dims& at)>& source) {
  return RearrangeOr(input, input, dims, source);
}

void CopyElements(const Tensor& from, int64_t from_index, Tensor& to, int64_t to_index,
                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) CopyElement(from, from_index + i, to, to_index + i);
}

namespace {

// Of integers, towards zero; the least one by -1 wraps.
template <NumberElement C>
C Quotient(C a, C b) {
  if constexpr (std::same_as<C, int64_t>) {
    if (b == -1) return Negate(a);
  }
  return a / b;
}

template <NumberElement C>
C ChangedElement(C value, C by, Change change) {
  if (change == Change::kAdd) return Plus(value, by);
  if (change == Change::kSubtract) return Minus(value, by);
  if (change == Change::kMultiply) return Times(value, by);
  if (change == Change::kDivide) return Quotient(value, by);
  if constexpr (RealElement<C>) {
    return (change == Change::kLower ? by < value : by > value) ? by : value;
  }
  return value;
}

// The number that the low bits of an integer stand for in its dtype.
int64_t Wrapped(int64_t value, DType dtype) {
  const size_t high_bits = 64 - 8 * DTypeSize(dtype);
  return static_cast<int64_t>(static_cast<uint64_t>(value) << high_bits) >> high_bits;
}

template <typename C>
Result<Tensor> Added(const Tensor& target, const std::vector<int64_t>& places, const Tensor& by,
                     Change change) {
  std::vector<C> values = Load<C>(target);
  const std::vector<C> terms = Load<C>(by);
  for (size_t i = 0; i < places.size(); ++i) {
    C& value = values[static_cast<size_t>(places[i])];
    const C& term = terms[terms.size() == 1 ? 0 : i];
    value = ChangedElement(value, term, change);
    // The next quotient hangs on all bits of this one.
    if constexpr (std::same_as<C, int64_t>) value = Wrapped(value, target.dtype());
  }
  return Store<C>(target.dtype(), target.dims(), values);
}

}  // namespace

Result<Tensor> Changed(std::string_view op, const Tensor& target,
                       const std::vector<int64_t>& places, const Tensor& by, Change change) {
  if (change == Change::kSet) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor result, target.Clone());
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t from = by.num_elements() == 1 ? 0 : static_cast<int64_t>(i);
      CopyElement(by, from, result, places[i]);
    }
    return result;
  }
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(op, target.dtype(),
                   change == Change::kLower || change == Change::kRaise ? kReals : kNumbers));
  return WithComputingType(target.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
    if constexpr (NumberElement<C>) {
      return Added<C>(target, places, by, change);
    } else {
      return Internal("not a number");
    }
  });
}

}  // namespace tagflow::reference
