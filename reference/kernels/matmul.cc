// Products and sums of whole arrays: MatMul, BatchMatMul and its later forms, AddN, AccumulateNV2.
//
// A product's terms are added in order of the inner index: half, bfloat16, float and complex64 in
// double, rounded once; integers wrap.

#include <algorithm>

#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/variant_math.h"

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

// As BatchMatMul, of batches that must have one shape.
Status EqualBatchMatMul(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckFactors(context));
  const DimsView a = context.inputs[0].dims();
  const DimsView b = context.inputs[1].dims();
  if (!std::ranges::equal(a.first(a.size() - 2), b.first(b.size() - 2))) {
    return InvalidArgument("the batches must have one shape: " + DimsString(a) + " and " +
                           DimsString(b));
  }
  return BatchMatMul(context);
}

// A tensor of small integers in the dtype of the product, which holds them all.
Result<Tensor> Widened(const Tensor& factor, DType dtype) {
  if (factor.dtype() == dtype) return factor;
  std::vector<int64_t> values;
  if (factor.dtype() == DType::kInt8) values = Load<int64_t>(factor);
  if (factor.dtype() == DType::kUInt8) {
    for (uint64_t value : Load<uint64_t>(factor)) values.push_back(static_cast<int64_t>(value));
  }
  if (dtype == DType::kInt32) return Store(dtype, factor.dims(), values);
  std::vector<Short<BFloat16>> floats;
  for (int64_t value : values) floats.push_back(Short<BFloat16>(static_cast<double>(value)));
  return Store(dtype, factor.dims(), floats);
}

// Whether factors of these dtypes may make a product of that one: int8 and uint8 make int32, and
// with bfloat16 bfloat16; others only what they are, and half nothing.
bool MayMake(DType a, DType b, DType product) {
  constexpr DTypeSet kBytes = {DType::kInt8, DType::kUInt8};
  const bool bytes = kBytes.contains(a) && kBytes.contains(b);
  if (product == DType::kInt32 && bytes) return true;
  if (a == b && b == product) return (kProducts - DTypeSet{DType::kHalf}).contains(product);
  constexpr DTypeSet kOrBFloat16 = kBytes | DTypeSet{DType::kBFloat16};
  return product == DType::kBFloat16 && !bytes && kOrBFloat16.contains(a) &&
         kOrBFloat16.contains(b);
}

// As BatchMatMul, of factors whose dtypes may differ from each other's and from the product's.
Status MixedBatchMatMul(KernelContext& context) {
  const DType product = context.signature.outputs[0].dtype;
  const DType a = context.inputs[0].dtype();
  const DType b = context.inputs[1].dtype();
  if (!MayMake(a, b, product)) {
    return Unimplemented("no kernel of op " + context.node.op + " for factors of " + DTypeName(a) +
                         " and " + DTypeName(b) + " and a product of " + DTypeName(product));
  }
  for (int i = 0; i < 2; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(context.inputs[i], Widened(context.inputs[i], product));
  }
  return BatchMatMul(context);
}

// The elementwise sum, taken from the first input to the last, each addition rounded.
//   inputs: one or more of one dtype and shape
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes differ)
Status AddN(KernelContext& context) {
  const Tensor& first = context.inputs[0];
  if (first.dtype() == DType::kVariant) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], SumOfVariants(context.inputs));
    return Status();
  }
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, first.dtype(), kNumbers));
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const Tensor& input = context.inputs[i];
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, first.dtype(), input.dtype()));
    if (!std::ranges::equal(first.dims(), input.dims())) {
      return InvalidArgument(
          "Inputs to operation " + context.node.name + " of type " + context.node.op +
          " must have the same size and shape.  Input 0: " + DimsString(first.dims()) +
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

}  // namespace

Status RegisterMatMulKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("MatMul", MatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("BatchMatMulV2", BatchMatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("BatchMatMul", EqualBatchMatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("BatchMatMulV3", MixedBatchMatMul));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("AccumulateNV2", AddN));
  return registry.Register("AddN", AddN);
}

}  // namespace tagflow::reference
