// Products and sums of whole arrays: MatMul, BatchMatMulV2, AddN, BiasAdd.
//
// A product's terms are added in order of the inner index: half, bfloat16, float and complex64 in
// double, rounded once; integers wrap.

#include <algorithm>

#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kProducts =
    kFloating | kComplexes | DTypeSet{DType::kInt16, DType::kInt32, DType::kInt64};

// How to read one factor: as it is, transposed, or transposed and conjugated.
enum class Reading { kPlain, kTransposed, kAdjoint };

struct Factor {
  const Tensor& tensor;
  Reading reading;

  int64_t stored_rows() const { return tensor.dim(tensor.rank() - 2); }
  int64_t stored_columns() const { return tensor.dim(tensor.rank() - 1); }
  int64_t rows() const { return reading == Reading::kPlain ? stored_rows() : stored_columns(); }
  int64_t columns() const { return reading == Reading::kPlain ? stored_columns() : stored_rows(); }
  DimsView batch() const { return tensor.dims().first(tensor.dims().size() - 2); }
};

// The elements of a factor, widened, with access by batch, row and column.
template <typename Sum, typename C>
class Matrices {
 public:
  explicit Matrices(const Factor& factor) : factor_(factor) {
    for (const C& value : Load<C>(factor.tensor)) values_.push_back(static_cast<Sum>(value));
  }
  Sum at(int64_t batch, int64_t row, int64_t column) const {
    if (factor_.reading != Reading::kPlain) std::swap(row, column);
    const int64_t stored_row = batch * factor_.stored_rows() + row;
    const Sum value = values_[stored_row * factor_.stored_columns() + column];
    if constexpr (ComplexElement<Sum>) {
      if (factor_.reading == Reading::kAdjoint) return std::conj(value);
    }
    return value;
  }

 private:
  const Factor& factor_;
  std::vector<Sum> values_;
};

template <typename Sum, typename C>
Result<Tensor> Product(const Factor& a, const Factor& b, DimsView batch) {
  const Matrices<Sum, C> a_matrices(a);
  const Matrices<Sum, C> b_matrices(b);
  const std::vector<int64_t> a_of = BroadcastIndices(a.batch(), batch);
  const std::vector<int64_t> b_of = BroadcastIndices(b.batch(), batch);
  std::vector<C> values;
  for (size_t i = 0; i < a_of.size(); ++i) {
    for (int64_t row = 0; row < a.rows(); ++row) {
      for (int64_t column = 0; column < b.columns(); ++column) {
        Sum sum = 0;
        for (int64_t k = 0; k < a.columns(); ++k) {
          sum = Plus(sum, Times(a_matrices.at(a_of[i], row, k), b_matrices.at(b_of[i], k, column)));
        }
        values.push_back(static_cast<C>(sum));
      }
    }
  }
  Dims dims(batch.begin(), batch.end());
  dims.insert(dims.end(), {a.rows(), b.columns()});
  return Store(a.tensor.dtype(), dims, values);
}

Status Multiply(KernelContext& context, Reading a_reading, Reading b_reading) {
  const Factor a{context.inputs[0], a_reading};
  const Factor b{context.inputs[1], b_reading};
  if (a.columns() != b.rows()) {
    return InvalidArgument("Matrix size-incompatible: In[0]: " + DimsString(a.tensor.dims()) +
                           ", In[1]: " + DimsString(b.tensor.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims batch, BroadcastShape(a.batch(), b.batch()));
  Dims dims = batch;
  dims.insert(dims.end(), {a.rows(), b.columns()});
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  return WithComputingType(a.tensor.dtype(), [&](auto computing) -> Status {
    using C = typename decltype(computing)::Type;
    if constexpr (ComplexElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Product<std::complex<double>, C>(a, b, batch)));
    } else if constexpr (FloatElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Product<double, C>(a, b, batch)));
    } else if constexpr (std::same_as<C, int64_t>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Product<C, C>(a, b, batch)));
    }
    return Status();
  });
}

Status CheckFactors(const KernelContext& context) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, a.dtype(), kProducts));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, a.dtype(), b.dtype()));
  for (int i = 0; i < 2; ++i) {
    if (context.inputs[i].rank() < 2) {
      return InvalidArgument("In[" + std::to_string(i) + "] ndims must be >= 2, not " +
                             std::to_string(context.inputs[i].rank()));
    }
  }
  return Status();
}

//   inputs: two matrices; the attrs transpose_a and transpose_b say how to read them
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (not matrices, inner sizes differ)
Status MatMul(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckFactors(context));
  for (int i = 0; i < 2; ++i) {
    if (context.inputs[i].rank() != 2) {
      return InvalidArgument("In[" + std::to_string(i) + "] is not a matrix, but of shape " +
                             DimsString(context.inputs[i].dims()));
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_a, BoolAttr(context.node, "transpose_a"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_b, BoolAttr(context.node, "transpose_b"));
  return Multiply(context, transpose_a ? Reading::kTransposed : Reading::kPlain,
                  transpose_b ? Reading::kTransposed : Reading::kPlain);
}

//   inputs: [..., r, k] and [..., k, c], whose outer dimensions broadcast; the attrs adj_x and
//   adj_y say which to conjugate and transpose Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT
//   (shapes)
Status BatchMatMul(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckFactors(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_x, BoolAttr(context.node, "adj_x"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_y, BoolAttr(context.node, "adj_y"));
  return Multiply(context, adjoint_x ? Reading::kAdjoint : Reading::kPlain,
                  adjoint_y ? Reading::kAdjoint : Reading::kPlain);
}

// The elementwise sum, taken from the first input to the last, each addition rounded.
//   inputs: one or more of one dtype and shape
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes differ)
Status AddN(KernelContext& context) {
  const Tensor& first = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, first.dtype(), kNumbers));
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const Tensor& input = context.inputs[i];
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, first.dtype(), input.dtype()));
    if (!std::ranges::equal(first.dims(), input.dims())) {
      return InvalidArgument(
          "Inputs to operation " + context.node.name +
          " of type AddN must have the same size and shape.  Input 0: " + DimsString(first.dims()) +
          " != input " + std::to_string(i) + ": " + DimsString(input.dims()));
    }
  }
  return WithComputingType(first.dtype(), [&](auto computing) -> Status {
    using C = typename decltype(computing)::Type;
    if constexpr (NumberElement<C>) {
      std::vector<C> sums = Load<C>(first);
      for (size_t i = 1; i < context.inputs.size(); ++i) {
        const std::vector<C> terms = Load<C>(context.inputs[i]);
        for (size_t j = 0; j < sums.size(); ++j) sums[j] = Plus(sums[j], terms[j]);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(first.dtype(), first.dims(), sums));
    }
    return Status();
  });
}

// Adds a vector along the channel dimension: the last, or with data_format "NCHW" the second.
//   inputs[0]: of rank 2 at least;  inputs[1]: a vector, one element for each channel
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Status BiasAdd(KernelContext& context) {
  const Tensor& value = context.inputs[0];
  const Tensor& bias = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, value.dtype(), kNumbers));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, value.dtype(), bias.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(context.node, "data_format"));
  if (value.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: " + DimsString(value.dims()));
  }
  if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: " + DimsString(bias.dims()));
  const int channel = format == "NCHW" ? 1 : value.rank() - 1;
  if (bias.dim(0) != value.dim(channel)) {
    return InvalidArgument("Must provide as many biases as there are channels: " +
                           DimsString(bias.dims()) + " for " + DimsString(value.dims()));
  }
  Dims aligned(value.dims().size(), 1);
  aligned[channel] = bias.dim(0);
  const std::vector<int64_t> bias_of = BroadcastIndices(aligned, value.dims());
  return WithComputingType(value.dtype(), [&](auto computing) -> Status {
    using C = typename decltype(computing)::Type;
    if constexpr (NumberElement<C>) {
      std::vector<C> sums = Load<C>(value);
      const std::vector<C> biases = Load<C>(bias);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = Plus(sums[i], biases[bias_of[i]]);
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(value.dtype(), value.dims(), sums));
    }
    return Status();
  });
}

}  // namespace

Status RegisterMatMulKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("MatMul", MatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("BatchMatMulV2", BatchMatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("AddN", AddN));
  return registry.Register("BiasAdd", BiasAdd);
}

}  // namespace tagflow::reference
