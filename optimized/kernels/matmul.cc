// MatMul, and BatchMatMul in its three forms: products of matrices (product.h), one or many.

#include <cblas.h>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/product.h"
#include "optimized/kernels/product_shapes.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// How a node reads its factors.
struct Reading {
  bool is_transposed;
  bool is_conjugated;
};

Factor FactorOf(const Tensor& tensor, const Reading& reading) {
  const DimsView dims = tensor.dims();
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  return {tensor.raw_data(),
          tensor.dtype(),
          reading.is_transposed ? columns : rows,
          reading.is_transposed ? rows : columns,
          reading.is_transposed,
          reading.is_conjugated};
}

//   inputs: two matrices; the attrs transpose_a and transpose_b say how to read them
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (not matrices, inner sizes differ)
Result<BoundKernel> BindMatMul(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_a, BoolAttr(binding.node, "transpose_a"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_b, BoolAttr(binding.node, "transpose_b"));
  const auto multiply = [dtype, transpose_a, transpose_b](KernelContext& context) -> Status {
    const DimsView of_a = context.input(0).dims(), of_b = context.input(1).dims();
    TAGFLOW_RETURN_IF_ERROR(RequireMatrices(of_a, of_b, /*is_single=*/true));
    const Factor a = FactorOf(context.input(0), {transpose_a, false});
    const Factor b = FactorOf(context.input(1), {transpose_b, false});
    TAGFLOW_RETURN_IF_ERROR(RequireOneInnerSize(of_a, of_b, a.columns, b.rows));
    const int64_t dims[] = {a.rows, b.columns};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
    return Multiply(dtype, a, b, out->mutable_raw_data());
  };
  if (dtype != DType::kFloat && dtype != DType::kDouble) return BoundKernel(multiply);
  return BindPart(ProductPart{dtype, transpose_a, transpose_b}, multiply);
}

// Multiplies matrix number i of each batch, which broadcast to the shape `batch`.
Status MultiplyEach(KernelContext& context, DType dtype, Factor a, Factor b, DimsView batch) {
  const auto a_size = static_cast<int64_t>(DTypeSize(a.dtype)) * a.rows * a.columns;
  const auto b_size = static_cast<int64_t>(DTypeSize(b.dtype)) * b.rows * b.columns;
  const auto size = static_cast<int64_t>(DTypeSize(dtype)) * a.rows * b.columns;
  const BroadcastRows rows({BatchOf(context.input(0).dims()), BatchOf(context.input(1).dims())},
                           batch);
  const char* a_data = static_cast<const char*>(a.data);
  const char* b_data = static_cast<const char*>(b.data);
  char* to = static_cast<char*>(context.output(0).mutable_raw_data());
  Status status;
  rows.ForEach([&](const int64_t* offsets) {
    for (int64_t i = 0; i < rows.row_size() && status.ok(); ++i, to += size) {
      a.data = a_data + (offsets[0] + i * rows.step(0)) * a_size;
      b.data = b_data + (offsets[1] + i * rows.step(1)) * b_size;
      status = Multiply(dtype, a, b, to);
    }
    return status.ok();
  });
  return status;
}

//   inputs: [..., r, k] and [..., k, c]; the attrs adj_x and adj_y say which to conjugate and
//   transpose
//   equal: whether the batches must have one shape, and not only broadcast
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
Result<BoundKernel> BindBatches(const Binding& binding, bool equal) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_x, BoolAttr(binding.node, "adj_x"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_y, BoolAttr(binding.node, "adj_y"));
  return BoundKernel([dtype, adjoint_x, adjoint_y, equal](KernelContext& context) -> Status {
    const DimsView of_x = context.input(0).dims(), of_y = context.input(1).dims();
    TAGFLOW_RETURN_IF_ERROR(RequireMatrices(of_x, of_y, /*is_single=*/false));
    if (equal) TAGFLOW_RETURN_IF_ERROR(RequireOneBatch(of_x, of_y));
    const Factor a = FactorOf(context.input(0), {adjoint_x, adjoint_x});
    const Factor b = FactorOf(context.input(1), {adjoint_y, adjoint_y});
    TAGFLOW_RETURN_IF_ERROR(RequireOneInnerSize(of_x, of_y, a.columns, b.rows));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims batch, BroadcastShape(BatchOf(of_x), BatchOf(of_y)));
    Dims dims = batch;
    dims.insert(dims.end(), {a.rows, b.columns});
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
    if (out->num_elements() == 0) return Status();
    return MultiplyEach(context, dtype, a, b, batch);
  });
}

Result<BoundKernel> BindEqualBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  return BindBatches(binding, /*equal=*/true);
}
Result<BoundKernel> BindBroadcastBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  return BindBatches(binding, /*equal=*/false);
}
// Of factors whose dtypes may differ from each other's and from the product's; half is no product.
Result<BoundKernel> BindMixedBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (dtype == DType::kHalf || !HasProduct(binding.input_dtype(0), binding.input_dtype(1), dtype)) {
    return NoKernelFor(binding, dtype);
  }
  return BindBatches(binding, /*equal=*/false);
}

}  // namespace

Status RegisterMatMulKernels(KernelRegistry& registry) {
  // Its threads would compete with the engine's, where it has any.
  openblas_set_num_threads(1);
  return RegisterAll(registry, {
                                   {"BatchMatMul", BindEqualBatches, Cost::kHeavy},
                                   {"BatchMatMulV2", BindBroadcastBatches, Cost::kHeavy},
                                   {"BatchMatMulV3", BindMixedBatches, Cost::kHeavy},
                                   {"MatMul", BindMatMul, Cost::kHeavy},
                               });
}

}  // namespace tagflow::optimized
