// Sparse tensors with dense ones: SparseTensorDenseMatMul, SparseTensorDenseAdd,
// SparseDenseCwiseMul, -Div, -Add; and SparseSoftmax.
// Tested by conformance/ops/sparse_math.ops.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

// ---- SparseTensorDenseMatMul ----
//
// For each element of the sparse matrix a row of the dense one, times it, is added to a row of the
// product. The dense one is turned over first where it is read as its adjoint, so that rows lie
// side by side. Sums of 16-bit floats are in double.

constexpr DTypeSet kProducts = kContinuous | SetOf(DType::kInt32);

template <typename C>
C ConjugatedIf(bool is_adjoint, C x) {
  if constexpr (Complex<C>) {
    if (is_adjoint) return Conjugated(x);
  }
  return x;
}

// Matrices read as their adjoints, or as they are.
struct Orientation {
  bool a_is_adjoint, b_is_adjoint;
};

template <typename C>
Result<ElementsAs<C>> Elements(const Tensor& tensor) {
  if constexpr (std::is_same_v<C, double>) return ElementsAs<C>::OfWidest(tensor);
  return ElementsAs<C>::Of(tensor);
}

template <typename C>
std::vector<C> AdjointOf(const C* matrix, int64_t rows, int64_t columns) {
  std::vector<C> adjoint(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      adjoint[static_cast<size_t>(column * rows + row)] =
          ConjugatedIf(true, matrix[row * columns + column]);
    }
  }
  return adjoint;
}

template <typename C>
Status Multiply(KernelContext& context, const SparseInput& a, Orientation orientation) {
  const Tensor& b = context.input(3);
  const int row_axis = orientation.a_is_adjoint ? 1 : 0;
  SmallDims dims(1, a.dims[static_cast<size_t>(row_axis)]);
  const int64_t columns = b.dim(orientation.b_is_adjoint ? 0 : 1);
  dims.push_back(columns);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor product, Tensor::Allocate(b.dtype(), dims));
  if (product.num_elements() > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto a_values, Elements<C>(a.values));
    TAGFLOW_ASSIGN_OR_RETURN(const auto b_values, Elements<C>(b));
    std::vector<C> turned;
    if (orientation.b_is_adjoint) turned = AdjointOf(b_values.data(), b.dim(0), b.dim(1));
    const C* rows = orientation.b_is_adjoint ? turned.data() : b_values.data();
    using Sums = ElementsFor<C>;
    TAGFLOW_ASSIGN_OR_RETURN(auto sums,
                             (std::is_same_v<C, double> ? Sums::OfWidest(product, Contents::kKept)
                                                        : Sums::Of(product, Contents::kKept)));
    for (int64_t i = 0; i < a.places.size(); ++i) {
      const C x = ConjugatedIf(orientation.a_is_adjoint, a_values[i]);
      const C* row = rows + a.places.at(i, 1 - row_axis) * columns;
      C* sum = sums.data() + a.places.at(i, row_axis) * columns;
      for (int64_t k = 0; k < columns; ++k) sum[k] = Plus(sum[k], Times(x, row[k]));
    }
    sums.Finish();
  }
  context.output(0) = std::move(product);
  return Status();
}

//   a: sparse matrix; b: T, matrix
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename C>
Status SparseTensorDenseMatMul(KernelContext& context, Orientation orientation) {
  const Tensor& b = context.input(3);
  if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, SparseInputAt(context, 0));
  if (a.dims.size() != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  const int64_t a_inner = a.dims[orientation.a_is_adjoint ? 0 : 1];
  const int64_t b_inner = b.dim(orientation.b_is_adjoint ? 1 : 0);
  if (a_inner == b_inner) return Multiply<C>(context, a, orientation);
  return InvalidArgument("Cannot multiply A and B because inner dimension does not match: " +
                         std::to_string(a_inner) + " vs. " + std::to_string(b_inner));
}

Result<BoundKernel> BindMatMul(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kProducts));
  Orientation orientation{};
  TAGFLOW_ASSIGN_OR_RETURN(orientation.a_is_adjoint, BoolAttr(binding.node, "adjoint_a"));
  TAGFLOW_ASSIGN_OR_RETURN(orientation.b_is_adjoint, BoolAttr(binding.node, "adjoint_b"));
  const auto bind = [orientation]<typename C>(Computing<C>) {
    return BoundKernel([orientation](KernelContext& context) {
      return SparseTensorDenseMatMul<C>(context, orientation);
    });
  };
  if (dtype == DType::kInt32) return bind(Computing<int32_t>());
  if (dtype == DType::kFloat) return bind(Computing<float>());
  if (dtype == DType::kComplex64) return bind(Computing<std::complex<float>>());
  if (dtype == DType::kComplex128) return bind(Computing<std::complex<double>>());
  return bind(Computing<double>());
}

// ---- SparseTensorDenseAdd ----

//   a: sparse; b: T, of a's shape; output: b with the elements of a added in turn
template <typename C>
Status SparseTensorDenseAdd(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, SparseInputAt(context, 0));
  if (!SameDims(a.dims, context.input(3).dims())) {
    return InvalidArgument(
        "Two operands have different shapes (no broadcasting is supported): " + DimsString(a.dims) +
        " vs dense side " + DimsString(context.input(3).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto values, ElementsAs<C>::Of(a.values));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, SetCopy(context, 0, 3));
  TAGFLOW_ASSIGN_OR_RETURN(auto sums, ElementsFor<C>::Of(*out, Contents::kKept));
  for (int64_t i = 0; i < a.places.size(); ++i) {
    C& sum = sums[a.places.NumberOf(i, a.dims)];
    sum = Plus(sum, values[i]);
  }
  sums.Finish();
  return Status();
}

Result<BoundKernel> BindAdd(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kNumbers));
  return ForComputingType(dtype, []<typename C>(Computing<C>) {
    if constexpr (Number<C>) {
      return BoundKernel([](KernelContext& context) { return SparseTensorDenseAdd<C>(context); });
    }
    return BoundKernel();
  });
}

// ---- SparseDenseCwise ----

// Strides of a dense tensor along the dimensions of a shape that it broadcasts to: 0 where it
// repeats.
//   Errors: INVALID_ARGUMENT where it does not, or the shape would have to
Result<SmallDims> BroadcastStrides(DimsView dense, DimsView dims) {
  SmallDims strides(dims.size(), 0);
  const size_t missing = dims.size() - std::min(dims.size(), dense.size());
  bool fits = dense.size() <= dims.size();
  int64_t stride = 1;
  for (size_t d = dense.size(); fits && d-- > 0; stride *= dense[d]) {
    const int64_t dim = dims[missing + d];
    fits = dense[d] == dim || (dense[d] == 1 && dim > 0);
    strides[missing + d] = dense[d] == 1 ? 0 : stride;
  }
  if (fits) return strides;
  return InvalidArgument(
      "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: " +
      DimsString(dims) + " vs. " + DimsString(dense));
}

enum class Operation { kMultiply, kDivide, kAdd };

template <typename C, Operation operation>
C Apply(C x, C y) {
  if constexpr (operation == Operation::kMultiply) return Times(x, y);
  if constexpr (operation == Operation::kAdd) return Plus(x, y);
  if constexpr (std::is_signed_v<C> && Integer<C>) {
    if (y == -1) return Negated(x);  // the quotient of the lowest number would trap
  }
  return x / y;
}

//   sp: sparse; dense: T, broadcast to sp's shape; output: T [n], of sp's elements
//   Errors: INVALID_ARGUMENT, also for an integer divided by zero
template <typename C, Operation operation>
Status WithDense(KernelContext& context) {
  const Tensor& dense = context.input(3);
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims strides, BroadcastStrides(dense.dims(), sparse.dims));
  TAGFLOW_ASSIGN_OR_RETURN(const auto values, ElementsAs<C>::Of(sparse.values));
  TAGFLOW_ASSIGN_OR_RETURN(const auto others, ElementsAs<C>::Of(dense));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, dense.dtype(), sparse.values.dims(), {1}));
  TAGFLOW_ASSIGN_OR_RETURN(auto results, ElementsFor<C>::Of(*out));
  for (int64_t i = 0; i < values.size(); ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < strides.size(); ++d) {
      place += strides[d] * sparse.places.at(i, static_cast<int64_t>(d));
    }
    const C other = others[place];
    if constexpr (Integer<C> && operation == Operation::kDivide) {
      if (other == 0) return InvalidArgument("Integer division by zero");
    }
    results[i] = Apply<C, operation>(values[i], other);
  }
  results.Finish();
  return Status();
}

template <Operation operation>
Result<BoundKernel> BindWithDense(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kReals));
  return ForComputingType(dtype, []<typename C>(Computing<C>) {
    if constexpr (Real<C>) {
      return BoundKernel([](KernelContext& context) { return WithDense<C, operation>(context); });
    }
    return BoundKernel();
  });
}

// ---- SparseSoftmax ----

// exp(x) of some elements divided by the sum of these.
void SoftmaxOf(const std::vector<double>& x, std::vector<double>& results) {
  const double most = *std::ranges::max_element(x);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += results[i] = std::exp(x[i] - most);
  for (size_t i = 0; i < x.size(); ++i) results[i] /= sum;
}

// The numbers of elements, those of a row side by side.
std::vector<int64_t> ByRow(const std::vector<int64_t>& row_of) {
  std::vector<int64_t> elements(row_of.size());
  std::iota(elements.begin(), elements.end(), int64_t{0});
  const auto row = [&](int64_t i) { return row_of[static_cast<size_t>(i)]; };
  if (!std::ranges::is_sorted(row_of)) std::ranges::stable_sort(elements, {}, row);
  return elements;
}

//   output: T [n], the softmax of each row, which is a place in all dimensions but the last
Status SparseSoftmax(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  if (sparse.dims.size() < 2) {
    return InvalidArgument("Input should have rank >= 2, but received shape: " +
                           DimsString(sparse.dims));
  }
  const DimsView row_dims = DimsView(sparse.dims).first(sparse.dims.size() - 1);
  std::vector<int64_t> row_of;
  for (int64_t i = 0; i < sparse.places.size(); ++i) {
    row_of.push_back(sparse.places.NumberOf(i, row_dims));
  }
  const std::vector<int64_t> elements = ByRow(row_of);
  TAGFLOW_ASSIGN_OR_RETURN(const auto values, ElementsAs<double>::OfWidest(sparse.values));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, sparse.values.dtype(), sparse.values.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(auto results, ElementsFor<double>::OfWidest(*out));
  std::vector<double> x, softmax;
  for (size_t begin = 0, end = 0; begin < elements.size(); begin = end) {
    const int64_t row = row_of[static_cast<size_t>(elements[begin])];
    x.clear();
    while (end < elements.size() && row_of[static_cast<size_t>(elements[end])] == row) {
      x.push_back(values[elements[end++]]);
    }
    softmax.resize(x.size());
    SoftmaxOf(x, softmax);
    for (size_t i = begin; i < end; ++i) results[elements[i]] = softmax[i - begin];
  }
  results.Finish();
  return Status();
}

}  // namespace

Status RegisterSparseMathKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseDenseCwiseAdd", BindWithDense<Operation::kAdd>},
                                {"SparseDenseCwiseDiv", BindWithDense<Operation::kDivide>},
                                {"SparseDenseCwiseMul", BindWithDense<Operation::kMultiply>},
                                {"SparseSoftmax", Bind<SparseSoftmax>},
                                {"SparseTensorDenseAdd", BindAdd},
                                {"SparseTensorDenseMatMul", BindMatMul, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
