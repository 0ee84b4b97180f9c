// Sparse tensors with dense ones: SparseTensorDenseMatMul, SparseTensorDenseAdd,
// SparseDenseCwiseMul, -Div, -Add; and SparseSoftmax.
//
// Sums of products and of exponentials are accumulated in double and rounded once.

#include <cmath>
#include <map>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kProducts = kFloating | kComplexes | DTypeSet{DType::kInt32};

template <typename C>
C ConjugateIf(bool is_adjoint, C x) {
  if constexpr (ComplexElement<C>) {
    if (is_adjoint) return std::conj(x);
  }
  return x;
}

// A matrix that is read as its adjoint, or as it is.
struct Orientation {
  bool is_adjoint;
  int64_t rows(DimsView dims) const { return dims[is_adjoint ? 1 : 0]; }
  int64_t columns(DimsView dims) const { return dims[is_adjoint ? 0 : 1]; }
};

template <typename C>
Result<Tensor> Product(const SparseInput& a, Orientation of_a, const Tensor& b, Orientation of_b) {
  const Dims dims = {of_a.rows(a.dims), of_b.columns(b.dims())};
  const size_t columns = static_cast<size_t>(dims[1]);
  const size_t b_columns = static_cast<size_t>(b.dim(1));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  const std::vector<C> a_values = Load<C>(a.values);
  const std::vector<C> b_values = Load<C>(b);
  std::vector<Accumulator<C>> sums(static_cast<size_t>(*NumElements(dims)));
  for (size_t i = 0; columns > 0 && i < a.places.size(); ++i) {
    const size_t row = static_cast<size_t>(a.places[i][of_a.is_adjoint ? 1 : 0]);
    const size_t inner = static_cast<size_t>(a.places[i][of_a.is_adjoint ? 0 : 1]);
    const C x = ConjugateIf(of_a.is_adjoint, a_values[i]);
    for (size_t column = 0; column < columns; ++column) {
      const size_t at = of_b.is_adjoint ? column * b_columns + inner : inner * b_columns + column;
      const C y = ConjugateIf(of_b.is_adjoint, b_values[at]);
      Accumulator<C>& sum = sums[row * columns + column];
      sum = Plus(sum, Times(static_cast<Accumulator<C>>(x), static_cast<Accumulator<C>>(y)));
    }
  }
  std::vector<C> values;
  for (const Accumulator<C>& sum : sums) values.push_back(static_cast<C>(sum));
  return Store(b.dtype(), dims, values);
}

//   a: sparse matrix; b: T, matrix
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED (dtype)
Status SparseTensorDenseMatMul(KernelContext& context) {
  const Tensor& b = context.inputs[3];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, b.dtype(), kProducts));
  if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(context, 0));
  if (a.rank() != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  Orientation of_a{}, of_b{};
  TAGFLOW_ASSIGN_OR_RETURN(of_a.is_adjoint, BoolAttr(context.node, "adjoint_a"));
  TAGFLOW_ASSIGN_OR_RETURN(of_b.is_adjoint, BoolAttr(context.node, "adjoint_b"));
  if (of_a.columns(a.dims) != of_b.rows(b.dims())) {
    return InvalidArgument("Cannot multiply A and B because inner dimension does not match: " +
                           std::to_string(of_a.columns(a.dims)) + " vs. " +
                           std::to_string(of_b.rows(b.dims())));
  }
  return WithComputingType(b.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (NumberElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Product<C>(a, of_a, b, of_b)));
    }
    return Status();
  });
}

//   a: sparse; b: T, of a's shape; output: b with the elements of a added in turn
Status SparseTensorDenseAdd(KernelContext& context) {
  const Tensor& b = context.inputs[3];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, b.dtype(), kNumbers));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(context, 0));
  if (a.dims != ToDims(b.dims())) {
    return InvalidArgument("Two operands have different shapes (no broadcasting is supported): " +
                           DimsString(a.dims) + " vs dense side " + DimsString(b.dims()));
  }
  std::vector<int64_t> places;
  for (const Dims& place : a.places) places.push_back(NumberOf(place, a.dims));
  if (places.empty()) {
    context.outputs[0] = b;
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           Changed(context.node.op, b, places, a.values, Change::kAdd));
  return Status();
}

// The place of the element of a tensor of shape `dense` that broadcasting brings to a place.
int64_t BroadcastFrom(const Dims& place, DimsView dense) {
  int64_t number = 0;
  const size_t missing = place.size() - dense.size();
  for (size_t d = 0; d < dense.size(); ++d) {
    number = number * dense[d] + (dense[d] == 1 ? 0 : place[missing + d]);
  }
  return number;
}

// Whether a dense tensor broadcasts to a shape, and that shape not to more.
bool BroadcastsTo(DimsView dense, const Dims& dims) {
  if (dense.size() > dims.size()) return false;
  const size_t missing = dims.size() - dense.size();
  for (size_t d = 0; d < dense.size(); ++d) {
    const int64_t dim = dims[missing + d];
    if (dense[d] != dim && (dense[d] != 1 || dim == 0)) return false;
  }
  return true;
}

struct Multiply {
  template <RealElement C>
  static C Apply(C x, C y) {
    return Times(x, y);
  }
};
struct Divide {
  template <RealElement C>
  static C Apply(C x, C y) {
    if constexpr (std::same_as<C, int64_t>) {
      if (y == -1) return Negate(x);  // the quotient of the lowest number would trap
    }
    return x / y;
  }
};
struct Add {
  template <RealElement C>
  static C Apply(C x, C y) {
    return Plus(x, y);
  }
};

//   sp: sparse; dense: T, broadcast to sp's shape; output: T [n], of sp's elements
//   Errors: INVALID_ARGUMENT, also for an integer divided by zero; UNIMPLEMENTED (dtype)
template <typename F>
Status WithDense(KernelContext& context) {
  const Tensor& dense = context.inputs[3];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dense.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  if (!BroadcastsTo(dense.dims(), sparse.dims)) {
    return InvalidArgument(context.node.op + " broadcasts dense to sparse only; got incompatible " +
                           "shapes: " + DimsString(sparse.dims) + " vs. " +
                           DimsString(dense.dims()));
  }
  return WithComputingType(dense.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      std::vector<C> values = Load<C>(sparse.values);
      const std::vector<C> others = Load<C>(dense);
      for (size_t i = 0; i < values.size(); ++i) {
        const C other = others[static_cast<size_t>(BroadcastFrom(sparse.places[i], dense.dims()))];
        if (IntegerElement<C> && std::same_as<F, Divide> && other == C(0)) {
          return InvalidArgument("Integer division by zero");
        }
        values[i] = F::template Apply<C>(values[i], other);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                               Store(dense.dtype(), sparse.values.dims(), values));
    }
    return Status();
  });
}

//   output: T [n], of each element exp(x) divided by the sum of those in its row, a place in all
//   dimensions but the last
Status SparseSoftmax(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, 0));
  if (sparse.rank() < 2) {
    return InvalidArgument("Input should have rank >= 2, but received shape: " +
                           DimsString(sparse.dims));
  }
  std::map<Dims, std::vector<size_t>> rows;
  for (size_t i = 0; i < sparse.places.size(); ++i) {
    rows[Dims(sparse.places[i].begin(), sparse.places[i].end() - 1)].push_back(i);
  }
  const DType dtype = sparse.values.dtype();
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (FloatElement<C>) {
      std::vector<C> values = Load<C>(sparse.values);
      for (const auto& [row, elements] : rows) {
        double most = static_cast<double>(values[elements[0]]);
        for (size_t i : elements) most = std::max(most, static_cast<double>(values[i]));
        double sum = 0;
        for (size_t i : elements) sum += std::exp(static_cast<double>(values[i]) - most);
        for (size_t i : elements) {
          values[i] = C(std::exp(static_cast<double>(values[i]) - most) / sum);
        }
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, sparse.values.dims(), values));
    }
    return Status();
  });
}

}  // namespace

Status RegisterSparseMathKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseTensorDenseMatMul", SparseTensorDenseMatMul},
                                {"SparseTensorDenseAdd", SparseTensorDenseAdd},
                                {"SparseDenseCwiseMul", WithDense<Multiply>},
                                {"SparseDenseCwiseDiv", WithDense<Divide>},
                                {"SparseDenseCwiseAdd", WithDense<Add>},
                                {"SparseSoftmax", SparseSoftmax}});
}

}  // namespace tagflow::reference
